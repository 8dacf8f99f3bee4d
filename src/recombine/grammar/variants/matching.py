"""Match a text against a tree: is it one of its wordings?

The language of all wordings is never made: `_ends` says where a field of a node can end if it
begins at a place, and remembers the answer.  As the tree is given, nothing is ambiguous and nothing
has to be searched but the text's own beginnings: the work is at most nodes x places, whatever the
text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from recombine.grammar.model import Feature, Key
from recombine.grammar.tree import Tree
from recombine.grammar.variants.phrasebook import Phrasebook
from recombine.grammar.variants.ways import CELL, CHOICE, ORDER, TEXT, LinePiece, Way


class WordingMatch:
    """One text against one tree."""

    def __init__(self, book: Phrasebook, tree: Tree, text: str) -> None:
        self.book = book
        self.tree = tree
        self.text = text
        self.spaced = bool(book.join)
        self._known: dict[tuple[int, str, int, int], frozenset[int]] = {}
        self._slots: dict[tuple[int, tuple[str, ...]], dict[str, int] | None] = {}
        self._said_senses: dict[str, list[int]] = {}
        self._taken: Mapping[int, int] = {}  # the senses of words with which others agree
        self._open: set[int] = set()  # such words whose sense is not taken yet

    def whole(self, taken: Mapping[int, int] | None = None) -> bool:
        """Whether the whole text is a way to say the tree.

        What agrees with a phrase (*un cajón fue encontrado*) depends on the sense in which a word
        deep in it is said, so each sense of such a word is tried for the whole tree.
        """
        self._taken, self._open = taken or {}, set()
        self._known.clear()
        found = len(self.text) in self._ends(0, self.book.concrete.language.root, 0, -1)
        if not self._open:
            return found
        taken, nodes = self._taken, sorted(self._open)
        senses = [self._senses(self._label(node)) for node in nodes]
        return any(
            self.whole({**taken, **dict(zip(nodes, chosen, strict=True))})
            for chosen in itertools.product(*senses)
        )

    def _label(self, node: int) -> str:
        return self.book.inventory.labels[self.tree.codes[node]]

    def _ends(self, node: int, field: str, start: int, sense: int) -> frozenset[int]:
        """Where a field of a node can end; `sense` holds for the word it is made of, if not -1."""
        key = (node, field, start, sense)
        found = self._known.get(key)
        if found is None:
            book = self.book
            label = self._label(node)
            if book.inventory.is_word(self.tree.codes[node]):
                sense = self._taken.get(node, sense)
                found = frozenset(self._heard(book.heard(label, sense, field), start))
            else:
                ends: set[int] = set()
                for way in book.ways(label, field):
                    slots = self._below(node, way.chain)
                    if slots is not None:
                        ends |= self._said(way, slots, start, sense)
                found = frozenset(ends)
            self._known[key] = found
        return found

    def _below(self, node: int, chain: tuple[str, ...]) -> dict[str, int] | None:
        key = (node, chain)
        if key not in self._slots:
            self._slots[key] = self.book.below(self.tree, node, chain)
        return self._slots[key]

    def _step(self, text: str, start: int) -> int:
        if not text:
            return start
        if self.spaced and self.text.startswith(" ", start):
            start += 1
        return start + len(text) if self.text.startswith(text, start) else -1

    def _heard(self, strings: Mapping[str, tuple[str, ...]], start: int) -> Iterator[int]:
        """Where one of some strings can end."""
        if "" in strings:
            yield start
        begin = start + (self.spaced and self.text.startswith(" ", start))
        for text in strings.get(self.text[begin : begin + 1], ()) if begin < len(self.text) else ():
            if self.text.startswith(text, begin):
                yield begin + len(text)

    def _said(self, way: Way, slots: Mapping[str, int], start: int, sense: int) -> set[int]:
        """Where a line can end, whichever senses its words are heard in."""
        if sense >= 0:
            # The word of a phrase that is nothing but this word.
            return self._row(way.pieces, slots, dict.fromkeys(slots, sense), {start})
        asked: dict[str, Sequence[int]] = {}
        for slot in way.several:
            leaf = self._leaf(slots[slot])
            if leaf is not None and leaf in self._taken:
                asked[slot] = (self._taken[leaf],)
            elif leaf is not None:
                label = self._label(leaf)
                count = len(self.book.senses.same[label])
                if count > 1:
                    asked[slot] = self._senses(label) if slot in way.said else range(count)
        if not asked:
            return self._row(way.pieces, slots, {}, {start})
        ends: set[int] = set()
        for chosen in itertools.product(*asked.values()):
            bound = dict(zip(asked, chosen, strict=True))
            ends |= self._row(way.pieces, slots, bound, {start})
        return ends

    def _senses(self, word: str) -> list[int]:
        """The senses of a word that are said at all: of sixty one or two."""
        found = self._said_senses.get(word)
        if found is None:
            found = self._said_senses[word] = []
            for index in range(len(self.book.senses.same[word])):
                forms = self.book.sense_forms(word, index)
                if not forms or any(form in self.text for form in forms):
                    found.append(index)
        return found

    def _leaf(self, node: int) -> int | None:
        """The word that a node says and nothing else."""
        positions = self.tree.positions
        while len(positions[node]) == 1:
            node = positions[node][0]
        return node if self.book.inventory.is_word(self.tree.codes[node]) else None

    def _row(
        self,
        pieces: tuple[LinePiece, ...],
        slots: Mapping[str, int],
        senses: Mapping[str, int],
        starts: set[int],
    ) -> set[int]:
        for kind, text, name, keys, parts in pieces:
            if not starts:
                return starts
            if kind == TEXT:
                starts = {end for start in starts if (end := self._step(text, start)) >= 0}
            elif kind == CHOICE:
                starts = {end for part in parts for end in self._row(part, slots, senses, starts)}
            elif kind == ORDER:
                starts = self._any_order(parts, slots, senses, starts)
            else:
                if name is None:
                    name = self._name(keys, slots, senses)
                if kind == CELL:
                    strings = self.book.heard(text, -1, name)
                    starts = {end for start in starts for end in self._heard(strings, start)}
                else:
                    node, sense = slots[text], senses.get(text, -1)
                    starts = {
                        end for start in starts for end in self._ends(node, name, start, sense)
                    }
        return starts

    def _any_order(
        self,
        parts: tuple[tuple[LinePiece, ...], ...],
        slots: Mapping[str, int],
        senses: Mapping[str, int],
        starts: set[int],
    ) -> set[int]:
        if not parts:
            return starts
        ends: set[int] = set()
        for index, part in enumerate(parts):
            after = self._row(part, slots, senses, starts)
            if after:
                ends |= self._any_order((*parts[:index], *parts[index + 1 :]), slots, senses, after)
        return ends

    def _name(
        self, keys: tuple[Key, ...], slots: Mapping[str, int], senses: Mapping[str, int]
    ) -> str:
        names: list[str] = []
        for key in keys:
            if isinstance(key, Feature):
                names.append(self._feature(slots[key.slot], key.field, senses.get(key.slot, 0)))
            elif isinstance(key, str):
                names.append(key)
        return ".".join(names)

    def _feature(self, node: int, field: str, sense: int) -> str:
        """A feature of a word in the sense in which it is said, or of the word deep in a phrase."""
        concrete, codes, positions = self.book.concrete, self.tree.codes, self.tree.positions
        leaf = self._leaf(node)
        if leaf is None:
            leaf, field = concrete.feature_place(codes, positions, node, field)
            if not self.book.inventory.is_word(codes[leaf]):
                return concrete.feature(codes, positions, leaf, field)
            sense = self._taken.get(leaf, -1)
        forms = self.book.senses.same[self._label(leaf)]
        if sense < 0 and len({one.get(field) for one in forms}) > 1:
            self._open.add(leaf)
        return forms[max(sense, 0)].get(field, ("",))[0]
