"""Has a corpus seen the benchmark?  Exact, normalised and n-gram overlap of every split."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.benchmark import Benchmark, stratified_sample
from recombine.errors import DataError
from recombine.files import read_lines
from recombine.progress import progress

# Overlap of 8-grams is what the GPT and PaLM papers call contamination of short texts; 13 is used
# for documents (Brown et al. 2020, appendix C).
NGRAM = 8
# A sentence counts as overlapping when most of its n-grams are in the corpus.
MOST = 0.7
EXAMPLES_SHOWN = 5


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
    for number, entry in enumerate(entries):
        exact.setdefault(entry.text.strip(), []).append(number)
        normalised.setdefault(simplify(entry.text), []).append(number)
        for gram in set(ngrams(entry.text, ngram)):
            grams.setdefault(gram, []).append(number)
    found_exact: set[int] = set()
    found_normalised: set[int] = set()
    seen_grams: set[str] = set()
    lines = 0
    with progress("contamination") as bar:
        for line in _corpus_lines([Path(path) for path in paths]):
            lines += 1
            bar.advance()
            found_exact.update(exact.get(line.strip(), ()))
            found_normalised.update(normalised.get(simplify(line), ()))
            seen_grams.update(gram for gram in ngrams(line, ngram) if gram in grams)
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
    return tuple(splits) or tuple(split for split in benchmark.splits if split != "train")


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


def ngrams(text: str, size: int) -> Iterator[str]:
    """Word n-grams of the simplified text; character n-grams of texts written without spaces.

    A text shorter than ``size`` is its own single n-gram, so that short sentences count too.
    """
    simple = simplify(text)
    words = simple.split()
    spaced = len(words) > 1 and max(map(len, words)) < 4 * size
    units: Sequence[str] = words if spaced else list(simple.replace(" ", ""))
    if not units:
        return
    joiner = " " if spaced else ""
    # Characters carry less than words; twice as many make an n-gram.
    length = min(len(units), size if spaced else 2 * size)
    for start in range(len(units) - length + 1):
        yield joiner.join(units[start : start + length])


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
