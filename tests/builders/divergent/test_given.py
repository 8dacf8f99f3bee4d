"""A split made elsewhere comes in by its sentence numbers, and is measured like one of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.divergent.split import read_split
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parsed corpus of 300 sentences, standing in for the authors'."""
    return write_conllu(tmp_path_factory.mktemp("corpus") / "c.conllu", made_up(300, words=80))


def built(corpus: Path, out: Path, *overrides: str) -> Benchmark:
    """Build with the cut-offs off."""
    return build(read_recipe("divergent", [f"corpus={corpus}", "edition=all", *overrides]), out)


def lists(folder: Path, first: int = 1, **sides: list[int]) -> Path:
    """Write lists of sentences (counted from 1) as a release would, its first being `first`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sentences in sides.items():
        numbers = (str(sentence - 1 + first) for sentence in sentences)
        (folder / f"{name}.txt").write_text("\n".join(numbers) + "\n\n", encoding="utf-8")
    return folder


def numbers(benchmark: Benchmark, split: str) -> list[int]:
    """Return the sentence numbers of a split."""
    return [int(example.tags["sentence"]) for example in benchmark.read(split)]


@pytest.mark.parametrize("first", [0, 1])
def test_a_split_comes_back_by_its_numbers(corpus: Path, tmp_path: Path, first: int) -> None:
    """The same sides, the same divergences, and a certificate that `check` confirms."""
    one = built(corpus, tmp_path / "one", "method=random", "dev_size=20")
    folder = lists(
        tmp_path / "lists", first, **{split: numbers(one, split) for split in one.splits}
    )
    other = built(corpus, tmp_path / "other", f"given={folder}", f"given_first={first}")
    assert other.splits == one.splits == ("train", "dev", "test")
    for split in one.splits:
        assert [e.id for e in other.read(split)] == [e.id for e in one.read(split)]
    mine, theirs = (
        json.loads((benchmark.path / "certificate.json").read_text()) for benchmark in (other, one)
    )
    for name in ("atom_divergence", "compound_divergence", "splits"):
        assert mine[name] == theirs[name]
    assert mine["given"]["test"] == {"sentences": len(numbers(one, "test")), "without_atoms": 0}
    assert check_benchmark(other) == []


def test_sentences_without_atoms_are_counted(corpus: Path, tmp_path: Path) -> None:
    """Under cut-offs some sentences have no row: they are left out, and the certificate says so."""
    folder = lists(tmp_path / "lists", train=list(range(1, 201)), test=list(range(201, 301)))
    cut = ("edition=paper", "skip_most_frequent=10", "min_frequency=1", "min_weight=0")
    found = built(corpus, tmp_path / "out", f"given={folder}", *cut)
    note = json.loads((found.path / "certificate.json").read_text())["given"]
    assert note["train"]["without_atoms"] == 200 - found.manifest.splits["train"] > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\nx\n", r"test.txt:2: not a sentence number: 'x'"),
        ("301\n", "sentence 301, but the corpus has 1 to 300"),
        ("7\n", "sentence 7 is in 'train' already"),
        (None, "a split needs test.txt"),
    ],
)
def test_bad_lists_are_named(tmp_path: Path, text: str | None, message: str) -> None:
    """Words, numbers of no sentence and sentences of two sides, with file and line."""
    folder = lists(tmp_path, train=[7, 8])
    if text is not None:
        (folder / "test.txt").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_split(folder, 300)
    assert message in caught.value.render()


def test_a_given_split_is_whole(corpus: Path, tmp_path: Path) -> None:
    """It is not searched for, and no dev is taken out of its train."""
    with pytest.raises(ConfigError, match="its own train, dev and test"):
        built(corpus, tmp_path / "out", f"given={tmp_path}", "dev_size=5")
