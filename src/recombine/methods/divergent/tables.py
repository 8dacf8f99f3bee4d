"""Divergent splits: Table 2 of Moisio et al. 2023, and what a system loses when compounds are new.

The generalisation score of Moisio et al. 2023 (section 4.2) is the ratio of chrF2++ on the maximal
and the minimal split. Their test sets differ, so nothing is paired here, and what differs besides
the compounds stands beside the ratio (their section 7.2): length, vocabulary, novel compounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from recombine.methods.divergent.family import (
    MAX,
    MIN,
    RANDOM,
    Certified,
    Division,
    Family,
    read_certified,
)
from recombine.report.findings import Findings
from recombine.report.results import MetricResults
from recombine.report.tables.own import NO_CONTROL, counts_of
from recombine.report.tables.published import (
    DBCA,
    find_all,
    lookup,
    published_benchmark,
    published_setting,
)
from recombine.report.tables.table import Cell, Column, Table
from recombine.report.tables.typeset import with_best
from recombine.statistics.intervals import Estimate

PAPER = "Transformer (paper)"


PAPER_ATOMS = (
    "The published atom divergences of random splits do not follow from the paper's own "
    "definition; do not compare with them."
)


def family_tables(family: Family) -> list[Table]:
    """Return every table of the comparison."""
    tables = [
        generalisation_table(family),
        split_table([division.certified for division in family.ordered]),
        length_table(family),
        novelty_table(family),
        response_table(family),
    ]
    return [with_best(table, family.systems) for table in tables if table is not None]


def generalisation_table(family: Family) -> Table | None:
    """Score on max divided by score on min, per system and target language."""
    rows: list[tuple[Cell, ...]] = []
    for target in family.targets:
        kinds = family.kinds(target)
        for system in family.systems:
            if system not in family.learned and system != family.neutral:
                continue  # no combination is known to be new to it
            measured = {
                kind: family.measured(kinds.get(kind, ()), system) for kind in (MIN, RANDOM, MAX)
            }
            low, high = measured[MIN], measured[MAX]
            if low is None or high is None or low.value <= 0:
                continue
            beside_it = _of_control(family, kinds, system)
            rows.append(
                (
                    system, target, f"{low.splits}+{high.splits}", *measured.values(),
                    _ratio(high, low), *beside_it,
                    equal_length_ratio(family, kinds[MIN], kinds[MAX], system),
                )
            )  # fmt: skip
    if not rows:
        return None
    beside = _is_published(family)
    if beside:
        rows = [
            (*row, lookup(DBCA, metric="generalisation-score", tag="target", value=str(row[1])))
            for row in rows
        ]
    return Table(
        "generalisation-scores",
        f"Generalisation score: {family.report.words.metric(family.metric)} on new combinations "
        "(max) by that on known ones (min) (section 4.2, Figure 2)",
        (
            "system", "target", "splits", "min", "random", "max", "max / min",
            "control's max / min", "own / control's", "control - own, max", "at equal lengths",
            *((PAPER,) if beside else ()),
        ),
        tuple(rows),
        (
            "The two test sets are not the same, so no paired test applies; the interval of the "
            "ratio is by first-order error propagation of its logarithm.",
            "Splits: how many of min + how many of max. At equal lengths: both scores as means "
            "over length classes, weighted by max's sizes.",
            *_control_notes((str(row[0]) for row in rows), family),
        ),
        decimals=3, places=dict.fromkeys(("min", "random", "max", "control - own, max"), 1),
    )  # fmt: skip


def _of_control(family: Family, kinds: Mapping[str, Sequence[Division]], system: str) -> list[Cell]:
    """What a control keeps, its ratio beside the system's, and what it gets more of max.

    With several splits the means: differences are averaged as scores are. A neutral system is no
    better or worse version of the same one, so of it only the ratios are compared.
    """
    control = family.controls.get(system) or (family.neutral if system != family.neutral else "")
    own, beside = (
        {kind: family.measured(kinds[kind], name) for kind in (MIN, MAX)}
        for name in (system, control)
    )
    low, high = beside[MIN], beside[MAX]
    if control in ("", system) or low is None or high is None or low.value <= 0:
        return [None, None, None]
    gains, gain = (_gain(family, kinds[kind], system, control) for kind in (MIN, MAX))
    own_low, own_high = own[MIN], own[MAX]
    ratio = None
    if own_low is not None and own_high is not None and gains is not None and gain is not None:
        value = (own_high.value / own_low.value) / (high.value / low.value)
        # Paired on each test set: to first order the variance of a logarithm of two scores' ratio
        # is that of their difference by their level.
        half = math.hypot(_half(gains) / own_low.value, _half(gain) / max(own_high.value, 1e-9))
        ratio = Estimate(value, value * math.exp(-half), value * math.exp(half))
    points = gain if control != family.neutral else None
    return [_ratio(high, low), ratio, points]


def _gain(family: Family, splits: Sequence[Division], system: str, control: str) -> Estimate | None:
    """What a control gets more than a system on the same sentences."""
    paired = [
        (pair.overall, 1.0 if pair.second == control else -1.0)
        for results in map(family.results_of, splits)
        for pair in (results.comparisons if results is not None else ())
        if {pair.first, pair.second} == {system, control}
    ]
    if not paired:
        return None
    points = sum(sign * gain.value for gain, sign in paired) / len(paired)
    half = sum((gain.high - gain.low) / 2 for gain, _ in paired) / len(paired)
    return Estimate(points, points - half, points + half)


def _half(gain: Estimate) -> float:
    return (gain.high - gain.low) / 2


def _control_notes(systems: Iterable[str], family: Family) -> list[str]:
    """What the numbers of the control say, and of which systems there are none."""
    alone = [
        name
        for name in dict.fromkeys(systems)
        if name not in family.controls and not family.neutral
    ]
    notes = []
    if family.controls:
        notes.append(
            "control's max / min: the same system trained on the control, which shows the "
            "combinations of max. What it loses is difficulty."
        )
    if family.neutral:
        notes.append(
            f"{family.neutral} is a neutral system, which was trained on no side of the splits. "
            "It is the control of systems that have none. own / control's below 1: the system "
            "loses more than its control."
        )
    return [*notes, *([f"{NO_CONTROL}: {', '.join(alone)}."] if alone else [])]


def _ratio(top: Estimate, bottom: Estimate) -> Estimate:
    """A quotient of independent scores: variances of their logarithms add up to first order."""
    ratio = top.value / bottom.value

    def half_width(above: float, below: float) -> float:
        return math.hypot(above / max(top.value, 1e-9), below / bottom.value)

    fall = half_width(top.value - top.low, bottom.high - bottom.value)
    rise = half_width(top.high - top.value, bottom.value - bottom.low)
    return Estimate(ratio, ratio * math.exp(-fall), ratio * math.exp(rise))


def _is_published(family: Family) -> bool:
    """Whether every split is one of the paper's and every system a Transformer, as its was."""
    settings = [published_setting(division.report.source) for division in family.divisions]
    all_results = [family.results_of(division) for division in family.divisions]
    shipped = all(results is None or results.as_shipped for results in all_results)
    return (
        family.metric == "chrf++"
        and shipped
        and all(
            setting is not None and setting.name == DBCA and setting.kinds == ("Transformer",)
            for setting in settings
        )
    )


def equal_length_ratio(
    family: Family, low: Sequence[Division], high: Sequence[Division], system: str
) -> float | None:
    """Return max / min with min's length classes weighted as in max's test set."""
    above, below = _by_length(family, high, system), _by_length(family, low, system)
    shared = [name for name in above if name in below]
    weight = sum(above[name][0] for name in shared)
    if not weight:
        return None
    top = sum(above[name][0] * above[name][1] for name in shared)
    bottom = sum(above[name][0] * below[name][1] for name in shared)
    return top / bottom if bottom > 0 else None


def _by_length(
    family: Family, divisions: Sequence[Division], system: str
) -> dict[str, tuple[int, float]]:
    """Return items and mean score per length class, over splits."""
    points: dict[str, list[tuple[int, float]]] = {}
    for results in map(family.results_of, divisions):
        for value, by_system in results.by_tag("length").items() if results else ():
            if system in by_system:
                score = by_system[system]
                points.setdefault(value, []).append((score.n, score.value))
    merged = {}
    for value in sorted(points, key=lambda text: int(text.partition("-")[0])):
        count = sum(n for n, _ in points[value])
        merged[value] = (count, sum(n * score for n, score in points[value]) / count)
    return merged


def length_table(family: Family) -> Table | None:
    """Scores of min and max within classes of equal length."""
    rows: list[tuple[Cell, ...]] = []
    for target in family.targets:
        kinds = family.kinds(target)
        for system in family.systems:
            below = _by_length(family, kinds.get(MIN, ()), system)
            above = _by_length(family, kinds.get(MAX, ()), system)
            for name in (name for name in below if name in above):
                (few, low), (many, high) = below[name], above[name]
                rows.append(
                    (system, target, name, few, low, many, high, high / low if low else None)
                )
    if not rows:
        return None
    return Table(
        "generalisation-by-length", "The same at equal lengths",
        ("system", "target", "length", "n in min", "min", "n in max", "max", "max / min"),
        tuple(rows), decimals=3, places={"min": 1, "max": 1},
    )  # fmt: skip


def novelty_table(family: Family) -> Table | None:
    """Scores by the share of a sentence's compounds that training never shows."""
    columns = (
        "split",
        "target",
        "seed",
        "compounds of the sentence",
        "n",
        *map(Column, family.systems),
    )
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for division, results in _measured_splits(family):
        by_value = results.by_tag("novelty")
        rules.add(len(rows))
        for value in (name for name in division.test["novelty"] if name in by_value):
            scores = [by_value[value].get(system) for system in family.systems]
            n = counts_of(score for score in scores if score)
            rows.append((division.kind, division.target, division.seed, value, n, *scores))
    if not rows:
        return None
    return Table(
        "novelty-within-test", "Within one test set: sentences by their share of novel compounds",
        columns, tuple(rows),
        ("Novel = not in the training set of the split. Needs no second model.",),
        frozenset(rules), 1,
    )  # fmt: skip


def _measured_splits(family: Family) -> Iterator[tuple[Division, MetricResults]]:
    for division in family.ordered:
        results = family.results_of(division)
        if results is not None:
            yield division, results


def response_table(family: Family) -> Table:
    """The dose-response curve: a row per split and system."""
    rows: list[tuple[Cell, ...]] = []
    for division, results in _measured_splits(family):
        for system in results.systems:
            score = results.overall(system)
            rows.append(
                (
                    system, division.target, division.kind, division.seed,
                    None if division.kind == RANDOM else division.certificate["target_divergence"],
                    division.certificate["compound_divergence"],
                    division.certificate["atom_divergence"], score.value, score.low,
                    score.high, len(score.seeds),
                )
            )  # fmt: skip
    return Table(
        "dose-response", f"{family.report.words.metric(family.metric)} by compound divergence",
        (
            "system", "target", "split", "split seed", "wanted D_C", "D_C", "D_A", "score", "low",
            "high", "system seeds",
        ),
        tuple(rows), decimals=4, places=dict.fromkeys(("score", "low", "high"), 1),
    )  # fmt: skip


def divergent_tables(report: Findings) -> list[Table]:
    """Table 2 for this benchmark, with the published splits below it."""
    certified = read_certified(report.source.benchmark)
    return [split_table([certified])] if certified is not None else []


def split_table(splits: Sequence[Certified]) -> Table:
    """Table 2 for these splits, and the confounders of section 7.2."""
    rows: list[tuple[Cell, ...]] = []
    for split in splits:
        train, test = (split.certificate["splits"][name] for name in ("train", "test"))
        manifest = split.benchmark.manifest
        rows.append(
            (
                split.kind, manifest.target, manifest.seed, train["sentences"], test["sentences"],
                test["words"], float(test["mean_length"]), test["lemmas"],
                test["novel_compound_share"], split.certificate["atom_divergence"],
                split.certificate["compound_divergence"],
            )
        )  # fmt: skip
    ours = len(rows)
    if all(published_benchmark(split.benchmark) == (DBCA, ()) for split in splits):
        rows += published_splits()
    return Table(
        "table-2-splits", "The splits, and what differs besides the compounds (Table 2)",
        (
            "split", "target", "seed", "train", "test", "test words", "words a sentence",
            "test lemmas", "novel compounds", "D_A", "D_C",
        ),
        tuple(rows),
        ("Length, vocabulary and atom divergence should be alike; where they are not, a ratio "
         "of scores is no proof (section 7.2).",
         *((PAPER_ATOMS,) if len(rows) > ours else ())),
        frozenset({ours}), 4, places={"words a sentence": 1},
    )  # fmt: skip


def published_splits() -> list[tuple[Cell, ...]]:
    """The rows of Table 2 as printed."""
    cells: dict[str, dict[str, Cell]] = {}
    for row in find_all(DBCA, table="2"):
        cell = row.text if row.score is None else row.score
        cells.setdefault(row.row, {})[row.metric] = cell
    return [
        (
            f"{name} (paper)", None, None, cells.get("train sentences"),
            cells.get("test sentences"), cells.get("test words"), None,
            cells.get("unique lemmas"), None, cells.get("D_A"), cells.get("D_C"),
        )
        for name, cells in cells.items()
    ]  # fmt: skip
