"""Spell out a tree by the table of a language: the pieces of its text, and whose they are.

The root is asked for its field; a row answers with texts and with fields of its parts, which are
asked in turn, until only pieces of text are left. Where there are several ways the canonical one is
taken; whoever wants another says so in a `Walker` of its own (realiser.py, variants/drawing.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from recombine.grammar.compiled import (
    MAX_PIECES,
    CompiledConstituent,
    CompiledLanguage,
    OneOf,
    PartField,
    Row,
    RowSymbol,
)
from recombine.grammar.model import Glue
from recombine.grammar.tree import child_positions


class SpelledPiece(NamedTuple):
    """A literal or a word form of a sentence."""

    text: str
    node: int
    field: str | None  # the field of a word form; None for a literal
    glued: bool  # to the piece before


class Stretch(NamedTuple):
    """The pieces of a node that stand together: from the first to the one before the last."""

    node: int
    first: int
    last: int


class Walk(NamedTuple):
    """A tree spelled out."""

    pieces: list[SpelledPiece]
    stretches: list[Stretch]


class _Began(NamedTuple):
    """A constituent whose first piece has this number."""

    at: int


class Choices:
    """Every way through a series of choices, one after the other, the first of each first."""

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._ways: list[int] = []

    def pick(self, ways: int) -> int:
        """Which of several ways to take here, the next time round too."""
        at = len(self._ways)
        self._ways.append(ways)
        return self._taken[at] if at < len(self._taken) else 0

    def advance(self) -> bool:
        """Begin again and take another way; False where there is none."""
        taken = self._taken + [0] * (len(self._ways) - len(self._taken))
        while taken and taken[-1] + 1 >= self._ways[len(taken) - 1]:
            taken.pop()
        if taken:
            taken[-1] += 1
        self._taken, self._ways = taken, []
        return bool(taken)


class Walker:
    """Spells out one tree: the canonical way, or as `choices` go."""

    def __init__(
        self, compiled: CompiledLanguage, codes: Sequence[int], choices: Choices | None = None
    ) -> None:
        self.compiled = compiled
        self.codes = codes
        self._choices = choices
        self.children = child_positions(codes, compiled.inventory.arity)

    @cached_property
    def _constituents(self) -> list[CompiledConstituent | None]:
        return self.compiled.constituents(self.codes, self.children)

    def row(self, node: int, field: str) -> tuple[Row, Sequence[int]]:
        """The row that says a field of a phrase, and the nodes of its parts."""
        rows = self.compiled.rows(self.codes, self._constituents[node], field)
        return rows[self.pick(len(rows))], self.children[node]

    def form(self, node: int, field: str) -> str:
        """The form of a word in a field."""
        code = self.codes[node]
        forms = self.compiled.word_forms(code).get(field)
        if forms is None:
            raise self.compiled.unsayable(self.codes, code, field)
        return forms[self.pick(len(forms))]

    def cell(self, texts: Sequence[str]) -> str:
        """One of the texts of a cell of a table."""
        return texts[self.pick(len(texts))]

    def pick(self, ways: int) -> int:
        """Which of several ways to take."""
        return self._choices.pick(ways) if self._choices is not None else 0

    def walk(self) -> Walk:
        """The pieces of the text from left to right, and the stretches of every node."""
        first_word = self.compiled.inventory.first_word
        codes = self.codes
        pieces: list[SpelledPiece] = []
        stretches: list[Stretch] = []
        joined, strong = False, True  # separators since the last piece; nothing before the first
        # A text, a field of a part, glue, None for a join, or where a constituent began; the node
        # it belongs to, and the nodes of the parts that it may name.
        stack: list[tuple[int, Sequence[int], RowSymbol | _Began | None]] = [
            (0, (0,), PartField(0, self.compiled.language.root))
        ]
        while stack:
            node, parts, item = stack.pop()
            field: str | None = None
            if item is None:
                joined = True
                continue
            if isinstance(item, Glue):
                strong = strong or item.strong
                continue
            if isinstance(item, _Began):
                stretches.append(Stretch(node, item.at, len(pieces)))
                continue
            if isinstance(item, PartField):
                node, field = parts[item.part], item.field
                if codes[node] < first_word:
                    row, parts = self.row(node, field)
                    if len(pieces) > MAX_PIECES or len(stack) > MAX_PIECES:
                        raise self.compiled.too_long()
                    stack.append((node, (), _Began(len(pieces))))
                    stack.extend([(node, parts, symbol) for symbol in row.joined[::-1]])
                    continue
                text = self.form(node, field)
                if text:
                    stretches.append(Stretch(node, len(pieces), len(pieces) + 1))
            else:
                text = self.cell(item.texts) if isinstance(item, OneOf) else item
            if text:
                pieces.append(SpelledPiece(text, node, field, strong or not joined))
                joined = strong = False
        return Walk(pieces, stretches)
