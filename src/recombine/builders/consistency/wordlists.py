"""Synonym pairs and idioms: what a user replaces to test another language or domain.

    LANG.synonyms.tsv         first, second, singular, plural (the clause that carries the term)
    LANG.idioms.tsv           idiom, keywords (its content words), clause
    LANG-TARGET.synonyms.tsv  first, translation, renderings (what systems made of it; `;`)
    LANG-TARGET.idioms.tsv    idiom, literal (what betrays a word-for-word rendering; `;`)

The second pair is needed for the official mode alone; without it the metrics learn from the
system's own translations of the bare words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from recombine.errors import DataError
from recombine.files import TableRow, read_table
from recombine.registry import data_path


class SynonymPair(NamedTuple):
    """Two terms of one meaning, and the clause that puts the first one into a sentence."""

    first: str
    second: str
    singular: str = ""
    plural: str = ""
    renderings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The pair as one word for tags and tables."""
        return f"{self.first}/{self.second}"

    def clause(self, *, plural: bool, second: bool) -> str:
        """Return the clause with one of the two terms."""
        text = self.plural if plural else self.singular
        return text.replace(self.first, self.second) if second else text


class Idiom(NamedTuple):
    """An idiom, its content words, its clause, and target words that betray a literal rendering.

    `normal` are renderings that hold such a word and are good target language: *par coeur*.
    """

    text: str
    keywords: tuple[str, ...]
    clause: str = ""
    literal: tuple[str, ...] = ()
    normal: tuple[str, ...] = ()


def read_synonyms(
    source: str, target: str, path: Path | None = None, renderings: Path | None = None
) -> list[SynonymPair]:
    """Read the synonym pairs of a source language, with target renderings where there are any."""
    rows = read_table(path or _shipped(source, "synonyms"), ("first", "second"))
    translated = _by_key(renderings or _optional(f"{source}-{target}", "synonyms"), "first")
    pairs = []
    for row in rows:
        for column in ("singular", "plural"):
            clause = row.get(column)
            if clause and row["first"] not in clause:
                raise DataError(f"the clause does not contain '{row['first']}'", row.where)
        translation = translated.get(row["first"])
        pairs.append(
            SynonymPair(
                row["first"],
                row["second"],
                row.get("singular"),
                row.get("plural") or row.get("singular"),
                candidate_terms(translation["translation"], translation.parts("renderings"))
                if translation
                else (),
            )
        )
    return pairs


def read_idioms(
    source: str, target: str, path: Path | None = None, literal: Path | None = None
) -> list[Idiom]:
    """Read the idioms of a source language, with the target's keywords where there are any."""
    rows = read_table(path or _shipped(source, "idioms"), ("idiom", "keywords"))
    translated = _by_key(literal or _optional(f"{source}-{target}", "idioms"), "idiom")
    idioms = []
    for row in rows:
        clause = row.get("clause")
        if clause and row["idiom"].lower() not in clause.lower():
            raise DataError(f"the clause does not contain '{row['idiom']}'", row.where)
        translation = translated.get(row["idiom"])
        idioms.append(
            Idiom(
                row["idiom"],
                tuple(row["keywords"].replace(";", " ").split()),
                clause,
                translation.parts("literal") if translation else (),
                translation.parts("normal") if translation and translation.get("normal") else (),
            )
        )
    return idioms


def read_words(source: str, path: Path | None = None) -> list[str]:
    """Read the words from which random contexts are drawn."""
    return [row["word"] for row in read_table(path or _shipped(source, "words"), ("word",))]


def require_clauses(items: Sequence[SynonymPair | Idiom], what: str) -> None:
    """Raise unless every entry has a clause, without which it cannot enter a template."""
    for item in items:
        if not (item.clause if isinstance(item, Idiom) else item.singular):
            name = item.text if isinstance(item, Idiom) else item.name
            raise DataError(
                f"{what} '{name}' has no clause",
                hint="fill the clause columns, or build natural data only",
            )


def shipped_tables(source: str, target: str) -> dict[str, Path]:
    """Return the shipped tables for a language pair, by name."""
    paths = sorted(data_path("consistency").glob("*.tsv"))
    return {
        path.name: path
        for path in paths
        if path.name.partition(".")[0] in (source, f"{source}-{target}")
    }


def _shipped(language: str, kind: str) -> Path:
    path = data_path("consistency", f"{language}.{kind}.tsv")
    if not path.is_file():
        raise DataError(
            f"no {kind} are shipped for the source language '{language}'",
            hint=f"give your own table: -o {kind}=FILE.tsv",
        )
    return path


def _optional(pair: str, kind: str) -> Path | None:
    path = data_path("consistency", f"{pair}.{kind}.tsv")
    return path if path.is_file() else None


def _by_key(path: Path | None, column: str) -> dict[str, TableRow]:
    if path is None:
        return {}
    needed = (column, "translation") if column == "first" else (column, "literal")
    return {row[column]: row for row in read_table(path, needed)}


def candidate_terms(translation: str, harvested: Sequence[str]) -> tuple[str, ...]:
    """Return the renderings of a synonym pair in a fixed order.

    The released code has [translation] + list(set(...)): the first entry is fixed, the rest came
    in hash order. Here they keep the order of the file, the first occurrence of each.
    """
    return tuple(dict.fromkeys((translation, *harvested)))
