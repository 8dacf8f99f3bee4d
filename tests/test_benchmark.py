"""The hub: examples and benchmark directories."""

from __future__ import annotations

import json
import os
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.benchmark import Benchmark, Example, Focus, stratified_sample
from recombine.draft import Draft
from recombine.errors import DataError

HEAD = {
    "format": 1,
    "name": "x",
    "version": "1",
    "source": "en",
    "target": "de",
    "builder": "none",
    "seed": 1,
}
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


@given(
    WORDS,
    st.lists(WORDS, max_size=2),
    st.dictionaries(WORDS, st.integers() | WORDS, max_size=2),
    st.none() | WORDS,
)
def test_an_example_survives_its_row(source, references, tags, group):
    """from_row(to_row(e)) == e for any text."""
    focus = (Focus(text="t", role="r", accepted=("a", "b"), start=0, end=1),)
    example = Example.make(
        source=source, references=references, tags=tags, group=group, focus=focus
    )
    assert Example.from_row(example.to_row()) == example


def test_ids_depend_on_content_alone():
    """The same sentence has the same id on every machine."""
    one = Example.make(source="The dog ran.", references=["Der Hund lief."])
    two = Example.make(source="The dog ran.", references=["Der Hund lief."], tags={"a": 1})
    assert one.id == two.id == "df86a2277e8e"
    assert Example.make(source="The dog ran.", references=["x"]).id != one.id


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "1"}, "missing field 'source'"),
        ({"id": "1", "source": " "}, "empty source"),
        ({"id": "", "source": "a"}, "empty id"),
        ({"id": "1", "source": "a\tb"}, "U\\+0009"),
        ({"id": "1", "source": "a", "references": ["x\ny"]}, "U\\+000A"),
        ({"id": "1", "source": "a", "references": [" "]}, "empty reference"),
        ({"id": "1", "source": "a", "sauce": "b"}, "unknown field 'sauce'"),
        ({"id": "1", "source": "e\u0301"}, "not in NFC"),
        ({"id": "1", "source": 3}, "empty source"),
    ],
)
def test_bad_rows_are_refused_with_the_field(row, message):
    """Every fault says what is wrong."""
    with pytest.raises(DataError, match=message):
        Example.from_row(row)


def draft(tmp_path, *texts):
    """Build a benchmark of these sources."""
    made = Draft(tmp_path / "b", seed=1)
    made.write("test", [Example.make(source=text, references=["r"]) for text in texts])
    made.add_file("extra/note.txt", "kept")
    made.set_card("A card.")
    return made.finish(HEAD)


def test_a_benchmark_reads_back_what_was_written(tmp_path):
    """Sizes, splits, files and rows agree."""
    benchmark = draft(tmp_path, "a", "b", "a")
    assert benchmark.splits == ("test",)
    assert [example.source for example in benchmark.read("test")] == ["a", "b", "a"]
    assert benchmark.verify() == []
    assert "extra/note.txt" in benchmark.manifest.files
    assert not (tmp_path / "b.partial").exists()


def test_repeated_examples_get_distinct_ids(tmp_path):
    """Published sets keep duplicates; ids stay unique."""
    ids = [example.id for example in draft(tmp_path, "a", "a", "a").read("test")]
    assert ids[1] == f"{ids[0]}-2"
    assert len(set(ids)) == 3


def test_verify_finds_every_kind_of_damage(tmp_path):
    """Changed, missing, added, linked and duplicated content is all reported."""
    benchmark = draft(tmp_path, "a", "b")
    path = tmp_path / "b"
    rows = (path / "test.jsonl").read_text(encoding="utf-8")
    (path / "test.jsonl").write_text(rows + rows.splitlines()[0] + "\n", encoding="utf-8")
    (path / "README.md").unlink()
    (path / "stray.txt").write_text("x")
    (path / "extra" / "note.txt").unlink()
    (path / "extra" / "note.txt").symlink_to("/etc/hostname")
    messages = " / ".join(str(problem) for problem in benchmark.verify())
    for part in ("SHA-256", "missing file", "does not list", "link", "duplicate id", "3 rows"):
        assert part in messages


def test_verify_opens_nothing_but_files_of_the_benchmark(tmp_path):
    """It quoted the first line of a linked file, and waited for ever for a pipe."""
    (tmp_path / "secret").write_text("my own words\n")
    for place in ("linked", "piped"):
        path = draft(tmp_path / place, "a").path
        (path / "elsewhere").symlink_to(tmp_path)
        split = path / "test.jsonl"
        split.unlink()
        split.symlink_to(tmp_path / "secret") if place == "linked" else os.mkfifo(split)
        problems = [str(problem) for problem in Benchmark.open(path).verify()]
        assert len(problems) == 2
        assert not any("my own words" in problem for problem in problems)
        assert any("elsewhere" in problem for problem in problems)


def test_an_edited_split_is_not_read(tmp_path):
    """A model or a translation of it would pass for one of the benchmark."""
    draft(tmp_path, "a", "b")
    path = tmp_path / "b" / "test.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"b"', '"c"'), encoding="utf-8")
    with pytest.raises(DataError, match=r"test\.jsonl: the file is not the one that was built"):
        Benchmark.open(tmp_path / "b").read("test")


def test_a_file_name_cannot_lead_out(tmp_path):
    """A builder cannot write outside its directory."""
    made = Draft(tmp_path / "b", seed=1)
    with pytest.raises(DataError, match="leads out"):
        made.add_file("../x", "y")


def test_opening_what_is_no_benchmark_says_so(tmp_path):
    """A wrong path, and a format from the future."""
    with pytest.raises(DataError, match="not a benchmark"):
        Benchmark.open(tmp_path)
    benchmark = draft(tmp_path, "a")
    manifest = benchmark.path / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace("format = 1", "format = 99"))
    with pytest.raises(DataError, match="format 99"):
        Benchmark.open(benchmark.path)


def test_an_unknown_split_lists_the_known_ones(small_benchmark):
    """No KeyError reaches the user."""
    with pytest.raises(DataError) as caught:
        Benchmark.open(small_benchmark).read("gen")
    assert caught.value.hint == "its splits: train, test"


def test_a_sample_keeps_the_mix_and_the_groups():
    """Stratified by the first tag, seeded, whole groups, in file order."""
    examples = [
        Example.make(source=f"s{i}", tags={"pattern": "abc"[i % 3]}, group=f"g{i // 6}-{i % 3}")
        for i in range(180)
    ]
    sample = stratified_sample(examples, 30, seed=1)
    assert Counter(e.tags["pattern"] for e in sample) == {"a": 10, "b": 10, "c": 10}
    assert [e for e in examples if e in sample] == sample
    assert all(size == 2 for size in Counter(e.group for e in sample).values())
    assert stratified_sample(examples, 30, seed=1) == sample
    assert stratified_sample(examples, 30, seed=2) != sample
    assert stratified_sample(examples, 0, seed=1) == examples


def test_a_draft_can_keep_a_subset(tmp_path):
    """--sample on a build: fewer examples, the same mix."""
    made = Draft(tmp_path / "b", seed=1, sample=4)
    made.write("test", [Example.make(source=f"s{i}", tags={"p": i % 2}) for i in range(20)])
    tags = [e.tags["p"] for e in made.finish({**HEAD, "sample": 4}).read("test")]
    assert sorted(tags) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("field", "told"),
    [({"references": "本が"}, "a list of texts"), ({"tags": {"all": "x"}}, "the whole split")],
)
def test_rows_that_would_be_misread_are_refused(field, told):
    """One text is not a list of characters, and no tag is called like the whole."""
    with pytest.raises(DataError, match=told):
        Example.from_row({"id": "a", "source": "s", **field})


def test_a_sample_is_never_more_than_was_asked_for():
    """Two of five patterns are two examples; from one of each on, every pattern is there."""
    examples = [
        Example.make(source=f"{tag} {number}.", tags={"pattern": tag})
        for tag in "abcde"
        for number in range(4)
    ]
    assert len(stratified_sample(examples, 2, 0)) == 2
    assert {one.tags["pattern"] for one in stratified_sample(examples, 5, 0)} == set("abcde")


@pytest.mark.parametrize("sizes", [(7, 7, 7, 7, 7, 7), (40, 1, 1, 1, 1), (13, 5, 9, 2, 30)])
def test_a_sample_has_the_size_that_was_asked_for(sizes):
    """Shares of patterns are rounded so that their sum is right, and none is left without any."""
    examples = [
        Example.make(source=f"{tag} {number}.", tags={"pattern": tag})
        for tag, size in zip("abcdef", sizes, strict=False)
        for number in range(size)
    ]
    for wanted in range(1, len(examples) + 1):
        sample = stratified_sample(examples, wanted, 0)
        assert len(sample) == wanted
        counts = Counter(one.tags["pattern"] for one in sample)
        assert len(counts) == min(wanted, len(sizes))
        for tag, size in zip("abcdef", sizes, strict=False):
            if counts[tag] > 1:  # no pattern has much more than its part
                assert counts[tag] < 1 + wanted * size / len(examples)


@pytest.mark.parametrize("name", ["../../out", "a/b", ".hidden", "-x", "", "x" * 300])
def test_no_split_leads_out_of_its_folder(name, small_benchmark):
    """Every stage names its files after the splits: a stranger's benchmark wrote anywhere."""
    path = small_benchmark / "benchmark.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[splits]\n", f'[splits]\n"{name}" = 1\n'), encoding="utf-8")
    with pytest.raises(DataError, match="name of a split"):
        Benchmark.open(small_benchmark)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tags": [1]}, {"tags": {"a": None}}, {"tags": {"a": float("nan")}},
        {"tags": {"a": float("inf")}}, {"group": 7}, {"role": ["x"]},
    ],
)  # fmt: skip
def test_fields_of_another_kind_are_faults(wrong):
    """They failed far from the file, or as numbers that no table can hold."""
    with pytest.raises(DataError):
        Example.from_row({"id": "a", "source": "b", **wrong})


def test_a_newer_format_and_sizes_below_zero_are_refused(small_benchmark):
    """With a hint, before anything is read."""
    path = small_benchmark / "benchmark.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("format = 1", "format = 2"), encoding="utf-8")
    with pytest.raises(DataError) as error:
        Benchmark.open(small_benchmark)
    assert "newer version" in error.value.hint
    path.write_text(text.replace("test = 3", "test = -3"), encoding="utf-8")
    with pytest.raises(DataError, match="-3 examples"):
        Benchmark.open(small_benchmark)


@pytest.mark.parametrize("name", ["x" * 300, "a\\u0000b"])
def test_no_listed_file_is_impossible(name, small_benchmark):
    """The operating system raised where `check` looked for it."""
    path = small_benchmark / "benchmark.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[files]\n", f'[files]\n"{name}" = "0"\n'), encoding="utf-8")
    with pytest.raises(DataError, match="cannot be the name of a file"):
        Benchmark.open(small_benchmark)


def test_what_is_no_benchmark_is_told_apart(tmp_path):
    """A file of outputs and the folder of a run are not called folders to build."""
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "run" / "ours" / "seed-1").mkdir(parents=True)
    for name, told in (("a.txt", "it is a file"), ("run", "it is a run"), ("no", "make one with")):
        with pytest.raises(DataError, match="is not a benchmark") as caught:
            Benchmark.open(tmp_path / name)
        assert told in (caught.value.hint or "")


FOCUS = {"text": "dog", "role": "obj", "accepted": ["Hund"], "start": 4, "end": 7}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"accepted": "Hund"}, "accepted renderings are a list"),
        ({"accepted": [1]}, "an accepted rendering of 'dog' is not text"),
        ({"accept": ["Hund"]}, "unknown field 'accept' of a focus"),
        ({"text": ""}, "the text of a focus is not text"),
        ({"text": 3}, "the text of a focus is not text"),
        ({"role": None}, "the role of a focus is not text"),
        ({"start": -1}, "lies outside the source"),
        ({"start": 7, "end": 4}, "lies outside the source"),
        ({"end": 100}, "lies outside the source"),
        ({"end": None}, "lies outside the source"),
        ({"start": True}, "lies outside the source"),
        ({"start": "4"}, "lies outside the source"),
    ],
)
def test_a_focus_is_looked_at_when_it_is_read(wrong, message):
    """A text in the place of a list would be taken apart letter by letter."""
    row = {"id": "a", "source": "The dog ran .", "focus": [{**FOCUS, **wrong}]}
    with pytest.raises(DataError, match=message):
        Example.from_row(row)
    assert Example.from_row({**row, "focus": [FOCUS]}).focus[0].accepted == ("Hund",)


def test_a_focus_that_is_no_table(tmp_path):
    """Neither is a list of them a table, nor a number one."""
    for wrong in ({"text": "dog"}, [3], "dog"):
        with pytest.raises(DataError):
            Example.from_row({"id": "a", "source": "The dog ran .", "focus": wrong})


def test_no_two_examples_of_a_draft_share_an_id(tmp_path):
    """An id may look like another with a counter behind it."""
    draft = Draft(tmp_path / "b", seed=1)
    draft.write("train", [Example(id=name, source=name) for name in ("a", "a-2")])
    draft.write("test", [Example(id=name, source=name) for name in ("a", "a-2", "a")])
    ids = [json.loads(line)["id"] for split in ("train", "test")
           for line in (draft.path / f"{split}.jsonl").read_text().splitlines()]  # fmt: skip
    assert len(set(ids)) == 5
    assert ids[:2] == ["a", "a-2"]
