"""What every export needs of one system: its samples with text and verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from recombine.report.examples import is_right
from recombine.report.findings import Findings
from recombine.report.reading.observations import details_of, read_scores
from recombine.report.results import MetricResults


def stamp(report: Findings) -> int:
    """Seconds since 1970 of the newest score file: the same runs give the same export."""
    return max(scores.modified for scores in report.source.scores)


def file_names(report: Findings) -> dict[str, str]:
    """System -> what its files are called; x/a and x_a are two systems."""
    texts: dict[str, str] = {}
    for system in report.systems:
        name = re.sub(r"[^\w.+-]", "_", system)
        number = 1
        while name in texts.values():
            number += 1
            name = re.sub(r"[^\w.+-]", "_", system) + f"-{number}"
        texts[system] = name
    return texts


def samples_of(report: Findings, system: str, split: str) -> Iterator[dict[str, Any]]:
    """Every example of a split with its hypothesis and value, for each metric and seed."""
    for results in report.results:
        if results.split == split:
            yield from _judged(report, system, results)


def _judged(report: Findings, system: str, results: MetricResults) -> Iterator[dict[str, Any]]:
    metric, split = results.metric, results.split
    examples = report.source.examples(split)
    cells = {cell.seed: cell for cell in report.source.cells if cell.name == system}
    for scores in report.source.scores:
        if (scores.system, scores.metric, scores.split, scores.checkpoint) != (
            system,
            metric,
            split,
            None,
        ):
            continue
        hypotheses = cells[scores.seed].translations(split)
        details = details_of(read_scores(report.source, scores, None))
        verdicts = {name: (value, detail) for name, value, detail in details}
        for name, example in examples.items():
            if name in verdicts:
                yield {
                    "id": name,
                    "seed": scores.seed,
                    "split": split,
                    "metric": metric,
                    "source": example.source,
                    "references": list(example.references),
                    "hypothesis": hypotheses.get(name, ""),
                    "tags": dict(example.tags),
                    "value": verdicts[name][0],
                    "right": is_right(verdicts[name][0], results.right_value),
                    "detail": verdicts[name][1],
                }
