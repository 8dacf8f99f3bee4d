"""Word lists: shipped, replaced, and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.builders.consistency.wordlists import (
    Idiom,
    SynonymPair,
    read_idioms,
    read_synonyms,
    read_words,
    require_clauses,
)
from recombine.errors import DataError


def test_shipped_lists() -> None:
    """Twenty synonym pairs and twenty idioms, with Dutch renderings and keywords in file order."""
    synonyms = read_synonyms("en", "nl")
    assert len(synonyms) == 20
    assert synonyms[0].renderings[0] == "vliegtuig"
    assert synonyms[0].clause(plural=True, second=True) == "that travel by airplane"
    idioms = read_idioms("en", "nl")
    assert len(idioms) == 20
    assert idioms[0].literal == ("even", "poosje", "tijd", "tijdje")
    assert idioms[3].keywords == ("state", "art")
    assert read_idioms("en", "xx")[0].literal == ()
    assert len(read_words("en")) > 100


def table(path: Path, *lines: str) -> Path:
    """Write a table."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("first\tsingular", "a\tb"), "lacks the column 'second'"),
        (("first\tsecond", "a\t"), "'second' is empty"),
        (("first\tsecond", "a\tb\tc"), "3 cells"),
        (("first\tsecond\tsingular", "boat\tship\tthat owns a car"), "does not contain 'boat'"),
        (("first\tsecond",), "no rows"),
    ],
)
def test_wrong_synonym_tables(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    """Every mistake is named with its line."""
    with pytest.raises(DataError, match=message) as caught:
        read_synonyms("en", "nl", table(tmp_path / "synonyms.tsv", *lines))
    assert "synonyms.tsv" in str(caught.value)


def test_wrong_idiom_tables(tmp_path: Path) -> None:
    """A clause without its idiom is a mistake."""
    path = table(tmp_path / "a.tsv", "idiom\tkeywords\tclause", "by heart\theart\tthat said no")
    with pytest.raises(DataError, match="does not contain 'by heart'"):
        read_idioms("en", "nl", path)


def test_missing_language_and_clauses() -> None:
    """Without shipped lists the user is told which table to give."""
    with pytest.raises(DataError, match="'xx'"):
        read_synonyms("xx", "nl")
    with pytest.raises(DataError, match="has no clause"):
        require_clauses([SynonymPair("a", "b")], "synonym pair")
    with pytest.raises(DataError, match="has no clause"):
        require_clauses([Idiom("by heart", ("heart",))], "idiom")
