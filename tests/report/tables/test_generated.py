"""The tables of Kumon et al. 2024."""

from __future__ import annotations

import pytest

from recombine.report.tables.generated import generated_tables, group_score
from recombine.report.tables.published import lookup


def test_tables_of_the_paper(findings):
    """Tables 2, 3, 4, 10 and 11 exist; Table 7 needs the tag it is about."""
    names = {table.name for table in generated_tables(findings)}
    assert {
        "table-2-overall", "table-3-groups", "table-4-categories", "table-10-patterns",
        "table-11-complement-clause",
    } <= names  # fmt: skip
    assert "table-7-length" not in names


def test_group_mean_is_weighted_by_sentences(findings):
    """For shares the weighted mean of patterns is the group's own score."""
    sheet = findings.main
    for group, by_system in sheet.by_tag("group_name").items():
        for system, score in by_system.items():
            found = group_score(sheet, "group_name", group, system)
            assert found == pytest.approx(score.estimate)


@pytest.mark.parametrize("name", ["table-3-groups", "table-4-categories", "table-10-patterns"])
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
            pytest.approx(score.estimate),
            pytest.approx(score.spread.sd),
        )


def test_crossed_table_adds_up(findings):
    """Inside and outside a complement clause average to the pattern's score."""
    sheet = findings.main
    crosses = sheet.crosses["pattern", "in_cp"]
    for value, by_system in sheet.by_tag("pattern").items():
        cells = [crosses[value, half]["lstm"] for half in ("no", "yes")]
        mean = sum(cell.n * cell.score for cell in cells) / sum(cell.n for cell in cells)
        assert mean == pytest.approx(by_system["lstm"].estimate)


def test_published_transformer_is_known():
    """The paper's group means, as data."""
    assert lookup("generated", metric="exact", tag="group_name", value="structural") == 45.2
    assert lookup("generated", metric="exact", tag="pattern", value="no such pattern") is None
