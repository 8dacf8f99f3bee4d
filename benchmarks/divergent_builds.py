"""Whole builds of divergent splits against their limits: seconds, memory, divergences.

    python benchmarks/divergent_builds.py CORPUS --claim paper      # counting, max and min
    python benchmarks/divergent_builds.py CORPUS --claim all        # every atom and compound
    python benchmarks/divergent_builds.py CORPUS --claim large      # 2,000,000 sentences beside it

CORPUS is a parsed corpus in columns (text, lemmas, relations, heads, ...), plain or compressed.
Each build is a `recombine build` of its own; wall and CPU seconds and peak memory are those of that
process (and of the workers it waited for). The large corpus repeats the sentences with 15% of their
lemmas drawn anew from words of the same relation, so that its compounds grow too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from recombine.builders.divergent.count import CountOptions, count_corpus
from recombine.builders.divergent.encode import prepare
from recombine.files import open_text

LARGE = 2_000_000
RESAMPLED = 0.15


class Cost(NamedTuple):
    """What one build took, and its certificate."""

    wall: float
    cpu: float
    gigabytes: float
    certificate: dict[str, Any]


def build(corpus: Path, out: Path, edition: str, divergence: float) -> Cost:
    """Run one build in a process of its own."""
    shutil.rmtree(out, ignore_errors=True)
    command = [
        sys.executable, "-m", "recombine.cli", "build", "divergent", "--out", str(out),
        "-o", f"corpus={corpus}", "-o", f"edition={edition}",
        "-o", f"target_divergence={divergence}",
    ]  # fmt: skip
    start = time.perf_counter()
    process = os.posix_spawn(sys.executable, command, os.environ)
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"the build ended with status {status}")
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    shutil.rmtree(out)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, certificate)


def say(name: str, cost: Cost) -> None:
    """Print one build."""
    found = cost.certificate
    print(
        f"{name}: {cost.wall:.1f} s wall, {cost.cpu:.1f} CPU s, {cost.gigabytes:.2f} GB, "
        f"D_A {found['atom_divergence']:.5f} D_C {found['compound_divergence']:.5f}, "
        f"used {found['used_share']:.3f} of {found['rows']:,} rows, "
        f"test {found['test_share']:.3f}, {found['compounds']:,} compounds",
        flush=True,
    )


def claim(name: str, good: bool) -> None:
    """Print whether a limit was kept."""
    print(f"  {'kept' if good else 'MISSED'}: {name}", flush=True)


def write_large(corpus: Path, out: Path, size: int) -> None:
    """Write `size` sentences: the corpus itself, then variants of it."""
    draw = random.Random(1)
    with open_text(corpus) as stream:
        header = stream.readline().rstrip("\n").split("\t")
        names = ("text" if "text" in header else header[0], "lemmas", "relations", "heads")
        places = [header.index(name) for name in names]
        rows = [
            [fields[at] for at in places]
            for fields in (line.rstrip("\n").split("\t") for line in stream)
        ]
    words: dict[str, list[str]] = {}
    for _, lemmas, relations, _ in rows[:60_000]:
        for lemma, relation in zip(lemmas.split(" "), relations.split(" "), strict=True):
            words.setdefault(relation, []).append(lemma)
    with out.open("w", encoding="utf-8") as stream:
        stream.write("text\tlemmas\trelations\theads\n")
        for number in range(size):
            text, lemmas, relations, heads = rows[number % len(rows)]
            if number >= len(rows):
                lemmas = " ".join(
                    draw.choice(words[relation])
                    if relation in words and draw.random() < RESAMPLED
                    else lemma
                    for lemma, relation in zip(lemmas.split(" "), relations.split(" "), strict=True)
                )
            stream.write(f"{text}\t{lemmas}\t{relations}\t{heads}\n")


def paper(corpus: Path, folder: Path) -> None:
    """Counting, the maximal and the minimal split."""
    options = CountOptions()
    encoded, _ = prepare(options, (corpus,), folder)
    start = time.perf_counter()
    counts = count_corpus(encoded, options, folder / "rows")
    seconds = time.perf_counter() - start
    print(f"counting {encoded.size:,} sentences: {seconds:.1f} s wall, {counts.size:,} rows")
    claim("counting under 10 s", seconds < 10)
    for divergence, most_atom in ((1.0, 0.0018), (0.0, 0.006)):
        cost = build(corpus, folder / "built", "paper", divergence)
        say(f"paper, c = {divergence:g}", cost)
        found = cost.certificate["compound_divergence"]
        claim("under 60 s and 2 GB", cost.wall < 60 and cost.gigabytes < 2)
        claim("D_C", found >= 0.9999 if divergence else found <= 0.076)
        claim(f"D_A <= {most_atom}", cost.certificate["atom_divergence"] <= most_atom)


def every(corpus: Path, folder: Path) -> None:
    """No cut at all."""
    cost = build(corpus, folder / "built", "all", 1.0)
    say("all, c = 1", cost)
    claim("under 300 s and 6 GB", cost.wall < 300 and cost.gigabytes < 6)


def large(corpus: Path, folder: Path) -> None:
    """Cost per sentence of 2,000,000 against that of the corpus."""
    many = folder / "large.tsv"
    write_large(corpus, many, LARGE)
    for edition in ("paper", "all"):
        costs = [build(path, folder / "built", edition, 1.0) for path in (corpus, many)]
        for path, cost in zip((corpus, many), costs, strict=True):
            say(f"{edition}, {cost.certificate['sentences']:,} sentences of {path.name}", cost)
        for name in ("wall", "cpu"):
            each = [getattr(cost, name) / cost.certificate["sentences"] for cost in costs]
            print(f"  {name} per sentence: {each[1] / each[0]:.2f} times that of the corpus")
            claim("at most 1.5 times", each[1] <= 1.5 * each[0])


def main() -> None:
    """Measure one claim, or all."""
    claims = {"paper": paper, "all": every, "large": large}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--claim", choices=claims, action="append")
    options = parser.parse_args()
    for name in options.claim or claims:
        with tempfile.TemporaryDirectory() as folder:
            claims[name](options.corpus, Path(folder))


if __name__ == "__main__":
    main()
