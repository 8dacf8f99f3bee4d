"""The bytes of the shipped SGET recipes: builds each and prints the hashes.

    python benchmarks/frozen.py > tests/golden/sget/frozen.tsv

What results stand on must not change unseen. One row a build: recipe, languages, seed and the
SHA-256 of every split. `--recipe`, `--target` and `--seed` choose builds; `--check` proves their
certificates; `--against FILE` compares with an earlier table and ends with 1 where one differs.
The test in tests/builders/generated/test_frozen.py holds the table to what is built today.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from recombine.builders.check import check_benchmark
from recombine.builders.recipe import build
from recombine.grammar import Grammar

SPLITS = ("train", "dev", "test", "gen")
COLUMNS = ("recipe", "source", "target", "seed", *SPLITS)
# The published edition has English and Japanese alone.
PUBLISHED = "sget-official"


def targets_of(recipe: str) -> list[str]:
    """Return the languages that a recipe is built into."""
    return ["ja"] if recipe == PUBLISHED else sorted({*Grammar.load("sget").languages} - {"en"})


def frozen_row(recipe: str, target: str, seed: int, out: Path, check: bool) -> dict[str, str]:
    """Build one benchmark, prove its certificate if asked to, and return its row."""
    benchmark = build(recipe, out, seed=seed, overrides=[f"benchmark.target={target}"])
    problems = check_benchmark(benchmark) if check else []
    if problems:
        raise SystemExit("\n".join(problem.render() for problem in problems))
    hashes = {split: benchmark.manifest.files[f"{split}.jsonl"] for split in SPLITS}
    return {"recipe": recipe, "source": "en", "target": target, "seed": str(seed), **hashes}


def rows(
    recipes: list[str], targets: list[str], seeds: list[int], check: bool
) -> Iterator[dict[str, str]]:
    """Yield the row of every build that was asked for."""
    for recipe in recipes:
        for target in targets or targets_of(recipe):
            for seed in seeds:
                with tempfile.TemporaryDirectory() as folder:
                    yield frozen_row(recipe, target, seed, Path(folder) / "built", check)


def main() -> int:
    """Build, print, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipe", action="append", help="sget, sget-mini, sget-official")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--check", action="store_true", help="prove every certificate, too")
    parser.add_argument("--against", type=Path, help="an earlier table")
    given = parser.parse_args()
    before = {}
    if given.against:
        with given.against.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                before[row["recipe"], row["target"], row["seed"]] = row
    writer = csv.DictWriter(sys.stdout, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    changed = 0
    recipes = given.recipe or ["sget", "sget-mini", PUBLISHED]
    for row in rows(recipes, given.target, given.seed or [1, 2, 3], given.check):
        writer.writerow(row)
        sys.stdout.flush()
        if before and before.get((row["recipe"], row["target"], row["seed"])) != row:
            print(f"differs: {row['recipe']} {row['target']} {row['seed']}", file=sys.stderr)
            changed = 1
    return changed


if __name__ == "__main__":
    sys.exit(main())
