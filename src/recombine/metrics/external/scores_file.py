"""Scores that somebody made elsewhere: a file with one for each sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recombine.errors import ConfigError, DataError, Where
from recombine.files import read_jsonl
from recombine.metrics.external.base import ExternalMetric, JudgedScore, JudgedText
from recombine.systems.base import Failure


@dataclass(kw_only=True)
class ScoresFile(ExternalMetric):
    """Scores from a file: JSON lines {"id", "score"}, by the ids of sentences.

    `path` may hold {system}, {seed} and {split}. The files that `score --observations` and runs
    write can be read, too ({"id", "value"}).
    """

    path: str
    _files: tuple[Path, ...] = field(init=False, default=(), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.settle("", 1, None)

    def settle(self, system: str, seed: int, folder: Path | None) -> None:
        """Find the files of a system; of {split} every one that is there."""
        try:
            place = Path(self.path.format(system=system, seed=seed, split="*"))
        except (KeyError, IndexError, ValueError):
            raise ConfigError(
                f"path = '{self.path}'", hint="it may hold {system}, {seed} and {split}"
            ) from None
        paths = place.parent.glob(place.name) if "{split}" in self.path else [place]
        self._files = tuple(sorted(path for path in paths if path.is_file()))

    @property
    def unfinished(self) -> bool:
        """Another look finds nothing else in a file."""
        return False

    def identity(self) -> str:
        """The content of the files is their identity."""
        return "scores-file"

    def depends_on(self) -> Sequence[Path]:
        """The files."""
        return self._files

    def judge(self, questions: Sequence[JudgedText]) -> Iterator[JudgedScore | Failure]:
        """Look every sentence up."""
        if not self._files:
            raise DataError(
                f"metric '{self.name}': no such file: {self.path}",
                hint='JSON lines {"id", "score"}',
            )
        scores: dict[str, Any] = {}
        for path in self._files:
            for number, row in enumerate(read_jsonl(path), start=1):
                name, score = row.get("id"), row.get("score", row.get("value"))
                if not isinstance(name, str) or score is None:
                    raise DataError('a row needs "id" and "score"', Where(str(path), number))
                if name in scores:
                    raise DataError(f"'{name}' has a score already", Where(str(path), number))
                scores[name] = self.checked(score, row.get("detail") or {})
        for question in questions:
            yield scores.get(question.id) or Failure("the file has no score of this sentence")

    def _read_store(self) -> dict[str, JudgedScore]:
        return {}  # the file is the store
