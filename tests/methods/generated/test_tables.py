"""The tables of Kumon et al. 2024."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recombine.methods.generated.tables import generated_tables, group_score
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.tables.published import SGET, PublishedSetting
from recombine.report.tables.table import Cell, Table, latex
from report.synthetic import make_sget_like_run


@pytest.fixture(scope="module")
def sget_like(tmp_path_factory) -> Findings:
    """Findings on a benchmark with SGET's patterns; half of each is right."""
    run = make_sget_like_run(tmp_path_factory.mktemp("sget"))
    return build_report(open_runs([run]), ReportOptions())


def named(report: Findings) -> dict[str, Table]:
    """The tables by name."""
    return {table.name: table for table in generated_tables(report)}


def test_tables_of_the_paper(findings, sget_like):
    """Each has the rows of the paper, so Tables 4, 7 and 11 need the patterns they are about."""
    everywhere = {"table-2-overall", "table-3-groups", "by-category", "table-10-patterns"}
    special = {"table-4-phrase-recombination", "table-7-length", "table-11-complement-clause"}
    assert everywhere <= set(named(findings))
    assert not special & set(named(findings))
    tables = named(sget_like)
    assert everywhere | special <= set(tables)
    assert len(tables["table-4-phrase-recombination"].rows) == 6
    assert [row[:3] for row in tables["table-7-length"].rows] == [
        ("cp_depth_5_6", "longer", 2), ("cp_depth_5_6", "shorter", 6),
    ]  # fmt: skip
    eleven = tables["table-11-complement-clause"].rows
    assert len(eleven) == 12
    assert eleven[1] == ("pp_on_subject", "in CP", 4, 100.0, 0.0)


def test_depths_stand_apart(findings):
    """A pattern of several depths has a score for each: five adjectives and six are two things."""
    table = named(findings)["depths"]
    results = findings.main
    crosses = results.crosses["pattern", "depth"]
    assert {str(row[0]) for row in table.rows} == {pattern for pattern, _ in crosses}
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        for (pattern, depth), scores in crosses.items():
            if pattern == row[0]:
                assert cells[f"lstm exact, depth={depth}"] == scores["lstm"].score


def test_no_name_brings_the_papers_numbers(sget_like):
    """sget-mini and what else begins with sget is not the published benchmark."""
    for table in named(sget_like).values():
        assert not any("(paper)" in column for column in table.columns), table.name
        assert not any("(paper)" in str(row[0]) for row in table.rows), table.name
    assert "cogs-and-slog" not in named(sget_like)


@pytest.mark.parametrize("kind", ["Transformer", "LSTM", "Llama 2"])
def test_the_papers_numbers_of_the_same_kind_of_system(sget_like, monkeypatch, kind):
    """On SGET itself stand the paper's numbers, with their spread, of this kind of system only."""
    setting = PublishedSetting(SGET, (), (kind,))
    monkeypatch.setattr("recombine.methods.generated.tables.published_setting", lambda _: setting)
    tables = named(sget_like)
    two = {"Transformer": (99.3, 0.1, 48.7, 1.6), "LSTM": (93.4, 3.4, 9.6, 4.8)}
    two["Llama 2"] = (99.4, 0.1, 80.6, 0.5)
    assert tables["table-2-overall"].rows[-1] == (f"{kind} (paper)", *two[kind])
    heads = latex(tables["table-2-overall"]).partition(r"\toprule")[2].split("\n")
    assert r"\multicolumn{2}{c}{familiar sentences} & \multicolumn{2}{c}{new com" in heads[1]
    assert heads[3].strip() == r"system & exact match & sd & exact match & sd \\"
    if kind == "LSTM":
        assert not any("(paper)" in name for name in tables["table-10-patterns"].columns)
        return
    beside = {name: rows_beside(tables[name]) for name in tables}
    first = kind == "Transformer"
    assert beside["table-3-groups"]["structural"] == ((45.2, 2.3) if first else (79.4, 0.9))
    four = beside["table-4-phrase-recombination"]["rc_on_subject"]
    assert four == ((1.2, 0.7) if first else (75.9, 5.2))
    ten = beside["table-10-patterns"]["adjective_depth_5_6"]
    assert ten == ((99.5,) if first else (98.4,))
    seven = [row[-2:] for row in tables["table-7-length"].rows]
    assert seven == ([(4.1, 0.6), (6.7, 1.6)] if first else [(72.0, 0.6), (84.3, 3.6)])
    eleven = [row[-1] for row in tables["table-11-complement-clause"].rows[:2]]
    assert eleven == ([3.5, 20.2] if first else [94.8, 92.5])
    assert ("cogs-and-slog" in tables) == first


def rows_beside(table: Table) -> dict[str, tuple[Cell, ...]]:
    """What the paper has for each row."""
    at = next((i for i, name in enumerate(table.columns) if "(paper)" in name), len(table.columns))
    return {str(row[0]): row[at:] for row in table.rows}


def test_another_variant_has_other_numbers(sget_like, monkeypatch):
    """Without concatenation the paper has Table 7 only; the others are of another training."""
    setting = PublishedSetting(SGET, ("concatenation",), ("Transformer",))
    monkeypatch.setattr("recombine.methods.generated.tables.published_setting", lambda _: setting)
    tables = named(sget_like)
    assert [row[-2:] for row in tables["table-7-length"].rows] == [(0.6, 0.2), (0.7, 0.3)]
    assert not any("(paper)" in name for name in tables["table-10-patterns"].columns)


def test_group_mean_is_weighted_by_sentences(findings):
    """For shares the weighted mean of patterns is the group's own score."""
    results = findings.main
    for group, by_system in results.by_tag("group_name").items():
        for system, score in by_system.items():
            found = group_score(results, "group_name", group, system)
            assert found == pytest.approx(score.value)


@pytest.mark.parametrize("name", ["table-3-groups", "by-category", "table-10-patterns"])
def test_exact_match_has_its_spread_over_seeds(findings, name):
    """Behind every mean stands the standard deviation over the three seeds."""
    table = next(one for one in generated_tables(findings) if one.name == name)
    at = table.columns.index("lstm exact")
    assert table.columns[at + 1] == "sd"
    tag = table.columns[0]
    for row in table.rows:
        value = str(row[0])
        score = (
            findings.main.overall("lstm")
            if value == "all"
            else findings.main.by_tag(tag)[value]["lstm"]
        )
        assert row[at : at + 2] == (
            pytest.approx(score.value),
            pytest.approx(score.sd),
        )


def test_crossed_table_adds_up(findings):
    """Inside and outside a complement clause average to the pattern's score."""
    results = findings.main
    crosses = results.crosses["pattern", "in_cp"]
    for value, by_system in results.by_tag("pattern").items():
        cells = [crosses[value, half]["lstm"] for half in ("0", "1")]
        mean = sum(cell.n * cell.score for cell in cells) / sum(cell.n for cell in cells)
        assert mean == pytest.approx(by_system["lstm"].value)


def test_another_metric_of_the_name_has_no_published_number(sget_like, monkeypatch):
    """The paper's BLEU is not beside one of other options."""
    setting = PublishedSetting(SGET, (), ("Transformer",))
    monkeypatch.setattr("recombine.methods.generated.tables.published_setting", lambda _: setting)
    all_results = tuple(replace(one, as_shipped=False) for one in sget_like.results)
    tables = named(replace(sget_like, results=all_results))
    assert tables["table-2-overall"].rows[-1] == ("Transformer (paper)", None, None, None, None)
    for name in ("table-3-groups", "table-4-phrase-recombination", "table-10-patterns"):
        assert not any("(paper)" in column for column in tables[name].columns)
