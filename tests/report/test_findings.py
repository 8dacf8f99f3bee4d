"""What a report holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from recombine.errors import DataError
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.report.results import make_results


def test_splits_and_titles(findings):
    """Generalisation comes first; the title names benchmark and systems."""
    assert findings.splits == ("gen", "test")
    assert findings.title.startswith("synthetic: ")
    assert findings.main.family_tag == "category"
    assert set(findings.main.parents) == {"category", "group_name"}


def test_classes_of_verdicts_are_counted(run):
    """Labels in detail.class are counted per system and pattern, over all seeds."""
    panel = read_observations(open_runs([run]), "exact", "test")
    labels = tuple("right" if value else "dropped" for value in panel.values["lstm", 1])
    results = make_results(replace(panel, classes={("lstm", 1): labels}))
    total = sum(results.labels["lstm"].values(), Counter())
    assert total["right"] + total["dropped"] == len(panel.keys)


def test_clusters_by_a_tag_that_nobody_has_are_refused(run):
    """A misspelt tag names those that exist; a good one is said in the findings."""
    source = open_runs([run])
    with pytest.raises(DataError, match="no example has the tag 'word'") as caught:
        build_report(source, ReportOptions(metrics=("exact",), cluster="word"))
    assert "target_word" in (caught.value.hint or "")
    report = build_report(source, ReportOptions(metrics=("exact",), cluster="target_word"))
    assert report.main.sampled == "whole clusters by target_word (40 for 320 keys)"
    assert report.main.overall("lstm").method == "seeds and clusters"
    assert report.main.comparisons[0].overall.method == "Student's t over seeds and paired clusters"
