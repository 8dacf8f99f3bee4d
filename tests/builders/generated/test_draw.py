"""Drawing sentences: lots, symbols, vocabulary."""

from __future__ import annotations

import pytest

from recombine.builders.generated.blueprint import read_symbol, vocabulary_weights
from recombine.builders.generated.draw import lot_of
from recombine.builders.generated.lexicon import words_of
from recombine.builders.recipe import build, check_benchmark
from recombine.errors import ConfigError
from recombine.grammar import Grammar, Pattern


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


def test_a_held_out_pattern_is_named_once(tmp_path):
    """What a generalisation part requires never reaches training, dev or test, unasked."""
    recipe = tmp_path / "subjects.toml"
    recipe.write_text(
        'builder = "generated"\ngrammar = "toy"\n'
        '[benchmark]\nsource = "en"\ntarget = "de"\n'
        '[split.train.base]\nsize = 300\npool = "base"\n'
        '[split.test.base]\nsize = 30\npool = "base"\n'
        '[split.gen.beside_in_subject]\ncategory = "modifiers"\ngroup = "structural"\n'
        'size = 20\npattern = ["decl.subj >> beside"]\n',
        encoding="utf-8",
    )
    benchmark = build(str(recipe), tmp_path / "b")
    grammar = Grammar.load("toy")
    pattern = Pattern.parse("decl.subj >> beside")
    shown = {
        split: sum(
            pattern.matches(grammar.parse(example.source, "en").tree)
            for example in benchmark.iterate(split)
        )
        for split in benchmark.splits
    }
    assert shown == {"train": 0, "test": 0, "gen": 20}
    assert check_benchmark(benchmark) == []
