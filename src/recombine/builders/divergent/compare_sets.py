"""The divergence of any two sets: D_A, D_C, sizes, the most divergent items, random splits beside.

With this, any existing benchmark gets its row of Table 2 of Moisio et al. 2023.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Benchmark
from recombine.builders.divergent.count import Counts, count_corpus
from recombine.builders.divergent.encode import EncodedCorpus, prepare
from recombine.builders.divergent.measure import (
    MeasureOptions,
    column_totals,
    contributions,
    divergences,
)
from recombine.config import parse_config
from recombine.corpus.conllu import is_parsed
from recombine.errors import ConfigError

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Measurement(MeasureOptions):
    """The options of `recombine divergence`."""

    top: int = 10
    # Of each set, a random subset of this many sentences; 0 = all. Small sets diverge more.
    sample: int = 0
    random_tests: tuple[int, ...] = (3_000, 10_000, 30_000)
    random_train: int = 200_000
    seed: int = 1

    def measure(self, train: Path, test: Path) -> dict[str, Any]:
        """Return the divergences of two corpora and what they rest on."""
        with tempfile.TemporaryDirectory(prefix="recombine-") as folder:
            corpus, ends = self._prepare((train, test), Path(folder))
            counts = count_corpus(corpus, self, Path(folder) / "rows")
            sides = counts.sentences >= ends[0]
            train_rows, test_rows = (self._some(np.flatnonzero(side)) for side in (~sides, sides))
            divergence = self._pair(counts, train_rows, test_rows)
            return {
                **divergence,
                **({"sample": [len(train_rows), len(test_rows)]} if self.sample else {}),
                "atom_alpha": self.atom_alpha,
                "compound_alpha": self.compound_alpha,
                "definition": self.definition,
                "edition": self.edition,
                "atoms": counts.atoms,
                "compounds": counts.compounds,
                "train": set_size(corpus, 0, ends[0]),
                "test": set_size(corpus, ends[0], corpus.size),
                "random_splits": self._random(counts),
                **self._most_divergent(counts, ~sides, sides),
            }

    def _prepare(self, corpora: tuple[Path, ...], folder: Path) -> tuple[EncodedCorpus, list[int]]:
        parser = self.parser
        if parser is None and not all(map(is_parsed, corpora)):
            if self.definition != "ngrams":
                raise ConfigError(
                    f"{corpora[0]} is not parsed",
                    hint="give -o parser=spacy:MODEL, or -o definition=ngrams",
                )
            parser = "words"
        reading = replace(self, parser=parser, cache=self.cache or folder)
        return prepare(reading, corpora, folder)

    def _pair(self, counts: Counts, train: Index, test: Index) -> dict[str, Any]:
        vectors = [column_totals(counts, rows) for rows in (train, test)]
        divergence = divergences(vectors[0], vectors[1], counts.atoms, self.alphas)
        return {"atom_divergence": divergence.atom, "compound_divergence": divergence.compound}

    def _some(self, rows: Index) -> Index:
        """Return a seeded subset of the rows, or all of them."""
        if not 0 < self.sample < len(rows):
            return rows
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed)))
        return np.sort(generator.permutation(rows)[: self.sample])

    def _random(self, counts: Counts) -> list[dict[str, Any]]:
        rows = []
        for size in self.random_tests:
            train = min(self.random_train, counts.size - size)
            if train <= size:
                continue
            generator = np.random.Generator(
                np.random.PCG64(np.random.SeedSequence([self.seed, size]))
            )
            order = generator.permutation(counts.size)
            divergence = self._pair(counts, order[size : size + train], order[:size])
            rows.append({"train": train, "test": size, **divergence})
        return rows

    def _most_divergent(
        self, counts: Counts, train: npt.NDArray[np.bool_], test: npt.NDArray[np.bool_]
    ) -> dict[str, Any]:
        left, right = column_totals(counts, train), column_totals(counts, test)
        parts = {
            "most_divergent_atoms": (0, counts.atoms, self.atom_alpha),
            "most_divergent_compounds": (counts.atoms, counts.columns, self.compound_alpha),
        }
        tables = {}
        for name, (low, high, alpha) in parts.items():
            share = contributions(left[low:high], right[low:high], alpha)
            best = np.argsort(-share, kind="stable")[: self.top]
            tables[name] = [
                {
                    "item": counts.column_name(low + int(column)),
                    "train": int(left[low + column]),
                    "test": int(right[low + column]),
                    "contribution": float(share[column]),
                }
                for column in best
            ]
        return tables


def measure_divergence(
    train: Path | str, test: Path | str, options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Measure the divergence between two sets; the options are the fields of `Measurement`.

    A set is a parsed corpus, a text file (with a parser), a split of a benchmark (`DIR/test.jsonl`)
    or a benchmark's directory, whose `train` and `test` or `gen` are meant.
    """
    measurement: Measurement = parse_config(Measurement, dict(options or {}))
    return measurement.measure(
        _file_of(Path(train), ("train",)), _file_of(Path(test), ("test", "gen"))
    )


def set_size(corpus: EncodedCorpus, first: int, last: int) -> dict[str, int]:
    """Return sentences, words and different lemmas of consecutive sentences."""
    low, high = int(corpus.starts[first]), int(corpus.starts[last])
    return {
        "sentences": last - first,
        "words": high - low,
        "lemmas": len(np.unique(np.asarray(corpus.units[low:high]))),
    }


def _file_of(path: Path, splits: tuple[str, ...]) -> Path:
    if not path.is_dir():
        return path
    benchmark = Benchmark.open(path)
    for split in splits:
        if split in benchmark.splits:
            return benchmark.split_path(split)
    raise ConfigError(f"{path} has no split {' or '.join(splits)}")
