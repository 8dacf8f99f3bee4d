"""The GenBench evaluation card of a benchmark (Hupkes et al. 2023, Nature Mach. Intell. 5)."""

from __future__ import annotations

import math
from pathlib import Path

from recombine.files import write_json, write_text
from recombine.metrics.score import Score
from recombine.report.findings import Findings
from recombine.report.tables.table import latex_text

AXES: dict[str, tuple[str, ...]] = {
    "Motivation": ("Practical", "Cognitive", "Intrinsic", "Fairness"),
    "Generalisation type": (
        "Compositional", "Structural", "Cross Task", "Cross Language", "Cross Domain", "Robustness",
    ),
    "Shift type": ("Covariate", "Label", "Full", "Assumed"),
    "Shift source": (
        "Naturally occurring", "Partitioned natural", "Generated shift", "Fully generated",
    ),
    "Shift locus": ("Train-test", "Finetune train-test", "Pretrain-train", "Pretrain-test"),
}  # fmt: skip


def write_genbench_card(report: Findings, folder: Path) -> list[Path]:
    """Write card.json and card.tex."""
    manifest = report.source.benchmark.manifest
    place = report.method.taxonomy
    if not report.learned:
        place = place._replace(locus="Pretrain-test")
    chosen = dict(zip(AXES, place, strict=True))
    json_path, tex_path = folder / "card.json", folder / "card.tex"
    write_json(
        json_path,
        {
            "benchmark": manifest.name,
            "version": manifest.version,
            "axes": chosen,
            "scores": {
                f"{results.metric} on {results.split}": {
                    system: _number(results.overall(system)) for system in results.systems
                }
                for results in report.results
            },
            "gaps": {
                parts.system: {
                    "metric": f"{parts.metric} on {parts.split}",
                    "control": parts.control or None,
                    "control_is_neutral": parts.neutral,
                    **{
                        name: None if estimate is None else round(estimate.value, 2)
                        for name, estimate in (
                            ("lost", parts.gap),
                            ("composition", parts.composition),
                            ("difficulty", parts.difficulty),
                        )
                    },
                }
                for parts in report.gaps
                if not parts.tag
            },
        },
    )
    write_text(tex_path, _latex(manifest.name, chosen))
    return [json_path, tex_path]


def _number(score: Score) -> float | list[float] | None:
    """A score, or how low and high it may be; nothing where nothing could be judged."""
    if math.isnan(score.value):
        return None
    value = round(score.value, 2)
    return [value, round(score.upper_if_unjudged, 2)] if score.undecided else value


def _latex(name: str, chosen: dict[str, str]) -> str:
    lines = [r"\begin{table}", r"  \centering", r"  \small"]
    for axis, values in AXES.items():
        columns = "c" * len(values)
        heads = " & ".join(rf"\textit{{{latex_text(value)}}}" for value in values)
        marks = " & ".join(r"$\square$" if value == chosen[axis] else "" for value in values)
        lines += [
            rf"  \begin{{tabular}}{{{columns}}}",
            rf"    \multicolumn{{{len(values)}}}{{c}}{{\textbf{{{latex_text(axis)}}}}} \\",
            f"    {heads} " + r"\\",
            f"    {marks} " + r"\\",
            r"  \end{tabular}\\[1ex]",
        ]
    lines += [rf"  \caption{{GenBench evaluation card of {latex_text(name)}.}}", r"\end{table}"]
    return "\n".join(lines) + "\n"
