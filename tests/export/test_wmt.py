"""A test suite goes to WMT and comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recombine.benchmark import Benchmark
from recombine.errors import DataError
from recombine.experiment.hypotheses import read_hypotheses
from recombine.export import export


def test_a_suite_goes_out_without_references_and_comes_back(
    small_benchmark: Path, tmp_path: Path
) -> None:
    """Other suites' rows are counted, failures are none, and every id finds its sentence."""
    benchmark = Benchmark.open(small_benchmark)
    paths = export(benchmark, "wmt", tmp_path / "wmt")
    rows = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    assert all("train" not in path.name for path in paths)
    assert all(row["refs"] == {} for row in rows)
    assert rows[0]["doc_id"].startswith(f"{benchmark.manifest.name}_###_")
    assert set(rows[0]) == {
        "doc_id", "domain", "src_lang", "tgt_lang", "src_text", "prompt_instruction", "refs",
    }  # fmt: skip
    answers = [{"doc_id": row["doc_id"], "hypothesis": row["src_text"].upper()} for row in rows]
    answers[0]["hypothesis"] = "FAILED"
    others = [{"doc_id": f"news_###_x_###_{n}", "hypothesis": "y"} for n in range(500)]
    path = tmp_path / "submission.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*others, *answers]))
    found, notes = read_hypotheses(path, benchmark)
    assert len(found) == len(rows) - 1
    assert "500 rows of other test suites are left out" in notes
    assert "1 rows say FAILED: no translation" in notes
    path.write_text("".join(json.dumps(row) + "\n" for row in others))
    with pytest.raises(DataError, match="no row is of"):
        read_hypotheses(path, benchmark)
