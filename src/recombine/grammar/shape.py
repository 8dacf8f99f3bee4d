"""The shape of a text, found without building its graph: texts of one shape share their analysis.

A shape is a key that is equal for texts whose graphs differ only in words that are alike to the
chart, together with the strings on the graph's edges, in the graph's order.
"""

from __future__ import annotations

from typing import Any

from recombine.grammar.finish import first_letter
from recombine.grammar.lattice import END, Cutter
from recombine.grammar.productions import Entry

MAX_CHUNKS = 200_000  # remembered pieces between spaces

Shape = tuple[tuple[int, ...], list[Entry]]
_Chunk = tuple[int, tuple[Entry, ...]]


class Shaper:
    """Finds shapes; gives up (None) where the careful way is needed."""

    def __init__(self, cutter: Cutter) -> None:
        self._cutter = cutter
        self._trie = cutter.trie
        self._join = cutter.join
        self._numbers: dict[object, int] = {}
        self._first: dict[str, _Chunk | None] = {}
        self._later: dict[str, _Chunk | None] = {}
        self.usable = cutter.comma is None

    def shape(self, text: str) -> Shape | None:
        """The shape of a text, or None."""
        if not self.usable or not text:
            return None
        return self._spaced(text) if self._join else self._unspaced(text)

    def _spaced(self, text: str) -> Shape | None:
        key: list[int] = []
        entries: list[Entry] = []
        memo = self._first
        for chunk in text.split(self._join):
            try:
                found = memo[chunk]
            except KeyError:
                found = self._chunk(chunk, memo)
            if found is None:
                return None
            key.append(found[0])
            entries.extend(found[1])
            if memo is self._first and first_letter(chunk) >= 0:
                memo = self._later
        return tuple(key), entries

    def _chunk(self, chunk: str, memo: dict[str, _Chunk | None]) -> _Chunk | None:
        if len(memo) >= MAX_CHUNKS:
            memo.clear()
        found: _Chunk | None = None
        if chunk and not self._runs_on(chunk):
            lattice = self._cutter.cut(chunk, is_first=memo is self._first)
            if lattice.complete:
                form = tuple((edge.start, edge.end, edge.entry.number) for edge in lattice.edges)
                number = self._numbers.setdefault(form, len(self._numbers))
                found = (number, tuple(edge.entry for edge in lattice.edges))
        memo[chunk] = found
        return found

    def _runs_on(self, chunk: str) -> bool:
        """Whether a string of several words could begin inside a chunk."""
        for text in {chunk, self._cutter.lowered(chunk)[0]}:
            for start in range(len(text)):
                node: Any = self._trie
                for letter in text[start:]:
                    node = node.get(letter)
                    if node is None:
                        break
                if node is not None and self._join[0] in node:
                    return True
        return False

    def _unspaced(self, text: str) -> Shape | None:
        trie = self._trie
        size = len(text)
        reached = [False] * (size + 1)
        reached[0] = True
        edges: list[tuple[int, int, Entry]] = []
        for start in range(size):
            if not reached[start]:
                continue
            node: Any = trie
            for position in range(start, size):
                node = node.get(text[position])
                if node is None:
                    break
                entry = node.get(END)
                if entry is not None:
                    edges.append((start, position + 1, entry))
                    reached[position + 1] = True
        if not reached[size] or self._cutter.capital:
            return None
        alive = [False] * (size + 1)
        alive[size] = True
        kept: list[tuple[int, int, Entry]] = []
        for edge in reversed(edges):
            if alive[edge[1]]:
                alive[edge[0]] = True
                kept.append(edge)
        kept.reverse()
        number = 0
        numbers = [0] * (size + 1)
        for position in range(size + 1):
            if alive[position]:
                numbers[position] = number
                number += 1
        key = [
            (numbers[start] << 40) | (numbers[end] << 20) | entry.number
            for start, end, entry in kept
        ]
        return tuple(key), [edge[2] for edge in kept]
