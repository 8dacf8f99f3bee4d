"""The shipped SGET recipes build the bytes that results stand on."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from recombine.builders.recipe import build

FROZEN = Path(__file__).parents[2] / "golden" / "sget" / "frozen.tsv"
SPLITS = ("train", "dev", "test", "gen")


def frozen_builds() -> list[object]:
    """Every row of the table; those that take longer than a few seconds are slow."""
    with FROZEN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        pytest.param(
            row,
            id=f"{row['recipe']}-{row['target']}-{row['seed']}",
            marks=() if row["recipe"] == "sget-mini" and row["seed"] == "1" else pytest.mark.slow,
        )
        for row in rows
    ]


@pytest.mark.parametrize("row", frozen_builds())
def test_a_recipe_builds_the_frozen_bytes(row: dict[str, str], tmp_path: Path) -> None:
    """No change changes what was trained on; benchmarks/frozen.py makes the table."""
    target = [f"benchmark.target={row['target']}"]
    benchmark = build(row["recipe"], tmp_path / "built", seed=int(row["seed"]), overrides=target)
    built = {split: benchmark.manifest.files[f"{split}.jsonl"] for split in SPLITS}
    assert built == {split: row[split] for split in SPLITS}
