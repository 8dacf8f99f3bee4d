"""Table 2 of Moisio et al. 2023."""

from __future__ import annotations

from recombine.benchmark import Benchmark
from recombine.files import read_json
from recombine.report.model import Report
from recombine.report.published import read_published
from recombine.report.tables import Cell, Table

METHOD = "divergent"


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
                f"{name} (published)", None, None, None, None,
                found.get("atom-divergence"), found.get("compound-divergence"),
            )
        )  # fmt: skip
    return [
        Table(
            "table-2-splits", "Splits and their divergences (Table 2)",
            (
                "split", "train", "test", "test words", "test lemmas", "atom divergence",
                "compound divergence",
            ),
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
    certificate = read_json(path)
    train, test = (certificate["splits"][name] for name in ("train", "test"))
    return (
        benchmark.manifest.name, train["sentences"], test["sentences"], test["words"],
        test["lemmas"], certificate["atom_divergence"], certificate["compound_divergence"],
    )  # fmt: skip
