"""Two versions of Recombine on the same work: is the new one as fast as the old?

    python benchmarks/two_trees.py --old ../recombine-0.1 --new . --rounds 5
    python benchmarks/two_trees.py --old ../recombine-0.1 --new . --only build parse --scale 0.1

Everything goes through the command line, which is what the versions share. The two take turns, so
that both meet the same machine; the median counts. Besides the wall time the processor time of the
command and its children is printed: on a busy machine it is the fairer number. A new version that
is slower by more than 5% is marked. Both run from compiled modules, as installed packages do. A
command that fails is named, and what needs it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

TOLERANCE = 0.05
RELATIONS = ("nsubj", "obj", "amod", "advmod", "mark", "obl")


class Spent(NamedTuple):
    """Seconds of one command."""

    wall: float
    cpu: float


class Work(NamedTuple):
    """One command, and what must be there before it runs."""

    name: str
    arguments: Sequence[str]
    # Written anew before each round.
    fresh: Sequence[str] = ()
    prepare: Callable[[], None] | None = None
    # Works whose outputs it reads.
    needs: Sequence[str] = ()


def recombine(tree: Path, arguments: Sequence[str], folder: Path) -> Spent:
    """Run one verb of a tree's own source in a folder of its own."""
    path = [str(tree / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    compiled = folder.with_name(f"{folder.name}-compiled")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    environment |= {"PYTHONPYCACHEPREFIX": str(compiled), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "recombine.cli", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{tree}: recombine {' '.join(arguments)}\n{done.stderr[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(wall, cpu)


def write_trees(path: Path, sentences: int) -> None:
    """Write a parsed corpus of made-up sentences with a long tail, as CoNLL-U."""
    generator = np.random.default_rng(1)
    weights = 1 / np.arange(1, 20_001)
    lengths = generator.integers(4, 16, sentences)
    roots = generator.integers(0, lengths)
    drawn = iter(generator.choice(len(weights), lengths.sum(), p=weights / weights.sum()).tolist())
    is_near = iter(generator.integers(0, 2, lengths.sum()).tolist())
    with path.open("w", encoding="utf-8") as stream:
        for length, root in zip(lengths.tolist(), roots.tolist(), strict=True):
            for at, word, near in zip(range(length), drawn, is_near):  # noqa: B905
                head = max(1, at) if near else root + 1
                head = 0 if at == root else root + 1 if head == at + 1 else head
                relation = "root" if head == 0 else RELATIONS[word % len(RELATIONS)]
                row = f"{at + 1}\tw{word}\tw{word}\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
                stream.write(row)
            stream.write("\n")


def experiment(folder: Path, name: str, text: str) -> str:
    """Write an experiment file; return its name."""
    (folder / name).write_text(text, encoding="utf-8")
    return name


def noisy(systems: int, metrics: Sequence[str]) -> str:
    """Return an experiment of systems that know the references and spoil some."""
    head = 'benchmark = "sget"\nrun = "noisy"\nsplits = ["test", "gen"]\n'
    head += f"metrics = {json.dumps(list(metrics))}\n"
    return head + "".join(
        f'\n[system.noisy{n}]\nuse = "noisy-oracle"\nbenchmark = "sget"\nnoise = 0.{n}\n'
        for n in range(1, systems + 1)
    )


def works(folder: Path, scale: float, metrics: Sequence[str]) -> list[Work]:
    """Return every piece of work, in an order in which each finds what it needs."""
    oracle = 'benchmark = "sget"\nrun = "oracle"\nsplits = ["gen"]\n'
    oracle += '\n[system.oracle]\nuse = "oracle"\ngrammar = "sget"\ntarget = "ja"\n'
    small = 'benchmark = "mini"\nrun = "small"\nsplits = ["gen"]\nsample = 300\n'
    small += '\n[system.small]\nuse = "transformer"\npreset = "small"\nsteps = 300\n'
    small += 'evaluate_every = 300\ncheckpoint_every = 300\ndevice = "cpu"\nengine = "torch"\n'
    trees = folder.parent / "trees.conllu"  # one for both
    split = ["build", "divergent", "--out", "split", "-o", f"corpus={trees}"]
    split += ["-o", "edition=all", "-o", "target_divergence=1.0"]
    sentences = max(2_000, int(300_000 * scale))
    samples = str(int(40_000 * scale))

    def corpus() -> None:
        if not trees.exists():
            write_trees(trees, sentences)

    parse = ["translate", experiment(folder, "oracle.toml", oracle)]
    train = ["train", experiment(folder, "small.toml", small)]
    spoil = ["translate", experiment(folder, "noisy.toml", noisy(5, metrics))]
    translations = ["small/small/seed-1/translations"]
    return [
        Work("build", ["build", "sget", "--out", "sget", "-o", f"scale={scale}"], ["sget"]),
        Work("mini", ["build", "sget-mini", "--out", "mini"], ["mini"]),
        Work("sample", ["sample", "sget", "-n", samples, "--languages", "en,ja", "--json"]),
        Work("parse", parse, ["oracle"], needs=["build"]),
        Work("split", split, ["split"], corpus),
        Work("train", train, ["small"], needs=["mini"]),
        Work("decode", ["translate", "small.toml"], translations, needs=["train"]),
        Work("noisy", spoil, ["noisy"], needs=["build"]),
        Work("score", ["score", "noisy.toml", "--force"], needs=["noisy"]),
        Work("report", ["report", "noisy", "--out", "report"], ["report"], needs=["score"]),
    ]


def needed(plan: Sequence[Work], wanted: Sequence[str]) -> set[str]:
    """Return the names of some works and of all that must run before them."""
    works = {work.name: work for work in plan}
    return set(wanted).union(*(needed(plan, works[name].needs) for name in wanted))


def main() -> None:
    """Let both trees do everything in turn, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--old", type=Path, required=True, help="the tree to compare with")
    parser.add_argument("--new", type=Path, required=True, help="the tree in question")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="share of full SGET (1.0: all)")
    parser.add_argument("--only", nargs="*", default=[], help="names of works")
    parser.add_argument("--metrics", nargs="+", default=["exact", "bleu"], help="of the report")
    parser.add_argument("--json", type=Path, help="a file for the seconds of every round")
    options = parser.parse_args()
    trees = {"old": options.old.resolve(), "new": options.new.resolve()}
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary) / name for name in trees}
        for folder in folders.values():
            folder.mkdir()
        plans = {n: works(one, options.scale, options.metrics) for n, one in folders.items()}
        print("| work | old wall | new wall | old CPU | new CPU | CPU new/old |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        wanted = options.only or [work.name for work in plans["old"]]
        running = needed(plans["old"], wanted)
        measured: dict[str, dict[str, list[Spent]]] = {}
        failed: set[str] = set()
        for index, work in enumerate(plans["old"]):
            if work.name not in running or not failed.isdisjoint(work.needs):
                failed.add(work.name)
                continue
            timed = work.name in wanted
            spent: dict[str, list[Spent]] = {name: [] for name in trees}
            try:
                # The first round of both compiles and warms caches; it does not count, and so the
                # two need not take turns.
                if work.prepare is not None:
                    work.prepare()
                with ThreadPoolExecutor() as pool:
                    every = [(trees[n], plans[n][index], folders[n]) for n in trees]
                    list(pool.map(one_round, *zip(*every, strict=True)))
                for _ in range(options.rounds if timed else 0):
                    for name, tree in trees.items():
                        spent[name].append(one_round(tree, plans[name][index], folders[name]))
                    if options.json:
                        measured[work.name] = spent
                        options.json.write_text(json.dumps(measured), encoding="utf-8")
            except RuntimeError as error:
                print(error, file=sys.stderr, flush=True)
                failed.add(work.name)
                continue
            if timed:
                print(row_of(work.name, spent), flush=True)
    if missing := failed.intersection(wanted):
        sys.exit(f"failed: {', '.join(sorted(missing))}")


def one_round(tree: Path, work: Work, folder: Path) -> Spent:
    """Let one tree do one work afresh."""
    for path in work.fresh:
        shutil.rmtree(folder / path, ignore_errors=True)
    return recombine(tree, work.arguments, folder)


def row_of(name: str, spent: dict[str, list[Spent]]) -> str:
    """Return a row of the table: medians, and whether the new tree is slower."""
    wall = {tree: statistics.median(one.wall for one in laps) for tree, laps in spent.items()}
    cpu = {tree: statistics.median(one.cpu for one in laps) for tree, laps in spent.items()}
    ratio = cpu["new"] / cpu["old"]
    mark = " slower" if ratio > 1 + TOLERANCE else ""
    row = f"| {name} | {wall['old']:.2f} | {wall['new']:.2f} | {cpu['old']:.2f} "
    return f"{row}| {cpu['new']:.2f} | {ratio:.2f}{mark} |"


if __name__ == "__main__":
    main()
