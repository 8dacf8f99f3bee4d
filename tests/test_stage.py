"""Keys of outputs: what an output was made from, and what is said when that has changed."""

import pytest

from recombine.errors import ConfigError, StaleOutput
from recombine.stage import (
    Meta,
    code_version,
    content_of,
    difference,
    refuse_output,
    require_same_key,
    set_aside,
    source_hash,
)


def test_a_stale_output_names_the_field(tmp_path):
    """Made from other inputs: refused, with the field and both values."""
    meta = Meta(tmp_path / "gen.jsonl")
    assert not meta.is_current({"seed": 1})
    meta.write({"seed": 1, "noise": 0.5}, complete=True)
    assert meta.is_current({"seed": 1, "noise": 0.5})
    with pytest.raises(StaleOutput, match=r"another 'noise': 0\.5 then, 0\.7 now"):
        meta.is_current({"seed": 1, "noise": 0.7})


def test_what_force_replaces_is_kept(tmp_path):
    """Files and folders get a number; their side file goes."""
    for _ in range(2):
        (tmp_path / "model").mkdir()
        Meta(tmp_path / "model").write({"a": 1}, complete=True)
        set_aside(tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.old-1", "model.old-2"]


def test_difference_sees_added_and_removed_fields():
    """Tuples and lists are the same thing once stored."""
    assert difference({"a": [1]}, {"a": (1,)}) is None
    assert difference({"a": 1}, {"a": 1, "b": 2}) == ("b", None, 2)


def test_difference_looks_into_options():
    """All options in one line, cut off, would look the same before and after."""
    old = {"options": {"preset": "tiny", "steps": 10}, "seed": 1}
    new = {"options": {"preset": "tiny", "steps": 30}, "seed": 1}
    assert difference(old, new) == ("options.steps", 10, 30)
    assert difference({"options": None}, new) == ("options", None, new["options"])


def test_a_difference_is_told_in_its_own_letters(tmp_path):
    """What was written in Japanese is read in Japanese."""
    meta = Meta(tmp_path / "gen.jsonl")
    meta.write({"name": "犬"}, complete=True)
    with pytest.raises(StaleOutput, match=r"犬.* then, .猫"):
        meta.is_current({"name": "猫"})


def test_files_count_by_what_they_say(tmp_path):
    """Not by where they lie or when they were written; two of one name both count."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_text(folder)
    first, second = tmp_path / "a" / "x", tmp_path / "b" / "x"
    both = content_of([first, second])
    assert set(both) == {"x"}
    assert both != content_of([first])
    first.write_text("c")
    assert content_of([first, second]) != both
    first.write_text("a")
    assert content_of([first, second]) == both


def test_a_very_large_file_goes_by_its_size_and_ends(tmp_path, monkeypatch):
    """A corpus of many gigabytes is not read for it."""
    monkeypatch.setattr("recombine.stage.LARGE", 100)
    monkeypatch.setattr("recombine.stage.END", 10)
    path = tmp_path / "x"
    path.write_bytes(b"a" * 1000)
    before = content_of([path])
    for changed in (b"a" * 1001, b"b" + b"a" * 999, b"a" * 999 + b"b"):
        path.write_bytes(changed)
        assert content_of([path]) != before


def test_a_file_of_exactly_the_limit_is_read_whole(tmp_path, monkeypatch):
    """Its middle counts; of one byte more only the ends do."""
    monkeypatch.setattr("recombine.stage.LARGE", 100)
    monkeypatch.setattr("recombine.stage.END", 10)
    path = tmp_path / "x"
    for size, differs in ((100, True), (101, False)):
        path.write_bytes(b"a" * size)
        before = content_of([path])
        path.write_bytes(b"a" * 50 + b"b" + b"a" * (size - 51))
        assert (content_of([path]) != before) == differs


def test_what_differs_is_shortened_only_where_it_is_long(tmp_path):
    """Eighty characters stand as they are, more are cut to eighty, a hash to its first eight."""
    shown = {}
    for size in (78, 79, 64):
        with pytest.raises(StaleOutput) as stale:
            require_same_key(tmp_path, {"text": "x" * size}, {"text": 1})
        shown[size] = stale.value.message.split(": ", 1)[1].removesuffix(" then, 1 now")
    assert shown == {78: f'"{"x" * 78}"', 79: f'"{"x" * 76}...', 64: "x" * 8}


def test_the_first_version_of_code_is_not_written_down():
    """Its author gives it a number when its results change."""
    assert code_version(object()) == {}
    assert code_version(type("Changed", (), {"code_version": 3})()) == {"code_version": 3}


def test_source_counts_by_its_content_and_place(tmp_path, monkeypatch):
    """An edited, added or moved file is another code; a cache beside it and other files are not."""
    package = tmp_path / "counted_package"
    (package / "below").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "below" / "x.py").write_text("A = 1")
    (tmp_path / "counted_file.py").write_text("B = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ("counted_package", "counted_file")

    def now() -> str:
        source_hash.cache_clear()
        return source_hash(names)

    before = now()
    (package / "below" / "x.txt").write_text("no code")
    assert now() == before
    (tmp_path / "counted_file.py").write_text("B = 2")
    edited = now()
    (package / "below" / "x.py").rename(package / "x.py")
    moved = now()
    (package / "y.py").write_text("")
    assert len({before, edited, moved, now()}) == 4
    assert source_hash(("sys", "a_package_that_is_not_there")) == source_hash(())


def test_a_difference_is_short_to_read(tmp_path):
    """Hashes by their beginning, what was not there as none, long values cut."""
    then, now = {"files": {"x": "a" * 64}}, {"files": {"x": "b" * 64}}
    with pytest.raises(StaleOutput, match=r"another 'files\.x': aaaaaaaa then, bbbbbbbb now"):
        require_same_key(tmp_path, then, now)
    with pytest.raises(StaleOutput, match="another 'sample': none then, 5 now") as refused:
        require_same_key(tmp_path, {}, {"sample": 5})
    assert "--force" in refused.value.hint
    with pytest.raises(StaleOutput, match=r"\.\.\. now"):
        require_same_key(tmp_path, {}, {"text": "x" * 500})
    require_same_key(tmp_path, {"a": [1]}, {"a": (1,)})


def test_nothing_is_written_among_results(tmp_path):
    """Not into a benchmark, at whatever depth, nor among the systems of a run."""
    benchmark, cell, run = (tmp_path / name for name in ("benchmark", "cell", "run"))
    for folder in (benchmark, cell, run / "system" / "seed-1"):
        folder.mkdir(parents=True)
    (benchmark / "benchmark.toml").write_text("")
    (cell / "run.json").write_text("{}")
    for out in (benchmark, benchmark / "deep" / "er"):
        with pytest.raises(ConfigError, match="is inside the benchmark"):
            refuse_output(out)
    for out in (cell, cell / "report", run):
        with pytest.raises(ConfigError, match="holds the results of a run"):
            refuse_output(out)
    refuse_output(run / "report")
    refuse_output(tmp_path)
