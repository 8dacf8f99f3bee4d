"""The control of a compound test: it shows half of the compounds, of which train shows none."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import numpy as np
import pytest

from builders.invented_corpus import SMALL, write_corpus
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.compounds.control import (
    CompoundFinder,
    HeldCompounds,
    control_card,
    control_facts,
    control_faults,
    exchange,
)
from recombine.builders.compounds.filter import Pair
from recombine.builders.recipe import build
from recombine.errors import ConfigError
from recombine.files import dump_row

NEW = [one for one in SMALL if not one.startswith("keep_seen")]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """An invented parsed corpus."""
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.tsv", 1000)


@pytest.fixture(scope="module")
def halves(corpus, tmp_path_factory):
    """The benchmarks with either half held in."""
    folder = tmp_path_factory.mktemp("control")
    return [
        build(
            "compounds",
            folder / f"half-{half}",
            overrides=[*NEW, f"corpus='{corpus}'", "control=true", f"control_half={half}"],
        )
        for half in (1, 2)
    ]


@pytest.fixture
def copy(halves, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(halves[0].path, tmp_path / "copy")


def sources(benchmark: Benchmark, split: str) -> list[str]:
    """The sentences of a split, in their order."""
    return [example.source for example in benchmark.read(split)]


def shows(source: str, compound: str) -> bool:
    """Whether a sentence has a compound, word by word."""
    return f" {compound.lower()} " in f" {source.lower().removesuffix('.')} "


def tags(benchmark: Benchmark) -> dict[str, str]:
    """What the control knows of each tested compound."""
    return {str(e.tags["compound"]): str(e.tags["held_in"]) for e in benchmark.read("gen")}


def test_texts_are_found_as_words():
    """Consecutive words only, in any case and script, and no pieces of words."""
    finder = CompoundFinder({"small dog", "dog small", "small", "mall dog", "großer hund"})
    assert finder.in_words(["a", "small", "dog", "ran"]) == {"small dog", "small"}
    assert finder.in_words(["small", "dogs"]) == {"small"}
    assert finder.in_text("The Small Dog ran.") == {"small dog", "small"}
    assert finder.in_text("smaller doghouses") == set()
    assert finder.in_text("ein Großer Hund") == {"großer hund"}


def test_train_shows_no_compound_and_the_control_those_that_it_holds_in(halves):
    """The tag says which; no tested sentence is in the control."""
    for benchmark in halves:
        train, control = sources(benchmark, "train"), sources(benchmark, "control")
        assert len(train) == len(control)
        known = tags(benchmark)
        assert Counter(known.values()).keys() >= {"yes", "other half"}
        for compound, tag in known.items():
            assert not any(shows(source, compound) for source in train)
            assert any(shows(source, compound) for source in control) == (tag == "yes")
        tested = {s for split in ("dev", "test", "gen") for s in sources(benchmark, split)}
        assert tested.isdisjoint(control)
        assert check_benchmark(benchmark) == []


def test_a_control_is_train_with_some_lines_exchanged(halves):
    """Each line that came shows a compound; no word is lost; templates stay."""
    for benchmark in halves:
        train, control = sources(benchmark, "train"), sources(benchmark, "control")
        came = [new for old, new in zip(train, control, strict=True) if old != new]
        assert 0 < len(came) < len(train) / 2
        assert all(any(shows(source, compound) for compound in tags(benchmark)) for source in came)
        words = [{w for s in side for w in s.lower().removesuffix(".").split()}
                 for side in (train, control)]  # fmt: skip
        assert words[0] <= words[1]
        assert set(sources(benchmark, "context")) <= set(train) & set(control)
        certified = json.loads((benchmark.path / "certificate.json").read_text())["control"]
        assert certified["lines_of_train"] == len(train) - len(came)


def test_halves_are_exchanged(halves):
    """The same test; what one control shows of the corpus the other does not."""
    first, second = halves
    for split in ("train", "dev", "test", "context"):
        assert sources(first, split) == sources(second, split)
    assert sources(first, "gen") == sources(second, "gen")
    known = [tags(benchmark) for benchmark in halves]
    assert all(known[1][text] == "other half" for text, tag in known[0].items() if tag == "yes")
    assert all(known[0][text] == "other half" for text, tag in known[1].items() if tag == "yes")


def test_a_compound_is_with_those_that_contain_it(corpus):
    """Or no sentence could show the longer one and nothing of the other half."""
    texts = ["the dog", "the dog near home", "saw the cat", "every man", "the car", "a b", "c d"]
    pairs = [Pair(t, tuple(t.split()), (), (), (), (), (), "x", ("x",)) for t in texts]
    for seed in range(8):
        held = HeldCompounds.draw(pairs, texts, np.random.default_rng(seed))
        assert held.halves[0].isdisjoint(held.halves[1])
        assert held.halves[0] | held.halves[1] == set(texts)
        assert ("the dog" in held.halves[0]) == ("the dog near home" in held.halves[0])
        assert {len(half) for half in held.halves} <= {3, 4}


@pytest.mark.parametrize(
    ("option", "message"),
    [("keep_seen=true", "no compound is seen"), ("control_half=3", "there are two halves")],
)
def test_options_that_contradict_a_control(corpus, tmp_path, option, message):
    """Are refused before anything is read."""
    options = [*NEW, f"corpus='{corpus}'", "control=true", option]
    with pytest.raises(ConfigError, match=message):
        build("compounds", tmp_path / "b", overrides=options)


def pair(source: str) -> Pair:
    """A sentence of the corpus, cut at its spaces."""
    return Pair(source, tuple(source.split()), (), (), (), (), (), "x", ("x",))


CORPUS = ["a b ran", "c d ran", "a b saw c d", "m n sat", "m o sat", "m n ran", "m n o ran sat"]
HELD = HeldCompounds(
    (frozenset({"a b"}), frozenset({"c d"})), {0: {"a b"}, 1: {"c d"}, 2: {"a b", "c d"}}
)


def exchanged(half: int, *, templates=(), tested=(), seed: int = 0, corpus=CORPUS) -> list[str]:
    """The sentences of a control."""
    found = exchange(
        [pair(source) for source in corpus],
        HELD,
        half,
        templates=templates,
        tested=tested,
        generator=np.random.default_rng(seed),
    )
    return [one.source for one in found]


def test_a_sentence_comes_in_the_place_of_another():
    """One that shows compounds of the half alone, for one of train that is the last of no word."""
    for half, came in ((1, "a b ran"), (2, "c d ran")):
        places = set()
        for seed in range(40):
            control = exchanged(half, seed=seed)
            assert control.count(came) == 1
            places.add(control.index(came))
            rest = [source for source in control if source != came]
            assert rest == [s for s in CORPUS[3:] if s in rest]
            assert len(control) == 4
        assert places == {0, 1, 2, 3}


def test_templates_and_the_last_of_a_word_stay():
    """And what is tested does not come."""
    for seed in range(12):
        assert exchanged(1, templates=[3, 4, 6], seed=seed)[2] == "a b ran"
        assert exchanged(1, templates=[3, 4, 5, 6], seed=seed) == CORPUS[3:]
        assert exchanged(1, tested=["a b ran"], seed=seed) == CORPUS[3:]
        single = [*CORPUS[:3], "m n", "m o"]
        assert exchanged(1, seed=seed, corpus=single) == ["m n", "m o"]
        twice = [*CORPUS[:3], "m n", "m n", "m n o"]
        assert exchanged(1, seed=seed, corpus=twice).count("a b ran") == 1


def test_what_a_control_knows_of_a_compound():
    """It shows it, the other half would, or nobody could."""
    assert HELD.told_of("a b", 1, {"a b"}) == "yes"
    assert HELD.told_of("c d", 1, {"a b"}) == "other half"
    assert HELD.told_of("a b", 2, {"c d"}) == "other half"
    assert HELD.told_of("a b", 1, set()) == "never"
    assert HELD.told_of("e f", 1, {"a b"}) == "never"


TAGS = {"a b": "yes", "a c": "yes", "c d": "other half", "e f": "never"}
SPLITS = {
    "train": ["m n", "m o", "m p q", "m q"],
    "control": ["m n", "x a b", "y a b a c", "m q"],
    "dev": ["d"],
    "test": ["t"],
    "gen": ["the a b"],
}


def test_a_control_in_numbers():
    """Of each split, and of the sentences that came for others."""
    assert control_facts(SPLITS, TAGS) == {
        "sentences": 4,
        "lines_of_train": 2,
        "exchanged_for_others": 0,
        "tested": {"dev": 0, "test": 0, "gen": 0},
        "lost_words": ["o", "p"],
        "compounds": {"never": 1, "other half": 1, "yes": 2},
        "shown": 2,
        "shown_though_tagged_otherwise": [],
        "sentences_that_show_one": {"fewest": 1, "mean": 1.5, "most": 2},
    }
    none = control_facts({**SPLITS, "control": SPLITS["train"]}, {"e f": "never"})
    assert none["sentences_that_show_one"] == {"fewest": 0, "mean": 0.0, "most": 0}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ["the control lacks the word 'o', which train has"]),
        ({"control": ["m n", "o a b p", "y a b a c", "m q"]}, []),
        (
            {"control": ["m n o p q", "x a b", "y a b a c"]},
            ["the control has 3 sentences, train has 4", "1 lines of the control differ"],
        ),
        ({"control": ["m n o p", "a b", "a b a c", "m q"]}, ["1 lines of the control differ"]),
        (
            {"control": ["m n", "the a b", "o p a b a c", "m q"]},
            ["1 sentences of the control are also in gen"],
        ),
        ({"control": ["m n", "o a b c d", "p a b a c", "m q"]}, ["'c d' is in train, or"]),
        ({"control": ["m n", "o a b", "p a b", "m q"]}, ["'a c' is in train, or"]),
        (
            {
                "train": ["m n", "m o", "m p q", "m q a b"],
                "control": ["m n", "o a b p", "a c q", "q"],
            },
            ["1 lines of the control differ", "'a b' is in train, or"],
        ),
    ],
)
def test_what_is_wrong_with_a_control_is_counted(changes, told):
    """Its size, its lines, its words, and what it shows though its tag denies it, or does not."""
    faults = list(control_faults(control_facts(SPLITS | changes, TAGS), 4))
    assert len(faults) == len(told), faults
    assert all(fault.startswith(start) for fault, start in zip(faults, told, strict=True)), faults


def test_the_card_says_what_a_control_shows():
    """In numbers of sentences and of compounds."""
    card = control_card(control_facts(SPLITS, TAGS))
    assert "4 sentences like train, of which 2 stand" in card
    assert "- `yes`: 2 compounds, each in 1 to 2 sentences (mean 1.5)" in card
    assert "- `other half`: 1, which" in card
    assert "- `never`: 1, of which" in card


def put(copy, split, line, source):
    """Write another sentence into a line of a split, with an id of its own."""
    path = copy / f"{split}.jsonl"
    rows = [json.loads(one) for one in path.read_text(encoding="utf-8").splitlines()]
    rows[line]["source"] = source
    path.write_text("".join(dump_row(row) + "\n" for row in rows), encoding="utf-8")


def exchanged_line(benchmark: Benchmark) -> int:
    """The first line of the control that is not train's."""
    pairs = zip(sources(benchmark, "train"), sources(benchmark, "control"), strict=True)
    return next(number for number, (old, new) in enumerate(pairs) if old != new)


def test_what_makes_it_no_control_is_found(copy, halves):
    """A tested sentence, one that shows nothing, one that shows what its tag denies."""
    benchmark, known = halves[0], tags(halves[0])
    line, other = exchanged_line(benchmark), next(t for t in known if known[t] == "other half")
    attacks = {
        ("control", sources(benchmark, "gen")[0]): "sentences of the control are also in gen",
        ("control", "A man saw."): "1 lines of the control differ from train and show no tested",
        ("control", f"{other} today."): f"'{other}' is in train, or the control shows it",
        ("train", f"{other} today."): "compounds_seen_in_train is 1, not 0",
    }
    for (split, source), message in attacks.items():
        text = (copy / f"{split}.jsonl").read_bytes()
        put(copy, split, line, source)
        problems = [problem.message for problem in check_benchmark(Benchmark.open(copy))]
        assert any(message in problem for problem in problems), (source, problems)
        (copy / f"{split}.jsonl").write_bytes(text)
