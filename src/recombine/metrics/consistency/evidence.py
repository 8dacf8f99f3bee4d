"""Language-neutral judgements: identical, local change, context changed, collapsed.

Everything is learned from the output of the system under test: how wide a noun phrase is (from
isolated noun phrases of the probe split), which changes are agreement (see agreement.py), where
the second conjunct stands (from its translation alone) and how the system renders a bare word.
Repeated sentences of the probe split give the floor of non-determinism.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from recombine.corpus.segment import is_punctuation, segment
from recombine.corpus.token_diff import edit_distance, trim
from recombine.metrics.base import Scored
from recombine.metrics.consistency.agreement import Alternations, SwapPair
from recombine.metrics.consistency.conjunct import (
    TokenSpan,
    learn_marker,
    locate,
    split_at_marker,
)

# Without probes and without anything learned: article and noun.
DEFAULT_WINDOW = 2
LIGATURES = {"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae"}
Groups = Mapping[str, Mapping[str, Scored]]


class Judgement(NamedTuple):
    """What became of one pair. `counts` is False where it is neither consistent nor inconsistent.

    `kind`: identical, local, context, collapsed (two meanings, one output), empty, unaligned.
    `slot`: for synonyms, whether the term itself is rendered alike.
    """

    kind: str
    consistent: bool
    counts: bool = True
    width: int | None = None
    allowed: int | None = None
    locality: float | None = None
    slot: bool | None = None
    reason: str | None = None
    window: tuple[int, int, int, int] | None = None

    def detail(self) -> dict[str, Any]:
        """Return the judgement as plain data, empty fields left out."""
        rest = zip(self._fields[3:], self[3:], strict=True)
        row: dict[str, Any] = {"class": self.kind}
        row |= {name: value for name, value in rest if value is not None}
        if self.locality is not None:
            row["locality"] = round(self.locality, 4)
        if self.window is not None:
            row["window"] = list(self.window)
        return row


@dataclass(eq=False)
class Evidence:
    """What one system's output teaches about itself."""

    window: int | None = None
    support: int = 5
    hold_out: str = "swap"
    alternations: Alternations = field(init=False)
    calibrated: int = field(init=False, default=DEFAULT_WINDOW)
    calibration: str = field(init=False, default="default")
    marker: tuple[str, ...] = field(init=False, default=())
    floor: float | None = field(init=False, default=None)
    repeats: int = field(init=False, default=0)
    splitters: Counter[str] = field(init=False, default_factory=Counter)
    _pairs: dict[str, SwapPair] = field(init=False, default_factory=dict)
    _widths: dict[tuple[str, str], int] = field(init=False, default_factory=dict)
    _phrases: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _words: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _clauses: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _renderings: dict[str, frozenset[str]] = field(init=False, default_factory=dict)
    _judged: dict[tuple[str, str], Judgement] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.alternations = Alternations(support=self.support, hold_out=self.hold_out)

    def learn(self, groups: Groups, items: Sequence[Scored]) -> None:
        """Learn from all pairs and all probes of a run."""
        for item in items:
            for focus in item.example.focus:
                if focus.role in ("phrase", "word"):
                    tokens = tuple(t for t in _tokens(item) if not is_punctuation(t))
                    texts = self._phrases if focus.role == "phrase" else self._words
                    texts.setdefault(focus.text, tokens)
            if item.example.role == "clause":
                self._clauses[_clause_key(item.example.source)] = _tokens(item)
        self._measure_floor(items)
        self._pairs = {
            members[role].example.id: swap_pair(members["base"], members[role])
            for members in groups.values()
            if "base" in members
            for role in ("np", "vp")
            if role in members
        }
        pairs = [pair for pair in self._pairs.values() if pair.outputs[0] and pair.outputs[1]]
        self.alternations.learn(pairs, self._phrases)
        self._calibrate(pairs)
        self.marker = learn_marker(
            (_tokens(members["base"]), _tokens(members["s3"]))
            for members in groups.values()
            if "base" in members and "s3" in members
        )
        self._learn_renderings(groups)

    def judge(self, role: str, base: Scored, variant: Scored) -> Judgement:
        """Judge one variant against its base, once for all metrics that ask."""
        key = (variant.example.id, base.example.id)
        judged = self._judged.get(key)
        if judged is None:
            judged = self._judged[key] = self._judge(role, base, variant)
        return judged

    def _judge(self, role: str, base: Scored, variant: Scored) -> Judgement:
        if not base.hypothesis.strip() or not variant.hypothesis.strip():
            return Judgement("empty", False, reason="an output is empty")
        if role in ("np", "vp"):
            return self._judge_swap(base, variant)
        if role in ("s1p", "s3"):
            return self._judge_conjunct(base, variant)
        return self._judge_synonym(base, variant)

    def notes(self) -> dict[str, Any]:
        """Return what was calibrated and learned, and the floor."""
        return {
            "window": self.calibrated,
            "window_from": self.calibration,
            "alternations": [list(row) for row in self.alternations.table()],
            "conjunction": " ".join(self.marker),
            "splitters": dict(sorted(self.splitters.items())),
            "floor": self.floor,
            "repeats": self.repeats,
        }

    def _judge_swap(self, base: Scored, variant: Scored) -> Judgement:
        pair = self._pairs.get(variant.example.id) or swap_pair(base, variant)
        if pair.outputs[0] == pair.outputs[1]:
            return Judgement("collapsed", False, counts=False, width=0)
        measured = self.alternations.measure(pair)
        allowed = max(self.calibrated, self._phrase_width(pair))
        is_local = measured.width <= allowed and not measured.elsewhere
        longest = max(len(pair.outputs[0]), len(pair.outputs[1]))
        outside = 0 if is_local else max(1, min(measured.outside, measured.width))
        return Judgement(
            "local" if is_local else "context",
            is_local,
            width=measured.width,
            allowed=allowed,
            locality=1.0 - outside / longest,
            reason="other words changed than the noun" if measured.elsewhere else None,
            window=measured.window,
        )

    def _judge_conjunct(self, base: Scored, variant: Scored) -> Judgement:
        outputs = _tokens(base), _tokens(variant)
        spans = [self._conjunct(base, outputs[0]), self._conjunct(variant, outputs[1])]
        if spans[0] is None or spans[1] is None:
            return Judgement("unaligned", False, counts=False, reason="no second conjunct found")
        first = outputs[0][spans[0].start : spans[0].end]
        second = outputs[1][spans[1].start : spans[1].end]
        if first == second:
            return Judgement("identical", True, locality=1.0)
        longest = max(len(first), len(second))
        return Judgement(
            "context",
            False,
            locality=1.0 - edit_distance(first, second) / longest,
            window=(spans[0].start, spans[0].end, spans[1].start, spans[1].end),
        )

    def _judge_synonym(self, base: Scored, variant: Scored) -> Judgement:
        pair = replace(swap_pair(base, variant), nouns=(_term(base), _term(variant)))
        first, second = pair.outputs
        if first == second:
            return Judgement("identical", True, width=0, locality=1.0, slot=True)
        measured = self.alternations.measure(pair)
        allowed = max(self.calibrated, self._phrase_width(pair))
        is_local = measured.width <= allowed
        words = self._renderings.get(_synonym_key(base), frozenset())
        crops = [tuple(t for t in tokens if t in words) or tokens for tokens in pair.outputs]
        longest = max(len(first), len(second))
        return Judgement(
            "local" if is_local else "context",
            False,
            width=measured.width,
            allowed=allowed,
            locality=1.0 - (0 if is_local else min(measured.width, longest)) / longest,
            slot=crops[0] == crops[1],
            window=measured.window,
        )

    def _conjunct(self, item: Scored, output: tuple[str, ...]) -> TokenSpan | None:
        """Find the second conjunct by alignment; the learned marker is the second opinion."""
        clause, share = second_clause(item)
        alone = self._clauses.get(_clause_key(clause))
        aligned = locate(alone, output) if alone else None
        marked = split_at_marker(output, self.marker, share)
        if aligned is not None and marked is not None:
            self.splitters["agree" if aligned.start == marked.start else "disagree"] += 1
        elif aligned is not None:
            self.splitters["alignment only"] += 1
        else:
            self.splitters["marker only" if marked is not None else "neither"] += 1
        return aligned or marked

    def _phrase_width(self, pair: SwapPair) -> int:
        """Return how much the two nouns differ when they are translated alone."""
        width = self._widths.get(pair.nouns)
        if width is None:
            alone = [self._phrases.get(noun, self._words.get(noun)) for noun in pair.nouns]
            width = 0
            if alone[0] is not None and alone[1] is not None:
                phrases = replace(pair, outputs=(alone[0], alone[1]), changes=None)
                width = self.alternations.measure(phrases).width
            self._widths[pair.nouns] = width
        return width

    def _calibrate(self, pairs: Sequence[SwapPair]) -> None:
        if self.window is not None:
            self.calibrated, self.calibration = self.window, "given"
            return
        swaps = {pair.nouns: pair for pair in pairs}
        widths = sorted(
            self._phrase_width(pair)
            for pair in swaps.values()
            if all(noun in self._phrases for noun in pair.nouns)
        )
        if widths:
            # The 95th percentile: one odd phrase must not widen the window for all.
            self.calibrated = max(1, widths[int(0.95 * (len(widths) - 1))])
            self.calibration = f"{len(widths)} pairs of isolated phrases"
            return
        width = self.alternations.noun_width()
        if width is not None:
            self.calibrated, self.calibration = max(1, width), "words learned from the pairs"

    def _measure_floor(self, items: Sequence[Scored]) -> None:
        first: dict[str, str] = {}
        for item in items:
            if item.example.role != "repeat":
                first.setdefault(item.example.source, item.hypothesis)
        changed = []
        for item in items:
            if item.example.role == "repeat" and item.example.source in first:
                changed.append(first[item.example.source] != item.hypothesis)
        self.repeats = len(changed)
        self.floor = sum(changed) / len(changed) if changed else None

    def _learn_renderings(self, groups: Groups) -> None:
        """Learn how each synonym pair is rendered: words alone, and what differs in frames."""
        windows: dict[str, Counter[str]] = defaultdict(Counter)
        terms: dict[str, set[str]] = defaultdict(set)
        differing: Counter[str] = Counter()
        for members in groups.values():
            if "base" not in members or "synonym" not in members:
                continue
            name = _synonym_key(members["base"])
            pair = swap_pair(members["base"], members["synonym"])
            terms[name].update((_term(members["base"]), _term(members["synonym"])))
            window = pair.window
            tokens = {
                *pair.outputs[0][window.first_start : window.first_end],
                *pair.outputs[1][window.second_start : window.second_end],
            }
            if tokens:
                differing[name] += 1
                windows[name].update(tokens)
        alone = {
            name: {t for term in found for t in self._words.get(term, ())}
            for name, found in terms.items()
        }
        known = Counter(token for tokens in alone.values() for token in tokens)
        for name in terms:
            learned = {t for t, count in windows[name].items() if 2 * count >= differing[name]}
            rare = {t for t in alone[name] if known[t] <= max(2.0, 0.05 * len(terms))}
            self._renderings[name] = frozenset(
                t for t in (*learned, *rare) if not is_punctuation(t)
            )


def swap_pair(base: Scored, variant: Scored) -> SwapPair:
    """Return the pair with what differs in its sources."""
    first, second = base.example.source.split(), variant.example.source.split()
    window = trim(first, second)
    frame = (*first[: window.first_start], "_", *first[window.first_end :])
    return SwapPair(
        template=str(variant.example.tags.get("template", "")),
        frame=" ".join(frame),
        nouns=(
            " ".join(first[window.first_start : window.first_end]),
            " ".join(second[window.second_start : window.second_end]),
        ),
        outputs=(_tokens(base), _tokens(variant)),
        role=variant.example.role or "",
    )


def second_clause(item: Scored) -> tuple[str, float]:
    """Return the second conjunct of the source, and where it begins as a share of the source."""
    for focus in item.example.focus:
        if focus.role == "clause":
            start = focus.start if focus.start is not None else 0
            return focus.text, start / max(1, len(item.example.source))
    return "", 0.5


def _tokens(item: Scored) -> tuple[str, ...]:
    """Cut an output into tokens; *fœtus* and *foetus* are one spelling."""
    text = item.hypothesis
    for ligature, letters in LIGATURES.items():
        text = text.replace(ligature, letters)
    return segment(text)


def _clause_key(source: str) -> str:
    return " ".join(source.split()).lower()


def _term(item: Scored) -> str:
    return next((focus.text for focus in item.example.focus if focus.role == "synonym"), "")


def _synonym_key(base: Scored) -> str:
    return str(base.example.tags.get("synonym", base.example.group))
