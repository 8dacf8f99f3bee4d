"""The map over training: a slider that shows what was learnt and lost."""

from __future__ import annotations

import json
import re

import pytest

from in_browser import visit
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.film import film
from recombine.report.page.page import render_page
from recombine.report.reading.runs import open_runs
from recombine.report.tables.table import Table
from report.synthetic import ACCURACY, make_run


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


@pytest.fixture
def page(tmp_path, browser):
    """Opens the page of findings with checkpoints, and a paper's column if there is one."""

    def opened(findings):
        path = tmp_path / "report.html"
        path.write_text(render_page(findings, {}, slices=slices_of(findings)), encoding="utf-8")
        return visit(browser, path)[0]

    return opened


def first_cell(shown, findings, system=""):
    """The first pattern of the first system, or of another one."""
    value = next(iter(findings.main.by_tag(findings.main.main_tag)))
    head = shown.locator(f".map.main [data-system={system or findings.systems[0]}]")
    place = head.evaluate("head => head.cellIndex")
    return shown.locator(f'.map.main [data-value="{value}"] > *').nth(place)


def test_the_map_follows_the_slider(findings, page):
    """Colours and numbers are the checkpoint's, and at its end those of the scored model again."""
    shown = page(findings)
    cell, family = first_cell(shown, findings), shown.locator("tr.family td[data-v]").first
    before = cell.inner_text(), cell.get_attribute("class"), family.inner_text()
    slider, table = (shown.locator(one).bounding_box() for one in ("#film", ".map-table"))
    assert slider["y"] < table["y"], "both are in sight"
    shown.locator("#film").fill("1")
    assert shown.locator("#film-step").inner_text() == "step 20"
    assert cell.inner_text() == "96"
    assert "m10" in cell.get_attribute("class").split()
    assert family.inner_text() == "", "means of families are those of the scored model"
    shown.locator("#film").fill("2")
    assert cell.inner_text() == "4"
    shown.locator("#film").fill("3")
    assert (cell.inner_text(), cell.get_attribute("class"), family.inner_text()) == before


def test_order_and_differences_are_of_the_checkpoint(findings, page):
    """What is sorted or subtracted is what the slider says, not the model that was scored."""
    shown = page(findings)
    cell = first_cell(shown, findings)
    shown.locator("#film").fill("1")
    shown.select_option("#map-sort", "score")
    assert cell.inner_text() == "96"
    first, second = findings.main.systems[:2]
    shown.select_option("#map-mode", json.dumps([second, first]))
    cell = first_cell(shown, findings, second)
    assert cell.inner_text() == "−46"
    shown.locator("#film").fill("2")
    assert cell.inner_text() == "+46"
    assert "d6" in cell.get_attribute("class").split(), "nothing was tested between checkpoints"


def test_only_the_map_of_its_metric_follows(tmp_path, page):
    """The slider shows its own map, other metrics keep their numbers, and choosing them ends it."""
    one = {"alone": ACCURACY["lstm"]}
    run = make_run(tmp_path / "run", systems=one, seeds=(1,), per_pattern=10)
    options = ReportOptions(metrics=("exact", "bleu"), splits=("gen",), trials=50)
    shown = page(build_report(open_runs([run]), options))
    tiles = [shown.locator(f"{of} .tile b") for of in (".map.main", ".map:not(.main)")]
    before = [one.all_text_contents() for one in tiles]
    shown.select_option("#map-metric", "BLEU")
    shown.locator("#film").fill("1")
    assert shown.locator("#map-metric").input_value() == "exact match"
    assert "96" in tiles[0].all_text_contents()
    assert tiles[1].all_text_contents() == before[1]
    shown.select_option("#map-metric", "BLEU")
    assert shown.locator("#film-step").inner_text() == "the model that was scored"
    assert tiles[0].all_text_contents() == before[0]


def test_a_system_with_checkpoints_alone_does_not_end_the_report(findings):
    """It has no score of the main metric, and so no row of the map."""
    table = slices_of(findings)
    rows = tuple((*row, 5.0) for row in table.rows)
    assert "newcomer" in film(findings, Table("t", "T", (*table.columns, "newcomer"), rows))
