"""Partial Match: is the constituent that a pattern is about rendered right, in the right role?

Kumon et al. 2024, section 4.1.3 and appendix D: a wrong word is wrong, a wrong role is wrong, all
other words are free. The benchmark records the constituent, its rendering and its role (`focus`);
here the hypothesis is parsed with the target grammar and the role is read off the tree. What does
not parse is judged by its longest constituents, and the observation says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from recombine.benchmark import Example, Focus, normalise
from recombine.grammar import Grammar
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.realise.realiser import Realisation
from recombine.grammar.tree import Tree
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.statistics.intervals import Kind

MOST_READINGS = 24  # of one hypothesis; a reading with the right role is enough
MOST_STARTS = 60  # characters before a constituent that may belong to it


def names_constituents(example: Example) -> bool:
    """Whether an example says which constituents a translation must have."""
    # A focus without renderings (a minimal pair's noun, an idiom) is another metric's matter.
    named = example.focus and all(focus.accepted for focus in example.focus)
    return bool(named and example.references)


@dataclass(kw_only=True)
class Partial(Metric):
    """1 when every focus of the example is rendered and has its role; else 0.

    grammar, edition: the grammar the benchmark was made with.
    same_role: slots that are one role: what is given (theme) is a direct object (obj) too.
    """

    name: ClassVar[str] = "partial"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    grammar: str = "sget"
    edition: str | None = None
    target_language: str = "ja"
    same_role: dict[str, str] = field(default_factory=lambda: {"theme": "obj"})
    _grammar: Grammar | None = field(init=False, repr=False, default=None)
    _phrases: Grammar | None = field(init=False, repr=False, default=None)
    _heads: frozenset[str] = field(init=False, repr=False, default=frozenset())
    _readings: dict[str, tuple[Tree, ...]] = field(init=False, repr=False, default_factory=dict)

    def key(self, example: Example) -> str | None:
        """Examples of patterns that name a constituent are observed one by one."""
        return example.id if names_constituents(example) else None

    def observe(self, items: Sequence[Scored]) -> Observation:
        """Judge one hypothesis."""
        (item,) = items
        example = item.example
        hypothesis = normalise(item.hypothesis.strip())
        detail: dict[str, Any]
        if hypothesis in example.references:
            value, detail = 1.0, {"how": "exact"}
        else:
            verdicts = [self._judge(hypothesis, focus, example) for focus in example.focus]
            value = float(all(right for right, _ in verdicts))
            detail = next((d for right, d in verdicts if not right), verdicts[0][1])
        return Observation(example.id, (example.id,), value, (value,), detail)

    def signature(self) -> str:
        """Name grammar and language."""
        edition = self.edition or "default"
        return f"partial|grammar:{self.grammar}|edition:{edition}|{self.target_language}"

    # --- by parsing

    def _loaded(self) -> Grammar:
        if self._grammar is None:
            grammar = Grammar.load(self.grammar, self.edition)
            # Which nouns stand beside things is the generator's concern, not the translator's.
            self._grammar = relax(grammar, self.target_language).grammar
        return self._grammar

    def _trees(self, text: str) -> tuple[Tree, ...]:
        if text not in self._readings:
            parse = self._loaded().parse(text, self.target_language) if text else None
            found = tuple(parse.trees(MOST_READINGS)) if parse is not None else ()
            if len(self._readings) > 20_000:
                self._readings.clear()
            self._readings[text] = found
        return self._readings[text]

    def _judge(
        self, hypothesis: str, focus: Focus, example: Example
    ) -> tuple[bool, dict[str, Any]]:
        trees = self._trees(hypothesis)
        if not trees:
            return self._judge_fragments(hypothesis, focus, example)
        said: dict[str, None] = {}
        elsewhere: dict[str, None] = {}
        for tree in trees:
            realisation = self._loaded().realise(tree, self.target_language)
            for node, slot in _filled(tree):
                texts = _texts(tree, node, realisation)
                same = self.same_role.get(slot, slot) == self.same_role.get(focus.role, focus.role)
                if same or (self._is_predicate(focus.role) and slot in self._heads):
                    if any(text in focus.accepted for text in texts):
                        return True, {"how": "parsed"}
                    said[texts[0]] = None
                elif any(text in focus.accepted for text in texts):
                    elsewhere[slot] = None
        detail: dict[str, Any] = {"how": "parsed", "role": focus.role, "wanted": focus.accepted[0]}
        detail["found"] = list(said)[:3]
        if elsewhere:
            detail["elsewhere"] = list(elsewhere)[:3]
        return False, detail

    def _is_predicate(self, role: str) -> bool:
        """Whether a role is that of a head, such as a verb: its frame is then free."""
        if not self._heads:
            rules = self._loaded().abstract.rules.values()
            self._heads = frozenset(
                part.slot
                for rule in rules
                for index, part in enumerate(rule.parts)
                if index == rule.head and len(rule.parts) > 1
            )
        return role in self._heads

    # --- without a parse of the whole

    def _judge_fragments(
        self, hypothesis: str, focus: Focus, example: Example
    ) -> tuple[bool, dict[str, Any]]:
        """Look for the rendering followed by the mark of its role, as a longest constituent."""
        detail: dict[str, Any] = {
            "how": "fragments",
            "role": focus.role,
            "wanted": focus.accepted[0],
        }
        if self._is_predicate(focus.role):
            found = any(rendering in hypothesis for rendering in focus.accepted)
            return found, detail
        marks, is_head = self._marks(focus, example)
        for rendering in focus.accepted:
            start = hypothesis.find(rendering)
            while start >= 0:
                end = start + len(rendering)
                if any(hypothesis.startswith(mark, end) for mark in marks):
                    longer = None if is_head else self._longer(hypothesis, start, end)
                    if longer is None:
                        return True, detail
                    detail["found"] = [longer]
                start = hypothesis.find(rendering, start + 1)
        return False, detail

    def _marks(self, focus: Focus, example: Example) -> tuple[set[str], bool]:
        """What follows the constituent in the reference, and whether it is only a head word."""
        marks: set[str] = set()
        is_head = False
        grammar = self._loaded()
        for reference in example.references:
            for tree in self._trees(reference):
                realisation = grammar.realise(tree, self.target_language)
                for node, slot in _filled(tree):
                    texts = _texts(tree, node, realisation)
                    if slot != focus.role or not any(text in focus.accepted for text in texts):
                        continue
                    is_head = is_head or texts[0] not in focus.accepted
                    span = realisation.span(node)
                    if span is not None:
                        after = [t.text for t in realisation.tokens if t.start == span.end]
                        marks.update(after[:1])
        return marks or {""}, is_head

    def _longer(self, hypothesis: str, start: int, end: int) -> str | None:
        """A longer phrase that ends where the rendering ends, if the words before belong to it."""
        if self._phrases is None:
            source = self._loaded().source
            rules = source.abstract.rules.values()
            slots = {part.symbol.category for rule in rules for part in rule.parts}
            start_symbols = tuple(
                sorted(c for c in slots if any(rule.category == c for rule in rules))
            )
            abstract = dataclasses.replace(source.abstract, start=start_symbols)
            self._phrases = Grammar(dataclasses.replace(source, abstract=abstract))
        for begin in range(max(0, start - MOST_STARTS), start):
            if self._phrases.parse(hypothesis[begin:end], self.target_language).ok:
                return hypothesis[begin:end]
        return None


def _texts(tree: Tree, node: int, realisation: Realisation) -> tuple[str, ...]:
    """The wording of a constituent and of its head; a verb's own form comes after its particle."""
    found = []
    for place in dict.fromkeys((node, tree.head(node))):
        stretches = realisation.spans.get(place) if place is not None else None
        if stretches:
            start, end = stretches[-1]
            found.append(realisation.text[start:end])
    return tuple(found) or ("",)


def _filled(tree: Tree) -> Iterator[tuple[int, str]]:
    """Nodes with the name of the slot they fill."""
    for parent, children in enumerate(tree.positions):
        if children:
            parts = tree.inventory.rule(tree.codes[parent]).parts
            for part, child in zip(parts, children, strict=True):
                yield child, part.slot
