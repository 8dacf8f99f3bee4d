"""The first screen: bars and the map of what is asked."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace

from recombine.report.page.first_screen import bars, familiar_and_new
from recombine.report.page.map import map_section, strips
from recombine.report.page.scale import shade, step
from recombine.report.tables.own import by_family


def test_each_system_has_a_bar_for_familiar_and_one_for_new(findings):
    """Three systems on two splits are six bars, each with its number."""
    text = bars(findings, familiar_and_new)
    assert text.count('class="vb familiar"') == text.count('class="vb new"') == 3


def test_one_system_has_tiles_with_the_lowest_first(findings):
    """Every pattern is a tile that opens its examples; strips and tiles are sorted by score."""
    main = findings.main
    alone = replace(
        main,
        seeds={"lstm": (1, 2, 3)},
        scores=tuple(one for one in main.scores if one.system == "lstm"),
        comparisons=(),
    )
    report = replace(findings, results=(alone,))
    text = map_section(report, {})
    assert text.count('class="tile ') == 8
    assert "#examples?a=lstm" in text
    scores = alone.by_tag("pattern")
    for _, values in strips(report, alone):
        means = [scores[value]["lstm"].value for value in values]
        assert means == sorted(means)


def test_several_systems_have_a_table_with_sorting_and_differences(findings):
    """A row per pattern in the order of the paper; every pair can be subtracted."""
    text = map_section(findings, {})
    rows = re.findall(r'data-order="\d+" data-value="([^"]*)"', text)
    main = findings.main
    assert len(rows) == 8
    assert rows == [one.replace("→", "→") for one in by_family(main, main.by_tag("pattern"))]
    assert text.count(" − ") == 3, "always the better minus the other"
    heads = re.findall(r'<th scope="col" data-system="([^"]*)"', text)
    assert heads[:3] == ["oracle-ish", "transformer", "lstm"], "best first"
    assert 'value="spread"' in text


def test_published_scores_are_columns_of_their_own(findings):
    """Ours minus the paper's can be shown where there is a published number."""
    text = map_section(findings, {"paper: Transformer": {"PP 3": 12.5}})
    assert '<td class="paper" data-v="12.50">12</td>' in text
    assert "transformer − paper: Transformer" in text


def test_the_map_of_consistency_that_has_something_to_show_comes_first(findings):
    """One whose tiles are all alike waits behind the choice; other methods keep their order."""
    main = findings.main
    flat = replace(main, scores=tuple(replace(one, value=100.0) for one in main.scores))
    other = replace(main, split="test", metric="partial")
    all_results = (flat, replace(flat, metric="bleu"), other)
    shown = re.compile(r'<div class="(map[^"]*)" data-map')
    report = replace(findings, results=all_results)
    assert shown.findall(map_section(report, {})) == ["map main", "map hidden"]
    manifest = replace(report.source.benchmark.manifest, builder="consistency")
    benchmark = copy(report.source.benchmark)
    benchmark.manifest = manifest
    report = replace(report, source=replace(report.source, benchmark=benchmark))
    text = map_section(report, {})
    assert shown.findall(text) == ["map main hidden", "map hidden", "map"]
    assert re.findall(r"<option selected>(.*?)</option>", text) == [
        "familiar sentences: tested part right"
    ]


def test_one_system_beside_a_paper_can_be_sorted(findings):
    """Two columns have an order; one alone has none."""
    main = replace(findings.main, seeds={"lstm": (1, 2, 3)}, comparisons=())
    report = replace(findings, results=(main,))
    assert 'id="map-sort"' in map_section(report, {"paper: LSTM": {"PP 3": 12.5}})
    assert 'id="map-sort"' not in map_section(report, {})


def test_colours_follow_the_range_that_the_metric_declares(findings):
    """A score of 5 is pale from 0 to 100 and dark from 0 to 5; errors have another scale."""
    main = findings.main
    score = replace(main.scores[0], value=5.0, low=4.9, high=5.1)
    assert shade(main, score) == "m0"
    main = replace(main, aggregator=replace(main.aggregator, limits=(0.0, 5.0)))
    assert shade(main, score) == "m10"
    assert shade(replace(main, higher_is_better=False), score) == "w10"
    assert step(0.5, good=True) == "m5"


def test_a_line_below_a_number_is_as_wide_as_its_interval(findings):
    """Hatching hid the numbers; the line is to the cell what the interval is to the range."""
    main = findings.main
    scores = tuple(replace(one, value=50.0, low=41.0, high=59.0) for one in main.scores)
    text = map_section(replace(findings, results=(replace(main, scores=scores),)), {})
    assert set(re.findall(r'class="tick" style="([^"]*)"', text)) == {"left:41%;width:18%"}
