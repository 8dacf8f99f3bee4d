"""Drawing sentences: lots, symbols, vocabulary."""

from __future__ import annotations

import pytest

from recombine.builders.drawing import lot_of, read_symbol, vocabulary_weights, words_of
from recombine.errors import ConfigError
from recombine.grammar import Grammar


def test_lots_and_symbols():
    """Lots are stable; symbols are read with classes."""
    assert lot_of("x", 1000) == lot_of("x", 1000) < 1000
    assert read_symbol("N<animate !target>").forbid == ("target",)
    with pytest.raises(ConfigError):
        read_symbol("N<")


def test_words_without_punctuation():
    """The topic comma is no word."""
    assert words_of("A book , Liam saw.") == ["A", "book", "Liam", "saw"]


def test_vocabulary_keeps_the_most_frequent_words():
    """Two names stay, the others get weight 0; target words are not touched."""
    weights = vocabulary_weights(Grammar.load("sget"), {"Name": 2})
    assert "Liam" not in weights
    assert weights["Zoe"] == 0
    assert "Coco" not in weights
