"""Read the variants of a language: other ways to say a rule or a word.

They lie in the folder `variants` of a grammar, in files named like the language's own.  Nothing is
ever built from them, so they belong to no benchmark's hash: they say what else is right.

- `CODE.grammar`: lines as in a grammar, added to the lines that are there.  `act/past_tr.* = ...`
  is about the rule `act` whose phrase is made by `past_tr`: the line has the slots of both, so that
  arguments of different levels can change places.  `{ a , b }` is any order, `( a | b )` a choice.
- `CODE.lexicon.tsv`: a row with a `form` is a synonym, with its own class and cells; a row without
  one adds cells to the word itself.  One word may have many rows.
- `CODE.paradigms.tsv`: further forms of a class, and further classes.
- `CODE.heard.grammar`, `CODE.heard.lexicon.tsv`: the same, for what is understood when somebody
  says it and never drawn as a further reference (clefts, loose synonyms).

`%ignore` lists marks that say nothing, `%final` marks that say nothing at the end, and `%contrast`
the names of forms that do *not* say the same: with `%contrast polarity`, a column `polarity.past`
is how the negated verb is said where its past would be.  `%role obj : passive.subj`, in
`abstract.grammar`, says that a passive's subject is what an object is elsewhere, and
`%question "who acts" : who_subject` what a rule asks for.  `%alike NP : Agent Object Thing_*` names
categories between which a reader makes no difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from recombine.errors import GrammarError, Where, raise_all
from recombine.files import sha256_of
from recombine.grammar.files.folder import base_folders
from recombine.grammar.files.notation import Cursor, read_lines, unquote
from recombine.grammar.files.tables import read_table
from recombine.grammar.model import (
    ANY_FIELD,
    FORM,
    Feature,
    Key,
    LexiconRow,
    LiteralText,
    Paradigm,
    Ref,
    Same,
    TableCell,
)

FOLDER = "variants"


class AnyOrder(NamedTuple):
    """``{ a , b }``: all of them, in any order."""

    parts: tuple[Body, ...]


class OneOf(NamedTuple):
    """``( a | b )``: one of them."""

    options: tuple[Body, ...]


Body = tuple[LiteralText | Ref | TableCell | AnyOrder | OneOf, ...]


class VariantLine(NamedTuple):
    """One more way to say a field of a rule, or of a rule with the rules below it."""

    chain: tuple[str, ...]
    field: str
    body: Body
    where: Where
    drawn: bool = True  # or only heard


@dataclass(frozen=True)
class Variants:
    """What the files of one language say; rows that are only heard come last."""

    lines: tuple[VariantLine, ...] = ()
    rows: tuple[LexiconRow, ...] = ()
    paradigms: tuple[Paradigm, ...] = ()
    ignored: frozenset[str] = frozenset()
    final: frozenset[str] = frozenset()
    contrasts: tuple[str, ...] = ()
    roles: Mapping[tuple[str, str], str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    alike: Mapping[str, str] = field(default_factory=dict)
    drawn_rows: int = 0
    sha256: str = field(default="", compare=False)


def variant_files(folder: Path) -> list[Path]:
    """The files with variants in one folder of a grammar."""
    found = (folder / FOLDER).glob("*")
    return sorted(path for path in found if path.suffix in (".tsv", ".grammar"))


def read_variants(folder: Path, language: str) -> Variants:
    """Read the variants of a language, if it has any; of what the grammar extends first."""
    problems: list[GrammarError] = []
    reader = _VariantReader(problems)
    digest = hashlib.sha256()
    found = [path for place in base_folders(folder) for path in variant_files(place)]
    for path in sorted(found, key=_only_heard):
        if path.name.split(".")[0] not in ("abstract", language):
            continue
        reader.drawn = not _only_heard(path)
        digest.update(f"{path.name}\0{sha256_of(path)}\n".encode())
        if path.suffix == ".grammar":
            read_lines(path, "concrete", problems, reader.statement)
        elif path.name.endswith("lexicon.tsv"):
            reader.read_lexicon(path)
        elif path.name.endswith("paradigms.tsv"):
            reader.read_paradigms(path)
        else:
            hint = f"{language}.grammar, {language}.lexicon.tsv or {language}.paradigms.tsv"
            problems.append(GrammarError("not a name for variants", Where(str(path)), hint))
    raise_all(problems)
    return reader.result(digest.hexdigest())


def _only_heard(path: Path) -> bool:
    return "heard" in path.name.split(".")


class _VariantReader:
    def __init__(self, problems: list[GrammarError]) -> None:
        self.problems = problems
        self.drawn = True
        self._drawn_rows = 0
        self._lines: list[VariantLine] = []
        self._rows: list[LexiconRow] = []
        self._paradigms: list[Paradigm] = []
        self._directives: dict[str, list[str]] = {}
        self._roles: dict[tuple[str, str], str] = {}
        self._questions: dict[str, str] = {}
        self._alike: dict[str, str] = {}

    def result(self, sha256: str) -> Variants:
        given = self._directives
        return Variants(
            tuple(self._lines),
            tuple(self._rows),
            tuple(self._paradigms),
            frozenset("".join(given.get("%ignore", ()))),
            frozenset("".join(given.get("%final", ()))),
            tuple(given.get("%contrast", ())),
            self._roles,
            self._questions,
            self._alike,
            self._drawn_rows,
            sha256,
        )

    def read_lexicon(self, path: Path) -> None:
        for row in read_table(path, "id", self.problems):
            cells = {
                name: tuple(
                    "" if part.strip() == '""' else part.strip() for part in cell.split("|")
                )
                for name, cell in row.cells.items()
                if name not in ("id", "class", "note") and cell
            }
            name = row.cells.get("id", "")
            if not name or not (cells or row.cells.get("class")):
                self.problems.append(GrammarError("a row needs an id and a form", row.where))
                continue
            self._rows.append(LexiconRow(name, cells, row.cells.get("class", ""), row.where))
            self._drawn_rows += self.drawn

    def read_paradigms(self, path: Path) -> None:
        for row in read_table(path, "class", self.problems):
            cells = {
                name: cell
                for name, cell in row.cells.items()
                if name not in ("class", "ending", "note") and cell
            }
            self._paradigms.append(
                Paradigm(row.cells["class"], row.cells.get("ending", ""), cells, row.where)
            )

    def statement(self, line: Cursor) -> None:
        if line.kind() == "directive":
            self._directive(line)
            return
        where = line.here
        lefts = [self._left(line)]
        while line.accept(","):
            lefts.append(self._left(line))
        line.expect("=", "after the rule and field")
        bodies = list(self._alternatives(line, ()))
        line.finish()
        self._lines += [
            VariantLine(chain, name, body, where, self.drawn)
            for chain, name in lefts
            for body in bodies
        ]

    def _directive(self, line: Cursor) -> None:
        token = line.take()
        if token.text == "%role":
            role = line.name("a role")
            line.expect(":", "after the role")
            while line.more:
                rule = line.name("a rule")
                line.expect(".", "after the rule")
                self._roles[rule, line.name("a slot")] = role
            return
        if token.text == "%question":
            asked = unquote(line.take().text)
            line.expect(":", "after what is asked for")
            while line.more:
                self._questions[line.name("a rule")] = asked
            return
        if token.text == "%alike":
            name = line.name("a category")
            line.expect(":", "after the category")
            while line.more:
                member = line.name("a category")
                self._alike[member + ("*" if line.accept("*") else "")] = name
            return
        if token.text not in ("%ignore", "%final", "%contrast"):
            hint = "in variants: %ignore, %final, %contrast, %role, %question, %alike"
            raise GrammarError(f"unknown directive '{token.text}'", token.where, hint)
        found = self._directives.setdefault(token.text, [])
        while line.more:
            found.append(
                unquote(line.take().text) if line.kind() == "string" else line.name("a name")
            )

    def _left(self, line: Cursor) -> tuple[tuple[str, ...], str]:
        chain = tuple(line.name("a rule").split("/"))
        names: list[str] = []
        while line.accept("."):
            names.append(ANY_FIELD if line.accept("*") else line.name("a field name"))
        return chain, ".".join(names) or FORM

    def _alternatives(self, line: Cursor, stop: tuple[str, ...]) -> Iterator[Body]:
        yield self._body(line, (*stop, "|"))
        while line.accept("|"):
            yield self._body(line, (*stop, "|"))

    def _body(self, line: Cursor, stop: tuple[str, ...]) -> Body:
        pieces: list[LiteralText | Ref | TableCell | AnyOrder | OneOf] = []
        while line.more and line.peek() not in stop:
            if line.kind() == "string":
                pieces.append(LiteralText(unquote(line.take().text)))
            elif line.accept("{"):
                parts = [self._body(line, (",", "}"))]
                while line.accept(","):
                    parts.append(self._body(line, (",", "}")))
                line.expect("}", "after what comes in any order")
                pieces.append(AnyOrder(tuple(parts)))
            elif line.accept("("):
                pieces.append(OneOf(tuple(self._alternatives(line, (")",)))))
                line.expect(")", "after the choices")
            else:
                pieces.append(self._reference(line))
        if not pieces:
            line.fail('an empty alternative; write "" for nothing')
        return tuple(pieces)

    def _reference(self, line: Cursor) -> Ref | TableCell:
        name = line.name("a slot, a table or a literal")
        keys: list[Key] = []
        while line.accept("."):
            keys.append(Same() if line.accept("*") else line.name("a field name"))
        if line.accept("["):
            keys.append(self._key(line))
            while line.accept(","):
                keys.append(self._key(line))
            line.expect("]", "after the keys")
        found = tuple(keys) or (FORM,)
        return TableCell(name, found) if name.startswith("_") else Ref(name, found)

    def _key(self, line: Cursor) -> Key:
        if line.accept("*"):
            return Same()
        name = line.name("a key")
        return Feature(name, line.name("a feature")) if line.accept(".") else name


def widen_paradigms(own: tuple[Paradigm, ...], more: tuple[Paradigm, ...]) -> list[Paradigm]:
    """The paradigms of a language with the further forms and classes of its variants."""
    cells: dict[tuple[str, str], Mapping[str, str]] = {}
    places: dict[tuple[str, str], Where | None] = {}
    for one in (*own, *more):
        key = (one.name, one.ending)
        cells[key] = {**cells.get(key, {}), **one.cells}
        places.setdefault(key, one.where)
    return [
        Paradigm(name, ending, cells[name, ending], places[name, ending]) for name, ending in cells
    ]
