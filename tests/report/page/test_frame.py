"""Pages without a script."""

from __future__ import annotations

from recombine.report.page.frame import html_table, static_page
from recombine.report.tables.table import Table


def test_everything_is_text():
    """Titles, cells and notes run nothing."""
    bad = "<script>alert(1)</script>"
    table = Table("t", bad, (bad, "n"), ((bad, 1.25),), (bad,))
    page = static_page(bad, bad, bad, {"a": (bad, html_table(table))})
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 10
    assert '<td class="num">1.2</td>' in page


def test_no_table_is_nothing():
    """Findings that do not exist take no room."""
    assert html_table(None) == ""
