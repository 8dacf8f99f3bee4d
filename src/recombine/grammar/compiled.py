"""One language, compiled: a table of constituents x fields x sequences.

The lines of a language say a field of a rule by fields of its slots, and *features* (a key such as
``_the[N.gender]``) decide which. Once the feature values of its parts are known, a rule says every
field by fixed sequences: texts, fields of parts, and glue. So a rule with the values of its parts
is a `CompiledConstituent`, and `expansion` has the rows of a field for it. This is how GF compiles
a concrete syntax to a parallel multiple context-free grammar (Ljunglöf 2004, chapter 3; Angelov
2011). Everything else is a walk over this table: saying a tree, matching a text against one,
drawing a wording, making the parser's productions, and finding what the files lack.

The table is filled where it is asked. A language may be compiled with its variants: then a word has
several senses, a field further sequences, and a line may be about a rule whose part is made by a
certain rule (a chain), whose slots are those of both.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.inflection import Forms, by_class, inflect
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import (
    ANY_FIELD,
    Feature,
    Glue,
    Language,
    Line,
    LiteralText,
    Piece,
    Ref,
    RulePart,
    Same,
    TableCell,
    features_of,
)

MAX_PIECES = 200_000  # phrases of one sentence: repeated slots can double a sentence at every level

Values = tuple[str, ...]  # of the features of a category, in their order; "" where one is missing


class PartField(NamedTuple):
    """A field of a part of a constituent."""

    part: int
    field: str


class OneOf(NamedTuple):
    """A text that is one of several, the canonical one first: a cell of a table."""

    texts: tuple[str, ...]


RowSymbol = str | OneOf | PartField | Glue


class Row(NamedTuple):
    """One way to say a field: texts, fields of parts, and glue between them."""

    symbols: tuple[RowSymbol, ...]
    joined: tuple[RowSymbol | None, ...]  # the same, with None where neighbours are joined
    line: Line


class MissingCell(NamedTuple):
    """A cell of a closed-class table that a line asks for in vain."""

    table: str
    name: str


class Expansion(NamedTuple):
    """All ways to say a field of a constituent, and the cells that others would need."""

    rows: tuple[Row, ...]
    missing: tuple[MissingCell, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Construction:
    """A rule, or a chain of rules each of which makes a part of the one before it."""

    chain: tuple[str, ...]
    parts: tuple[RulePart, ...]
    slots: Mapping[str, int]
    # What was compiled of it so far, by the feature values of its parts.
    constituents: dict[tuple[Values, ...], CompiledConstituent] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class CompiledConstituent:
    """A construction with the feature values of its parts: all that its strings depend on."""

    construction: Construction
    below: tuple[Values, ...]
    values: Values = ()  # its own
    missing: list[tuple[str, MissingCell]] = field(default_factory=list)  # of its own features
    expansions: dict[str, Expansion | None] = field(default_factory=dict)


class Sense(NamedTuple):
    """One way to say a word: forms that belong together."""

    forms: Forms
    drawn: bool = True


class CompiledLexicon(NamedTuple):
    """The words and closed-class tables of a language, with every form."""

    senses: Sequence[tuple[Sense, ...]]  # per word of the inventory
    tables: Mapping[str, Forms]


def read_lexicon(
    inventory: Inventory, language: Language, problems: list[GrammarError]
) -> CompiledLexicon:
    """Inflect the rows of a language; what is wrong with them joins `problems`."""
    classes = by_class(language.paradigms)
    senses: list[tuple[Sense, ...]] = [() for _ in inventory.words]
    tables: dict[str, Forms] = {}
    for row in language.rows.values():
        forms = inflect(row, classes, problems)
        if row.id.startswith("_"):
            tables[row.id] = forms
        elif (code := inventory.codes.get(row.id, -1)) >= inventory.first_word:
            senses[code - inventory.first_word] = (Sense(forms),)
    return CompiledLexicon(senses, tables)


class CompiledLanguage:
    """Looks up what one language says; every answer is a string of the files."""

    def __init__(
        self,
        inventory: Inventory,
        language: Language,
        lexicon: CompiledLexicon | None = None,
        variants: Iterable[Line] = (),
    ) -> None:
        self.inventory = inventory
        self.language = language
        self.problems: list[GrammarError] = []
        lexicon = lexicon or read_lexicon(inventory, language, self.problems)
        self.senses = lexicon.senses
        self.tables = lexicon.tables
        self.forms: list[Forms] = [senses[0].forms if senses else {} for senses in self.senses]
        self._rules = [
            Construction((rule.name,), rule.parts, _positions(rule.parts))
            for rule in inventory.rules
        ]
        self._variants: dict[tuple[str, ...], list[Line]] = {}
        for line in variants:
            self._variants.setdefault(line.chain, []).append(line)
        self._chains: dict[int, list[Construction]] = {}  # by their first rule
        for chain in self._variants:
            if len(chain) > 1:
                parts = _parts_of(inventory, chain)
                construction = Construction(chain, parts, _positions(parts))
                self._chains.setdefault(inventory.codes[chain[0]], []).append(construction)
        self.features = self._feature_fields()
        self._word_values = self._values_of_words()
        fields_of = self.features.get
        self._code_fields = [  # per rule and word: the features of its category
            fields_of(inventory.category(code), ()) for code in range(len(inventory.labels))
        ]
        self._slot_fields = [  # per rule: those of its parts
            [fields_of(part.symbol.category, ()) for part in rule.parts] for rule in inventory.rules
        ]

    # Words and lines, as the files have them.

    def word_forms(self, code: int) -> Forms:
        """All forms of a word, in its first sense."""
        return self.forms[code - self.inventory.first_word]

    def line(self, code: int, field: str) -> Line | None:
        """The language's own line for a rule's field: its own, or that of every field."""
        lines, name = self.language.lines, self.inventory.labels[code]
        return lines.get((name, field)) or lines.get((name, ANY_FIELD))

    def construction(self, code: int) -> Construction:
        """The construction of a rule alone."""
        return self._rules[code]

    def constructions(self, code: int) -> Sequence[Construction]:
        """The construction of a rule, and of the chains that begin with it."""
        return (self._rules[code], *self._chains.get(code, ()))

    def lines(self, construction: Construction, field: str) -> Iterator[Line]:
        """Every line for a field, the language's own first."""
        chain = construction.chain
        own = self.line(self.inventory.codes[chain[0]], field) if len(chain) == 1 else None
        if own is not None:
            yield own
        for line in self._variants.get(chain, ()):
            if line.gives(field):
                yield line

    # The table.

    def every_word_values(self, code: int) -> tuple[Values, ...]:
        """The feature values of a word in each of its senses."""
        return self._word_values[code - self.inventory.first_word]

    def constituent(
        self, construction: Construction, below: tuple[Values, ...]
    ) -> CompiledConstituent:
        """The constituent of a construction whose parts have these values."""
        constituent = construction.constituents.get(below)
        if constituent is None:
            constituent = CompiledConstituent(construction, below)
            self._find_values(constituent)
            construction.constituents[below] = constituent
        return constituent

    def constituents(
        self, codes: Sequence[int], children: Sequence[Sequence[int]]
    ) -> list[CompiledConstituent | None]:
        """The constituent of every node of a tree, from the words up; None for a word.

        A tree that was put together may have a constituent of another category in a slot (the
        subject of a passive in that of an active): its features are taken by their names.
        """
        first_word = self.inventory.first_word
        code_fields, slot_fields = self._code_fields, self._slot_fields
        values: list[Values] = [()] * len(codes)
        constituents: list[CompiledConstituent | None] = [None] * len(codes)
        for node in range(len(codes) - 1, -1, -1):
            code = codes[node]
            if code >= first_word:
                values[node] = self._word_values[code - first_word][0]
                continue
            below = tuple([values[child] for child in children[node]])
            for asked, child in zip(slot_fields[code], children[node], strict=True):
                if asked is not code_fields[codes[child]]:  # one tuple per category
                    by_name = [
                        dict(zip(code_fields[codes[child]], values[child], strict=True))
                        for child in children[node]
                    ]
                    below = tuple(
                        tuple([named.get(name, "") for name in fields])
                        for fields, named in zip(slot_fields[code], by_name, strict=True)
                    )
                    break
            constituent = constituents[node] = self.constituent(self._rules[code], below)
            values[node] = constituent.values
        return constituents

    def expansion(self, constituent: CompiledConstituent, field: str) -> Expansion | None:
        """All ways to say a field of a constituent; None where there is no line for it."""
        try:
            return constituent.expansions[field]
        except KeyError:
            expansion = constituent.expansions[field] = self._expand(constituent, field)
            return expansion

    def rows(
        self, codes: Sequence[int], constituent: CompiledConstituent | None, field: str
    ) -> tuple[Row, ...]:
        """All ways to say a field of a constituent of a tree; raises GrammarError without any."""
        assert constituent is not None  # a word is none
        expansion = self.expansion(constituent, field)
        if expansion is not None and expansion.rows:
            return expansion.rows
        code = self.inventory.codes[constituent.construction.chain[0]]
        if expansion is None:
            raise self.unsayable(codes, code, field)
        if expansion.missing:
            raise self.unsayable_cell(codes, expansion.missing[0])
        raise self._missing(code, field)

    def _find_values(self, constituent: CompiledConstituent) -> None:
        """Compute the features of a constituent by the lines of its construction."""
        construction = constituent.construction
        values: list[str] = []
        code = self.inventory.codes[construction.chain[0]]
        for name in self.features.get(self.inventory.category(code), ()):
            line = next(self.lines(construction, name), None)
            piece = line.variants[0][0] if line is not None else None
            text: str | OneOf | MissingCell = ""
            if isinstance(piece, LiteralText):
                text = piece.text
            elif isinstance(piece, Ref):
                feature = Feature(piece.slot, self._field_name(piece, name, constituent))
                text = self._value(constituent, feature)
            elif isinstance(piece, TableCell):
                text = self._cell(piece, name, constituent)
            if isinstance(text, MissingCell):
                constituent.missing.append((name, text))
            values.append(text if isinstance(text, str) else "")
        constituent.values = tuple(values)

    def _value(self, constituent: CompiledConstituent, feature: Feature) -> str:
        construction = constituent.construction
        index = construction.slots.get(feature.slot, -1)
        category = construction.parts[index].symbol.category if index >= 0 else ""
        fields = self.features.get(category, ())
        if feature.field not in fields:
            return ""
        return constituent.below[index][fields.index(feature.field)]

    def _field_name(
        self, piece: Ref | TableCell, field: str, constituent: CompiledConstituent
    ) -> str:
        """The field that a reference asks for, of a line that was itself asked for a field."""
        return field_name(piece, field, lambda feature: self._value(constituent, feature))

    def _cell(
        self, piece: TableCell, field: str, constituent: CompiledConstituent
    ) -> str | OneOf | MissingCell:
        name = self._field_name(piece, field, constituent)
        texts = self.tables.get(piece.table, {}).get(name)
        if not texts:
            return MissingCell(piece.table, name)
        return texts[0] if len(texts) == 1 else OneOf(texts)

    def _expand(self, constituent: CompiledConstituent, field: str) -> Expansion | None:
        rows: list[Row] = []
        missing: list[MissingCell] = []
        line = None
        for line in self.lines(constituent.construction, field):
            for pieces in line.variants:
                symbols = [self._symbol(piece, field, constituent) for piece in pieces]
                lacking = [symbol for symbol in symbols if isinstance(symbol, MissingCell)]
                missing += lacking
                if not lacking and None not in symbols:
                    rows.append(_row(symbols, line))  # type: ignore[arg-type]
        return None if line is None else Expansion(tuple(rows), tuple(missing))

    def _symbol(
        self, piece: Piece, field: str, constituent: CompiledConstituent
    ) -> RowSymbol | MissingCell | None:
        """What a piece is here; None where it names a slot that there is not (check)."""
        if isinstance(piece, LiteralText):
            return piece.text
        if isinstance(piece, Glue):
            return piece
        if isinstance(piece, TableCell):
            return self._cell(piece, field, constituent)
        if piece.slot not in constituent.construction.slots:
            return None
        name = self._field_name(piece, field, constituent)
        return PartField(constituent.construction.slots[piece.slot], name)

    # Features.

    def _feature_fields(self) -> dict[str, tuple[str, ...]]:
        """The fields of each category that are used as keys, in the order found."""
        inventory = self.inventory
        fields: dict[str, dict[str, None]] = {}
        queue: list[tuple[str, str]] = []

        def note(parts: Mapping[str, RulePart], slot: str, field: str) -> None:
            if slot in parts:
                category = parts[slot].symbol.category
                if field not in fields.setdefault(category, {}):
                    fields[category][field] = None
                    queue.append((category, field))

        variants = itertools.chain(*self._variants.values())
        for line in itertools.chain(self.language.lines.values(), variants):
            if any(name not in inventory.codes for name in line.chain):
                continue
            parts = {part.slot: part for part in _parts_of(inventory, line.chain)}
            for pieces in line.variants:
                for feature in features_of(pieces):
                    note(parts, feature.slot, feature.field)
        while queue:
            category, field = queue.pop()
            for code in inventory.rules_of.get(category, ()):
                first = next(self.lines(self._rules[code], field), None)
                piece = first.variants[0][0] if first is not None else None
                if isinstance(piece, Ref):
                    parts = {part.slot: part for part in inventory.rule(code).parts}
                    note(parts, piece.slot, field_name(piece, field))
        return {category: tuple(names) for category, names in fields.items()}

    def _values_of_words(self) -> list[tuple[Values, ...]]:
        return [
            tuple(
                tuple([sense.forms.get(name, ("",))[0] for name in fields])
                for sense in senses or (Sense({}),)
            )
            for word, senses in zip(self.inventory.words, self.senses, strict=True)
            for fields in [self.features.get(word.category, ())]
        ]

    # Complaints.

    def too_long(self) -> GrammarError:
        """The complaint about a sentence without end."""
        return GrammarError(
            f"{self.language.code}: a sentence of more than {MAX_PIECES} pieces",
            hint="a rule repeats a slot at every level of a deep tree",
        )

    def unsayable(self, codes: Sequence[int], code: int, field: str) -> GrammarError:
        """The complaint that a rule or word of a tree has no such field in this language."""
        return self._lacking_feature(codes, field) or self._missing(code, field)

    def unsayable_cell(self, codes: Sequence[int], cell: MissingCell) -> GrammarError:
        """The complaint that a table has no such cell."""
        return self._lacking_feature(codes, cell.name) or GrammarError(
            f"{self.language.code}: '{cell.table}' has no '{cell.name}'", self.language.where
        )

    def _lacking_feature(self, codes: Sequence[int], field: str) -> GrammarError | None:
        """What a field is called after, where it was computed of a feature that is missing."""
        for code in codes if "" in field.split(".") else ():
            for name in self.features.get(self.inventory.category(code), ()):
                is_word = self.inventory.is_word(code)
                if not (self.word_forms(code).get(name) if is_word else self.line(code, name)):
                    return self._missing(code, name)
        return None

    def _missing(self, code: int, field: str) -> GrammarError:
        label = self.inventory.labels[code]
        row = self.language.rows.get(label)
        if self.inventory.is_word(code):
            alike = self.inventory.words_of[self.inventory.category(code)]
            lacking = [self.inventory.labels[c] for c in alike if field not in self.word_forms(c)]
            others = [f"'{other}'" for other in lacking if other != label]
            text = f"the word '{label}' has no '{field}'"
            text += f", nor have {', '.join(others)}" if others else ""
        else:
            text = f"the rule '{label}' has no '{field}'"
        return GrammarError(
            f"{self.language.code}: {text}",
            row.where if row else self.language.where,
            "`recombine check` lists everything that is missing",
        )


def _row(symbols: Sequence[RowSymbol], line: Line) -> Row:
    joined: list[RowSymbol | None] = []
    for index, symbol in enumerate(symbols):
        if index and not isinstance(symbol, Glue) and not isinstance(symbols[index - 1], Glue):
            joined.append(None)
        joined.append(symbol)
    return Row(tuple(symbols), tuple(joined), line)


def field_name(
    piece: Ref | TableCell, asked: str, value: Callable[[Feature], str] = lambda _: ""
) -> str:
    """The field that a reference or cell of a line means: the one place where keys are read.

    `*` is the field that the line was asked for, and a feature is its value.
    """
    return ".".join(
        [
            value(key) if isinstance(key, Feature) else asked if isinstance(key, Same) else key
            for key in piece.keys
        ]
    )


def _positions(parts: Sequence[RulePart]) -> dict[str, int]:
    return {part.slot: index for index, part in enumerate(parts)}


def _parts_of(inventory: Inventory, chain: tuple[str, ...]) -> tuple[RulePart, ...]:
    """The parts of all rules of a chain; of two slots of one name the upper one counts."""
    parts: dict[str, RulePart] = {}
    for name in chain:
        for part in inventory.rule(inventory.codes[name]).parts:
            parts.setdefault(part.slot, part)
    return tuple(parts.values())
