"""A folder of recombined pairs appears whole, proves itself, and replaces nothing it should not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from recombinable import recombinable
from recombine.augment.files.folder import AugmentedFolder, write_augmented
from recombine.augment.files.inputs import read_pairs
from recombine.augment.methods import read_options
from recombine.errors import ConfigError, DataError, StaleOutput
from recombine.files import sha256_of


@pytest.fixture
def source(tmp_path):
    """The training pairs of a small benchmark."""
    return read_pairs([recombinable(tmp_path / "data").path])


def options_of(source, **given):
    """Options of the command line."""
    return read_options({"n": 200, **given}, source)


@pytest.mark.parametrize("method", ["recombine", "words"])
def test_sentences_of_other_splits_are_removed_and_counted(tmp_path, source, method):
    """They are compared with the references only after everything was drawn."""
    options = options_of(source, method=method)
    folder = write_augmented(source, options, tmp_path / "out")
    pairs = list(folder.pairs())
    held = {
        one.source: one.references[0]
        for split in ("dev", "gen")
        for one in source.benchmark.read(split)
    }
    assert not {pair.source for pair in pairs} & set(held)
    found = folder.certificate
    removed = sum(row["sources"] for row in found["removed"].values())
    assert removed > 0  # the sentences of gen are recombinations of train
    assert found["drawn"] == found["kept"] + removed
    assert found["kept"] == len(pairs)
    for row in found["removed"].values():
        assert row["sources"] == row["target_as_reference"] + row["other_target"]


def test_the_certificate_says_from_what_and_how(tmp_path, source):
    """Hash of the training file, options, words, steps: all that a stranger can check."""
    folder = write_augmented(source, options_of(source), tmp_path / "out")
    found = json.loads((folder.path / "certificate.json").read_text(encoding="utf-8"))
    learned = found["learned_from"]
    train = source.benchmark.split_path("train")
    assert learned["files"] == {"train.jsonl": sha256_of(train)}
    assert learned["received"] == learned["pairs"] == len(source.pairs)
    assert found["track"] == "train-only"
    assert found["options"]["n"] == 200
    assert found["pairs_sha256"] == sha256_of(folder.path / "pairs.jsonl")
    assert found["words"]["source"]["new"] == 0
    assert sum(found["steps"].values()) >= found["kept"]
    parents = {pair.id for pair in source.pairs}
    assert all(set(pair.parents) <= parents for pair in folder.pairs())
    card = (folder.path / "README.md").read_text(encoding="utf-8")
    assert f"| kept | {found['kept']:,} |" in card
    assert "Content-Security-Policy" in (folder.path / "review.html").read_text(encoding="utf-8")


def test_equal_input_gives_equal_bytes_and_is_not_made_again(tmp_path, source):
    """Same pairs, options and seed."""
    options = options_of(source)
    first = write_augmented(source, options, tmp_path / "one")
    second = write_augmented(source, options, tmp_path / "two")
    for name in ("pairs.jsonl", "certificate.json"):
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()
    again = write_augmented(source, options, tmp_path / "one")
    assert (first.made_now, again.made_now) == (True, False)
    assert again.certificate == first.certificate


def test_a_stale_folder_is_refused_with_what_differs_until_forced(tmp_path, source):
    """Never reused silently."""
    out = tmp_path / "out"
    write_augmented(source, options_of(source), out)
    with pytest.raises(StaleOutput, match=r"'options\.seed'"):
        write_augmented(source, options_of(source, seed=2), out)
    fewer = replace(source, pairs=source.pairs[:25])
    with pytest.raises(StaleOutput, match=r"'learned_from\.received'"):
        write_augmented(fewer, options_of(source), out)
    assert write_augmented(source, options_of(source, seed=2), out, force=True).made_now


def test_pairs_that_were_edited_are_refused(tmp_path, source):
    """The certificate no longer speaks of them."""
    out = write_augmented(source, options_of(source), tmp_path / "out").path
    with (out / "pairs.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{}\n")
    with pytest.raises(StaleOutput, match="SHA-256"):
        AugmentedFolder.open(out)


def test_nothing_is_written_into_benchmarks_runs_and_other_folders(tmp_path, source):
    """Not even with --force."""
    options = options_of(source)
    with pytest.raises(ConfigError, match="inside the benchmark"):
        write_augmented(source, options, source.benchmark.path / "more", force=True)
    cell = tmp_path / "run" / "system" / "seed-1"
    cell.mkdir(parents=True)
    (cell / "run.json").write_text("{}")
    with pytest.raises(ConfigError, match="results of a run"):
        write_augmented(source, options, tmp_path / "run", force=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    with pytest.raises(ConfigError, match="holds no recombined pairs"):
        write_augmented(source, options, tmp_path / "mine", force=True)
    assert (tmp_path / "mine" / "thesis.txt").is_file()


def test_a_failure_leaves_nothing_behind(tmp_path, source, monkeypatch):
    """A folder is whole or not there."""
    monkeypatch.setattr("recombine.augment.files.folder.card", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_augmented(source, options_of(source), tmp_path / "new" / "out")
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("a b.", "c d.")] * 3, "too few pairs to recombine: 3"),
        ([(f"word {n}.", f"word {n}.") for n in range(40)], "same text in 40 of 40 pairs"),
        ([(f"word {n}.", " ") for n in range(40)], "40 of 40 pairs have an empty target"),
        (
            [(f"word {n}.", f"語{n}を見た。") for n in range(40)],
            "40 of 40 pairs have a target without",
        ),
    ],
)
@pytest.mark.parametrize("method", ["recombine", "words"])
def test_input_that_teaches_nothing_is_refused_in_words(tmp_path, pairs, told, method):
    """With counts, and nothing is written."""
    table = tmp_path / "t.tsv"
    table.write_text("".join(f"{one}\t{other}\n" for one, other in pairs), encoding="utf-8")
    source = read_pairs([table])
    with pytest.raises(DataError, match=told):
        write_augmented(source, options_of(source, method=method), tmp_path / "out")
    assert not (tmp_path / "out").exists()
