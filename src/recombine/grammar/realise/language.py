"""One language of a grammar, ready to be asked: forms of words, lines of rules, features.

The forms of a word are its lexicon row, completed by its paradigm: a cell such as ``y>ied`` strips
an ending from another form of the word and adds one, ``ge+ e~o en>en`` puts a prefix before it and
changes the last e of its stem too (`inflect`). The lines of a rule say a field of
a constituent by fields of its slots; ``rule.* =`` answers for every field that has no line of its
own. A *feature* is a field that some line uses as a key, ``_the[N.gender]``: it must be one string,
and which fields of which categories are features follows from the lines (`_feature_fields`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import (
    ANY_FIELD,
    FORM,
    Feature,
    Key,
    Language,
    LexiconRow,
    LiteralText,
    Paradigm,
    Pieces,
    Ref,
    Same,
    TableCell,
)

MAX_PIECES = 200_000  # phrases of one sentence: repeated slots can double a sentence at every level

Forms = dict[str, tuple[str, ...]]


class Concrete:
    """Looks up what one language says; every answer is a string of the files."""

    def __init__(self, inventory: Inventory, language: Language) -> None:
        self.inventory = inventory
        self.language = language
        self.problems: list[GrammarError] = []
        classes = by_class(language.paradigms)
        self.forms: list[Forms] = [{} for _ in inventory.words]
        self.tables: dict[str, Forms] = {}
        for row in language.rows.values():
            forms = inflect(row, classes, self.problems)
            if row.id.startswith("_"):
                self.tables[row.id] = forms
            else:
                code = inventory.codes.get(row.id, -1)
                if code >= inventory.first_word:
                    self.forms[code - inventory.first_word] = forms
        self._lines: dict[tuple[int, str], tuple[Pieces, ...] | None] = {}
        self.features = _feature_fields(self)

    def word_forms(self, code: int) -> Forms:
        """All forms of a word."""
        return self.forms[code - self.inventory.first_word]

    def line(self, code: int, field: str) -> tuple[Pieces, ...] | None:
        """The alternatives of a rule's field, or None where the language has no such line."""
        key = (code, field)
        if key not in self._lines:
            name = self.inventory.labels[code]
            line = self.language.lines.get((name, field))
            if line is not None:
                self._lines[key] = line.variants
            else:
                line = self.language.lines.get((name, ANY_FIELD))
                self._lines[key] = None if line is None else _bind_field(line.variants, field)
        return self._lines[key]

    def feature(
        self, codes: Sequence[int], children: Sequence[Sequence[int]], node: int, field: str
    ) -> str:
        """The string of a node's feature; raises GrammarError where it has none."""
        node, field = self.feature_place(codes, children, node, field)
        code = codes[node]
        if code >= self.inventory.first_word:
            values = self.word_forms(code).get(field)
            if values is None:
                raise self.missing(code, field)
            return values[0]
        piece = (self.line(code, field) or ((None,),))[0][0]
        if isinstance(piece, LiteralText):
            return piece.text
        if isinstance(piece, TableCell):
            return self.cell(piece.table, self.field_name(piece.keys, codes, children, node))[0]
        raise self.missing(code, field)

    def feature_place(
        self, codes: Sequence[int], children: Sequence[Sequence[int]], node: int, field: str
    ) -> tuple[int, str]:
        """Where a node's feature comes from: a word and its form, or a line that says it itself."""
        inventory = self.inventory
        while codes[node] < inventory.first_word:
            variants = self.line(codes[node], field)
            piece = variants[0][0] if variants is not None else None
            if not isinstance(piece, Ref):
                break
            slot = inventory.rule(codes[node]).slot(piece.slot)
            if slot is None:
                raise self.missing(codes[node], field)
            node = children[node][slot]
            field = ".".join(key for key in piece.keys if isinstance(key, str))
        return node, field

    def field_name(
        self,
        keys: tuple[Key, ...],
        codes: Sequence[int],
        children: Sequence[Sequence[int]],
        node: int,
    ) -> str:
        """The field that a reference in a line of `node` asks for."""
        if len(keys) == 1 and isinstance(keys[0], str):
            return keys[0]
        names: list[str] = []
        for key in keys:
            if isinstance(key, Feature):
                slot = self.inventory.rule(codes[node]).slot(key.slot)
                if slot is None:
                    raise self.missing(codes[node], key.slot)
                names.append(self.feature(codes, children, children[node][slot], key.field))
            elif isinstance(key, str):
                names.append(key)
        return ".".join(names)

    def cell(self, table: str, name: str) -> tuple[str, ...]:
        """A cell of a closed-class table; raises GrammarError where there is none."""
        found = self.tables.get(table, {}).get(name)
        if found is None:
            raise GrammarError(
                f"{self.language.code}: '{table}' has no '{name}'", self.language.where
            )
        return found

    def too_long(self) -> GrammarError:
        """The complaint about a sentence without end."""
        return GrammarError(
            f"{self.language.code}: a sentence of more than {MAX_PIECES} pieces",
            hint="a rule repeats a slot at every level of a deep tree",
        )

    def missing(self, code: int, field: str) -> GrammarError:
        """The complaint that a rule or word has no such field in this language."""
        label = self.inventory.labels[code]
        row = self.language.rows.get(label)
        if self.inventory.is_word(code):
            alike = self.inventory.words_of[self.inventory.category(code)]
            lacking = [self.inventory.labels[c] for c in alike if field not in self.word_forms(c)]
            others = [f"'{other}'" for other in lacking if other != label]
            said = f"the word '{label}' has no '{field}'"
            said += f", nor have {', '.join(others)}" if others else ""
        else:
            said = f"the rule '{label}' has no '{field}'"
        return GrammarError(
            f"{self.language.code}: {said}",
            row.where if row else self.language.where,
            "`recombine check` lists everything that is missing",
        )


def _bind_field(variants: tuple[Pieces, ...], field: str) -> tuple[Pieces, ...]:
    names = tuple(field.split("."))

    def bind(keys: tuple[Key, ...]) -> tuple[Key, ...]:
        bound: list[Key] = []
        for key in keys:
            bound.extend(names if isinstance(key, Same) else (key,))
        if all(isinstance(key, str) for key in bound):
            return (".".join(key for key in bound if isinstance(key, str)),)
        return tuple(bound)

    return tuple(
        tuple(
            piece._replace(keys=bind(piece.keys)) if isinstance(piece, Ref | TableCell) else piece
            for piece in pieces
        )
        for pieces in variants
    )


def _feature_fields(concrete: Concrete) -> dict[str, tuple[str, ...]]:
    """The fields of each category that are used as keys, in the order found."""
    inventory = concrete.inventory
    found: dict[str, dict[str, None]] = {}
    queue: list[tuple[str, str]] = []

    def note(rule_code: int, slot: str, field: str) -> None:
        rule = inventory.rule(rule_code)
        index = rule.slot(slot)
        if index is not None:
            category = rule.parts[index].symbol.category
            if field not in found.setdefault(category, {}):
                found[category][field] = None
                queue.append((category, field))

    for line in concrete.language.lines.values():
        code = inventory.codes.get(line.rule, inventory.first_word)
        if code >= inventory.first_word:
            continue
        for pieces in line.variants:
            for piece in pieces:
                if isinstance(piece, Ref | TableCell):
                    for key in piece.keys:
                        if isinstance(key, Feature):
                            note(code, key.slot, key.field)
    while queue:
        category, field = queue.pop()
        for code in inventory.rules_of.get(category, ()):
            variants = concrete.line(code, field)
            if variants and isinstance(variants[0][0], Ref):
                reference = variants[0][0]
                keys = [key for key in reference.keys if isinstance(key, str)]
                note(code, reference.slot, ".".join(keys))
    return {category: tuple(fields) for category, fields in found.items()}


def inflect(
    row: LexiconRow, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
) -> Forms:
    """Return every form of a row: its own cells first, then what its paradigm gives."""
    forms: Forms = dict(row.cells)
    if not row.paradigm:
        return forms
    paradigm = _choose(row, paradigms, problems)
    if paradigm is None:
        return forms
    waiting = {name: cell for name, cell in paradigm.cells.items() if name not in forms}
    while waiting:
        ready = [name for name, cell in waiting.items() if _base(cell) not in waiting]
        if not ready:
            names = ", ".join(waiting)
            problems.append(
                GrammarError(
                    f"class '{row.paradigm}': {names} are made from each other", paradigm.where
                )
            )
            break
        for name in ready:
            made = _apply(row, name, waiting.pop(name), forms, problems)
            if made is not None:
                forms[name] = made
    return forms


def by_class(paradigms: Sequence[Paradigm]) -> dict[str, list[Paradigm]]:
    """Group paradigm rows by class."""
    groups: dict[str, list[Paradigm]] = {}
    for paradigm in paradigms:
        groups.setdefault(paradigm.name, []).append(paradigm)
    return groups


def _choose(
    row: LexiconRow, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
) -> Paradigm | None:
    rows = paradigms.get(row.paradigm)
    if not rows:
        known = ", ".join(sorted(paradigms)) or "none"
        problems.append(
            GrammarError(f"'{row.id}': no paradigm '{row.paradigm}'", row.where, f"known: {known}")
        )
        return None
    form = row.cells.get(FORM, ("",))[0]
    fitting = [paradigm for paradigm in rows if form.endswith(paradigm.ending)]
    if not fitting:
        endings = ", ".join(paradigm.ending for paradigm in rows)
        problems.append(
            GrammarError(
                f"'{row.id}': '{form}' has no ending of class '{row.paradigm}'",
                row.where,
                f"endings: {endings}",
            )
        )
        return None
    return max(fitting, key=lambda paradigm: len(paradigm.ending))


class _Inflection(NamedTuple):
    """A cell of a paradigm: from which field, and what happens to its form."""

    base: str
    prefix: str
    changes: tuple[tuple[str, str], ...]  # in the stem: the last of one becomes the other
    strip: str
    add: str


_PREFIX = re.compile(r"([^\s+~]+)\+\s*")
_CHANGE = re.compile(r"([^\s+~]+)~([^\s+~]*)(?:\s+|\Z)")


def _read_inflection(cell: str) -> _Inflection:
    left, _, add = cell.partition(">")
    base, colon, rest = left.partition(":")
    left = rest if colon else left
    prefix = ""
    changes: list[tuple[str, str]] = []
    while True:
        if match := _PREFIX.match(left):
            prefix += match[1]
        elif match := _CHANGE.match(left):
            changes.append((match[1], match[2]))
        else:
            break
        left = left[match.end() :]
    return _Inflection(base if colon else FORM, prefix, tuple(changes), left, add)


def _base(cell: str) -> str | None:
    return None if cell.startswith("=") else _read_inflection(cell).base


def _apply(
    row: LexiconRow, name: str, cell: str, forms: Forms, problems: list[GrammarError]
) -> tuple[str, ...] | None:
    if cell.startswith("="):
        return (cell[1:],)
    base, prefix, changes, strip, add = _read_inflection(cell)
    made: list[str] = []
    for form in forms.get(base, ()):
        wrong = "" if form.endswith(strip) else f"does not end in '{strip}'"
        stem = form[: len(form) - len(strip)]
        for old, new in () if wrong else changes:
            head, found, tail = stem.rpartition(old)
            wrong = wrong if found else f"has no '{old}' in its stem"
            stem = head + new + tail
        if wrong:
            problems.append(
                GrammarError(
                    f"'{row.id}': '{form}' {wrong}, so '{row.paradigm}' cannot make its '{name}'",
                    row.where,
                    f"give the cell '{name}' in the lexicon or change the class",
                )
            )
            return None
        made.append(prefix + stem + add)
    return tuple(made) or None
