"""What metrics share whose scores come from elsewhere: a score per sentence, asked for once.

Every score is written down as it comes, under a key made of the texts and of who judges them. A
killed scoring goes on where it stopped, and a sentence that was paid for is not paid for again.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from recombine.benchmark import Example
from recombine.errors import ConfigError, DataError, SystemFailure
from recombine.files import Appender, read_jsonl
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.progress import progress
from recombine.statistics.aggregate import Kind
from recombine.systems.base import Failure


class JudgedScore(NamedTuple):
    """A score of one translation, and what its judge says of it."""

    score: float
    detail: Mapping[str, Any]


class JudgedText(NamedTuple):
    """A translation to be judged: what a judge is shown of it."""

    id: str
    source: str
    hypothesis: str
    references: tuple[str, ...]

    def shown(self) -> dict[str, Any]:
        """The texts by their names."""
        return {
            "source": self.source,
            "hypothesis": self.hypothesis,
            "references": list(self.references),
        }


@dataclass(kw_only=True)
class ExternalMetric(Metric):
    """A score per sentence from elsewhere. The options say what it means; nothing is guessed.

    A sentence without an output is not judged, nor is one of which the judge gave no score: both
    are counted.
    """

    name: str = ""  # type: ignore[misc]  # each use has its own: nobody's class can say it
    unit: str = "points"  # type: ignore[misc]
    higher_is_better: bool = True  # type: ignore[misc]
    limits: tuple[float, float] = (0.0, 100.0)  # type: ignore[misc]
    version: str = ""
    cache: Path | None = None
    source_language: str = ""
    target_language: str = ""
    _known: dict[str, JudgedScore] = field(init=False, default_factory=dict, repr=False)
    _lost: dict[str, str] = field(init=False, default_factory=dict, repr=False)
    _store: Path | None = field(init=False, default=None, repr=False)
    _asked: int = field(init=False, default=0, repr=False)

    kind: ClassVar[Kind] = "mean"
    missing: ClassVar[Missing] = "left out"

    def __post_init__(self) -> None:
        self._store = self.cache
        low, high = self.limits
        if not low < high:
            raise ConfigError(
                f"'limits' = [{low:g}, {high:g}]: the first must be the lower one",
                hint="limits = [0.0, 1.0]",
            )
        if not self.name:
            raise ConfigError(
                "a metric from elsewhere needs a name",
                hint='metrics = ["comet"] and [metric.comet] with use = "command"',
            )

    @property
    def right_value(self) -> float:  # type: ignore[override]
        """The best end of its limits."""
        return self.limits[1] if self.higher_is_better else self.limits[0]

    def settle(self, system: str, seed: int, folder: Path | None) -> None:
        """Hear whose translations are judged, and where scores may be kept."""
        self._store = self.cache
        if self.cache is None and folder is not None:
            self._store = folder / f"{self.name}.jsonl"

    def key(self, example: Example) -> str | None:
        """Every sentence is one observation."""
        return example.id

    def prepare(self, items: Sequence[Scored]) -> None:
        """Ask for the scores of all sentences that are not known yet."""
        questions = [
            JudgedText(
                item.example.id, item.example.source, item.hypothesis, item.example.references
            )
            for item in items
            if not item.missing
        ]
        keys = [self._key(question) for question in questions]
        stored = self._read_store()
        self._known, self._lost = {}, {}
        unknown: dict[str, JudgedText] = {}
        for question, key in zip(questions, keys, strict=True):
            if key in stored:
                self._known[question.id] = stored[key]
            else:
                unknown.setdefault(key, question)
        self._asked = len(unknown)
        answered = self._ask_all(unknown) if unknown else {}
        for question, key in zip(questions, keys, strict=True):
            answer = answered.get(key)
            if isinstance(answer, JudgedScore):
                self._known[question.id] = answer
            elif isinstance(answer, Failure):
                self._lost[question.id] = answer.reason
        if questions and not self._known:
            reason = next(iter(self._lost.values()), "no sentence has a score")
            raise SystemFailure(f"metric '{self.name}' scored nothing: {reason}")

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """The score of one sentence, as it was given; None where there is none."""
        (item,) = items
        judged = self._known.get(item.example.id)
        if judged is None:
            return None
        name = item.example.id
        return Observation(name, (name,), judged.score, (judged.score,), judged.detail)

    def notes(self) -> dict[str, Any]:
        """What was asked for now, and of how many there is no score."""
        lost = next(iter(self._lost.values()), "")
        return {
            "asked_now": self._asked,
            **({"ask_again": len(self._lost)} if self.unfinished else {}),
            **({"without_score": len(self._lost), "first_reason": lost} if self._lost else {}),
        }

    def signature(self) -> str:
        """Who judges, and what the number means."""
        low, high = self.limits
        better = "higher" if self.higher_is_better else "lower"
        version = f"|version:{self.version}" if self.version else ""
        reach = f"{self.unit}:{low:g}..{high:g}"
        return f"{self.name}|{self.identity()}{version}|{reach}|{better} is better"

    @property
    def unfinished(self) -> bool:
        """Whether a sentence has no score that another try may bring."""
        return bool(self._lost)

    @abstractmethod
    def identity(self) -> str:
        """Who judges: scores of another judge are never taken for these."""

    @abstractmethod
    def judge(self, questions: Sequence[JudgedText]) -> Iterator[JudgedScore | Failure]:
        """Yield a score for each translation, in order, as they come."""

    def checked(self, score: object, detail: Mapping[str, Any]) -> JudgedScore | Failure:
        """A score within the declared limits, or why it is none."""
        if isinstance(score, bool) or not isinstance(score, (int, float)):
            return Failure(f"the score is {score!r}"[:120])
        low, high = self.limits
        if not math.isfinite(score) or not low <= score <= high:
            raise DataError(
                f"metric '{self.name}' gave {score:g}, which is outside its limits {low:g} to "
                f"{high:g}",
                hint=f"declare what its numbers can be: [metric.{self.name}] limits = [LOW, HIGH]",
            )
        return JudgedScore(float(score), dict(detail))

    def _ask_all(self, unknown: Mapping[str, JudgedText]) -> dict[str, JudgedScore | Failure]:
        answered: dict[str, JudgedScore | Failure] = {}
        with ExitStack() as stack:
            store = stack.enter_context(Appender(self._store)) if self._store else None
            bar = stack.enter_context(progress(f"ask {self.name}", len(unknown)))
            answers = self.judge(list(unknown.values()))
            for key, answer in zip(unknown, answers, strict=True):
                answered[key] = answer
                if store is not None and isinstance(answer, JudgedScore):
                    row = {"key": key, "id": unknown[key].id, "score": answer.score}
                    store.append({**row, "detail": dict(answer.detail)})
                bar.advance()
        return answered

    def _key(self, question: JudgedText) -> str:
        languages = (self.source_language, self.target_language)
        asked = [self.identity(), self.version, *languages, question.shown()]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _read_store(self) -> dict[str, JudgedScore]:
        if self._store is None or not self._store.is_file():
            return {}
        with Appender(self._store):
            pass  # cuts off what a kill left half written
        return {
            row["key"]: JudgedScore(row["score"], row.get("detail") or {})
            for row in read_jsonl(self._store)
        }
