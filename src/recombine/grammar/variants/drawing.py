"""Draw one wording of a tree, with the usual words and the lines that people write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from recombine.grammar.compiled import Construction, Row, Sense, Values
from recombine.grammar.model import Line
from recombine.grammar.realise.spelling import apply_edits, commas
from recombine.grammar.realise.walk import Walker
from recombine.grammar.tree import Tree, construction_slots
from recombine.grammar.variants.table import WordingTable

USUAL = 2  # forms of a cell of a table that are drawn: the first are the usual ones


class _Missing(Exception):
    """A sense has no such form: another has to be drawn."""


class WordingDraw(Walker):
    """One wording of a tree; without numbers the canonical one, but for a line at a node."""

    def __init__(
        self,
        wordings: WordingTable,
        tree: Tree,
        numbers: Iterator[int] | None,
        forced: tuple[int, Line] | None = None,
    ) -> None:
        super().__init__(wordings.compiled, tree.codes)
        self.wordings = wordings
        self.tree = tree
        self.numbers = numbers
        self.forced = forced
        first = wordings.inventory.first_word
        self._senses: dict[int, Sense] = {}
        self._values: list[Values] = [()] * len(tree.codes)
        for node, code in enumerate(tree.codes):
            if code >= first:
                senses = self.compiled.senses[code - first]
                drawn = [number for number, sense in enumerate(senses) if sense.drawn] or [0]
                # A sentence in which every word is a synonym is a riddle: half of them stay.
                number = drawn[self.pick(2) and self.pick(len(drawn))]
                self._senses[node] = senses[number] if senses else Sense({})
                self._values[node] = self.compiled.every_word_values(code)[number]
        for node in range(len(tree.codes) - 1, -1, -1):
            if node not in self._senses:
                construction = self.compiled.construction(tree.codes[node])
                below = tuple([self._values[child] for child in self.children[node]])
                self._values[node] = self.compiled.constituent(construction, below).values

    def text(self) -> str:
        """The wording; empty where the senses that were drawn do not fit together."""
        realiser = self.wordings.realiser
        try:
            text = realiser.joined(self.walk())
        except _Missing:
            return ""
        # Lines of variants do not say where a clause that closes with a comma ends the sentence.
        return realiser.finished(apply_edits(text, commas(text)))

    def pick(self, ways: int) -> int:
        """A number that was drawn."""
        return 0 if self.numbers is None or ways < 2 else next(self.numbers) % ways

    def form(self, node: int, field: str) -> str:
        """The first form of the sense that was drawn."""
        forms = self._senses[node].forms.get(field)
        if forms is None:
            raise _Missing
        return forms[0]

    def cell(self, texts: Sequence[str]) -> str:
        """One of the usual texts; what can be left out (titles, articles) is."""
        usual = ("",) if "" in texts else texts[:USUAL]
        return usual[self.pick(len(usual))]

    def row(self, node: int, field: str) -> tuple[Row, Sequence[int]]:
        """A row of a line of the rule, or of a chain that begins with it: a line is drawn first."""
        lines = [
            (list(rows), slots)
            for construction in self.compiled.constructions(self.codes[node])
            if (slots := construction_slots(self.tree, node, construction.chain)) is not None
            for _, rows in groupby(self._rows(node, construction, slots, field), _line_of)
        ]
        if not lines:
            raise _Missing
        rows, slots = lines[self.pick(len(lines))]
        return rows[self.pick(len(rows))], slots

    def _rows(
        self, node: int, construction: Construction, slots: Sequence[int], field: str
    ) -> Iterator[Row]:
        """The rows that may be drawn, line by line; where a line is forced, its own."""
        below = tuple([self._values[slot] for slot in slots])
        constituent = self.compiled.constituent(construction, below)
        expansion = self.compiled.expansion(constituent, field)
        forced = self.forced[1] if self.forced is not None and self.forced[0] == node else None
        if forced is not None and not forced.gives(field):
            forced = None
        for row in expansion.rows if expansion is not None else ():
            if row.line is forced if forced is not None else row.line.drawn:
                yield row


def _line_of(row: Row) -> int:
    return id(row.line)
