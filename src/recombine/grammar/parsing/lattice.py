"""All ways to cut a text into strings of the language: a lattice over its characters.

Which words a text has is not known before it is parsed: Japanese has no spaces, *an* is the article
of *owl*, and a string of the language may itself contain a space. So a text becomes a graph whose
edges are strings of the language, found with a trie from every place that can be reached, and the
chart finds the way through it. What does not change the words is forgiven: the capital letter of
the beginning, touches (*an*, *al* for *a el*), spaces around pieces that are written together, and
a comma that was dropped before another mark.

`Cutter` makes the lattice. `Shaper` is the fast way to what the parser needs of most lattices, the
key under which texts of one shape share their analysis: spaced texts are looked up chunk by chunk,
others are cut in one tight loop (a quarter of the time of parsing Japanese sentences whose shape is
known). Where a chunk alone does not decide, it gives up and the lattice is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from recombine.grammar.parsing.cfg import ContextFreeGrammar, TerminalEntry
from recombine.grammar.realise.spelling import SpelledText, first_letter, undoings

END: Any = object()  # key of a trie node that holds an entry
MAX_CHUNKS = 200_000  # remembered pieces between spaces
_PUNCTUATION = ",.?!;"

Shape = tuple[tuple[int, ...], list[TerminalEntry]]  # the key of a text, the string on each edge
_Ends = dict[int, list[tuple[int, TerminalEntry]]]
_Chunk = tuple[int, tuple[TerminalEntry, ...]]


class Edge(NamedTuple):
    """A string of the language between two nodes of the graph."""

    start: int
    end: int
    entry: TerminalEntry


class Lattice(NamedTuple):
    """Edges between nodes 0 ... size-1; the last node is the end of the text."""

    edges: list[Edge]
    size: int
    complete: bool  # whether the last node is the end of the text
    offsets: list[int]  # node -> character offset
    furthest: int  # character offset up to which the text could be cut


class Cutter:
    """Cuts texts of one language."""

    def __init__(self, cfg: ContextFreeGrammar) -> None:
        language = cfg.compiled.language
        self.join = language.join
        self.touching = cfg.touching
        self.capital = bool({"capitalise", "sentence_case"} & set(language.post))
        self.comma = cfg.entries.get(",") if "commas" in language.post else None
        self.trie: dict[Any, Any] = {}
        self._undoings = undoings(language)
        self._starting: dict[str, int] = {}  # letter -> what can begin with it
        self._touches: dict[tuple[int, str], bool] = {}
        for text, entry in cfg.entries.items():
            self._starting[text[0]] = self._starting.get(text[0], 0) | entry.mask
            node = self.trie
            for letter in text:
                node = node.setdefault(letter, {})
            node[END] = entry

    def spelled(self, text: str, *, is_first: bool = True) -> SpelledText:
        """A text with the touches in it undone."""
        return SpelledText(text, self._undoings, self.lowered(text)[1] if is_first else -1)

    def cut(self, text: str, *, is_first: bool = True) -> Lattice:
        """Return the graph of a text: only what lies on a way to its end, if there is one."""
        spelled = self.spelled(text, is_first=is_first)
        ends = self._ends(spelled, is_first)
        reached = sorted(ends, key=spelled.order)
        complete = spelled.finish in ends
        furthest = int(spelled.order(reached[-1]))
        if complete:
            alive = {spelled.finish}
            for position in reversed(reached):
                if position != spelled.finish:
                    kept = [found for found in ends[position] if found[0] in alive]
                    ends[position] = kept
                    if kept:
                        alive.add(position)
            reached = [position for position in reached if position in alive]
        offsets = [int(spelled.order(position)) for position in reached]
        return self._graph(text, ends, reached, offsets, complete, furthest)

    def _graph(
        self,
        text: str,
        ends: _Ends,
        reached: Sequence[int],
        places: Sequence[int],
        complete: bool,
        furthest: int,
    ) -> Lattice:
        if self.comma is None:
            numbers = {position: number for number, position in enumerate(reached)}
            edges = [
                Edge(number, numbers[end], entry)
                for position, number in numbers.items()
                for end, entry in ends[position]
            ]
            return Lattice(edges, len(reached), complete, list(places), furthest)
        # A comma before another mark was dropped when the text was written: offer it again.
        edges = []
        offsets: list[int] = []
        first: dict[int, int] = {}
        levels: dict[int, int] = {}
        for position, place in zip(reached, places, strict=True):
            first[position] = len(offsets)
            rest = text[place:].lstrip()
            # Whatever closes with a comma has at least two words.
            spare = len(first) // 2 if rest and rest[0] in _PUNCTUATION else 0
            levels[position] = min(spare, 64)
            offsets.extend([place] * (levels[position] + 1))
        for position in reached:
            base = first[position]
            for level in range(levels[position] + 1):
                edges.extend(Edge(base + level, first[end], entry) for end, entry in ends[position])
                if level < levels[position]:
                    edges.append(Edge(base + level, base + level + 1, self.comma))
        return Lattice(edges, len(offsets), complete, offsets, furthest)

    def _ends(self, spelled: SpelledText, is_first: bool) -> _Ends:
        """Per place that can be reached: the strings that begin there, with where they end."""
        ends: _Ends = {}
        queue = [0]
        letters = spelled.letters
        lowered, capital = self.lowered(letters) if is_first else (letters, -1)
        while queue:
            start = queue.pop()
            if start in ends:
                continue
            found = ends[start] = self._strings(spelled, letters, lowered, start, 0)
            if start <= capital:
                found += self._strings(spelled, lowered, lowered, start, capital)
            queue += [end for end, _ in found]
        return ends

    def lowered(self, text: str) -> tuple[str, int]:
        """The text without the capital letter of its beginning, and where that is, or -1."""
        index = first_letter(text) if self.capital else -1
        lower = text[index].lower() if index >= 0 else ""
        if len(lower) != 1 or lower == text[index]:
            return text, -1
        return text[:index] + lower + text[index + 1 :], index

    def _strings(
        self, spelled: SpelledText, letters: str, lowered: str, start: int, beyond: int
    ) -> list[tuple[int, TerminalEntry]]:
        """The strings that begin at a place and end beyond another, in order of their length."""
        found: dict[tuple[int, str], tuple[int, TerminalEntry]] = {}
        plain = spelled.is_plain
        stack: list[tuple[Any, int]] = [(self.trie, place) for place in spelled.branches(start)]
        while stack:
            node, place = stack.pop()
            while (node := node.get(letters[place])) is not None:
                entry = node.get(END)
                if entry is not None and place >= beyond:
                    end = self._after(spelled, lowered, entry, spelled.settled(place + 1))
                    if end >= 0:
                        found[end, entry.text] = (end, entry)
                place += 1
                if not plain:
                    place, *others = spelled.branches(place)
                    stack.extend([(node, other) for other in others])
        return list(found.values())

    def _after(self, spelled: SpelledText, lowered: str, entry: TerminalEntry, place: int) -> int:
        """The place from which the text goes on after a string, or -1 where it cannot."""
        if not self.join or place == spelled.finish:
            return place
        if lowered.startswith(self.join, place):
            return spelled.settled(place + len(self.join))
        here = (spelled.letters[place], lowered[place])
        return place if any(self._can_touch(entry.mask, letter) for letter in here) else -1

    def _can_touch(self, before: int, letter: str) -> bool:
        key = (before, letter)
        found = self._touches.get(key)
        if found is None:
            found = self.touching.allows(before, self._starting.get(letter, 0))
            self._touches[key] = found
        return found


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
