"""Table 2 and the generalisation scores of Moisio et al. 2023."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recombine.benchmark import Benchmark
from recombine.report.model import Report
from recombine.report.published import read_published
from recombine.report.tables import Cell, Table

METHOD = "divergent"
SCORE_METRICS = ("chrf++", "chrf", "bleu")


def divergent_tables(report: Report) -> list[Table]:
    """Table 2 for this benchmark, with the published splits below it."""
    row = split_row(report.source.benchmark)
    if row is None:
        return []
    rows: list[tuple[Cell, ...]] = [row]
    published: dict[str, dict[str, str]] = {}
    for one in read_published(METHOD):
        if one.table == "2":
            published.setdefault(one.value, {})[one.metric] = one.text
    for name, found in published.items():
        rows.append(
            (
                f"{name} (published)", None, None, None,
                found.get("atom-divergence"), found.get("compound-divergence"),
            )
        )  # fmt: skip
    return [
        Table(
            "table-2-splits", "Splits and their divergences (Table 2)",
            ("split", "train", "test", "test words", "atom divergence", "compound divergence"),
            tuple(rows),
            ("The published atom divergences of random splits do not follow from the paper's own "
             "definition; do not compare with them.",),
            frozenset({1}), 4,
        )
    ]  # fmt: skip


def split_row(benchmark: Benchmark) -> tuple[Cell, ...] | None:
    """One row of Table 2, from the certificate the builder wrote."""
    path = benchmark.path / "certificate.json"
    if not path.is_file():
        return None
    certificate = json.loads(path.read_text(encoding="utf-8"))
    atom = find_number(certificate, ("atom_divergence", "divergence_atoms", "D_A", "atoms"))
    compound = find_number(
        certificate, ("compound_divergence", "divergence_compounds", "D_C", "compounds")
    )
    if atom is None and compound is None:
        return None
    test = next(
        (name for name in benchmark.splits if name.startswith("test")), benchmark.splits[-1]
    )
    words = sum(len(example.source.split()) for example in benchmark.iterate(test))
    sizes = benchmark.manifest.splits
    return (benchmark.manifest.name, sizes.get("train"), sizes.get(test), words, atom, compound)


def find_number(value: Any, names: tuple[str, ...]) -> float | None:
    """The first number under one of these names, anywhere in nested data."""
    if isinstance(value, Mapping):
        for name in names:
            if isinstance(value.get(name), (int, float)) and not isinstance(value[name], bool):
                return float(value[name])
        for inner in value.values():
            found = find_number(inner, names)
            if found is not None:
                return found
    return None


def generalisation_table(scores: Mapping[tuple[str, str, str], float]) -> Table | None:
    """Score on the max split divided by that on the min split, per system and target language.

    ``scores`` maps (system, target language, split kind) to the score; min and max have different
    test sets, so there is no paired test, and none is claimed.
    """
    pairs = sorted({(system, target) for system, target, _ in scores})
    rows: list[tuple[Cell, ...]] = []
    for system, target in pairs:
        low, high = scores.get((system, target, "min")), scores.get((system, target, "max"))
        if not low or high is None:
            continue
        published = next(
            (
                row.score
                for row in read_published(METHOD)
                if (row.metric, row.value) == ("generalisation-score", target)
            ),
            None,
        )
        middle = scores.get((system, target, "random"))
        rows.append((system, target, low, middle, high, high / low, published))
    if not rows:
        return None
    return Table(
        "generalisation-scores", "Generalisation scores (section 4.2)",
        ("system", "target", "min", "random", "max", "max / min", "published"), tuple(rows),
        decimals=3,
    )  # fmt: skip
