"""What a system loses when compounds are new: generalisation score and dose-response curve.

The generalisation score of Moisio et al. 2023 (section 6) is the ratio of chrF2++ on the maximal
and the minimal split. Their test sets differ, so sizes, lengths and vocabulary stand beside it
(section 7.2): a ratio is no proof while those differ too.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recombine.benchmark import Benchmark
from recombine.builders.series import read_series
from recombine.errors import DataError
from recombine.experiment import Experiment
from recombine.files import read_json, write_json, write_text
from recombine.run import Cell, Run

METRIC = "chrf++"
CONFOUNDERS = ("sentences", "words", "mean_length", "lemmas", "novel_compound_share")


def series_experiments(experiment: Experiment) -> list[Experiment]:
    """Return one experiment per member of a series, or the experiment itself.

    The benchmark of an experiment may be a `series.toml` or the directory that holds one; each
    member gets a run directory of its own below the experiment's.
    """
    path = experiment.benchmark
    if path.is_dir() and not (path / "benchmark.toml").is_file():
        path = path / "series.toml"
    if path.name != "series.toml":
        return [experiment]
    return [
        dataclasses.replace(
            experiment, benchmark=member.benchmark, run=experiment.run / member.benchmark.name
        )
        for member in read_series(path).member
    ]


def dose_response(run: Path, *, metric: str = METRIC, split: str = "test") -> list[dict[str, Any]]:
    """Return a row per run of a series, system and seed: divergences, score, confounders."""
    rows = []
    for folder in sorted(path.parent for path in run.glob("*/experiment.json")):
        rows.extend(scored_cells(folder, metric=metric, split=split))
    if not rows:
        raise DataError(f"{run} holds no scored runs of a series", hint="recombine run EXPERIMENT")
    return sorted(rows, key=lambda row: (row["system"], row["seed"], row["target_divergence"]))


def generalisation_scores(
    high: Path, low: Path, *, metric: str = METRIC, split: str = "test"
) -> list[dict[str, Any]]:
    """Return per system the ratio of its score on the high and the low divergence run.

    With several seeds the score is the mean; the ratio's spread over seed pairs goes along.
    """
    above = _by_system(scored_cells(high, metric=metric, split=split))
    below = _by_system(scored_cells(low, metric=metric, split=split))
    rows = []
    for system in sorted(above.keys() & below.keys()):
        top = np.array([row["score"] for row in above[system]])
        bottom = np.array([row["score"] for row in below[system]])
        ratios = top[:, None] / np.maximum(bottom[None, :], 1e-12)
        rows.append(
            {
                "system": system,
                "metric": metric,
                "generalisation": float(top.mean() / max(bottom.mean(), 1e-12)),
                "least": float(ratios.min()),
                "most": float(ratios.max()),
                "high": float(top.mean()),
                "low": float(bottom.mean()),
                "seeds": [len(top), len(bottom)],
                "confounders": {
                    name: {"high": above[system][0][name], "low": below[system][0][name]}
                    for name in (*CONFOUNDERS, "atom_divergence", "compound_divergence")
                },
            }
        )
    if not rows:
        raise DataError(f"{high} and {low} share no scored system")
    return rows


def scored_cells(run: Path, *, metric: str, split: str) -> list[dict[str, Any]]:
    """Return a row per system and seed of one run, with the certificate of its benchmark."""
    rows = []
    for cell in Run(run).cells():
        score = _score(cell, metric, split)
        if score is None:
            continue
        certificate = read_json(
            Benchmark.open(Path(cell.record()["benchmark"])).path / "certificate.json"
        )
        sizes = certificate["splits"][split]
        rows.append(
            {
                "run": run.name,
                "system": cell.system,
                "seed": cell.seed,
                "target_divergence": certificate["target_divergence"],
                "compound_divergence": certificate["compound_divergence"],
                "atom_divergence": certificate["atom_divergence"],
                "metric": metric,
                **score,
                **{name: sizes[name] for name in CONFOUNDERS},
            }
        )
    return rows


def write_dose_response(rows: Sequence[dict[str, Any]], out: Path) -> list[Path]:
    """Write the curve as CSV, JSON and Vega-Lite, and return the files."""
    out.mkdir(parents=True, exist_ok=True)
    names = list(rows[0])
    lines = [",".join(names)]
    lines += [",".join(str(row[name]) for name in names) for row in rows]
    write_text(out / "dose-response.csv", "\n".join(lines) + "\n")
    write_json(out / "dose-response.json", list(rows))
    write_json(out / "dose-response.vl.json", _chart(rows))
    return [out / f"dose-response.{suffix}" for suffix in ("csv", "json", "vl.json")]


def _chart(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a Vega-Lite chart: score against the divergence that was reached, with intervals."""
    position = {"field": "compound_divergence", "type": "quantitative", "title": "D_C"}
    colour = {"field": "system", "type": "nominal"}
    score = {"field": "score", "type": "quantitative", "scale": {"zero": False}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": list(rows)},
        "title": f"{rows[0]['metric']} by compound divergence",
        "layer": [
            {
                "mark": {"type": "line", "point": True},
                "encoding": {
                    "x": position,
                    "y": score,
                    "color": colour,
                    "detail": {"field": "seed"},
                },
            },
            {
                "mark": "rule",
                "encoding": {
                    "x": position,
                    "y": {"field": "ci_low", "type": "quantitative", "title": "score"},
                    "y2": {"field": "ci_high"},
                    "color": colour,
                },
            },
        ],
    }


def _score(cell: Cell, metric: str, split: str) -> dict[str, float] | None:
    path = cell.path / "scores.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["split"], row["tag"], row["metric"]) == (split, "all", metric):
                return {name: float(row[name]) for name in ("score", "ci_low", "ci_high")}
    return None


def _by_system(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["system"], []).append(row)
    return found
