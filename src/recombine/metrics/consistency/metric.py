"""Is the same thing translated the same way? Minimal pairs, shared conjuncts, synonyms.

Groups of examples belong together (`group`), and each `role` but `base` is one observation against
the base of its group:

    np, vp      one noun differs: the outputs may differ there and where agreement asks for it
    s1p, s3     the first conjunct differs: the second must stay as it is
    synonym     one term is replaced by its synonym: nothing may change

`mode = "official"` follows the published code (English-Dutch only); the default needs no rule of
any target language. See docs/how-to/consistency.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from recombine.benchmark import Example
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.consistency import official
from recombine.metrics.consistency.evidence import Evidence, Judgement
from recombine.statistics.aggregate import Kind

SWAPS = ("np", "vp")
CONJUNCTS = ("s1p", "s3")
SYNONYM = "synonym"
VARIANTS = (*SWAPS, *CONJUNCTS, SYNONYM)
BASE = "base"


@dataclass(kw_only=True)
class Consistency(Metric):
    """The share of pairs that are translated consistently.

    `window` fixes the widest change that still counts as local; left out, it is calibrated on the
    isolated noun phrases of the probe split. `support` and `hold_out` govern which agreement
    changes are learned (see agreement.py).
    """

    name: ClassVar[str] = "consistency"
    kind: ClassVar[Kind] = "ratio"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "wrong"
    clusters: ClassVar[tuple[str, ...]] = ("synonym", "template")

    mode: Literal["neutral", "official"] = "neutral"
    window: int | None = None
    support: int = 5
    hold_out: Literal["swap", "template"] = "swap"
    excluded: Counter[str] = field(init=False, default_factory=Counter, repr=False)
    _groups: dict[str, dict[str, Scored]] = field(init=False, default_factory=dict, repr=False)
    _evidence: Evidence | None = field(init=False, default=None, repr=False)

    def key(self, example: Example) -> str | None:
        """Every variant is one observation; the base is what it is compared with."""
        if example.group is None or example.role not in self._roles():
            return None
        return f"{example.group}/{example.role}"

    def prepare(self, items: Sequence[Scored]) -> None:
        """Find the groups, and learn what the neutral mode needs from this system's own output."""
        self.excluded.clear()
        self._groups = {}
        for item in items:
            if item.example.group is not None and item.example.role in (BASE, *VARIANTS):
                self._groups.setdefault(item.example.group, {})[item.example.role] = item
        self._evidence = None
        if self.mode == "neutral":
            if any(item.missing for item in items):  # nothing is learned from what is not there
                items = [item for item in items if not item.missing]
            self._evidence = Evidence(
                window=self.window, support=self.support, hold_out=self.hold_out
            )
            self._evidence.learn(
                {
                    name: {role: item for role, item in members.items() if not item.missing}
                    for name, members in self._groups.items()
                },
                items,
            )

    def prepare_like(self, other: Metric) -> bool:
        """What one metric of the family learns serves the others, where the options are equal."""
        if not isinstance(other, Consistency) or self._learns() != other._learns():
            return False
        self.excluded.clear()
        self._groups, self._evidence = other._groups, other._evidence
        return True

    def _learns(self) -> tuple[object, ...]:
        return self.mode, self.window, self.support, self.hold_out

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Compare a variant with its base."""
        variant = items[0]
        role = variant.example.role or ""
        members = self._groups.get(variant.example.group or "", {})
        base = members.get(BASE)
        if base is None:
            self.excluded["the base was not translated"] += 1
            return None
        if base.example.source == variant.example.source:
            self.excluded["the two sources are identical"] += 1
            return None
        if base.missing or variant.missing:
            judged: Judgement | None = Judgement("no output", False, reason="an output is missing")
        elif self._evidence is None:
            judged = self._judge_officially(role, base, variant, members)
        else:
            judged = self._evidence.judge(role, base, variant)
        if judged is None:
            return None
        return Observation(
            key=f"{variant.example.group}/{role}",
            ids=(variant.example.id, base.example.id),
            value=self._value(judged),
            stats=(self._value(judged), 1.0) if judged.counts else (0.0, 0.0),
            detail=judged.detail(),
        )

    def signature(self) -> str:
        """Return mode and thresholds."""
        if self.mode == "official":
            return f"{self.name}|mode:official|source:Dankers2022"
        window = "calibrated" if self.window is None else str(self.window)
        return (
            f"{self.name}|mode:neutral|window:{window}|support:{self.support}"
            f"|hold-out:{self.hold_out}|version:2"
        )

    def notes(self) -> dict[str, Any]:
        """Return what a reader must know beside the score: exclusions, floor, what was learned."""
        notes: dict[str, Any] = {"excluded": dict(sorted(self.excluded.items()))}
        if self._evidence is not None:
            notes.update(self._evidence.notes())
        return notes

    def _roles(self) -> tuple[str, ...]:
        return VARIANTS

    def _value(self, judged: Judgement) -> float:
        return float(judged.consistent)

    def _judge_officially(
        self, role: str, base: Scored, variant: Scored, members: dict[str, Scored]
    ) -> Judgement | None:
        if role in SWAPS:
            same = official.is_consistent_swap(base.hypothesis, variant.hypothesis, role=role)
            return Judgement("local" if same else "context", same)
        if role in CONJUNCTS:
            # Both conditions are dropped unless all three outputs hold the conjunction.
            conjuncts = {
                name: official.split_at_conjunction(item.hypothesis)
                for name, item in members.items()
                if name in (BASE, *CONJUNCTS)
            }
            if len(conjuncts) < 3:
                self.excluded["a member of the triple was not translated"] += 1
                return None
            if None in conjuncts.values():
                self.excluded["no conjunction in one of the three outputs"] += 1
                return None
            same = conjuncts[BASE] == conjuncts[role]
            return Judgement("identical" if same else "context", same)
        same = base.hypothesis.strip() == variant.hypothesis.strip()
        candidates = _candidates(base.example, variant.example)
        crops = [
            official.crop_synonym(item.hypothesis, candidates).strip() for item in (base, variant)
        ]
        return Judgement("identical" if same else "context", same, slot=crops[0] == crops[1])


@dataclass(kw_only=True)
class SynonymConsistency(Consistency):
    """The share of synonym pairs whose term is translated alike, whatever happens around it."""

    name: ClassVar[str] = "synonym-consistency"

    def _roles(self) -> tuple[str, ...]:
        return (SYNONYM,)

    def _value(self, judged: Judgement) -> float:
        return float(bool(judged.slot))


@dataclass(kw_only=True)
class Locality(Consistency):
    """How much of the output outside the changed part stayed as it was: a grade, not yes or no."""

    name: ClassVar[str] = "locality"

    def _value(self, judged: Judgement) -> float:
        return judged.locality if judged.locality is not None else float(judged.consistent)


def _candidates(base: Example, variant: Example) -> tuple[str, ...]:
    """Return the target renderings listed for the term and its synonym, in file order."""
    listed = [
        accepted
        for example in (base, variant)
        for focus in example.focus
        if focus.role == SYNONYM
        for accepted in focus.accepted
    ]
    return tuple(dict.fromkeys(listed))
