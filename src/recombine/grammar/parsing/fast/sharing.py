"""Texts that look alike share their analysis.

Most texts are not analysed at all: sentences that differ only in words of one kind look alike to
the chart and share one Forest (`forests`), and those whose strings are merely similar share one
PackedForest (`packed`). A cut text is its own key; shapes.py makes the key without cutting.
"""

from __future__ import annotations

from typing import Any

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.parsing.analysis import Analyser, Analysis, Budget
from recombine.grammar.parsing.fast.families import CoarseLattices
from recombine.grammar.parsing.fast.shapes import Shaper
from recombine.grammar.parsing.forest import Entries, Forest, PackedForest
from recombine.grammar.parsing.lattice import Lattice

MAX_KEPT = 100_000  # analyses kept for texts that look alike
_UNSEEN: Any = object()


class SharingAnalyser(Analyser):
    """Analyses texts of one language, each shape of them once."""

    def __init__(self, compiled: CompiledLanguage, *, backwards: bool = False) -> None:
        super().__init__(compiled, backwards=backwards)
        self.shaper = Shaper(self.cutter)
        self.coarse = CoarseLattices(self.cfg)
        # None where there is no analysis.
        self.packed: dict[object, Any] = {}  # families of the edges -> PackedForest, or a Budget
        self.forests: dict[object, Any] = {}  # shape -> Forest, or PackedForest (`_fitting`)

    def analyse(self, text: str, budget: Budget) -> Analysis:
        """All analyses of a text; none where it needs more than the budget."""
        shape = self.shaper.shape(text)
        if shape is not None:
            known = self.forests.get(shape[0], _UNSEEN)
            if known is not _UNSEEN:
                return Analysis(shape[1], self._fitting(shape[0], known, shape[1]))
        lattice = self.cutter.cut(text)
        entries = [edge.entry for edge in lattice.edges]
        if not lattice.complete:
            return Analysis(entries, None)
        key: object = tuple([(edge[0], edge[1], edge[2].number) for edge in lattice.edges])
        if shape is not None and entries == shape[1]:
            key = shape[0]
        known = self.forests.get(key, _UNSEEN)
        if known is _UNSEEN:
            known = self._new(key, lattice, entries, budget)
        return Analysis(entries, self._fitting(key, known, entries))

    def _fitting(
        self, key: object, known: Forest | PackedForest | None, entries: Entries
    ) -> Forest | None:
        """What is known of a shape, for one of its texts.

        Where parts of one word stand apart, texts of a shape differ in whether such parts fit
        together, and in nothing else: those that agree in it share their analysis.
        """
        if known is None or isinstance(known, Forest):
            return known
        fits = bytes([bool(known.words(leaf, entries)) for leaf in known.parted])
        forest: Forest | None = self.forests.get((key, fits), _UNSEEN)
        if forest is _UNSEEN:
            forest = self._keep((key, fits), Forest(known, entries, self.ranking))
        return forest

    def _new(
        self, key: object, lattice: Lattice, entries: Entries, budget: Budget
    ) -> Forest | PackedForest | None:
        """What holds for all texts of a shape; a packed forest where words decide (`_fitting`)."""
        family = self.coarse.key(lattice)
        packed: PackedForest | Budget = self.packed.get(family, _UNSEEN)
        if packed is _UNSEEN or (isinstance(packed, Budget) and packed < budget):
            if len(self.packed) >= MAX_KEPT:
                self.packed.clear()
            coarse = self.coarse.coarse(lattice)
            packed = self.packed[family] = (
                self.pack(coarse, budget, self.coarse.uncertain) or budget
            )
        if isinstance(packed, Budget):
            return None  # for more it may have an analysis, so that this is not remembered as none
        if packed.parted and packed.roots:
            self.forests[key] = packed
            return packed
        return self._keep(key, Forest(packed, entries, self.ranking))

    def _keep(self, key: object, forest: Forest) -> Forest | None:
        if len(self.forests) >= MAX_KEPT:
            self.forests.clear()
        self.forests[key] = kept = forest if forest.roots else None
        return kept
