"""A corpus is prepared once per fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.divergent.encode import Preparation
from recombine.errors import ConfigError, DataError


def test_the_result_is_kept_until_the_input_changes(tmp_path: Path) -> None:
    """Same files: same directory, untouched. Changed file: another directory."""
    path = write_conllu(tmp_path / "c.conllu", made_up(30))
    preparation = Preparation(corpora=(path,), workers=1)
    first, ends = preparation.run(tmp_path / "work")
    stamp = (first.directory / "units.bin").stat().st_mtime_ns
    second, _ = preparation.run(tmp_path / "work")
    assert second.directory == first.directory
    assert (second.directory / "units.bin").stat().st_mtime_ns == stamp
    assert ends == [30]
    write_conllu(path, made_up(31))
    third, ends = preparation.run(tmp_path / "work")
    assert third.directory != first.directory
    assert ends == [31]


def test_several_corpora_follow_each_other(tmp_path: Path) -> None:
    """The ends say where each file's sentences stop."""
    first = write_conllu(tmp_path / "a.conllu", made_up(10))
    second = write_conllu(tmp_path / "b.conllu", made_up(5, seed=2))
    corpus, ends = Preparation(corpora=(first, second), workers=1).run(tmp_path / "work")
    assert (corpus.size, ends) == (15, [10, 15])


def test_processes_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes and this one prepare alike."""
    monkeypatch.setattr("recombine.corpus.conllu.read_blocks.__defaults__", (5_000,))
    path = write_conllu(tmp_path / "c.conllu", made_up(300, words=40))
    one, _ = Preparation(corpora=(path,), workers=1).run(tmp_path / "one")
    two, _ = Preparation(corpora=(path,), workers=2).run(tmp_path / "two")
    for name in ("units.bin", "heads.bin", "texts.tsv", "names.json"):
        assert (one.directory / name).read_bytes() == (two.directory / name).read_bytes()


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A corpus or target side that is not there is an error."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    with pytest.raises(ConfigError, match="no such corpus"):
        Preparation(corpora=(tmp_path / "x",)).run(tmp_path)
    with pytest.raises(ConfigError, match="target side"):
        Preparation(corpora=(path, path), target_corpora=(path,)).run(tmp_path)


def test_a_corpus_without_sentences_is_named(tmp_path: Path) -> None:
    """Also where another one has some: there is nothing to compare with nothing."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    empty = tmp_path / "empty.conllu"
    empty.write_text("", encoding="utf-8")
    for corpora in ((empty,), (path, empty), (empty, path)):
        with pytest.raises(DataError, match="no sentences") as caught:
            Preparation(corpora=corpora, workers=1).run(tmp_path / "work")
        assert caught.value.where is not None
        assert caught.value.where.path == str(empty)


def test_another_encoding_has_a_line(tmp_path: Path) -> None:
    """In the corpus, in raw text and on the target side."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"one\ncaf\xe9\nthree\n")
    for preparation in (
        Preparation(corpora=(latin,), workers=1),
        Preparation(corpora=(latin,), parser="words", cache=tmp_path, workers=1),
        Preparation(corpora=(path,), target_corpora=(latin,), workers=1),
    ):
        with pytest.raises(DataError, match="not UTF-8 at byte 4 of the line") as caught:
            preparation.run(tmp_path / "work")
        assert caught.value.where is not None
        assert (caught.value.where.path, caught.value.where.line) == (str(latin), 2)
