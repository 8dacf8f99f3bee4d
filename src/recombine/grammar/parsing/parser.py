"""Sentences to trees, with the same files that realise them.

A text goes through four rooms. lattice.py cuts it into strings of the language; chart.py finds
every constituent of the context-free grammar that cfg.py made of the files; forest.py packs them
into trees of the grammar, drops what does not fit together and says which tree is meant.

Most texts are not analysed at all: sentences that differ only in words of one kind look alike to
the chart and share one Forest (`_forests`), and those whose strings are merely similar share one
PackedForest (`_packed`). A cut text is its own key; `Shaper` makes the key without cutting.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from recombine.errors import DataError, Where
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.parsing.chart import Chart, ChartGrammar
from recombine.grammar.parsing.forest import (
    Entries,
    Forest,
    PackedForest,
    Ranking,
)
from recombine.grammar.parsing.lattice import Cutter, Lattice, Shaper
from recombine.grammar.tree import Tree

MAX_KEPT = 100_000  # analyses kept for texts that look alike
_SHOWN = 8  # expectations named in a message
_UNSEEN: Any = object()


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Where an analysis stopped and what could have stood there."""

    message: str
    offset: int  # character offset
    found: str  # the word or characters there
    expected: tuple[str, ...]
    unknown: bool  # the word is not in the language at all
    terminals: tuple[int, ...] = ()  # the numbers behind what was expected


class Budget(NamedTuple):
    """How much work one text is worth, counted, so that no answer depends on the machine.

    None is the most that any text is worth (chart.py, forest.py).
    """

    items: int | None = None
    alternatives: int | None = None


UNBUDGETED = Budget()


class Parse:
    """The analyses of one text: none, one or many."""

    def __init__(self, parser: Parser, text: str, entries: Entries, forest: Forest | None) -> None:
        self.text = text
        self._parser = parser
        self._entries = entries
        self._forest = forest

    @property
    def ok(self) -> bool:
        """Whether there is an analysis."""
        return self._forest is not None

    def __bool__(self) -> bool:
        return self._forest is not None

    @property
    def tree(self) -> Tree | None:
        """The analysis that is meant, or None."""
        forest = self._forest
        if forest is None or not forest.roots:
            return None
        return Tree(self._parser.inventory, forest.best(self._entries))

    def require_tree(self) -> Tree:
        """The analysis that is meant; raises DataError with the place where parsing stopped."""
        tree = self.tree
        if tree is None:
            failure = self.failure
            assert failure is not None
            width = max(1, len(failure.found))
            where = Where("sentence", 1, failure.offset + 1, self.text, width)
            raise DataError(failure.message, where)
        return tree

    def trees(
        self, limit: int | None = None, choose: Callable[[tuple[int, ...]], int] | None = None
    ) -> Iterator[Tree]:
        """All analyses, the one that is meant first; `choose` takes one of a leaf's words."""
        if self._forest is None:
            return
        inventory = self._parser.inventory
        for codes in islice(self._forest.enumerate(self._entries, choose), limit):
            yield Tree(inventory, codes)

    @property
    def is_only(self) -> bool:
        """Whether there is one analysis alone, as far as that is plain to see."""
        return self._forest is not None and self._forest.is_only(self._entries)

    @property
    def count(self) -> int:
        """How many analyses there are."""
        return 0 if self._forest is None else self._forest.count(self._entries)

    @property
    def failure(self) -> ParseFailure | None:
        """Why there is no analysis."""
        return None if self._forest is not None else self._parser.explain(self.text)


class Parser:
    """Parses one language; a text that needs more than `budget` is not analysed."""

    def __init__(
        self, compiled: CompiledLanguage, budget: Budget = UNBUDGETED, *, backwards: bool = False
    ) -> None:
        self.budget = budget
        self.compiled = compiled
        self.inventory = compiled.inventory
        self.cfg = ContextFreeGrammar(compiled)
        self.grammar = ChartGrammar(self.cfg, backwards=backwards)
        self.cutter = Cutter(self.cfg)
        self.ranking = Ranking(self.inventory)
        self.shaper = Shaper(self.cutter)
        # None where there is no analysis.
        self._packed: dict[object, Any] = {}  # families of the edges -> PackedForest
        self._forests: dict[object, Any] = {}  # shape -> Forest, or PackedForest (`_fitting`)

    def parse(self, text: str, budget: Budget | None = None) -> Parse:
        """Find all analyses of a text; a text that needs more than the budget has none."""
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        text = text.strip()
        shape = self.shaper.shape(text)
        if shape is not None:
            known = self._forests.get(shape[0], _UNSEEN)
            if known is not _UNSEEN:
                return Parse(self, text, shape[1], self._fitting(shape[0], known, shape[1]))
        lattice = self.cutter.cut(text)
        entries = [edge.entry for edge in lattice.edges]
        if not lattice.complete:
            return Parse(self, text, entries, None)
        key: object = tuple([(edge[0], edge[1], edge[2].number) for edge in lattice.edges])
        if shape is not None and entries == shape[1]:
            key = shape[0]
        known = self._forests.get(key, _UNSEEN)
        if known is _UNSEEN:
            known = self._analyse(key, lattice, entries, budget or self.budget)
        return Parse(self, text, entries, self._fitting(key, known, entries))

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
        forest: Forest | None = self._forests.get((key, fits), _UNSEEN)
        if forest is _UNSEEN:
            forest = self._keep((key, fits), Forest(known, entries, self.ranking))
        return forest

    def _analyse(
        self, key: object, lattice: Lattice, entries: Entries, budget: Budget
    ) -> Forest | PackedForest | None:
        """What holds for all texts of a shape; a packed forest where words decide (`_fitting`)."""
        family = tuple([(edge[0], edge[1], edge[2].family) for edge in lattice.edges])
        packed: PackedForest | Budget = self._packed.get(family, _UNSEEN)
        if packed is _UNSEEN or (isinstance(packed, Budget) and packed < budget):
            if len(self._packed) >= MAX_KEPT:
                self._packed.clear()
            packed = self._packed[family] = self._pack(lattice, budget)
        if isinstance(packed, Budget):
            return None  # for more it may have an analysis, so that this is not remembered as none
        if packed.parted and packed.roots:
            self._forests[key] = packed
            return packed
        return self._keep(key, Forest(packed, entries, self.ranking))

    def _keep(self, key: object, forest: Forest) -> Forest | None:
        if len(self._forests) >= MAX_KEPT:
            self._forests.clear()
        self._forests[key] = kept = forest if forest.roots else None
        return kept

    def _pack(self, lattice: Lattice, budget: Budget) -> PackedForest | Budget:
        """The forest of a lattice, or the budget that was not enough for it."""
        items, alternatives = budget
        chart = Chart(self.grammar, lattice, self.cfg.roots, coarse=True, most_items=items)
        if chart.truncated:
            return budget
        packed = PackedForest(self.cfg, chart, alternatives)
        return budget if packed.truncated else packed

    def words_of(self, failure: ParseFailure, name: str) -> list[str]:
        """The strings behind a name among the expectations of a failure, frequent words first.

        After *die* these are the feminine nouns alone.
        """
        terminals = {number for number in failure.terminals if self.cfg.names[number] == name}
        return [t for t, entry in self.cfg.entries.items() if not terminals.isdisjoint(entry.words)]

    def explain(self, text: str) -> ParseFailure:
        """Say where the analysis of a text stopped."""
        lattice = self.cutter.cut(text)
        chart = Chart(self.grammar, lattice, self.cfg.roots, filtered=False)
        if chart.truncated:
            return ParseFailure(
                "the text is too long or too ambiguous to be parsed", 0, "", (), False
            )
        node, terminals = chart.expected()
        roots = self.cfg.roots
        if any((root, 0) in chart.complete[-1] for root in roots) and lattice.complete:
            return self._unfitting(PackedForest(self.cfg, chart), lattice)
        offset = lattice.offsets[node]
        rest = text[offset:]
        found = rest.split()[0] if rest.split() else ""
        if not self.compiled.language.join:
            found = rest[:6]
        expected = tuple(dict.fromkeys(self.cfg.names[t] for t in terminals))
        shown = ", ".join(expected[:_SHOWN]) + (" ..." if len(expected) > _SHOWN else "")
        unknown = bool(found) and not chart.edges_from[node] and node == lattice.size - 1
        if not found:
            message = f"the sentence ends too early; expected {shown}"
        elif unknown:
            message = (
                f"unknown word '{found}' at character {offset + 1}; expected {shown or 'the end'}"
            )
        else:
            message = (
                f"stopped before '{found}' at character {offset + 1}; expected {shown or 'the end'}"
            )
        return ParseFailure(message, offset, found, expected, unknown, tuple(terminals))

    def _unfitting(self, packed: PackedForest, lattice: Lattice) -> ParseFailure:
        """Say which parts of the text, each in its place, are not those of one word."""
        if packed.truncated:
            return ParseFailure("the text is too ambiguous to be analysed", 0, "", (), False)
        entries = [edge.entry for edge in lattice.edges]
        fits: dict[tuple[int, ...], bool] = {}  # by the edges of the parts
        heard: dict[tuple[int, ...], list[int]] = {}
        for leaf in packed.parted:
            stretches = packed.leaves[leaf].stretches  # type: ignore[union-attr]
            edges = tuple([edge for _, found in stretches for edge in found[:1]])
            fits[edges] = fits.get(edges, False) or bool(packed.words(leaf, entries))
            heard[edges] = [terminal for terminal, found in stretches if found]
        for edges in sorted(edges for edges, fit in fits.items() if not fit and len(edges) > 1):
            parts = [entries[edge] for edge in edges]
            texts = " and ".join(f"'{part.text}'" for part in parts)
            first, *rest = zip(parts, heard[edges], strict=True)
            words = set.intersection(*[set(part.words[terminal]) for part, terminal in rest])
            fitting = tuple(
                f'"{text}"'
                for text, entry in self.cfg.entries.items()
                if not words.isdisjoint(entry.words.get(first[1], ()))
            )
            return ParseFailure(
                f"no word has the parts {texts}",
                lattice.offsets[lattice.edges[edges[0]].start],
                first[0].text,
                fitting,
                False,
            )
        return ParseFailure("its parts do not fit together", 0, "", (), False)
