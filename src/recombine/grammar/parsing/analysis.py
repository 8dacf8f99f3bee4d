"""From a text to its analyses, plainly.

A text goes through four rooms. lattice.py cuts it into strings of the language; chart.py finds
every constituent of the context-free grammar that cfg.py made of the files; forest.py packs them
into trees of the grammar, drops what does not fit together and says which tree is meant.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.parsing.chart import Chart, ChartGrammar
from recombine.grammar.parsing.forest import Entries, Forest, PackedForest, Ranking
from recombine.grammar.parsing.lattice import Cutter, Lattice


class Budget(NamedTuple):
    """How much work one text is worth, counted, so that no answer depends on the machine.

    No text is worth more than the limits in chart.py and forest.py.
    """

    items: int = sys.maxsize
    alternatives: int = sys.maxsize


UNBUDGETED = Budget()


class Analysis(NamedTuple):
    """The string on each edge of a text's lattice, and its trees; None where there is none."""

    entries: Entries
    forest: Forest | None


class Analyser:
    """Analyses texts of one language one by one."""

    def __init__(self, compiled: CompiledLanguage, *, backwards: bool = False) -> None:
        self.cfg = ContextFreeGrammar(compiled)
        self.grammar = ChartGrammar(self.cfg, backwards=backwards)
        self.cutter = Cutter(self.cfg)
        self.ranking = Ranking(compiled.inventory)

    def analyse(self, text: str, budget: Budget) -> Analysis:
        """All analyses of a text; none where it needs more than the budget."""
        lattice = self.cutter.cut(text)
        entries = [edge.entry for edge in lattice.edges]
        packed = self.pack(lattice, budget) if lattice.complete else None
        forest = Forest(packed, entries, self.ranking) if packed is not None else None
        return Analysis(entries, forest if forest is not None and forest.roots else None)

    def pack(
        self, lattice: Lattice, budget: Budget, uncertain: frozenset[int] = frozenset()
    ) -> PackedForest | None:
        """The forest of a lattice; None where it needs more than the budget."""
        items, alternatives = budget
        chart = Chart(self.grammar, lattice, self.cfg.roots, most_items=items)
        if chart.truncated:
            return None
        packed = PackedForest(self.cfg, chart, alternatives, uncertain)
        return None if packed.truncated else packed
