"""Systems simple enough to predict by hand: for tests, tutorials and sanity checks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError
from recombine.files import read_table


@dataclass(kw_only=True)
class Copy:
    """Returns each source unchanged: the floor under every metric."""

    trained_on: ClassVar[str] = "nothing"

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        """Yield the sources."""
        yield from sources


@dataclass(kw_only=True)
class Dictionary:
    """Translates word by word from a TSV file (word, translation); unknown words are copied."""

    path: Path
    joiner: str = " "
    _words: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = read_table(self.path, columns=("word", "translation"))
        self._words = {row["word"]: row["translation"] for row in rows}

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        """Yield each source with every word replaced."""
        for source in sources:
            words = (self._words.get(w, self._words.get(w.lower(), w)) for w in source.split())
            yield self.joiner.join(words)

    def depends_on(self) -> tuple[Path, ...]:
        """The words."""
        return (self.path,)


@dataclass(kw_only=True)
class NoisyOracle:
    """Knows a benchmark's references and spoils a share of them by dropping one word.

    For testing metrics and reports: its exact match is known in advance. Which sentences are
    spoiled depends on the sentence and the seed alone, so any order and batch gives the same. It
    stands for a system that learned from the benchmark.
    """

    trained_on: ClassVar[str] = "train"
    benchmark: Path
    noise: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 1:
            raise ConfigError(f"noise must be between 0 and 1, not {self.noise}")
        if not (self.benchmark / "benchmark.toml").is_file():
            Benchmark.open(self.benchmark)  # says what is wrong with it

    @cached_property
    def _references(self) -> dict[str, str]:
        opened = Benchmark.open(self.benchmark)
        return {
            example.source: example.references[0]
            for split in opened.splits
            for example in opened.iterate(split)
            if example.references
        }

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        """Yield references, spoiled or not; a source the benchmark lacks is copied."""
        for source in sources:
            reference = self._references.get(source, source)
            digest = hashlib.sha256(f"{self.seed}\x1f{source}".encode()).digest()
            if int.from_bytes(digest[:8], "big") >= self.noise * 2**64:
                yield reference
                continue
            parts = reference.split(" ") if " " in reference else list(reference)
            drop = int.from_bytes(digest[8:16], "big") % len(parts)
            kept = parts[:drop] + parts[drop + 1 :]
            yield (" " if " " in reference else "").join(kept) or "-"

    def depends_on(self) -> tuple[Path, ...]:
        """The benchmark whose references it knows."""
        return (self.benchmark / "benchmark.toml",)
