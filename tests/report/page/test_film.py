"""The map over training: a slider that shows what was learnt and lost."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from recombine.report.page.film import film
from recombine.report.page.page import render_page
from recombine.report.tables.table import Table

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def slices_of(findings) -> Table:
    """The first pattern of the first system is learnt at step 20 and lost at step 30."""
    main = findings.main
    first, second = list(main.by_tag(main.main_tag))[:2]
    others = (50.0,) * (len(main.systems) - 1)
    rows = [(first, step, score, *others) for step, score in ((10, 0.0), (20, 96.0), (30, 4.0))]
    rows += [(second, 10, 12.0, *others), (second, "best", 99.0, *others)]
    return Table("t", "T", (main.main_tag, "step", *main.systems), tuple(rows))


def test_no_checkpoints_no_slider(findings):
    """Nor one for a single checkpoint."""
    assert film(findings, None) == ""
    table = slices_of(findings)
    one = Table("t", "T", table.columns, table.rows[:1])
    assert film(findings, one) == ""


def test_the_slider_has_every_numbered_checkpoint(findings):
    """What was not scored at one is a gap; names cannot end the script that holds them."""
    html = film(findings, slices_of(findings))
    data = json.loads(re.search(r'id="film-data">(.*?)</script>', html)[1])
    main = findings.main
    first, second = list(main.by_tag(main.main_tag))[:2]
    assert data["steps"] == [10, 20, 30]
    assert data["scores"][main.systems[0]] == {first: [0.0, 96.0, 4.0], second: [12.0, None, None]}


def test_the_map_follows_the_slider(findings, tmp_path):
    """Colours and numbers are the checkpoint's, and at its end those of the scored model again."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install the package chromium")
    api = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "report.html"
    path.write_text(render_page(findings, {}, slices=slices_of(findings)), encoding="utf-8")
    value = next(iter(findings.main.by_tag(findings.main.main_tag)))
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(180_000)  # a browser on a busy machine takes long
        page.goto(path.as_uri())
        cell = page.locator(f'.map-table tr[data-value="{value}"] td[data-v]').first
        before = cell.inner_text(), cell.get_attribute("class")
        page.locator("#film").fill("1")
        assert page.locator("#film-step").inner_text() == "step 20"
        assert cell.inner_text() == "96"
        assert "m10" in cell.get_attribute("class").split()
        page.locator("#film").fill("2")
        assert cell.inner_text() == "4"
        page.locator("#film").fill("3")
        assert (cell.inner_text(), cell.get_attribute("class")) == before
        browser.close()
