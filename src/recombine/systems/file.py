"""Translations that were made elsewhere and lie in files, as a system among others."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from recombine.errors import ConfigError, DataError
from recombine.systems.base import Failure

_FIELD = re.compile(r"\{(\w*)\}")


@dataclass(kw_only=True)
class TranslationsFile:
    """Takes translations from files: plain lines in a split's order, or JSON lines {"id", "hyp"}.

    `{split}` in the path is the name of the split, `{seed}` the seed where there are outputs of
    several trainings. `checkpoint_path` has `{checkpoint}` too: outputs during training, whose
    names, such as step-2000, order them by their number.
    """

    path: str
    checkpoint_path: str = ""
    fields: ClassVar[tuple[str, ...]] = ("split", "seed", "checkpoint")

    def __post_init__(self) -> None:
        for path in (self.path, self.checkpoint_path):
            for name in _FIELD.findall(path):
                if name not in self.fields:
                    raise ConfigError(
                        f"{path}: unknown placeholder '{{{name}}}'",
                        hint="known: {split}, {seed}, and in checkpoint_path {checkpoint}",
                    )
        if "{checkpoint}" in self.path or (
            self.checkpoint_path and "{checkpoint}" not in self.checkpoint_path
        ):
            raise ConfigError(
                "'path' must not contain {checkpoint}, 'checkpoint_path' must",
                hint='path = "out/{split}.txt", checkpoint_path = "out/{split}@{checkpoint}.txt"',
            )
        if not self.depends_on():
            raise ConfigError(f"no file {self._of(self.path, '*', '*', '*')}")

    @property
    def uses_seed(self) -> bool:
        """Whether every seed has files of its own."""
        return "{seed}" in self.path

    def outputs(self, split: str, seed: int, checkpoint: str | None = None) -> Path:
        """The file of a split."""
        pattern = self.path if checkpoint is None else self.checkpoint_path
        path = Path(self._of(pattern, split, str(seed), checkpoint or ""))
        if not path.is_file():
            raise DataError(
                f"there is no file {path} with translations of '{split}'",
                hint='name the splits that have files: splits = ["gen"]',
            )
        return path

    def checkpoints(self, model_dir: Path) -> list[str]:
        """Names of the checkpoints that there are files of."""
        if not self.checkpoint_path:
            return []
        expression = re.escape(self.checkpoint_path)
        for name, capture in zip(self.fields, (".+?", "-?[0-9]+", "(?P<name>.+?)"), strict=True):
            expression = expression.replace(re.escape(f"{{{name}}}"), capture, 1)
            expression = expression.replace(re.escape(f"{{{name}}}"), ".+?")
        matches = (re.fullmatch(expression, path) for path in self._files(self.checkpoint_path))
        return sorted({match["name"] for match in matches if match is not None})

    def translate(self, sources: Sequence[str]) -> Iterator[Failure]:
        """Fail: what is not in the file is not there."""
        for _ in sources:
            yield Failure(f"there is no translation of it in {self.path}")

    def depends_on(self) -> tuple[Path, ...]:
        """Every file of every split."""
        patterns = [pattern for pattern in (self.path, self.checkpoint_path) if pattern]
        return tuple(Path(path) for pattern in patterns for path in self._files(pattern))

    @classmethod
    def _of(cls, pattern: str, *values: str) -> str:
        for name, value in zip(cls.fields, values, strict=True):
            pattern = pattern.replace(f"{{{name}}}", value)
        return pattern

    @classmethod
    def _files(cls, pattern: str) -> list[str]:
        parts = [glob.escape(text) for text in _FIELD.split(pattern)[::2]]
        paths = glob.glob("*".join(parts))  # noqa: PTH207 - a path may begin anywhere
        return sorted(path for path in paths if Path(path).is_file())
