"""Table 2 of Moisio et al. 2023, and beside it what their section 7.2 asks of such splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recombine.benchmark import Benchmark
from recombine.files import read_json
from recombine.report.findings import Findings
from recombine.report.tables.published import DBCA, find_all, published_benchmark
from recombine.report.tables.table import Cell, Table

PAPER_ATOMS = (
    "The published atom divergences of random splits do not follow from the paper's own "
    "definition; do not compare with them."
)
MIN, RANDOM, MAX = "min", "random", "max"


class Certified(NamedTuple):
    """A divergent split and the certificate that its builder wrote."""

    benchmark: Benchmark
    certificate: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`min`, `random` or `max` as in the paper, else the divergence that was asked for."""
        if self.benchmark.manifest.recipe.get("method") == RANDOM:
            return RANDOM
        wanted = float(self.certificate["target_divergence"])
        return {0.0: MIN, 1.0: MAX}.get(wanted, f"c = {wanted:g}")


def read_certified(benchmark: Benchmark) -> Certified | None:
    """A benchmark with its certificate, if it has one."""
    path = benchmark.path / "certificate.json"
    return Certified(benchmark, read_json(path)) if path.is_file() else None


def divergent_tables(report: Findings) -> list[Table]:
    """Table 2 for this benchmark, with the published splits below it."""
    found = read_certified(report.source.benchmark)
    return [split_table([found])] if found is not None else []


def split_table(splits: Sequence[Certified]) -> Table:
    """Table 2 for these splits, and the confounders of section 7.2."""
    rows: list[tuple[Cell, ...]] = []
    for one in splits:
        train, test = (one.certificate["splits"][name] for name in ("train", "test"))
        manifest = one.benchmark.manifest
        rows.append(
            (
                one.kind, manifest.target, manifest.seed, train["sentences"], test["sentences"],
                test["words"], float(test["mean_length"]), test["lemmas"],
                test["novel_compound_share"], one.certificate["atom_divergence"],
                one.certificate["compound_divergence"],
            )
        )  # fmt: skip
    ours = len(rows)
    if all(published_benchmark(one.benchmark) == (DBCA, ()) for one in splits):
        rows += _published_splits()
    return Table(
        "table-2-splits", "The splits, and what differs besides the compounds (Table 2)",
        (
            "split", "target", "seed", "train", "test", "test words", "words a sentence",
            "test lemmas", "novel compounds", "D_A", "D_C",
        ),
        tuple(rows),
        ("Length, vocabulary and atom divergence should be alike; where they are not, a ratio "
         "of scores is no proof (section 7.2).",
         *((PAPER_ATOMS,) if len(rows) > ours else ())),
        frozenset({ours}), 4,
    )  # fmt: skip


def _published_splits() -> list[tuple[Cell, ...]]:
    """The rows of Table 2 as printed."""
    found: dict[str, dict[str, Cell]] = {}
    for row in find_all(DBCA, table="2"):
        cell = row.text if row.score is None else row.score
        found.setdefault(row.row, {})[row.metric] = cell
    return [
        (
            f"{name} (paper)", None, None, cells.get("train sentences"),
            cells.get("test sentences"), cells.get("test words"), None,
            cells.get("unique lemmas"), None, cells.get("D_A"), cells.get("D_C"),
        )
        for name, cells in found.items()
    ]  # fmt: skip
