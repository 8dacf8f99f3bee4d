"""Every Eval Ever (EvalEval Coalition): one JSON file per system, its samples beside it."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from recombine import __version__
from recombine.files import write_json, write_text
from recombine.metrics.score import Score
from recombine.report.exports.samples import file_names, samples_of, stamp
from recombine.report.findings import Findings
from recombine.statistics.intervals import Estimate

SCHEMA = "0.2.1"
INSTANCE_SCHEMA = "instance_level_eval_0.2.1"


def write_every_eval_ever(report: Findings, folder: Path) -> list[Path]:
    """Write data/BENCHMARK/DEVELOPER/MODEL-like files: results and instance-level rows."""
    paths = []
    for system in report.systems:
        name = file_names(report)[system]
        samples = [
            _instance(report, system, sample)
            for split in report.splits
            for sample in samples_of(report, system, split)
        ]
        rows_path = folder / f"{name}.samples.jsonl"
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in samples)
        write_text(rows_path, text)
        path = folder / f"{name}.json"
        write_json(path, _record(report, system, rows_path.name, text, len(samples)))
        paths += [path, rows_path]
    return paths


def _record(report: Findings, system: str, file_name: str, text: str, rows: int) -> dict[str, Any]:
    manifest = report.source.benchmark.manifest
    time = stamp(report)
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{manifest.name}/{system}/{time}",
        "retrieved_timestamp": str(time),
        "source_metadata": {
            "source_name": "recombine",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "recombine", "version": __version__},
        "model_info": {"name": system, "id": system},
        "evaluation_results": [
            _result(report, score)
            for score in report.scores
            if score.system == system
            and score.tag in ("", report.main.main_tag)
            and not math.isnan(score.value)
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": file_name,
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode("utf-8")).hexdigest(),
            "total_rows": rows,
        },
    }


def _result(report: Findings, score: Score) -> dict[str, Any]:
    benchmark = report.source.benchmark
    where = f" [{score.tag}={score.slice}]" if score.tag else ""
    results = next(
        results
        for results in report.results
        if (results.metric, results.split) == (score.metric, score.split)
    )
    uncertainty: dict[str, Any] = {"num_samples": score.n}
    if not math.isnan(score.low):  # of one sentence it is not known
        uncertainty["confidence_interval"] = {
            "lower": score.low,
            "upper": score.high,
            "confidence_level": report.options.confidence,
            "method": score.method,
        }
    upper = score.upper_if_unjudged
    return {
        "evaluation_name": f"{benchmark.manifest.name} {score.split} {score.metric}{where}",
        "source_data": {
            "dataset_name": benchmark.manifest.name,
            "source_type": "other",
            "additional_details": {
                "version": benchmark.manifest.version,
                "split": score.split,
                "sha256": benchmark.hash,
            },
        },
        "metric_config": {
            "evaluation_description": score.signature or score.metric,
            "lower_is_better": not results.higher_is_better,
            "score_type": "continuous",
            **_ends(results.limits),
        },
        "score_details": {
            "score": score.value,
            "details": {
                "seeds": str(len(score.seeds)),
                "sd_over_seeds": f"{score.sd:.4f}",
                "min_over_seeds": f"{min(score.seeds):.4f}",
                "max_over_seeds": f"{max(score.seeds):.4f}",
                **({"up_to_with_unjudged": f"{upper:.4f}"} if upper == upper else {}),
                **_gap(report, score),
            },
            "uncertainty": uncertainty,
        },
    }


def _gap(report: Findings, score: Score) -> dict[str, str]:
    """What is lost on new sentences and what of it is composition, where that is known."""
    place = (score.system, score.metric, score.split, score.tag, score.slice)
    for parts in report.gaps:
        if (parts.system, parts.metric, parts.split, parts.tag, parts.slice) == place:
            estimates = {"lost": parts.gap, "composition": parts.composition,
                     "difficulty": parts.difficulty}  # fmt: skip
            kind = "neutral system" if parts.neutral else "control"
            control = f"{kind}: {parts.control}" if parts.control else ""
            return {
                **{
                    f"gap_{name}": _span(part)
                    for name, part in estimates.items()
                    if part is not None
                },
                "gap_control": control or "none: part may be difficulty",
            }
    return {}


def _span(part: Estimate) -> str:
    ends = "" if math.isnan(part.low) else f" ({part.low:.4f} to {part.high:.4f})"
    return f"{part.value:.4f}{ends}"


def _ends(limits: tuple[float, float]) -> dict[str, float]:
    """The ends of a metric's scale, where it has some."""
    named = dict(zip(("min_score", "max_score"), limits, strict=True))
    return {name: end for name, end in named.items() if math.isfinite(end)}


def _instance(report: Findings, system: str, sample: dict[str, Any]) -> dict[str, Any]:
    manifest = report.source.benchmark.manifest
    identity = sample["source"] + "".join(sample["references"])
    return {
        "schema_version": INSTANCE_SCHEMA,
        "evaluation_id": f"{manifest.name}/{system}/{stamp(report)}",
        "model_id": system,
        "evaluation_name": f"{manifest.name} {sample['split']} {sample['metric']}",
        "sample_id": sample["id"],
        "sample_hash": hashlib.sha256(identity.encode("utf-8")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": sample["source"], "reference": sample["references"]},
        "output": {"raw": [sample["hypothesis"]]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": sample["hypothesis"],
                "extraction_method": "exact_match",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": sample["value"], "is_correct": sample["right"]},
        "metadata": {
            "seed": str(sample["seed"]),
            **({"verdict": kind} if (kind := sample["detail"].get("class")) else {}),
            **{str(key): str(value) for key, value in sample["tags"].items()},
        },
    }
