"""The share of novel compounds and its classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parsed_corpora import counted
from recombine.builders.divergent.measure import length_class, novel_shares, novelty_class
from recombine.corpus.conllu import ParsedSentence


def test_shares_of_sentences(tmp_path: Path) -> None:
    """Half of the second sentence is in the first; a sentence without compounds has no share."""
    sentences = [
        ParsedSentence("a b", ["a", "b"], ["nsubj", "root"], [2, 0]),
        ParsedSentence("a b c", ["a", "b", "c"], ["nsubj", "root", "obj"], [2, 0, 2]),
    ]
    _, counts = counted(sentences, tmp_path, edition="all")
    assert novel_shares(counts, np.array([0])).tolist() == [0.0, 0.5]
    assert novel_shares(counts, np.array([1])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("share", "name"),
    [
        (float("nan"), "no compound"),
        (0.0, "none novel"),
        (0.2, "under half novel"),
        (0.5, "half or more novel"),
        (1.0, "all novel"),
    ],
)
def test_classes(share: float, name: str) -> None:
    """Each share has one class."""
    assert novelty_class(share) == name


def test_length_classes() -> None:
    """Lengths are classed by tens."""
    assert [length_class(n) for n in (1, 10, 11, 30)] == [
        "1-10 words", "1-10 words", "11-20 words", "21-30 words",
    ]  # fmt: skip
