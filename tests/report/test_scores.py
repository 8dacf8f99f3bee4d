"""Scores with intervals, overall and by tag."""

from __future__ import annotations

from recombine.report.options import ReportOptions
from recombine.report.panel import read_panel
from recombine.report.runs import open_source
from recombine.report.scores import is_number, main_tag, numeric_tags, overall, sliceable_tags


def test_overall_scores_have_seed_spread_and_interval(run):
    """Estimate inside its interval, minimum and maximum around the mean."""
    panel = read_panel(open_source([run]), "exact", "gen")
    for one in overall(panel, ReportOptions()):
        assert one.interval.low <= one.estimate <= one.interval.high
        assert one.spread.low <= one.estimate <= one.spread.high
        assert one.spread.seeds == 3


def test_clusters_widen_the_interval_only_when_they_matter(run):
    """Resampling whole target words is possible and named in the method."""
    panel = read_panel(open_source([run]), "exact", "gen")
    found = overall(panel, ReportOptions(cluster="target_word"))[0]
    assert found.interval.method == "crossed seeds x clusters"


def test_tags_are_told_apart(run):
    """Patterns slice, depths are numbers, identifiers do neither."""
    panel = read_panel(open_source([run]), "exact", "gen")
    assert main_tag(panel) == "pattern"
    assert "depth" in numeric_tags(panel)
    assert "in_cp" in sliceable_tags(panel)
    assert is_number("3.5")
    assert not is_number("nan")
