"""Exact match: the translation is one of the references, character for character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from recombine.benchmark import Example, normalise
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.statistics.aggregate import Kind


@dataclass(kw_only=True)
class Exact(Metric):
    """1 when the hypothesis equals a reference in NFC, outer white space aside; else 0."""

    name: ClassVar[str] = "exact"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    one_wording: ClassVar[bool] = True

    def key(self, example: Example) -> str | None:
        """Every example with a reference is observed by itself."""
        return example.id if example.references else None

    def observe(self, items: Sequence[Scored]) -> Observation:
        """Compare one hypothesis with its references."""
        (item,) = items
        text, references = normalise(item.hypothesis.strip()), item.example.references
        value = float(
            text in references or any(text == reference.strip() for reference in references)
        )
        return Observation(item.example.id, (item.example.id,), value, (value,))

    def signature(self) -> str:
        """Name what is compared."""
        return "exact|norm:nfc+strip|refs:any"
