"""Load: time and memory at a tenth, a third and the whole of a large piece of work.

    python benchmarks/load.py                     all three, whole sizes (tens of minutes)
    python benchmarks/load.py --scale 0.01 --only score

score: 1,000,000 hypotheses. report: 20 systems on full SGET. split: 2,000,000 parsed sentences.
Seconds on the clock, seconds of processor time and the peak of memory are those of the command's
own process (wait4); `growth` is the exponent of processor time between one line and the next: 1
grows with the work, 2 with its square.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from recombine.benchmark import Example
from recombine.draft import Draft

PARTS = (0.1, 1 / 3, 1.0)
RECOMBINE = (sys.executable, "-m", "recombine.cli")
HEAD = {
    "format": 1, "name": "load", "version": "1", "source": "en", "target": "de", "seed": 0,
    "builder": "imported", "licence": "", "citation": "", "metrics": [], "recombine": "0",
    "recipe": {},
}  # fmt: skip


class Used(NamedTuple):
    """What a command took."""

    seconds: float
    processor: float
    megabytes: float


def timed(folder: Path, *arguments: object) -> Used:
    """Run a command and return what it took."""
    began = time.monotonic()
    process = subprocess.Popen(
        [*RECOMBINE, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(said.decode("utf-8", "replace")[-2000:])
    processor = used.ru_utime + used.ru_stime
    return Used(time.monotonic() - began, processor, used.ru_maxrss / 1024)


def sentences(count: int) -> Iterator[Example]:
    """Sentences of two hundred words, each once."""
    for number in range(count):
        words = [f"w{number // 200**place % 200}" for place in range(4)]
        source = " ".join(words) + " ."
        tags = {"kind": f"k{number % 40}"}
        yield Example(id=f"e{number}", source=source, references=(source.upper(),), tags=tags)


def score(folder: Path, count: int) -> Used:
    """Score hypotheses of which two thirds are right."""
    draft = Draft(folder / "benchmark", seed=0)
    draft.write("test", sentences(count))
    draft.finish(HEAD)
    with (folder / "hyps").open("w") as stream:
        for number, one in enumerate(sentences(count)):
            stream.write((one.references[0] if number % 3 else one.source) + "\n")
    metrics = [part for name in ("exact", "chrf") for part in ("--metric", name)]
    return timed(folder, "score", "benchmark", "--hyps", "hyps", "--split", "test", *metrics)


def report(folder: Path, systems: int) -> Used:
    """Report on systems that spoil some of the references of full SGET."""
    timed(folder, "build", "sget", "--out", "sget")
    text = 'benchmark = "sget"\nrun = "run"\nmetrics = ["exact", "chrf"]\nsplits = ["gen"]\n'
    for number in range(systems):
        text += f'[system.s{number}]\nuse = "noisy-oracle"\nbenchmark = "sget"\n'
        text += f"noise = {0.02 * (number + 1):.2f}\n"
    (folder / "e.toml").write_text(text)
    timed(folder, "translate", "e.toml")
    timed(folder, "score", "e.toml")
    return timed(folder, "report", "run", "--out", "report")


def split(folder: Path, count: int) -> Used:
    """Split a parsed corpus by divergence."""
    with (folder / "corpus.conllu").open("w") as stream:
        for number in range(count):
            words = [f"v{number // 90**place % 90}" for place in range(5)]
            rows = [
                f"{place + 1}\t{word}\t{word}\tX\t_\t_\t{place}\t{'obj' if place else 'root'}\t_\t_"
                for place, word in enumerate(words)
            ]
            stream.write(f"# text = {' '.join(words)}\n" + "\n".join(rows) + "\n\n")
    recipe = 'builder = "divergent"\ncorpus = "corpus.conllu"\nedition = "all"\n'
    (folder / "r.toml").write_text(recipe)
    return timed(folder, "build", "r.toml", "--out", "made")


WORK: dict[str, tuple[Callable[[Path, int], Used], int, str]] = {
    "score": (score, 1_000_000, "hypotheses"),
    "report": (report, 20, "systems on SGET"),
    "split": (split, 2_000_000, "sentences"),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*WORK])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--out", type=Path, help="the rows as JSON")
    options = parser.parse_args()
    rows = []
    print("| work | size | seconds | of processor | MB | growth |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in (options.only,) if options.only else WORK:
        run, whole, unit = WORK[name]
        before: tuple[int, float] | None = None
        for part in PARTS:
            size = max(1, round(whole * part * options.scale))
            with tempfile.TemporaryDirectory() as folder:
                used = run(Path(folder), size)
            growth = ""
            if before is not None and size > before[0]:
                growth = f"{math.log(used.processor / before[1]) / math.log(size / before[0]):.2f}"
            before = size, used.processor
            print(
                f"| {name} | {size:,} {unit} | {used.seconds:.1f} | {used.processor:.1f} "
                f"| {used.megabytes:,.0f} | {growth} |",
                flush=True,
            )
            rows.append({"work": name, "size": size, **used._asdict()})
    if options.out is not None:
        options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
