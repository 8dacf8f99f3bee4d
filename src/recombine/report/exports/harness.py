"""lm-evaluation-harness style: results_*.json and samples_TASK_*.jsonl, so its readers work."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from recombine import __version__
from recombine.files import file_name, write_json, write_text
from recombine.report.exports.samples import file_names, samples_of, stamp
from recombine.report.findings import Findings


def write_harness(report: Findings, folder: Path) -> list[Path]:
    """One folder per system, one task per split."""
    paths = []
    time = stamp(report)
    for system in report.systems:
        home = folder / file_names(report)[system]
        results_path = home / f"results_{time}.json"
        write_json(results_path, _results(report, system))
        paths.append(results_path)
        for split in report.splits:
            rows = _samples(report, system, split)
            path = home / f"samples_{task_name(report, split)}_{time}.jsonl"
            write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
            paths.append(path)
    return paths


def task_name(report: Findings, split: str) -> str:
    """BENCHMARK_SPLIT, as harness tasks are named."""
    return file_name(f"{report.source.benchmark.manifest.name}_{split}").replace("-", "_")


def _results(report: Findings, system: str) -> dict[str, Any]:
    results: dict[str, dict[str, Any]] = {}
    samples: dict[str, dict[str, int]] = {}
    higher: dict[str, dict[str, bool]] = {}
    for measured in report.results:
        if system not in measured.systems:
            continue
        task = task_name(report, measured.split)
        score = measured.overall(system)
        row = results.setdefault(task, {"alias": task})
        row[f"{measured.metric},none"] = "N/A" if math.isnan(score.value) else score.value
        if score.undecided:
            row[f"{measured.metric}_up_to,none"] = score.upper_if_unjudged
        for parts in report.gaps:
            place = (parts.system, parts.metric, parts.split, parts.tag)
            if place == (system, measured.metric, measured.split, ""):
                for name in ("gap", "composition", "difficulty"):
                    if (part := getattr(parts, name)) is not None:
                        row[f"{measured.metric}_{name},none"] = part.value
        error = score.error
        row[f"{measured.metric}_stderr,none"] = "N/A" if math.isnan(error) else error
        # Metrics of one split may be about different parts of it.
        effective = samples.setdefault(task, {"effective": 0})["effective"]
        samples[task] = {
            "original": report.source.benchmark.manifest.splits.get(measured.split, measured.n),
            "effective": max(effective, measured.n),
        }
        higher.setdefault(task, {})[measured.metric] = measured.higher_is_better
    manifest = report.source.benchmark.manifest
    return {
        "results": results,
        "configs": {
            task: {
                "task": task,
                "dataset_name": manifest.name,
                "num_fewshot": 0,
                "metadata": {"version": manifest.version},
            }
            for task in results
        },
        "versions": dict.fromkeys(results, manifest.version),
        "n-shot": dict.fromkeys(results, 0),
        "higher_is_better": higher,
        "n-samples": samples,
        "config": {"model": system, "model_args": "", "recombine": __version__},
        "model_name": system,
        "task_hashes": dict.fromkeys(results, report.source.benchmark.hash),
        "date": stamp(report),
    }


def _samples(report: Findings, system: str, split: str) -> list[dict[str, Any]]:
    """One row per example and seed, all metrics of the split in it."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for sample in samples_of(report, system, split):
        key = (sample["id"], sample["seed"])
        if key not in rows:
            target = sample["references"][0] if sample["references"] else ""
            rows[key] = {
                "doc_id": len(rows),
                "doc": {
                    "id": sample["id"],
                    "source": sample["source"],
                    "references": sample["references"],
                    "seed": sample["seed"],
                    **sample["tags"],
                },
                "target": target,
                "arguments": [[sample["source"]]],
                "resps": [[sample["hypothesis"]]],
                "filtered_resps": [sample["hypothesis"]],
                "doc_hash": _hash(sample["id"]),
                "prompt_hash": _hash(sample["source"]),
                "target_hash": _hash(target),
                "metrics": [],
            }
        rows[key][sample["metric"]] = sample["value"]
        rows[key]["metrics"].append(sample["metric"])
    return list(rows.values())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
