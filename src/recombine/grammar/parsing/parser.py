"""Sentences to trees, with the same files that realise them.

analysis.py has the way from a text to its trees, fast/ the shortcuts; here is what people ask
for: the tree that is meant, all trees, and why there is none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from recombine.errors import DataError, Where
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.parsing.analysis import UNBUDGETED, Analyser, Budget
from recombine.grammar.parsing.chart import Chart
from recombine.grammar.parsing.fast.sharing import SharingAnalyser
from recombine.grammar.parsing.forest import Entries, Forest, PackedForest
from recombine.grammar.parsing.lattice import Lattice
from recombine.grammar.tree import Tree
from recombine.parallel import gc_paused

_SHOWN = 8  # expectations named in a message


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Where an analysis stopped and what could have stood there."""

    message: str
    offset: int  # character offset
    found: str  # the word or characters there
    expected: tuple[str, ...]
    unknown: bool  # the word is not in the language at all
    terminals: tuple[int, ...] = ()  # the numbers behind what was expected


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
    """Parses one language; a text that needs more than `budget` is not analysed.

    `shared`: texts that look alike share their analysis (fast/sharing.py).
    """

    @gc_paused()
    def __init__(
        self,
        compiled: CompiledLanguage,
        budget: Budget = UNBUDGETED,
        *,
        backwards: bool = False,
        shared: bool = True,
    ) -> None:
        self.budget = budget
        self.compiled = compiled
        self.inventory = compiled.inventory
        analyser = SharingAnalyser if shared else Analyser
        self.analyser: Analyser = analyser(compiled, backwards=backwards)
        self.cfg = self.analyser.cfg
        self.cutter = self.analyser.cutter

    def parse(self, text: str, budget: Budget | None = None) -> Parse:
        """Find all analyses of a text; a text that needs more than the budget has none."""
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        text = text.strip()
        return Parse(self, text, *self.analyser.analyse(text, budget or self.budget))

    def words_of(self, failure: ParseFailure, name: str) -> list[str]:
        """The strings behind a name among the expectations of a failure, frequent words first.

        After *die* these are the feminine nouns alone.
        """
        terminals = {number for number in failure.terminals if self.cfg.names[number] == name}
        return [t for t, entry in self.cfg.entries.items() if not terminals.isdisjoint(entry.words)]

    def explain(self, text: str) -> ParseFailure:
        """Say where the analysis of a text stopped."""
        lattice = self.cutter.cut(text)
        chart = Chart(self.analyser.grammar, lattice, self.cfg.roots, filtered=False)
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
