"""The upper bound is drawn from the grammar of the benchmark, and from no other."""

from __future__ import annotations

import pytest

from recombinable import english_german
from recombine.augment.files.inputs import benchmark_pairs
from recombine.augment.methods import augment, draw, learn, read_options
from recombine.builders.recipe import build
from recombine.errors import ConfigError
from recombine.grammar import Grammar


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    """A small benchmark with held-out patterns."""
    return build("sget-mini", tmp_path_factory.mktemp("grammar") / "mini", overrides=["scale=0.1"])


def test_half_of_the_pairs_show_what_training_holds_out(benchmark):
    """Each pair is the grammar's own; none is a sentence of train, dev, test or gen."""
    source = benchmark_pairs(benchmark)
    options = read_options({"method": "grammar", "n": 400}, source)
    found = draw(learn(source, options), source, options).pairs
    kinds = [pair.steps[0].removeprefix("grammar: ") for pair in found]
    held_out = [kind for kind in kinds if kind.startswith("gen.")]
    assert 100 < len(held_out) <= 200
    assert len({kind.split(".")[1] for kind in held_out}) > 30
    known = {one.source for split in benchmark.splits for one in benchmark.read(split)}
    assert not {pair.source for pair in found} & known
    assert len({pair.source for pair in found}) == len(found)
    grammar = Grammar.load("sget")
    for pair in found[::40]:
        assert grammar.parse(pair.source, "en")
        assert grammar.parse(pair.target, "ja")
    assert learn(source, options).explain(found[0].source)


def test_any_two_languages_have_an_upper_bound(tmp_path):
    """The pairs are of the languages of the benchmark, and each side is the grammar's."""
    languages = ["benchmark.source=ja", "benchmark.target=es"]
    made = build("sget-mini", tmp_path / "mini", overrides=["scale=0.1", *languages])
    found = augment(made, 100, method="grammar")
    assert len(found) > 60
    grammar = Grammar.load("sget")
    for pair in found[::20]:
        assert grammar.parse(pair.source, "ja")
        assert grammar.parse(pair.target, "es")


def test_pairs_without_a_grammar_have_no_upper_bound():
    """Said in words, before anything is drawn."""
    with pytest.raises(ConfigError, match="samples the grammar that made the benchmark"):
        augment(english_german(), 10, method="grammar")
