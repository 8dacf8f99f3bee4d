"""Meaning: any translation that means what the source means is right.

For benchmarks made by a grammar, and imported ones whose sources such a grammar reads.  A verdict
is `same`, `different` (and in what) or `outside`: not understood, so that nobody can say.  The
score is the share of `same`; what is outside could be right, so the true share lies between the
score and the score plus the share of `outside`, and both ends are printed.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from recombine.benchmark import Example, normalise
from recombine.errors import ConfigError
from recombine.grammar.benchmark_grammar import benchmark_reader, grammar_signature
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.meaning.judge import DIFFERENT, OUTSIDE, SAME, MeaningJudge, MeaningVerdict
from recombine.metrics.meaning.outline import side_by_side
from recombine.parallel import gc_paused, map_in_order
from recombine.progress import progress
from recombine.statistics.aggregate import Kind

TRIED = 50  # sources that are read before a grammar is said not to fit the benchmark
BLOCK = 64  # hypotheses judged by a process at a time

# A source with its references, and a hypothesis.
Asked = tuple[str, tuple[str, ...], str]

_at_work: list[MeaningMatch] = []  # what a copy of this process judges with


def _judged(block: Sequence[Asked]) -> list[dict[str, Any] | None]:
    return _at_work[-1].judge_block(block)


@dataclass(kw_only=True)
class MeaningMatch(Metric):
    """1 when a reading of the hypothesis means what the source means, however it is worded."""

    name: ClassVar[str] = "meaning"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    undecided: ClassVar[int | None] = 1
    grammar: str = ""
    edition: str | None = None
    grammar_sha256: str = ""
    source_language: str = ""
    target_language: str = ""
    workers: int = 0
    _judge: MeaningJudge | None = field(init=False, repr=False, default=None)
    _known: dict[Asked, dict[str, Any] | None] = field(init=False, repr=False, default_factory=dict)
    _outside: list[int] = field(init=False, repr=False, default_factory=lambda: [0, 0])

    def prepare(self, items: Sequence[Scored]) -> None:
        """MeaningJudge every hypothesis once, in processes beside each other."""
        judge = self._loaded()
        examples = [item.example for item in items if item.example.references][:TRIED]
        if examples and not any(
            judge.meant(example.source, example.references) for example in examples
        ):
            raise ConfigError(
                f"metric meaning: the grammar '{self.grammar}' reads none of the first "
                f"{len(examples)} sources",
                hint="name the benchmark's own: meaning.grammar=..., meaning.edition=...",
            )
        asked = list(dict.fromkeys(self._asked(items)))
        blocks = [asked[at : at + BLOCK] for at in range(0, len(asked), BLOCK)]
        if len(blocks) > 1:
            judge.warm_up()  # before the processes part, so that each has the grammar ready
        _at_work.append(self)
        try:
            with progress("meaning", total=len(asked)) as bar:
                done = map_in_order(_judged, blocks, workers=self._processes())
                for block, found in zip(blocks, done, strict=True):
                    self._known.update(zip(block, found, strict=True))
                    bar.advance(len(block))
        finally:
            _at_work.pop()

    def key(self, example: Example) -> str | None:
        """Every example with a reference by itself."""
        return example.id if example.references else None

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """The verdict on one hypothesis; None when the grammar cannot read the source."""
        (item,) = items
        example = item.example
        hypothesis = normalise(item.hypothesis.strip())
        detail: dict[str, Any] | None = {"class": SAME}
        if hypothesis not in example.references:
            key = (example.source, example.references, hypothesis)
            if key not in self._known:
                self._known.update(zip([key], self.judge_block([key]), strict=True))
            detail = self._known[key]
        if detail is None:
            return None
        same, outside = float(detail["class"] == SAME), float(detail["class"] == OUTSIDE)
        self._outside[0] += 1
        self._outside[1] += outside == 1.0
        return Observation(example.id, (example.id,), same, (same, outside), detail)

    def signature(self) -> str:
        """Name the grammar that read, and the variants by their hash."""
        read_with = grammar_signature(self.grammar, self.edition, self.grammar_sha256)
        variants = self._loaded().wordings.variants.sha256[:8]
        # open: what the source language does not tell apart is free (0.2).
        return f"meaning|{read_with}|variants:{variants}|target:{self.target_language}|open"

    def notes(self) -> dict[str, Any]:
        """Say how much could not be understood."""
        judged, outside = self._outside
        if not outside:
            return {}
        return {"not_understood": f"{outside:,} of {judged:,}, which may be right or wrong"}

    def _asked(self, items: Sequence[Scored]) -> Iterator[Asked]:
        for item in items:
            hypothesis = normalise(item.hypothesis.strip())
            if item.example.references and hypothesis not in item.example.references:
                yield item.example.source, item.example.references, hypothesis

    def _processes(self) -> int:
        # A process that does not begin as a copy of this one would have to load everything anew.
        copied = "fork" in multiprocessing.get_all_start_methods()
        return self.workers if copied else 1

    @gc_paused()
    def judge_block(self, block: Sequence[Asked]) -> list[dict[str, Any] | None]:
        """MeaningJudge hypotheses; None where the source cannot be read."""
        judge = self._loaded()
        found: list[dict[str, Any] | None] = []
        for source, references, hypothesis in block:
            meant = judge.meant(source, references)
            if meant and not hypothesis:  # nobody failed to understand it
                found.append({"class": DIFFERENT, "explanation": "nothing is said"})
            else:
                found.append(detail_of(judge.judge(meant, hypothesis)) if meant else None)
        return found

    def _loaded(self) -> MeaningJudge:
        if self._judge is None:
            grammar = benchmark_reader(
                "meaning",
                self.grammar,
                self.edition,
                self.grammar_sha256,
                self.source_language,
                self.target_language,
            )
            self._judge = MeaningJudge(
                grammar, self.grammar, self.source_language, self.target_language
            )
        return self._judge


def detail_of(verdict: MeaningVerdict) -> dict[str, Any]:
    """A verdict as plain data: its class, why, and the two meanings with what differs marked."""
    detail: dict[str, Any] = {"class": verdict.kind}
    if verdict.explanation:
        detail["explanation"] = verdict.explanation
    if verdict.unsaid:
        detail |= {"unknown": verdict.unknown, "unsaid": list(verdict.unsaid)}
    if verdict.findings:
        detail["findings"] = [finding.row for finding in verdict.findings]
    if verdict.meant is not None and verdict.kind != SAME:
        said = verdict.said.units if verdict.said is not None else []
        meant, given = side_by_side(verdict.meant.units, said)
        sides = {"meant": meant, **({"said": given} if said else {})}
        told = " · ".join(f"{name} {text}" for name, text in sides.items())
        detail |= {**sides, "explanation": f"{verdict.explanation} · {told}"}
    return detail


def lexicon_rows(details: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Rows that may be missing among the synonyms, the most frequent first: an id and a form.

    Of the words that were meant and not said, an unknown word most likely says the one that it
    stands for most often; where several are as likely, none can be told and all are given.
    """
    counts: dict[str, Counter[str]] = {}
    for detail in details:
        if detail.get("unknown"):
            counts.setdefault(detail["unknown"], Counter()).update(detail["unsaid"])
    rows = [
        (-count, form, word)
        for form, words in counts.items()
        for word, count in words.items()
        if count == max(words.values())
    ]
    return [(word, form) for _, form, word in sorted(rows)]
