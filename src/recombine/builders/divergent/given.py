"""A split made elsewhere, as lists of sentence numbers: what a release of splits is.

A folder with train.txt and test.txt, and dev.txt where there is one; a number a line, as the
sentences of the corpus are counted. The published program writes such lists (Moisio et al. 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.errors import DataError, Where
from recombine.files import read_lines

Index = npt.NDArray[np.int64]


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
