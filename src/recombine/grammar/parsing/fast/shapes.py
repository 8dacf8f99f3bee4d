"""What a text looks like to the parser, found without cutting it: the key of its analysis.

Two texts of one shape have the same lattice to the chart. Spaced texts are looked up chunk by
chunk, others are cut in one tight loop (a quarter of the time of parsing Japanese sentences whose
shape is known). Where a chunk alone does not decide there is no shape, and the lattice is made.
"""

from __future__ import annotations

from typing import Any

from recombine.grammar.parsing.cfg import TerminalEntry
from recombine.grammar.parsing.lattice import END, Cutter
from recombine.grammar.realise.spelling import first_letter

MAX_CHUNKS = 200_000  # remembered pieces between spaces

Shape = tuple[tuple[int, ...], list[TerminalEntry]]  # the key of a text, the string on each edge
_Chunk = tuple[int, tuple[TerminalEntry, ...]]


class Shaper:
    """Finds the shape of a text: two texts with the same key have the same lattice to the chart."""

    def __init__(self, cutter: Cutter) -> None:
        self._cutter = cutter
        self._trie = cutter.trie
        self._join = cutter.join
        self._numbers: dict[object, int] = {}
        self._first: dict[str, _Chunk | None] = {}
        self._later: dict[str, _Chunk | None] = {}
        self.usable = cutter.comma is None

    def shape(self, text: str) -> Shape | None:
        """The shape of a text, or None where only the lattice can tell."""
        if not self.usable or not text:
            return None
        return self._spaced(text) if self._join else self._unspaced(text)

    def _spaced(self, text: str) -> Shape | None:
        key: list[int] = []
        entries: list[TerminalEntry] = []
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
            spelled = self._cutter.spelled(text)
            for start in spelled.places():
                stack = [(self._trie, start)]
                while stack:
                    node, place = stack.pop()
                    if spelled.settled(place) == spelled.finish:
                        if self._join[0] in node:
                            return True
                        continue
                    for other in spelled.branches(place):
                        following = node.get(spelled.letters[other])
                        if following is not None:
                            stack.append((following, other + 1))
        return False

    def _unspaced(self, text: str) -> Shape | None:
        trie = self._trie
        size = len(text)
        reached = [False] * (size + 1)
        reached[0] = True
        edges: list[tuple[int, int, TerminalEntry]] = []
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
        kept: list[tuple[int, int, TerminalEntry]] = []
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
