"""The report's own tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recombine.benchmark import Example
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.runs import open_runs
from recombine.report.tables.own import (
    comparison_table,
    counts_of,
    overall_table,
    own_tables,
    table_name,
    tag_table,
)
from report.scored_run import scored_run, small_benchmark


def test_tables_have_one_name_each(findings):
    """File names are unique and safe."""
    names = [table.name for table in own_tables(findings)]
    assert len(names) == len(set(names))
    assert table_name("chrF++", "gen", "a b/c") == "chrf++-gen-a-b-c"


def test_overall_table_has_every_system(findings):
    """One row per metric and system."""
    table = overall_table(findings, "gen")
    assert [row[1] for row in table.rows] == list(findings.systems)
    assert "Tied sets" in comparison_table(findings.main).notes[0]


@pytest.fixture
def half_judged(tmp_path) -> Findings:
    """Four sentences, two said right and two in words that no grammar knows."""
    said = {
        "A cat watched a dog.": "猫は犬を見守った。",
        "A cat found a dog.": "猫は犬を見つけた。",
        "A dog watched a cat.": "ワンワン!",
        "A dog found a cat.": "ワンワンワン!",
    }
    rows = [
        Example.make(source=source, references=("?",), tags={"pattern": source[:5]})
        for source in said
    ]
    benchmark = small_benchmark(
        tmp_path / "b", {"test": rows}, target="ja", recipe={"grammar": "toy"}
    )
    outputs = {row.id: said[row.source] for row in rows}
    run = scored_run(
        tmp_path / "run", benchmark, {"engine": lambda *_: outputs}, metrics=["meaning"]
    )
    return build_report(open_runs([run]), ReportOptions())


def test_what_could_not_be_judged_is_a_range(half_judged):
    """The score is 50, and up to 100 if the sentences that nobody understood are right."""
    table = overall_table(half_judged, "test")
    assert table.columns[-1] == "up to"
    assert (table.rows[0][5], table.rows[0][-1]) == (50.0, 100.0)
    table = tag_table(half_judged.main, "pattern")
    assert table.columns[-1] == "engine, up to"
    assert [row[-1] for row in table.rows] == [None, 100.0]
    assert half_judged.main.overall("engine").undecided == 50.0


def test_a_count_is_of_every_system(findings):
    """Where systems differ in what could be judged, one system's n is not that of all."""
    tag = findings.main.main_tag
    (value, by_system), *_ = findings.main.by_tag(tag).items()
    assert tag_table(findings.main, tag).rows[0][:2] == (value, 40)
    less = replace(by_system["lstm"], n=1_007)
    assert counts_of([less, by_system["transformer"]]) == "40 to 1,007"
