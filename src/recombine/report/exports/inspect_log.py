"""Inspect logs, where the package inspect_ai is installed: open them with `inspect view`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recombine.registry import require
from recombine.report.exports.samples import file_names, samples_of, stamp
from recombine.report.findings import Findings
from recombine.report.tables.table import UP_TO


def write_inspect_logs(report: Findings, folder: Path) -> list[Path]:
    """One log per system and split, every metric as a scorer."""
    log = require("inspect_ai.log", extra="inspect", feature="writing Inspect logs")
    folder.mkdir(parents=True, exist_ok=True)
    paths, names = [], file_names(report)
    for system in report.systems:
        for split in report.splits:
            # `inspect view` lists files of any name with this ending, and .json only by its own.
            path = folder / f"{names[system]}-{split}.eval"
            log.write_eval_log(_log(report, log, system, split), str(path), format="eval")
            paths.append(path)
    return paths


def _log(report: Findings, log: Any, system: str, split: str) -> Any:
    from datetime import UTC, datetime

    manifest = report.source.benchmark.manifest
    of_split = [
        results
        for results in report.results
        if results.split == split and system in results.systems
    ]
    created = datetime.fromtimestamp(stamp(report), UTC).isoformat()
    samples = _samples(report, log, system, split)
    spec = log.EvalSpec(
        created=created,
        task=f"{manifest.name}-{split}",
        dataset=log.EvalDataset(name=manifest.name, samples=len(samples)),
        model=f"recombine/{system}",
        config=log.EvalConfig(),
        metadata={"benchmark_sha256": report.source.benchmark.hash},
    )
    scores = [
        log.EvalScore(
            name=measured.metric,
            scorer=measured.metric,
            params={"signature": measured.signature},
            metrics={
                "mean": log.EvalMetric(name="mean", value=score.value),
                "low": log.EvalMetric(name="low", value=score.low),
                "high": log.EvalMetric(name="high", value=score.high),
                **(
                    {UP_TO: log.EvalMetric(name=UP_TO, value=score.upper_if_unjudged)}
                    if score.undecided
                    else {}
                ),
            },
        )
        for measured, score in ((measured, measured.overall(system)) for measured in of_split)
    ]
    results = log.EvalResults(
        total_samples=len(samples), completed_samples=len(samples), scores=scores
    )
    return log.EvalLog(eval=spec, results=results, samples=samples, status="success")


def _samples(report: Findings, log: Any, system: str, split: str) -> list[Any]:
    model = require("inspect_ai.model", extra="inspect", feature="writing Inspect logs")
    scorer = require("inspect_ai.scorer", extra="inspect", feature="writing Inspect logs")
    samples: dict[tuple[str, int], Any] = {}
    epochs: dict[int, int] = {}  # seed -> epoch, which must be 1 or more
    for sample in samples_of(report, system, split):
        key = (sample["id"], sample["seed"])
        if key not in samples:
            samples[key] = log.EvalSample(
                id=sample["id"],
                epoch=epochs.setdefault(sample["seed"], len(epochs) + 1),
                input=sample["source"],
                target=sample["references"] or "",
                output=model.ModelOutput.from_content(system, sample["hypothesis"]),
                metadata=sample["tags"],
                scores={},
            )
        samples[key].scores[sample["metric"]] = scorer.Score(
            value=sample["value"], answer=sample["hypothesis"]
        )
    return list(samples.values())
