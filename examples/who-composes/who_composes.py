"""Who composes? Builds suites, runs every system of a file, writes one table and a scorecard.

python examples/who-composes/who_composes.py examples/who-composes/systems.toml [--sample N]
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark
from recombine.builders.recipe import build, read_recipe
from recombine.cli import main as recombine
from recombine.config import dump_toml
from recombine.errors import RecombineError
from recombine.grammar.nonce.folder import write_nonce
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs

COLUMNS = ("suite", "system", "learned from", "test", "metric", "score", "95% interval", "of",
           "headline")  # fmt: skip


def benchmark_of(folder: Path, suite: dict[str, Any], source: str, target: str) -> Path:
    """Build a suite for a pair of languages, unless it is there."""
    overrides = [*suite.get("overrides", ()), f"benchmark.target={target}"]
    if source != "en":
        overrides.append(f"benchmark.source={source}")
    if "nonce" in suite:
        grammar = folder.parent / f"grammar-nonce-{suite['nonce']}"
        if not grammar.is_dir():
            write_nonce(suite.get("grammar", suite["recipe"]), suite["nonce"], grammar)
        overrides.append(f"grammar={grammar}")
    return build(read_recipe(suite["recipe"], overrides), folder).path


def rows_of(suite: str, report: Findings) -> list[tuple[str, ...]]:
    """A row for each metric and split of a report."""
    rows = []
    for results in report.results:
        for score in (results.overall(system) for system in results.systems):
            rows.append(
                (
                    suite, score.system, report.source.trained_on[score.system], results.split,
                    results.metric, score.told(), f"{score.low:.1f} to {score.high:.1f}",
                    score.counted, report.headline.headline if results is report.main else "",
                )
            )  # fmt: skip
    return rows


def main() -> None:
    """Run everything that is not done yet, then write what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--sample", type=int, help="sentences of each split")
    options = parser.parse_args()
    asked = tomllib.loads(options.systems.read_text(encoding="utf-8"))
    out, sample = Path(asked["out"]), options.sample or asked.get("sample", 0)
    rows: list[tuple[str, ...]] = []
    runs: list[Path] = []
    for name, given in asked["engine"].items():
        source, _, target = given.pop("pair").partition("-")
        suites = given.pop("suites", ["*"])
        for title, suite in asked["suite"].items():
            pairs = suite.get("pairs", ["*"])
            if not any(fnmatch(f"{source}-{target}", pair) for pair in pairs):
                continue
            if not any(fnmatch(title, pattern) for pattern in suites):
                continue
            folder = out / "benchmarks" / f"{title}-{source}-{target}"
            try:
                benchmark = Benchmark.open(benchmark_of(folder, suite, source, target))
            except RecombineError as error:
                print(error.render(), file=sys.stderr)
                continue
            run = out / "runs" / f"{title}-{name}"
            experiment = {
                "benchmark": str(benchmark.path), "run": str(run), "sample": sample,
                "metrics": suite["metrics"], "system": {name: given},
            }  # fmt: skip
            if "splits" in suite:
                experiment["splits"] = suite["splits"]
            path = out / f"{title}-{name}.toml"
            path.write_text(dump_toml(experiment), encoding="utf-8")
            if recombine(["run", str(path)]) != 0:
                continue
            runs.append(run)
            rows += rows_of(title, build_report(open_runs([run]), ReportOptions(), examples=False))
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    (out / "who-composes.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "who-composes.json").write_text(
        json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows], indent=1) + "\n"
    )
    recombine(["report", *map(str, runs), "--scorecard", "--out", str(out / "scorecard")])


if __name__ == "__main__":
    main()
