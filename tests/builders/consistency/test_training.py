"""Training text beside the tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.builders.consistency.training import read_training, split_training
from recombine.builders.recipe import build
from recombine.errors import DataError


def columns(tmp_path: Path) -> Path:
    """Write a tab-separated corpus."""
    path = tmp_path / "corpus.tsv"
    lines = ["en\tfr\tde", *(f"It's {i}, out of the blue!\tx\tEs ist {i}." for i in range(20))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_columns_and_lines(tmp_path: Path) -> None:
    """Punctuation is set apart, duplicates go, columns are found by language code."""
    pairs = read_training(columns(tmp_path), None, "en", "de")
    assert pairs[0] == ("It's 0 , out of the blue !", "Es ist 0 .")
    assert len(pairs) == 20
    one, other = tmp_path / "a.en", tmp_path / "a.de"
    one.write_text("Yes.\nYes.\n", encoding="utf-8")
    other.write_text("Ja.\nJa.\n", encoding="utf-8")
    assert read_training(one, other, "en", "de") == [("Yes .", "Ja .")]


def test_bad_texts(tmp_path: Path) -> None:
    """A missing column, a short row and unequal files are named."""
    with pytest.raises(DataError, match="lacks the column 'nl'"):
        read_training(columns(tmp_path), None, "en", "nl")
    short = tmp_path / "short.tsv"
    short.write_text("en\tde\nonly one\n", encoding="utf-8")
    with pytest.raises(DataError, match="'de' is empty"):
        read_training(short, None, "en", "de")
    one, other = tmp_path / "a.en", tmp_path / "a.de"
    one.write_text("Yes.\nNo.\n", encoding="utf-8")
    other.write_text("Ja.\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 lines, but"):
        read_training(one, other, "en", "de")


def test_smaller_sizes_are_prefixes() -> None:
    """The development set stays, test sentences are left out."""
    pairs = [(f"s {i}", f"t {i}") for i in range(50)]
    found = [
        split_training(
            pairs, size=size, dev_size=5, forbidden={"`S` 3 !"}, rng=np.random.default_rng(1)
        )
        for size in (10, 20)
    ]
    assert found[0][1] == found[1][1]
    assert found[0][0] == found[1][0][:10]
    assert "s 3" not in {one.source for one in [*found[1][0], *found[1][1]]}
    with pytest.raises(DataError, match="44 sentence pairs are left"):
        split_training(pairs, size=45, dev_size=5, forbidden={"s 3"}, rng=np.random.default_rng(1))


def test_the_builder_writes_train_and_dev(tmp_path: Path) -> None:
    """A benchmark to train on, with the frequency of each idiom in its certificate."""
    benchmark = build(
        "consistency",
        tmp_path / "out",
        overrides=(
            "sentences=0", "pairs=2", "triples=2", "synonym_samples=1", "idiom_samples=1",
            "context_samples=1", "repeats=2", "benchmark.target=de",
            f"training={columns(tmp_path)}", "training_size=10", "dev_size=4",
        ),
    )  # fmt: skip
    assert benchmark.manifest.splits["train"] == 10
    assert benchmark.manifest.splits["dev"] == 4
    certificate = (benchmark.path / "certificate.json").read_text(encoding="utf-8")
    assert '"out of the blue": 10' in certificate


def test_no_sentence_of_the_tests_is_trained_on(tmp_path: Path) -> None:
    """Natural sentences of the tests leave the training text, whatever test they are in."""
    corpus = columns(tmp_path)
    text = tmp_path / "text.en"
    text.write_text("It's 3, out of the blue!\nIt's 5, out of the blue!\n", encoding="utf-8")
    benchmark = build(
        "consistency",
        tmp_path / "out",
        overrides=(
            "sentences=0", "pairs=0", "triples=0", "synonym_samples=0", "idiom_samples=0",
            "context_samples=0", "repeats=0", "benchmark.target=de", 'data=["natural"]',
            f"text={text}", f"training={corpus}", "dev_size=4",
        ),
    )  # fmt: skip
    tested = {one.source for one in benchmark.iterate("overgeneralisation")}
    assert tested == {"It's 3 , out of the blue !", "It's 5 , out of the blue !"}
    learned = {one.source for split in ("train", "dev") for one in benchmark.iterate(split)}
    assert len(learned) == 18
    assert not learned & tested
