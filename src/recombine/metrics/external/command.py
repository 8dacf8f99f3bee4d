"""Any program as a metric: JSON lines in, a score per line out, in an environment of its own."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from recombine.metrics.external.base import ExternalMetric, JudgedScore, JudgedText
from recombine.stage import content_of
from recombine.systems.base import Failure, answers
from recombine.systems.command.records import JsonRecords, Records
from recombine.systems.command.system import Command


class ScoreRecords(JsonRecords):
    """Records that ask with all texts of a sentence and answer with a score."""

    def question(self, source: str) -> dict[str, Any]:
        """What is asked, which is kept as JSON until it is sent."""
        row: dict[str, Any] = json.loads(source)
        return row

    def reading(self, answer: Mapping[str, Any]) -> str | Failure:
        """The whole answer, as JSON."""
        if "score" not in answer:
            return Failure("the answer has no 'score'")
        return json.dumps(answer)


@dataclass(kw_only=True)
class ScoringProgram(Command):
    """A program that is sent translations with their sources and references."""

    format: Literal["lines", "jsonl"] = "jsonl"

    def records(self, places: Sequence[int]) -> Records:
        """Records with scores."""
        return ScoreRecords(places, "id", "", "")


@dataclass(kw_only=True)
class CommandMetric(ExternalMetric):
    """A program scores each sentence: COMET, MetricX, or one of yours.

    It reads JSON lines {"id", "source", "hypothesis", "references", "source_language",
    "target_language"} and prints {"id", "score"} for each, in any order; "detail" may hold what a
    reader of the report should see. What was scored is kept, and a killed run goes on.
    """

    run: str | tuple[str, ...]
    mode: Literal["long-lived", "per-batch"] = "per-batch"
    batch_size: int = 512
    in_flight: int = 1
    cwd: Path | None = None
    env: tuple[str, ...] = ()
    timeout: float = 600.0
    retries: int = 1
    give_up_after: int = 20
    _program: ScoringProgram = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._program = ScoringProgram(
            run=self.run, mode=self.mode, batch_size=self.batch_size, in_flight=self.in_flight,
            cwd=self.cwd, env=self.env, timeout=self.timeout, retries=self.retries,
            give_up_after=self.give_up_after,
        )  # fmt: skip

    def identity(self) -> str:
        """The command line and the content of its scripts."""
        line = self.run if isinstance(self.run, str) else shlex.join(self.run)
        content = content_of(self._program.depends_on())
        return f"command:{line}" + (f"|code:{_short(content)}" if content else "")

    def depends_on(self) -> Sequence[Path]:
        """Its scripts."""
        return self._program.depends_on()

    def outside(self) -> Mapping[str, str]:
        """The program that is run."""
        return self._program.outside()

    def judge(self, questions: Sequence[JudgedText]) -> Iterator[JudgedScore | Failure]:
        """Send what is asked, and read the scores."""
        languages = {
            "source_language": self.source_language,
            "target_language": self.target_language,
        }
        asked = [
            json.dumps({**question.shown(), **languages}, ensure_ascii=False)
            for question in questions
        ]
        try:
            for answer in answers(self._program, asked):
                if isinstance(answer, Failure):
                    yield answer
                    continue
                reply = json.loads(answer)
                detail = reply.get("detail")
                yield self.checked(reply["score"], detail if isinstance(detail, dict) else {})
        finally:
            self._program.close()


def _short(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
