"""All ways to cut a text into strings of the language: a lattice over its characters.

Which words a text has is not known before it is parsed: Japanese has no spaces, *an* is the article
of *owl*, and a string of the language may itself contain a space. So a text becomes a graph whose
edges are strings of the language, found with a trie from every place that can be reached, and the
chart finds the way through it. What does not change the words is forgiven: the capital letter of
the beginning, touches (*an*, *al* for *a el*), spaces around pieces that are written together, and
a comma that was dropped before another mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from recombine.grammar.parsing.cfg import ContextFreeGrammar, TerminalEntry
from recombine.grammar.realise.spelling import SpelledText, first_letter, undoings

END: Any = object()  # key of a trie node that holds an entry
_PUNCTUATION = ",.?!;"

_Ends = dict[int, list[tuple[int, TerminalEntry]]]


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
