"""Partial Match with GiNZA, the dependency parser of the SGET paper (section 4.1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from recombine.benchmark import Example, Focus, normalise
from recombine.errors import ConfigError
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.partial import names_constituents
from recombine.registry import require
from recombine.statistics.aggregate import Kind

# Universal Dependencies of the roles that SGET's patterns speak of. Some Japanese verbs mark their
# object with が or に (like, notice), which the parser calls nsubj and obl.
RELATIONS: dict[str, frozenset[str]] = {
    "subj": frozenset({"nsubj", "nsubj:pass", "csubj", "dislocated"}),
    "obj": frozenset({"obj", "obl", "nsubj", "iobj", "dislocated", "nmod"}),
    "theme": frozenset({"obj", "dislocated"}),
    "io": frozenset({"obl", "iobj"}),
}
CASES: dict[str, frozenset[str]] = {
    "subj": frozenset({"が"}),
    "obj": frozenset({"を", "に", "が", "の"}),
    "theme": frozenset({"を"}),
    "io": frozenset({"に"}),
}


@dataclass(kw_only=True)
class PartialGinza(Metric):
    """1 when every focus is rendered and GiNZA gives it the right relation and case; else 0."""

    name: ClassVar[str] = "partial-ginza"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    model: str = "ja_ginza"
    target_language: str = "ja"
    _nlp: Any = field(init=False, repr=False, default=None)

    def prepare(self, items: Sequence[Scored]) -> None:
        """Refuse what is not Japanese: the parser reads anything, and the numbers say nothing."""
        if self.target_language != "ja" and any(names_constituents(item.example) for item in items):
            raise ConfigError(
                f"metric partial-ginza reads Japanese, not '{self.target_language}'",
                hint="use the metric 'partial', which reads the benchmark's own grammar",
            )

    def key(self, example: Example) -> str | None:
        """Examples of patterns that name a constituent are observed one by one."""
        return example.id if names_constituents(example) else None

    def observe(self, items: Sequence[Scored]) -> Observation:
        """Judge one hypothesis."""
        (item,) = items
        example = item.example
        hypothesis = normalise(item.hypothesis.strip())
        if hypothesis in example.references:
            return Observation(example.id, (example.id,), 1.0, (1.0,), {"how": "exact"})
        document = self._loaded()(hypothesis)
        reasons = [self._judge(document, hypothesis, focus) for focus in example.focus]
        wrong = next((reason for reason in reasons if reason), None)
        value = float(wrong is None)
        detail = {"how": "ginza", **({"why": wrong} if wrong else {})}
        return Observation(example.id, (example.id,), value, (value,), detail)

    def signature(self) -> str:
        """Name model and versions."""
        spacy = require("spacy", extra="ja", feature="metric partial-ginza")
        meta = self._loaded().meta
        return f"partial-ginza|{self.model}:{meta.get('version')}|spacy:{spacy.__version__}"

    def _loaded(self) -> Any:
        if self._nlp is None:
            spacy = require("spacy", extra="ja", feature="metric partial-ginza")
            require(self.model, extra="ja", feature="metric partial-ginza")
            self._nlp = spacy.load(self.model)
        return self._nlp

    def _judge(self, document: Any, text: str, focus: Focus) -> str:
        """Return why a focus is wrong, or nothing."""
        reason = f"{focus.accepted[0]} is not there"
        for rendering in focus.accepted:
            start = text.find(rendering)
            while start >= 0:
                span = document.char_span(start, start + len(rendering), alignment_mode="expand")
                # A longer word that begins or ends alike is another word.
                end = start + len(rendering)
                if span is not None and (span.start_char, span.end_char) == (start, end):
                    reason = self._role(span, start, focus)
                    if not reason:
                        return ""
                start = text.find(rendering, start + 1)
        return reason

    def _role(self, span: Any, start: int, focus: Focus) -> str:
        relations = RELATIONS.get(focus.role)
        if relations is None:  # a verb: its form is all that is asked for
            return ""
        root = span.root
        cases = {
            child.text for child in root.children if child.dep_ == "case" and child.i >= span.end
        }
        if not cases & CASES[focus.role]:
            return f"its case is {''.join(sorted(cases)) or 'missing'}"
        if root.dep_ not in relations:
            return f"its relation is {root.dep_}"
        if len(focus.text.split()) > 2 and root.left_edge.idx < start:
            return "it has another modifier"
        return ""
