"""Where training pairs come from: a benchmark's train split, two texts, a table, JSON lines.

Of a benchmark only `train` is opened here. Its other splits are read by certificate.py, after
everything has been drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recombine.augment.options import TrainingPair
from recombine.benchmark import Benchmark, Example, normalise, stratified_sample
from recombine.errors import ConfigError, DataError, Where
from recombine.files import read_aligned, read_jsonl, read_lines, sha256_of

PACKED = (".gz", ".xz", ".bz2")
TRAIN = "train"


@dataclass(frozen=True)
class PairSource:
    """Training pairs, their languages, and what a certificate says of where they are from."""

    pairs: tuple[TrainingPair, ...]
    source_language: str
    target_language: str
    origin: dict[str, Any]
    benchmark: Benchmark | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of the pairs as a method receives them."""
        digest = hashlib.sha256()
        for pair in self.pairs:
            digest.update(f"{pair.id}\0{pair.source}\0{pair.target}\n".encode())
        return digest.hexdigest()


def read_pairs(
    paths: Sequence[Path], *, source: str = "", target: str = "", sample: int = 0
) -> PairSource:
    """Read the training pairs of a benchmark, of two aligned texts, or of one table.

    A table is tab-separated (source, target; or a header that names them) or JSON lines with
    `source` and `target` or `references`. Languages are those of the benchmark, or else the ends of
    the names of two texts (`train.en`). `sample` keeps so many pairs.
    """
    if len(paths) == 1 and paths[0].is_dir():
        return benchmark_pairs(Benchmark.open(paths[0]), sample=sample)
    if len(paths) == 2:
        rows = [(texts[0], texts[1]) for _, texts in read_aligned(*paths)]
        languages = [_language(path) for path in paths]
    elif len(paths) == 1:
        rows = list(_table(paths[0]))
        languages = ["", ""]
    else:
        raise ConfigError(
            f"{len(paths)} files are no training pairs",
            hint="give a benchmark, two texts, one .tsv or one .jsonl",
        )
    pairs = [
        TrainingPair(normalise(one).strip(), normalise(other).strip(), str(number))
        for number, (one, other) in enumerate(rows, start=1)
    ]
    if not pairs:
        raise DataError("no training pairs", Where(str(paths[0])))
    origin = {"files": {path.name: sha256_of(path) for path in paths}, "pairs": len(pairs)}
    chosen = _sampled(pairs, sample)
    return PairSource(
        tuple(chosen),
        source or languages[0],
        target or languages[1],
        {**origin, **({"sample": len(chosen)} if len(chosen) < len(pairs) else {})},
    )


def benchmark_pairs(
    benchmark: Benchmark, examples: Sequence[Example] | None = None, *, sample: int = 0
) -> PairSource:
    """Return the training pairs of a benchmark, or some of them."""
    manifest = benchmark.manifest
    chosen = benchmark.read(TRAIN) if examples is None else examples
    chosen = stratified_sample(chosen, sample, 0)
    pairs = [
        TrainingPair(one.source, one.references[0], one.id) for one in chosen if one.references
    ]
    if not pairs:
        raise DataError(
            f"none of the {len(chosen):,} examples of 'train' has a reference",
            Where(str(benchmark.split_path(TRAIN))),
        )
    origin = {
        "benchmark": manifest.name,
        "benchmark_sha256": benchmark.hash,
        "files": {f"{TRAIN}.jsonl": manifest.files[f"{TRAIN}.jsonl"]},
        "pairs": manifest.splits[TRAIN],
    }
    if len(pairs) < manifest.splits[TRAIN]:
        origin["sample"] = len(pairs)
    return PairSource(tuple(pairs), manifest.source, manifest.target, origin, benchmark)


def _sampled(pairs: list[TrainingPair], sample: int) -> list[TrainingPair]:
    # Lines have no tags, so that the whole text is one stratum.
    lines = [Example(id=pair.id, source=pair.source) for pair in pairs]
    kept = {one.id for one in stratified_sample(lines, sample, 0)}
    return [pair for pair in pairs if pair.id in kept]


def _language(path: Path) -> str:
    """The end of a file's name where it looks like the code of a language."""
    while path.suffix in PACKED:
        path = path.with_suffix("")
    code = path.suffix.removeprefix(".")
    return code if code.isalpha() and len(code) in (2, 3) and code != "txt" else ""


def _table(path: Path) -> Iterator[tuple[str, str]]:
    plain = path
    while plain.suffix in PACKED:
        plain = plain.with_suffix("")
    if plain.suffix in (".jsonl", ".json"):
        yield from _json_rows(path)
        return
    places = (0, 1)
    for number, line in read_lines(path):
        cells = line.split("\t")
        if number == 1 and {"source", "target"} <= set(cells):
            places = (cells.index("source"), cells.index("target"))
            continue
        if len(cells) <= max(places):
            raise DataError(
                f"one language only: {len(cells)} column{'s' if len(cells) > 1 else ''}, and a "
                "pair has a source and a target",
                Where(str(path), number, 1, line[:200]),
                hint="columns are separated by tabs; two texts are given as two files",
            )
        yield cells[places[0]], cells[places[1]]


def _json_rows(path: Path) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(read_jsonl(path), start=1):
        references = row.get("references") or ()
        target = row.get("target", references[0] if isinstance(references, list) else None)
        if not isinstance(row.get("source"), str) or not isinstance(target, str):
            raise DataError(
                "a row needs 'source' and 'target' (or 'references') as texts",
                Where(str(path), number),
                hint=f"it has: {', '.join(row)}",
            )
        yield row["source"], target
