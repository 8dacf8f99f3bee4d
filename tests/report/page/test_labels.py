"""Human words everywhere on the page; names for programs stay in files and addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.page import render_page
from recombine.report.reading.runs import open_runs
from recombine.report.tables import paper_tables
from report.compound_run import make_run as make_compound_run
from report.synthetic import make_sget_like_run


def text_of(run: Path) -> str:
    """What a reader sees of a page, without the list of files."""
    report = build_report(open_runs([run]), ReportOptions(trials=50))
    page = render_page(report, {}, (), paper_tables(report))
    page = re.sub(r'<section id="(files|made)">.*?</section>', "", page, flags=re.DOTALL)
    page = re.sub(r"<(script|style|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", page)


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> str:
    """The page on SGET's 42 patterns."""
    return text_of(make_sget_like_run(tmp_path_factory.mktemp("labels")))


def test_no_pattern_or_tag_is_shown_by_its_name_in_files(shown):
    """No underscore, no slot of the grammar: not in the map, not in the papers' tables."""
    assert re.findall(r"\b[a-z]+_[a-z_0-9]+\b", shown) == []
    assert re.findall(r"\b(?:io|VD|subj|obj|in cp|in CP|gen)\b", shown) == []


def test_compounds_are_told_in_words_too(tmp_path):
    """The set of new compounds is called so, also in the tables of the paper."""
    text = text_of(make_compound_run(tmp_path))
    assert re.findall(r"\b(?:[a-z]+_[a-z_0-9]+|gen)\b", text) == []
    assert "new compounds" in text


def test_patterns_come_with_what_was_trained_and_what_is_asked(shown):
    """A row says what was trained and what is asked, in a sentence each."""
    assert "place phrase on subject" in shown
    assert "A friend on the bed laughed." in shown
    assert "Liam saw a friend on the bed." in shown
