"""What a split is: a side for every counted sentence, wanted divergences, bounds on its sizes.

A split made elsewhere is read from lists of sentence numbers: a folder with train.txt and test.txt,
and dev.txt where there is one; a number a line, as the sentences of the corpus are counted. The
published program writes such lists (Moisio et al. 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.errors import ConfigError, DataError, Where
from recombine.files import read_lines

TRAIN, TEST, UNUSED = 0, 1, 2
Sides = npt.NDArray[np.int8]
Index = npt.NDArray[np.int64]


class Goal(NamedTuple):
    """The wanted divergences; the score is -|c - D_C| - weight |D_A - a*|."""

    compound: float
    atom: float = 0.0
    atom_weight: float = 1.0

    def score(self, atom: float, compound: float) -> float:
        """Return how near these divergences come; 0 is best (Moisio et al. 2023, section 3.1)."""
        return -abs(self.compound - compound) - self.atom_weight * abs(atom - self.atom)


@dataclass
class Split:
    """The outcome: a side per row, with divergences computed from scratch."""

    sides: Sides
    atom: float
    compound: float
    train: int
    test: int
    score: float
    moves: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Least and most sentences of train, of test, and of both together. Never left."""

    train: tuple[int, int]
    test: tuple[int, int]
    used: tuple[int, int]

    def array(self) -> npt.NDArray[np.int64]:
        """Return the six numbers in the kernel's order."""
        return np.array([*self.train, *self.test, *self.used], np.int64)

    def require_feasible(self, available: int) -> None:
        """Raise when no split of `available` sentences can satisfy the bounds."""
        names = {"train": self.train, "test": self.test, "used": self.used}
        for name, (least, most) in names.items():
            if least > most or most < 0:
                raise ConfigError(f"infeasible bounds: {name} between {least:,} and {most:,}")
        low = max(self.used[0], self.train[0] + self.test[0])
        high = min(self.used[1], self.train[1] + self.test[1], available)
        if low > high or self.test[0] < 1:
            raise ConfigError(
                f"infeasible bounds: train {_said(self.train)}, test {_said(self.test)}, together "
                f"{_said(self.used)}, but {available:,} sentences have a controlled atom",
                hint="lower the sizes, or give more sentences",
            )


def _said(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]:,}" if bounds[0] == bounds[1] else f"{bounds[0]:,}-{bounds[1]:,}"


def random_split(size: int, bounds: Bounds, seed: int) -> Sides:
    """Return a random split with the largest test and used sizes that the bounds allow."""
    bounds.require_feasible(size)
    used = min(bounds.used[1], bounds.train[1] + bounds.test[1], size)
    test = min(bounds.test[1], used - bounds.train[0])
    train = min(bounds.train[1], used - test)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(size)
    sides = np.full(size, UNUSED, np.int8)
    sides[order[:test]] = TEST
    sides[order[test : test + train]] = TRAIN
    return sides


@dataclass
class GivenSplit:
    """The sentences of each side, counted from 0, and what is certified of them."""

    sentences: dict[str, Index]
    note: dict[str, Any]

    def rows(self, counted: Index) -> dict[str, Index]:
        """Return the rows of each side; sentences without an atom have none, and are noted."""
        found = {
            name: np.flatnonzero(np.isin(counted, ids)) for name, ids in self.sentences.items()
        }
        for name, ids in self.sentences.items():
            if not len(found[name]):
                raise DataError(
                    f"no sentence of '{name}' has an atom under these cut-offs",
                    hint='edition = "all" cuts nothing',
                )
            self.note[name] = {
                "sentences": len(ids),
                "without_atoms": len(ids) - len(found[name]),
            }
        return found


def read_split(folder: Path, size: int, *, first: int | None = None) -> GivenSplit:
    """Read the lists of a folder for a corpus of so many sentences."""
    if not folder.is_dir():
        raise DataError(f"no such folder: {folder}", hint="a folder with train.txt and test.txt")
    first = 1 if first is None else first
    side_of: dict[int, str] = {}
    sentences = {}
    for name in ("train", "dev", "test"):
        path = folder / f"{name}.txt"
        if not path.is_file():
            if name == "dev":
                continue
            raise DataError(f"a split needs {path.name}", Where(str(folder)))
        ids = []
        for number, line in read_lines(path):
            if not line.strip():
                continue
            where = Where(str(path), number)
            if not line.strip().isdecimal():
                raise DataError(f"not a sentence number: '{line.strip()}'", where)
            sentence = int(line) - first
            if not 0 <= sentence < size:
                raise DataError(
                    f"sentence {line.strip()}, but the corpus has {first} to {size - 1 + first}",
                    where,
                    hint="given_first is the number of the corpus's first sentence",
                )
            if sentence in side_of:
                raise DataError(
                    f"sentence {line.strip()} is in '{side_of[sentence]}' already", where
                )
            side_of[sentence] = name
            ids.append(sentence)
        sentences[name] = np.array(ids, dtype=np.int64)
    return GivenSplit(sentences, {"first": first})
