"""The map: what the systems can do, and what not.

It has a tile for every kind of sentence that is asked for, coloured by its score on the range
that the metric declares, with a tick below the number as wide as its interval; a click shows the
examples. One system has strips of tiles, several have a table with a column each, best first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from recombine.metrics.score import Score
from recombine.metrics.slices import show_tag
from recombine.report.findings import Findings
from recombine.report.page.scale import STEPS, level, shade
from recombine.report.page.sections import open_note
from recombine.report.page.shown import SystemLook, between, examples_link, interval, look, whole
from recombine.report.results import MetricResults
from recombine.report.tables.own import by_family
from recombine.templates import capital, number, render

# A value of more kinds than this is for its table.
MOST_TILES = 120
# With more columns than this there is no room for examples beside them; they are on hover.
MOST_BESIDE = 6


class MapCell(NamedTuple):
    """A score in the map: its colour, its link, and its interval in percent of the cell."""

    text: str
    css: str = ""
    value: str = ""
    link: str = ""
    hover: str = ""
    low: float = 0.0
    width: float = -1.0


class MapRow(NamedTuple):
    """A kind of sentence, what was trained and what is asked, and every system's score."""

    value: str
    order: int
    name: str
    trained: str
    asked: str
    hint: str
    cells: Sequence[MapCell]


class MapFamily(NamedTuple):
    """Kinds of sentence that belong together, and the scores of all of them."""

    name: str
    technical: str
    means: Sequence[MapCell]
    rows: Sequence[MapRow]


class MapColumn(NamedTuple):
    """A column of the map: one of our systems, or a published one."""

    name: str
    system: SystemLook | None


def map_section(
    report: Findings, published: Mapping[str, Mapping[str, float]], above: Markup | str = ""
) -> Markup:
    """The map of the main metric, and of the other metrics of its split behind a choice.

    `published` maps the name of a published system to its scores by value of the main tag; `above`
    is what drives the map.
    """
    each = report.method.splits_are_tests
    mapped = [
        results
        for results in report.results
        if has_map(results) and (each or results.split == report.main.split)
    ]
    if not mapped:
        return Markup()
    names = [
        f"{report.split_name(results.split)}: {report.words.metric(results.metric)}"
        if each
        else report.words.metric(results.metric)
        for results in mapped
    ]
    # Of several tests the one whose map shows most comes first, each by its first metric.
    firsts = {results.split: results for results in reversed(mapped)}
    first = max(reversed(firsts.values()), key=_contrast) if each else mapped[0]
    several = len(report.main.systems) + len(published) > 1
    return render(
        "map",
        above=above,
        choices=[(name, results is first) for results, name in zip(mapped, names, strict=True)],
        sorted_by=_ORDERS if several else (),
        pairs=_pairs(report, published),
        blocks=[
            _map(
                report, results, name, published if results is report.main else {}, results is first
            )
            for results, name in zip(mapped, names, strict=True)
        ],
    )


_ORDERS = (("paper", "by family"), ("score", "lowest first"), ("spread", "disagreement"))


def has_map(results: MetricResults) -> bool:
    """Whether a metric was scored by kinds of sentence that fit a map."""
    return results.main_tag is not None and 1 < len(results.by_tag(results.main_tag)) <= MOST_TILES


def _contrast(results: MetricResults) -> float:
    """How far apart the tiles of a map are: where all are alike it says no more than its mean."""
    assert results.main_tag is not None
    tiles = [tile.value for by in results.by_tag(results.main_tag).values() for tile in by.values()]
    values = [value for value in tiles if not math.isnan(value)]
    low, high = results.limits
    return (max(values) - min(values)) / (high - low) if values else 0.0


def _pairs(
    report: Findings, published: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, str, str]]:
    """Columns whose difference can be shown in place of the scores: the better minus the other."""
    systems = report.main.best_first
    pairs = [(a, b) for place, a in enumerate(systems) for b in systems[place + 1 :]]
    pairs += [(a, b) for a in systems for b in published]
    return [(json.dumps([a, b]), a, b) for a, b in pairs]


def _map(
    report: Findings,
    results: MetricResults,
    name: str,
    published: Mapping[str, Mapping[str, float]],
    shown: bool,
) -> Markup:
    low, high = results.limits
    scale = "m" if results.higher_is_better else "w"
    alone = len(results.systems) == 1 and not published
    return render(
        "map_block",
        name=name,
        main=results is report.main,
        hidden=not shown,
        limits=(f"{low:g}", f"{high:g}"),
        steps=[f"{scale}{step}" for step in range(STEPS + 1)],
        note=open_note(results),
        drawn=_tiles(report, results) if alone else _table(report, results, published),
    )


def strips(report: Findings, results: MetricResults) -> list[tuple[str, list[str]]]:
    """Values of the main tag by family, both with the lowest score first."""
    assert results.main_tag is not None
    scores = results.by_tag(results.main_tag)
    sign = 1 if results.higher_is_better else -1

    def mean(values: Sequence[str]) -> float:
        values_of = [score.value for value in values for score in scores[value].values()]
        values_of = [value for value in values_of if not math.isnan(value)]
        return sign * sum(values_of) / len(values_of) if values_of else math.inf

    order: dict[str, list[str]] = {}
    for value in scores:
        order.setdefault(results.families.get(value, ""), []).append(value)
    for members in order.values():
        members.sort(key=lambda value: mean([value]))
    return sorted(order.items(), key=lambda item: mean(item[1]))


def _tiles(report: Findings, results: MetricResults) -> Markup:
    assert results.main_tag is not None
    (system,) = results.systems
    scores = results.by_tag(results.main_tag)
    families = results.by_tag(results.family_tag) if results.family_tag else {}
    rows = []
    for family, values in strips(report, results):
        overall = families.get(family, {}).get(system)
        label = report.words.label(results.family_tag or "", family) if family else ""
        tiles = [
            (
                value,
                report.words.label(results.main_tag, value),
                _cell(report, results, system, value, scores[value][system]),
            )
            for value in values
            if system in scores[value]
        ]
        mean = between(overall, whole) if overall is not None else ""
        rows.append((family, capital(label), mean, tiles))
    return render("tiles", strips=rows)


def _cell(
    report: Findings, results: MetricResults, system: str, value: str, score: Score | None
) -> MapCell:
    """A system's score on one kind of sentence."""
    if score is None or math.isnan(score.value):
        return MapCell("–")
    low = 100 * level(results, score.low)
    return MapCell(
        between(score, whole),
        shade(results, score),
        f"{score.value:.2f}",
        _link(results, system, value),
        hover(report, results, value, score),
        0.0 if math.isnan(low) else low,
        -1.0 if math.isnan(low) else 100 * level(results, _highest(score)) - low,
    )


def _highest(score: Score) -> float:
    """The end of the interval, or what the score is if all that was not judged is right."""
    return max(score.high, *score.possible)


def hover(report: Findings, results: MetricResults, value: str, score: Score) -> str:
    """Words on a tile or cell: what it is, the score with its interval, trained and asked."""
    assert results.main_tag is not None
    label = capital(report.words.label(results.main_tag, value))
    span = f" ({interval(score)})" if interval(score) else ""
    lines = [
        f"{label}: {between(score)}{span}, {score.counted}",
        *report.words.hint(results.main_tag, value).split(" · "),
    ]
    return "\n".join(filter(None, lines))


def _link(results: MetricResults, system: str, value: str) -> str:
    return examples_link(
        a=system,
        metric=results.metric,
        tag__split=results.split,
        **{f"tag__{results.main_tag}": value},
    )


def _table(
    report: Findings, results: MetricResults, published: Mapping[str, Mapping[str, float]]
) -> Markup:
    """A row per kind of sentence, a column per system, equally wide; families fold."""
    assert results.main_tag is not None
    words, tag = report.words, results.main_tag
    systems = results.best_first
    scores = results.by_tag(tag)
    families = results.by_tag(results.family_tag) if results.family_tag else {}
    sentences = _one_of_each(report, results)
    rows_of: dict[str, list[MapRow]] = {}
    for order, value in enumerate(by_family(results, scores)):
        cells = [
            _cell(report, results, system, value, scores[value].get(system)) for system in systems
        ]
        cells += [_published_cell(by_value.get(value)) for by_value in published.values()]
        wording = words.find(tag, value)
        row = MapRow(
            value,
            order,
            wording.label,
            wording.trained,
            wording.asked or sentences.get(value, ""),
            words.hint(tag, value),
            cells,
        )
        rows_of.setdefault(results.families.get(value, ""), []).append(row)
    blocks = []
    for family, rows in rows_of.items():
        means = [_mean(families.get(family, {}).get(system)) for system in systems]
        means += [MapCell("")] * len(published)
        name = capital(words.label(results.family_tag or "", family)) if family else ""
        blocks.append(MapFamily(name, family, means, rows))
    ties = {
        f"{pair.second}\n{pair.first}": [
            part.value for part in pair.slices if part.verdict == "tie"
        ]
        for pair in results.comparisons
        if pair.slices
    }
    columns = [MapColumn(system, look(report, system)) for system in systems]
    columns += [MapColumn(name, None) for name in published]
    trained = any(row.trained for rows in rows_of.values() for row in rows)
    return render(
        "map_table",
        title=f"{words.metric(results.metric)} of every system by {words.tag(tag)}",
        tag=words.tag(tag),
        about="What was trained → what is asked" if trained else "For example",
        columns=columns,
        families=blocks,
        many=2 + len(columns) > MOST_BESIDE,
        range=f"{results.limits[1] - results.limits[0]:g}",
        ties=json.dumps(ties, ensure_ascii=False),
    )


def _mean(score: Score | None) -> MapCell:
    """The score of a family as a whole."""
    if score is None:
        return MapCell("")
    return MapCell(between(score, whole), value=f"{score.value:.2f}")


def _published_cell(given: float | None) -> MapCell:
    if given is None:
        return MapCell("–")
    return MapCell(number(given, 0), "paper", f"{given:.2f}")


def _one_of_each(report: Findings, results: MetricResults) -> dict[str, str]:
    """A sentence for every value of the main tag, for values that no wording has an example of."""
    sentences: dict[str, str] = {}
    for example in report.source.examples(results.split).values():
        value = show_tag(example.tags.get(results.main_tag or "", ""))
        if value and value not in sentences:
            sentences[value] = example.source[:200]
    return sentences
