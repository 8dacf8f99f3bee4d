"""The frame of a page."""

from __future__ import annotations

import base64
import hashlib
import re

from recombine.report.page.frame import page, plain_head
from recombine.report.tables.table import Table, html


def test_everything_is_text():
    """Titles, cells and notes run nothing."""
    bad = "<script>alert(1)</script>"
    table = Table("t", bad, (bad, "n"), ((bad, 1.25),), (bad,))
    text = page(bad, bad, plain_head(bad, bad), {"a": (bad, html(table))})
    assert "<script>" not in text
    assert text.count("&lt;script&gt;") == 10
    assert '<td class="num">1.2</td>' in text


def test_no_table_is_nothing():
    """Findings that do not exist take no room."""
    assert html(None) == ""


def test_only_a_page_with_examples_may_run_its_script():
    """Other pages allow no script at all, and a section without content has no link."""
    plain = page("t", "e", "l", {"a": ("First", "<p>x</p>"), "b": ("Empty", "")})
    assert "script-src" not in plain
    assert "<script>" not in plain
    assert "Empty" not in plain
    scripted = page("t", "e", "l", {}, scripted=True)
    (code,) = re.findall(r"<script>(.*?)</script>", scripted, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in scripted, "this script alone may run"
    assert "unsafe-inline'; " not in scripted.partition("style-src")[0]
