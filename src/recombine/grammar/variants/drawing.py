"""Draw one wording of a tree, with the usual words and the lines that people write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from recombine.grammar.model import ANY_FIELD, Feature, Key, LiteralText, TableCell
from recombine.grammar.realise.language import Forms
from recombine.grammar.realise.spelling import apply_edits, commas, finishes
from recombine.grammar.tree import Tree
from recombine.grammar.variants.files import AnyOrder, Body, OneOf, VariantLine
from recombine.grammar.variants.phrasebook import Phrasebook
from recombine.grammar.variants.ways import bound

USUAL = 2  # alternatives of a table that are drawn: the first are the usual ones
_BEFORE_MARK = re.compile(r"\s+(?=[,.?!;:])")


class _Missing(Exception):
    """A sense has no such form: another has to be drawn."""


class WordingDraw:
    """One wording of a tree; without numbers the canonical one, but for a line at a node."""

    def __init__(
        self,
        book: Phrasebook,
        tree: Tree,
        numbers: Iterator[int] | None,
        forced: tuple[int, VariantLine] | None = None,
    ) -> None:
        self.book = book
        self.tree = tree
        self.numbers = numbers
        self.forced = forced
        first = book.inventory.first_word
        self.senses: dict[int, Forms] = {}
        for node, code in enumerate(tree.codes):
            if code >= first:
                word = book.inventory.labels[code]
                senses = book.senses.same[word][: book.senses.drawn[word]]
                # A sentence in which every word is a synonym is a riddle: half of them stay.
                self.senses[node] = senses[self._pick(2) and self._pick(len(senses))]

    def text(self) -> str:
        """The wording; empty where the senses that were drawn do not fit together."""
        try:
            pieces = [text for text in self._field(0, self.book.concrete.language.root) if text]
        except _Missing:
            return ""
        text = _BEFORE_MARK.sub("", self.book.join.join(pieces))
        for finish in (commas, *finishes(self.book.concrete.language, {}, {})):
            text = apply_edits(text, finish(text))
        return text

    def _pick(self, ways: int) -> int:
        return 0 if self.numbers is None or ways < 2 else next(self.numbers) % ways

    def _field(self, node: int, field: str) -> list[str]:
        label = self.book.inventory.labels[self.tree.codes[node]]
        if node in self.senses:
            forms = self.senses[node].get(field)
            if forms is None:
                raise _Missing
            return [forms[0]]
        ways = [
            (way, slots)
            for way in self.book.ways(label, field)
            if way.drawn and (slots := self.book.below(self.tree, node, way.chain)) is not None
        ]
        if not ways:
            raise _Missing
        way, slots = ways[self._pick(len(ways))]
        if self.forced is not None and node == self.forced[0]:
            line = self.forced[1]
            below = self.book.below(self.tree, node, line.chain)
            if below is not None and line.field in (field, ANY_FIELD):
                return self._row(bound(line.body, field), below)
        return self._row(way.body, slots)

    def _row(self, body: Body, slots: Mapping[str, int]) -> list[str]:
        found: list[str] = []
        for piece in body:
            if isinstance(piece, LiteralText):
                found.append(piece.text)
            elif isinstance(piece, OneOf):
                found += self._row(piece.options[self._pick(len(piece.options))], slots)
            elif isinstance(piece, AnyOrder):
                left = list(piece.parts)
                while left:
                    found += self._row(left.pop(self._pick(len(left))), slots)
            elif isinstance(piece, TableCell):
                cell = self.book.senses.tables[piece.table].get(self._name(piece.keys, slots))
                if cell is None:
                    raise _Missing
                # What can be left out (titles, articles) is.
                found.append("" if "" in cell else cell[self._pick(min(USUAL, len(cell)))])
            else:
                found += self._field(slots[piece.slot], self._name(piece.keys, slots))
        return found

    def _name(self, keys: tuple[Key, ...], slots: Mapping[str, int]) -> str:
        names: list[str] = []
        for key in keys:
            if isinstance(key, Feature):
                names.append(self._feature(slots[key.slot], key.field))
            elif isinstance(key, str):
                names.append(key)
        return ".".join(names)

    def _feature(self, node: int, field: str) -> str:
        concrete, codes, positions = self.book.concrete, self.tree.codes, self.tree.positions
        leaf = node
        while len(positions[leaf]) == 1:
            leaf = positions[leaf][0]
        if leaf not in self.senses:
            leaf, field = concrete.feature_place(codes, positions, node, field)
        if leaf not in self.senses:
            return concrete.feature(codes, positions, leaf, field)
        return self.senses[leaf].get(field, ("",))[0]
