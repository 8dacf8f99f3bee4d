"""Has a corpus seen the benchmark?  Exact, normalised and n-gram overlap of every split."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.benchmark import TRAINING_SPLITS, Benchmark, stratified_sample
from recombine.corpus.segment import is_unspaced
from recombine.errors import DataError
from recombine.files import read_lines
from recombine.progress import progress

# Overlap of 8-grams is what the GPT and PaLM papers call contamination of short texts; 13 is used
# for documents (Brown et al. 2020, appendix C).
NGRAM = 8
# A sentence counts as overlapping when most of its n-grams are in the corpus.
MOST = 0.7
EXAMPLES_SHOWN = 5
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")


class Entry(NamedTuple):
    """One text of a benchmark and where it is from."""

    split: str
    side: str
    id: str
    text: str


def contamination(
    benchmark: Benchmark | Path | str,
    corpora: Path | Sequence[Path],
    *,
    splits: Sequence[str] = (),
    ngram: int = NGRAM,
    sample: int = 0,
) -> dict[str, Any]:
    """Overlap of each split's sources and references with text files, one sentence per line.

    The corpus is streamed and may be of any size, compressed or not; memory grows with the
    benchmark only. `sample` looks for a stratified subset of each split.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    paths = [corpora] if isinstance(corpora, (str, Path)) else list(corpora)
    chosen = searched_splits(benchmark, splits)
    entries = list(_entries(benchmark, chosen, sample))
    exact: dict[str, list[int]] = {}
    normalised: dict[str, list[int]] = {}
    grams: dict[str, list[int]] = {}
    # A text shorter than an n-gram is looked for as a whole wherever it stands in a line; one of a
    # few words, which any line may have, as a sentence of a line.
    lengths: set[int] = set()
    few: set[int] = set()
    for number, entry in enumerate(entries):
        exact.setdefault(entry.text.strip(), []).append(number)
        normalised.setdefault(simplify(entry.text), []).append(number)
        units = units_of(entry.text, ngram)
        if units.texts:
            length = min(len(units.texts), units.most)
            (lengths if 2 * length >= units.most else few).add(length)
            for gram in set(units.grams(length)):
                grams.setdefault(gram, []).append(number)
    found_exact: set[int] = set()
    found_normalised: set[int] = set()
    seen_grams: set[str] = set()
    lines = 0
    with progress("contamination") as bar:
        for line in _corpus_lines([Path(path) for path in paths]):
            lines += 1
            bar.advance()
            for cell in {line, *line.split("\t")}:
                found_exact.update(exact.get(cell.strip(), ()))
                found_normalised.update(normalised.get(simplify(cell), ()))
                units = units_of(cell, ngram)
                for length in lengths:
                    seen_grams.update(gram for gram in units.grams(length) if gram in grams)
                for sentence in _SENTENCE_END.split(cell) if few else ():
                    units = units_of(sentence, ngram)
                    if len(units.texts) in few:
                        seen_grams.update(
                            gram for gram in units.grams(len(units.texts)) if gram in grams
                        )
    shares = _gram_shares(entries, grams, seen_grams)
    return {
        "benchmark": benchmark.manifest.name,
        "corpus": [str(path) for path in paths],
        "corpus_lines": lines,
        "ngram": ngram,
        "splits": {
            split: {
                side: _summary(entries, split, side, found_exact, found_normalised, shares)
                for side in ("source", "reference")
                if any(entry.split == split and entry.side == side for entry in entries)
            }
            for split in chosen
        },
    }


def searched_splits(benchmark: Benchmark, splits: Sequence[str]) -> tuple[str, ...]:
    """Return the splits asked for, or all that no system learns from."""
    for split in splits:
        benchmark.split_path(split)
    return tuple(splits) or tuple(
        split for split in benchmark.splits if split not in TRAINING_SPLITS
    )


def _entries(benchmark: Benchmark, splits: Iterable[str], sample: int) -> Iterator[Entry]:
    for split in splits:
        for example in stratified_sample(benchmark.read(split), sample, 0):
            yield Entry(split, "source", example.id, example.source)
            for reference in example.references[:1]:
                yield Entry(split, "reference", example.id, reference)


def simplify(text: str) -> str:
    """Lower case, compatibility forms, no punctuation, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in folded)
    return " ".join(kept.split())


class TextUnits(NamedTuple):
    """What a text is made of: its words, or its characters where it is written without spaces."""

    texts: Sequence[str]
    joiner: str
    most: int  # how many make an n-gram

    def grams(self, length: int) -> Iterator[str]:
        """Yield all stretches of so many units."""
        for start in range(len(self.texts) - length + 1):
            yield self.joiner.join(self.texts[start : start + length])


def units_of(text: str, size: int) -> TextUnits:
    """Return the units of the simplified text; `size` is the number of words of an n-gram."""
    simple = simplify(text)
    if not is_unspaced(simple):
        return TextUnits(simple.split(), " ", size)
    # Characters carry less than words; twice as many make an n-gram.
    return TextUnits(simple.replace(" ", ""), "", 2 * size)


def _corpus_lines(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        if not path.is_file():
            raise DataError(f"no such corpus file: {path}")
        for _, line in read_lines(path):
            yield line


def _gram_shares(
    entries: Sequence[Entry], grams: dict[str, list[int]], seen: set[str]
) -> list[float]:
    hits = [0] * len(entries)
    totals = [0] * len(entries)
    for gram, owners in grams.items():
        for owner in owners:
            totals[owner] += 1
            hits[owner] += gram in seen
    return [hit / total if total else 0.0 for hit, total in zip(hits, totals, strict=True)]


def _summary(
    entries: Sequence[Entry],
    split: str,
    side: str,
    exact: set[int],
    normalised: set[int],
    shares: Sequence[float],
) -> dict[str, Any]:
    mine = [n for n, entry in enumerate(entries) if entry.split == split and entry.side == side]
    overlapping = [number for number in mine if shares[number] >= MOST]
    worst = sorted(mine, key=lambda number: (-shares[number], number))[:EXAMPLES_SHOWN]
    return {
        "texts": len(mine),
        "exact": sum(number in exact for number in mine),
        "normalised": sum(number in normalised for number in mine),
        "ngram_overlap": len(overlapping),
        "mean_ngram_share": round(sum(shares[number] for number in mine) / len(mine), 4),
        "most_overlapping": [
            {
                "id": entries[number].id,
                "share": round(shares[number], 3),
                "text": entries[number].text,
            }
            for number in worst
            if shares[number] > 0
        ],
    }
