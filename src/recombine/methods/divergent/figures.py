"""The dose-response curve: scores by how far the compounds of training and test are apart."""

from __future__ import annotations

from recombine.methods.divergent.family import Family
from recombine.report.figures.figure import FIGURES, Figure, line_chart
from recombine.report.figures.own import from_to


def response_figures(family: Family) -> list[Figure]:
    """Score against the compound divergence that was reached, a figure per target language."""
    figures = []
    for target in family.targets:
        rows = []
        for divisions in family.kinds(target).values():
            reached = [float(division.certificate["compound_divergence"]) for division in divisions]
            for system in family.systems:
                measured = family.measured(divisions, system)
                if measured is not None:
                    rows.append(
                        {
                            "system": system,
                            "x": round(sum(reached) / len(reached), 4),
                            "score": round(measured.value, 3),
                            "low": round(measured.low, 3),
                            "high": round(measured.high, 3),
                        }
                    )
        axis = {
            "field": "score", "type": "quantitative", "scale": {"zero": False},
            "title": family.report.words.metric(family.metric),
        }  # fmt: skip
        spec = line_chart(family.report, rows, "compound divergence D_C", axis)
        spec["layer"][0]["encoding"]["x"]["axis"]["format"] = ".2f"
        figures.append(
            Figure(
                f"dose-response-{target}" if target else "dose-response",
                f"{family.report.words.metric(family.metric)}{f' into {target}' if target else ''} "
                f"by the compound divergence of train and test: {from_to(rows)}.",
                spec,
                FIGURES,
            )
        )
    return figures
