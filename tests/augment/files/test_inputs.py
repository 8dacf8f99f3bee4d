"""Training pairs are read from anywhere, and nothing but training pairs."""

from __future__ import annotations

import gzip
import json

import pytest

from recombinable import english_german, recombinable
from recombine.augment.files.inputs import read_pairs
from recombine.errors import ConfigError, DataError

PAIRS = english_german()


def write(path, text):
    """Write a text, packed if its name says so."""
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def files_of(tmp_path, kind):
    """Write the pairs in one of the ways."""
    if kind == "texts":
        return [
            write(tmp_path / f"t.{code}", "".join(f"{pair[side]}\n" for pair in PAIRS))
            for side, code in enumerate(("en", "de"))
        ]
    table = "".join(f"{one}\t{other}\n" for one, other in PAIRS)
    named = "id\ttarget\tsource\n" + "".join(f"7\t{other}\t{one}\n" for one, other in PAIRS)
    rows = [json.dumps({"source": one, "target": other}) for one, other in PAIRS]
    examples = [json.dumps({"source": one, "references": [other, "x"]}) for one, other in PAIRS]
    return [
        {
            "table": lambda: write(tmp_path / "t.tsv", table),
            "packed table": lambda: write(tmp_path / "t.tsv.gz", table),
            "named columns": lambda: write(tmp_path / "t.tsv", named),
            "rows": lambda: write(tmp_path / "t.jsonl", "\n".join(rows)),
            "packed examples": lambda: write(tmp_path / "t.jsonl.gz", "\n".join(examples)),
        }[kind]()
    ]


@pytest.mark.parametrize(
    "kind", ["texts", "table", "packed table", "named columns", "rows", "packed examples"]
)
def test_pairs_are_the_same_from_every_kind_of_file(tmp_path, kind):
    """Two texts, tables and JSON lines, packed or not."""
    found = read_pairs(files_of(tmp_path, kind))
    assert [(pair.source, pair.target) for pair in found.pairs] == PAIRS
    assert found.origin["pairs"] == len(PAIRS)


def test_two_texts_say_their_languages_by_their_names(tmp_path):
    """A segmenter is chosen by them; what is said wins."""
    paths = files_of(tmp_path, "texts")
    found = read_pairs(paths)
    assert (found.source_language, found.target_language) == ("en", "de")
    assert read_pairs(paths, target="nl").target_language == "nl"


def test_of_a_benchmark_only_train_is_opened(tmp_path):
    """Its other splits may even be missing."""
    benchmark = recombinable(tmp_path)
    train = [(one.source, one.references[0]) for one in benchmark.read("train")]
    for split in ("dev", "gen"):
        benchmark.split_path(split).unlink()
    found = read_pairs([benchmark.path])
    assert [(pair.source, pair.target) for pair in found.pairs] == train
    assert found.origin["files"]["train.jsonl"] == benchmark.manifest.files["train.jsonl"]


def test_a_train_split_that_was_changed_is_refused(tmp_path):
    """The certificate would speak of another one."""
    benchmark = recombinable(tmp_path)
    path = benchmark.split_path("train")
    path.write_text(path.read_text(encoding="utf-8").replace("Anna", "Eva"), encoding="utf-8")
    with pytest.raises(DataError, match="not the one that was built"):
        read_pairs([benchmark.path])


def test_a_sample_is_a_part_and_says_so(tmp_path):
    """As with every other verb."""
    found = read_pairs(files_of(tmp_path, "table"), sample=10)
    assert len(found.pairs) == found.origin["sample"] == 10
    assert {(pair.source, pair.target) for pair in found.pairs} <= set(PAIRS)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.tsv", "a\tb\nonly one\n", r"t\.tsv:2: one language only: 1 column"),
        ("t.jsonl", '{"source": "a"}\n', r"t\.jsonl:1: a row needs 'source' and 'target'"),
        ("t.tsv", "", "no training pairs"),
    ],
)
def test_a_table_that_has_no_pairs_says_where(tmp_path, name, text, told):
    """File and line, and what a pair has."""
    with pytest.raises(DataError, match=told):
        read_pairs([write(tmp_path / name, text)])


def test_texts_of_unequal_length_and_three_texts_are_refused(tmp_path):
    """Nothing is paired by guessing."""
    paths = files_of(tmp_path, "texts")
    write(paths[1], "eins\n")
    with pytest.raises(DataError, match=r"1 lines, but .* has 100"):
        read_pairs(paths)
    with pytest.raises(ConfigError, match="3 files"):
        read_pairs([*paths, paths[0]])
