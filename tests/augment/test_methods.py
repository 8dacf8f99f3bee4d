"""One call from pairs to more pairs, by any method."""

from __future__ import annotations

import pytest

from recombinable import english_german, recombinable
from recombine.augment import Pair
from recombine.augment.methods import augment
from recombine.benchmark import Example
from recombine.errors import ConfigError, DataError, MissingExtra

PAIRS = [english_german()[37 * number % 100] for number in range(60)]


@pytest.mark.parametrize(
    "pairs",
    [
        PAIRS,
        [Pair(one, other) for one, other in PAIRS],
        [Example.make(source=one, references=[other]) for one, other in PAIRS],
    ],
)
def test_pairs_may_be_texts_pairs_or_examples(pairs):
    """They make the same new pairs, whatever they come as."""
    found = augment(pairs, 50, source_language="en", target_language="de")
    assert found
    assert [(one.source, one.target) for one in found] == [
        (one.source, one.target)
        for one in augment(PAIRS, 50, source_language="en", target_language="de")
    ]
    assert not {one.source for one in found} & {source for source, _ in PAIRS}


def test_the_package_has_it_under_one_name():
    """`recombine.augment` is the function, also after its chapter was imported."""
    import recombine.augment.options

    assert recombine.augment(PAIRS, 10, source_language="en", target_language="de", seed=3)


def test_a_benchmark_is_learned_from_without_its_other_splits(tmp_path):
    """What was drawn and is a sentence of gen does not come back."""
    benchmark = recombinable(tmp_path)
    found = augment(benchmark, 200)
    held = {one.source for split in ("dev", "gen") for one in benchmark.read(split)}
    assert found
    assert not {one.source for one in found} & held


def test_nothing_but_held_out_sentences_is_said(tmp_path, monkeypatch):
    """A folder without pairs would train nothing."""
    benchmark = recombinable(tmp_path)
    held = {one.source for split in ("dev", "gen") for one in benchmark.read(split)}
    train = [(one.source, one.references[0]) for one in benchmark.read("train")]
    every = augment(train, 200, source_language="en", target_language="de")
    drawn = [one for one in every if one.source in held]
    monkeypatch.setattr("recombine.augment.recombiner.Recombiner.draw", lambda *_: iter(drawn))
    with pytest.raises(DataError, match=f"all {len(drawn)} drawn pairs are sentences of other"):
        augment(benchmark, 200)


def test_typos_and_impossible_numbers_are_refused():
    """Options are those of AugmentOptions and nothing else."""
    with pytest.raises(ConfigError, match="unknown key 'suport'"):
        augment(PAIRS, suport=3)
    with pytest.raises(ConfigError, match="n = 0"):
        augment(PAIRS, 0)
    with pytest.raises(ConfigError, match="'recombine', 'exchange', 'words', 'grammar'"):
        augment(PAIRS, method="magic")


def test_a_segmenter_that_is_missing_is_named(monkeypatch):
    """Japanese is not cut at spaces."""

    def missing(module, *, extra, feature):
        raise MissingExtra(feature, extra, module)

    monkeypatch.setattr("recombine.corpus.segment.require", missing)
    with pytest.raises(MissingExtra, match=r"sudachipy") as told:
        augment(PAIRS, 10, source_language="en", target_language="ja")
    assert told.value.hint == "pip install 'recombine[ja]'"


def test_pairs_without_repeated_words_are_refused_with_their_number():
    """Nothing stands where something else stands."""
    strange = [(f"a{n} b{n} c{n}.", f"d{n} e{n} f{n}.") for n in range(40)]
    with pytest.raises(DataError, match="40 pairs"):
        augment(strange, 10, source_language="en", target_language="de")
