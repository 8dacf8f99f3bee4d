"""The frame of a page."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from markupsafe import Markup

from recombine.report.page.frame import page, plain_head
from recombine.report.tables.table import Table, html


def test_everything_is_text():
    """Titles, cells and notes run nothing."""
    bad = "<script>alert(1)</script>"
    table = Table("t", bad, (bad, "n"), ((bad, 1.25),), (bad,))
    text = page(bad, bad, plain_head(bad, bad), {"a": (bad, html(table))})
    assert text.count("<script>") == 1, "the page's own"
    assert text.count("&lt;script&gt;") == 10
    assert '<td class="num">1.2</td>' in text


def test_no_table_is_nothing():
    """Findings that do not exist take no room."""
    assert html(None) == ""


@pytest.mark.parametrize("scripts", [(), ("text.js", "packed.js", "example.js", "examples.js")])
def test_a_page_may_run_its_own_script_alone(scripts):
    """Every page has a button for its theme; a section without content has no link."""
    text = page("t", "e", "l", {"a": ("First", "<p>x</p>"), "b": ("Empty", "")}, scripts=scripts)
    (code,) = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "unsafe-inline'; " not in text.partition("style-src")[0]
    assert ("unpack" in code) == bool(scripts)
    assert 'id="theme"' in text
    assert "Empty" not in text


def test_there_is_a_way_around_the_map_by_the_keyboard():
    """99 links stood between the head of the page and its examples."""
    sections = {"map": ("Map", Markup("m")), "examples": ("Examples", Markup("e"))}
    text = page("t", "e", Markup("l"), sections, skips=("examples", "compare"))
    assert re.findall(r'<a class="skip" href="#(\w+)">', text) == ["main", "examples"]
