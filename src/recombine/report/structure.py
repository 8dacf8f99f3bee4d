"""The structure of a sentence: its constituents in both languages, and the one that is asked about.

The report never judges text. What it reads here is the benchmark alone: a source with the grammar
that the benchmark declares, and what that grammar says for each constituent in the target language.
Of an output the page only shows whether a constituent's text stands in it; what went wrong is what
the metrics stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from recombine.benchmark import Benchmark, Example
from recombine.errors import RecombineError
from recombine.grammar.benchmark_grammar import declared_grammar, load_grammar
from recombine.grammar.grammar import Grammar
from recombine.grammar.realise.realiser import Realisation
from recombine.grammar.tree import Tree
from recombine.metrics.anatomy.dependencies import Unit, nominal_categories, units_of
from recombine.report.words import Words

# Readings of a source that are looked at, for the one that is said as the reference.
MOST_READINGS = 24
# Sentences that are read, at about three milliseconds each.
MOST_SENTENCES = 900
# Names of constituents that have no slot of their own.
RELATIVE, CLAUSE, VERB, MODIFIER = "relative clause", "clause", "verb", "modifier"


class SentencePart(NamedTuple):
    """A part of a sentence: how deep it lies, what it is, what both languages say for it."""

    depth: int
    role: str
    source: str
    target: str
    tested: bool


class SentenceReader:
    """Reads sources of one benchmark with its own grammar; without one it reads nothing."""

    def __init__(self, benchmark: Benchmark, words: Words) -> None:
        self.words = words
        manifest = benchmark.manifest
        self.languages = (manifest.source, manifest.target or "")
        self.grammar: Grammar | None = None
        try:
            declared = declared_grammar(benchmark)
            loaded = load_grammar(declared) if declared is not None else None
            if loaded is not None and set(self.languages) <= set(loaded.languages):
                self.grammar = loaded
        except RecombineError:  # another version of the grammar: no structure, all else as ever
            self.grammar = None

    def read(self, example: Example) -> list[SentencePart]:
        """The constituents from the outside in; nothing where the grammar does not know them."""
        if self.grammar is None or not example.references:
            return []
        source, target = self.languages
        for tree in self.grammar.parse(example.source, source).trees(MOST_READINGS):
            if self.grammar.text(tree, target) == example.references[0]:
                return self._constituents(self.grammar, tree, example)
        return []

    def _constituents(self, grammar: Grammar, tree: Tree, example: Example) -> list[SentencePart]:
        realisations = [grammar.realise(tree, language) for language in self.languages]
        units = units_of(tree, lambda label: label, {})
        nominal = nominal_categories(units)
        below: dict[int, list[int]] = {}
        for place, unit in enumerate(units):
            if _start(realisations[0], unit) is not None and realisations[1].piece(unit.top):
                below.setdefault(unit.head, []).append(place)
        focus = [
            (focus.start, focus.end)
            for focus in example.focus
            if focus.start is not None and focus.end is not None
        ]
        parts: list[SentencePart] = []
        spans: list[tuple[int, int]] = []

        def add(part: SentencePart, node: int) -> None:
            parts.append(part)
            stretches = realisations[0].spans.get(node, ())
            spans.append((stretches[0].start, stretches[-1].end) if stretches else (0, 0))

        def visit(place: int, depth: int) -> None:
            unit = units[place]
            # Words that continue a list of their own kind (adjectives) stand for themselves.
            alone = not (unit.named or below.get(place) or unit.category in nominal)
            node = unit.node if alone else unit.top
            texts = (realisations[0].piece(node), realisations[1].piece(node))
            role = self._role(tree, units, unit, nominal)
            add(SentencePart(depth, role, *texts, False), node)
            inner = [
                (_start(realisations[0], units[child]) or 0, child)
                for child in below.get(place, ())
            ]
            if inner and unit.category not in nominal:
                inner.append((_start_of(realisations[0], unit.node) or 0, -1))
            for _, child in sorted(inner):
                if child >= 0:
                    visit(child, depth + 1)
                else:
                    verb = (realisations[0].piece(unit.node), realisations[1].piece(unit.node))
                    add(SentencePart(depth + 1, VERB, *verb, False), unit.node)

        for root in below.get(-1, ()):
            visit(root, -1)
        for start, end in focus:
            # The smallest constituent with what is asked about: a noun lies in its phrase.
            around = [
                (span[1] - span[0], place)
                for place, span in enumerate(spans)
                if span[0] <= start and end <= span[1] and parts[place].depth >= 0
            ]
            if around:
                place = min(around)[1]
                parts[place] = parts[place]._replace(tested=True)
        return [part for part in parts if part.depth >= 0]

    def _role(self, tree: Tree, units: Sequence[Unit], unit: Unit, nominal: set[str]) -> str:
        if unit.head < 0:
            return CLAUSE
        if unit.named:
            return self.words.role(unit.slot)
        on_noun = units[unit.head].category in nominal
        if unit.category in nominal:
            tags = (tag for node in unit.nodes for tag in tree.inventory.tags(tree.codes[node]))
            named = (tag for tag in tags if ("role", tag) in self.words.known)
            tag = next(named, None)
            return self.words.role(tag) if tag is not None else MODIFIER
        if any(other.named and units[other.head] is unit for other in units if other.head >= 0):
            return RELATIVE if on_noun else CLAUSE
        role = self.words.role(unit.category)
        return RELATIVE if on_noun and role == VERB else role


def _start_of(realisation: Realisation, node: int) -> int | None:
    spans = realisation.spans.get(node, ())
    return spans[0].start if spans else None


def _start(realisation: Realisation, unit: Unit) -> int | None:
    return _start_of(realisation, unit.top)


def to_be_read(examples: Sequence[tuple[Example, bool]], tag: str | None) -> list[int]:
    """Places of the examples worth reading: evenly over the tag's values, wrong ones first."""
    if len(examples) <= MOST_SENTENCES:
        return list(range(len(examples)))
    counts: Counter[str] = Counter()
    ranked = []
    for wanted in (True, False):
        for place, (example, wrong) in enumerate(examples):
            if wrong == wanted:
                value = str(example.tags.get(tag, "")) if tag else ""
                ranked.append((counts[value], place))
                counts[value] += 1
    return sorted(place for _, place in sorted(ranked)[:MOST_SENTENCES])
