"""Importing somebody's data: kept as published, faults named."""

from __future__ import annotations

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.recipe import build
from recombine.errors import ConfigError, DataError, Problems


def imported(tmp_path, *overrides):
    """Build with the imported builder."""
    return build("imported", tmp_path / "b", overrides=overrides, force=True)


def write(tmp_path, name, text):
    """Write an input file."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def test_parallel_text_keeps_published_tokenisation(tmp_path):
    """Spaces before punctuation, two references, CRLF line ends."""
    source = write(tmp_path, "s", "the dog ran .\r\nhe  did n't\r\n")
    one, two = write(tmp_path, "r1", "x .\ny\n"), write(tmp_path, "r2", "z\nw\n")
    benchmark = imported(
        tmp_path, f"split.test.source={source}", f'split.test.references=["{one}", "{two}"]'
    )
    examples = benchmark.read("test")
    assert examples[0].references == ("x .", "z")
    assert examples[1].source == "he  did n't"


def test_cogs_style_tsv_gives_tags(tmp_path):
    """source, reference, pattern; further columns by name."""
    path = write(tmp_path, "gen.tsv", "A dog ran.\trun(dog)\tsubj_to_obj\n")
    (example,) = imported(tmp_path, f"split.gen.tsv={path}").read("gen")
    assert example.tags == {"pattern": "subj_to_obj"}


def test_our_own_rows_are_imported_with_their_ids(tmp_path, small_benchmark):
    """JSON lines keep ids, groups and focus."""
    benchmark = imported(tmp_path / "again", f"split.test.jsonl={small_benchmark}/test.jsonl")
    assert benchmark.read("test") == Benchmark.open(small_benchmark).read("test")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\nc\n", "2: empty source"),
        ("a\nb\x07\n", "2: control character U\\+0007"),
        (b"a\nK\xf6\n", "2: not UTF-8"),
        ("", "is empty"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    """Empty, control characters, wrong encoding, nothing at all."""
    source = write(tmp_path, "s", text)
    with pytest.raises(DataError, match=message):
        imported(tmp_path, f"split.test.source={source}")
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "b.partial").exists()


def test_all_problems_come_at_once(tmp_path):
    """Three bad lines, three problems."""
    path = write(tmp_path, "x.tsv", "a\tb\nc\td\te\nf\n\tg\th\n")
    with pytest.raises(Problems) as caught:
        imported(tmp_path, f"split.gen.tsv={path}")
    assert [p.where.line for p in caught.value.problems] == [1, 3, 4]


def test_unequal_files_are_refused(tmp_path):
    """One line too few in a reference file."""
    source, reference = write(tmp_path, "s", "a\nb\n"), write(tmp_path, "r", "x\n")
    with pytest.raises(DataError, match=r"1 lines, but .* has 2"):
        imported(tmp_path, f"split.t.source={source}", f'split.t.references=["{reference}"]')


def test_duplicate_ids_in_rows_are_refused(tmp_path):
    """Ids are what everything else is keyed by."""
    row = '{"id":"1","source":"a"}\n'
    path = write(tmp_path, "x.jsonl", row + row)
    with pytest.raises(DataError, match="duplicate id 1, first on line 1"):
        imported(tmp_path, f"split.test.jsonl={path}")


def test_contradictory_splits_are_refused(tmp_path):
    """Exactly one kind of file per split; at least one split."""
    with pytest.raises(ConfigError, match="exactly one"):
        imported(tmp_path, "split.test.source=a", "split.test.tsv=b")
    with pytest.raises(ConfigError, match="no split"):
        imported(tmp_path)


def test_the_column_id_is_the_id(tmp_path):
    """As the documentation says; an id that comes twice or is empty is named with its line."""
    path = write(tmp_path, "gen.tsv", "A dog ran.\tr1\trun(dog)\nA cat ran.\tr2\trun(cat)\n")
    options = (f"split.gen.tsv={path}", 'columns=["source", "id", "reference"]')
    assert [example.id for example in imported(tmp_path, *options).read("gen")] == ["r1", "r2"]
    for text, message in (("A\tr1\tx\nB\tr1\ty\n", "2: duplicate id r1, first on line 1"),
                          ("A\t \tx\n", "1: empty id")):  # fmt: skip
        write(tmp_path, "gen.tsv", text)
        with pytest.raises(DataError, match=message):
            imported(tmp_path, *options)
