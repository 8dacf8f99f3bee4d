"""The gap between familiar and new sentences: composition and difficulty."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError
from recombine.evaluation import score
from recombine.experiment.run import Run
from recombine.files import write_json
from recombine.report import ReportOptions, write_report
from recombine.report.findings import build_report
from recombine.report.gap import gap_sentences
from recombine.report.page.comparisons import compare_section
from recombine.report.page.gap import gap_section
from recombine.report.page.sections import scores_section
from recombine.report.reading.runs import open_runs
from recombine.report.scorecard import headline as scorecard_headline
from recombine.report.scorecard import read_suite
from recombine.report.tables.own import gap_table
from recombine.statistics.aggregate import Aggregator
from recombine.statistics.intervals import Estimate
from recombine.statistics.sample import Sample
from report.synthetic import ACCURACY, make_run, read_hypotheses

# A control is better on every structure, and not as good as on familiar sentences.
SYSTEMS = {"own": ACCURACY["lstm"], "held": (0.9, 0.8, 0.8, 0.8, 0.7, 0.8, 0.7, 0.7)}


@pytest.fixture(scope="module")
def controlled(tmp_path_factory):
    """A system and its control, three seeds each; `alone` has other options."""
    run = make_run(tmp_path_factory.mktemp("gap"), systems={**SYSTEMS, "alone": SYSTEMS["own"]})
    for cell in Run(run).cells():
        options = {"use": "transformer", "layers": 4 if cell.system == "alone" else 2}
        if cell.system == "held":
            options["train"] = "control"
        cell.update_record(options=options)
    return run


def test_the_parts_add_up(controlled):
    """In all and for every pattern; the composition is the paired difference of the report."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    own = [parts for parts in report.gaps if parts.system.startswith("own")]
    assert len(own) == 9  # all, and eight patterns
    for parts in own:
        assert parts.gap.value == pytest.approx(parts.familiar.value - parts.new.value)
        assert parts.gap.value == pytest.approx(parts.composition.value + parts.difficulty.value)
        assert parts.composition.low <= parts.composition.value <= parts.composition.high
    results = report.main
    (pair,) = [
        one for one in results.comparisons
        if {one.first.split()[0], one.second.split()[0]} == {"own", "held"}
    ]  # fmt: skip
    overall = own[0].composition
    assert (overall.value, overall.low, overall.high) == pytest.approx(pair.overall.span)
    # A control has no gap of its own to be taken apart; who has none is said to have none.
    systems = {parts.system.split()[0]: parts for parts in report.gaps if not parts.tag}
    assert set(systems) == {"own", "alone"}
    assert systems["alone"].composition is None
    assert systems["alone"].gap is not None


def test_the_sentence_names_the_control_or_its_absence(controlled):
    """Numbers of the table, with intervals; without a control a warning."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    parts, last = gap_sentences(report.gaps)
    gap = report.gaps[next(i for i, one in enumerate(report.gaps) if one.control)]
    assert f"Of {gap.gap.value:.1f} points that {gap.system} loses" in parts
    assert f"{gap.composition.value:.1f} (" in parts
    assert last.startswith("Points lost on new sentences: alone")
    assert "No control: part of it may be difficulty" in last
    table = gap_table(report.gaps)
    assert table.columns[-4:] == ("new", "lost", "composition", "difficulty")
    assert "may be difficulty: alone" in table.notes[1]


def test_what_may_be_chance_is_not_called_composition(controlled):
    """Without familiar sentences the control alone speaks, and only as far as its interval goes."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    parts = next(parts for parts in report.gaps if parts.control)
    open_gap = replace(parts, gap=None, difficulty=None)
    assert gap_sentences([open_gap])[0].endswith(": so much is composition.")
    for composition, told in (
        (Estimate(3.7, -2.3, 9.6), "gets 3.7 (−2.3 to 9.6) points more"),
        (Estimate(-1.0, -2.3, 0.6), "gets 1.0 (−0.6 to 2.3) points fewer"),
    ):
        (sentence,) = gap_sentences([replace(open_gap, composition=composition)])
        assert told in sentence
        assert sentence.endswith(": it may be chance.")
    (sentence,) = gap_sentences([replace(open_gap, composition=Estimate(3.7))])
    assert sentence.endswith(
        "points more than own on the same new sentences: too few sentences to tell."
    )


def test_a_share_that_may_be_nothing_is_not_said_to_be_composition(controlled):
    """7.0 (-3.8 to 17.6) points `are composition` was said of an interval that holds zero."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    parts = next(parts for parts in report.gaps if parts.control)
    (sure,) = gap_sentences([parts])
    (perhaps,) = gap_sentences([replace(parts, composition=Estimate(7.0, -3.8, 17.6))])
    assert ") are composition and " in sure
    assert "7.0 (−3.8 to 17.6) may be composition and " in perhaps


def test_a_control_that_does_worse_takes_no_part_of_the_gap(controlled):
    """`Of 63 points -3 are composition` is no sentence; its bar went beyond the familiar score."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    parts = next(parts for parts in report.gaps if parts.control)
    for composition, claim in (
        (Estimate(-3.0, -5.0, -1.0), "none are composition"),
        (Estimate(-3.0, -7.0, 1.0), "none are shown to be composition"),
    ):
        worse = replace(
            parts,
            composition=composition,
            difficulty=Estimate(parts.gap.value + 3.0),
        )
        (sentence,) = gap_sentences([worse])
        assert f"loses on new sentences {claim}: {parts.control} gets 3.0 (" in sentence
        assert "points fewer than" in sentence
    drawn = gap_section(replace(report, gaps=(worse,)))
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", drawn)]
    assert sum(widths) == pytest.approx(parts.familiar.value, abs=0.2)


def test_a_control_wins_nothing(controlled, tmp_path):
    """It saw what is tested: no headline calls it best, and it stands in no tied set of these."""
    report = build_report(open_runs([controlled]), ReportOptions(metrics=("exact",)))
    assert report.main.best_first[0] == "held"
    assert report.controls == {"held"}
    assert set(report.contenders) == {"own", "alone"}
    assert "held" not in report.headline.headline
    assert not any("held" in sentence for sentence in report.headline.sentences)
    page = compare_section(report)
    assert page.index("alone") < page.index("held")
    assert "controls aside" in scores_section(report)
    suite = read_suite(controlled, ReportOptions(metrics=("exact",)))
    assert scorecard_headline([suite]) == "No test tells the best systems apart"


def test_a_name_that_says_what_it_learned_from_says_it_once(tmp_path):
    """`control (control)` and `plain (plain)` are one word each."""
    systems = {"plain": SYSTEMS["own"], "deep-control": SYSTEMS["held"], "own": SYSTEMS["own"]}
    run = make_run(tmp_path, systems=systems)
    for cell in Run(run).cells():
        track = "control" if "control" in cell.system else "plain"
        cell.update_record(options={"use": "transformer"}, track=track)
    assert set(open_runs([run]).systems) == {"plain", "deep-control", "own (plain)"}


def test_a_report_writes_the_gap_everywhere(controlled, tmp_path):
    """Verdict, table and exports say the same number."""
    options = ReportOptions(metrics=("exact",), figures=(), exports=("harness", "genbench"))
    paths = write_report([controlled], tmp_path / "report", options)
    (line,) = [one for one in paths.verdict if "composition" in one]
    card = json.loads((tmp_path / "report/exports/genbench/card.json").read_text())
    (name, found), *_ = [one for one in card["gaps"].items() if one[1]["control"]]
    assert f"{name} loses" in line
    assert f"{found['composition']:.1f} (" in line or f"{found['composition'] - 0.01:.1f} (" in line
    assert (tmp_path / "report/tables/gap-exact-gen.csv").is_file()


def test_two_evaluations_have_a_gap(controlled):
    """From Python, nothing on disk: one is the control of the other."""
    benchmark = Benchmark.open(controlled.parent / "benchmark")
    own, held = (
        score(benchmark, read_hypotheses(controlled, name, 1), ["exact"], name=name)
        for name in ("own", "held")
    )
    first, *slices = own.gap(held)
    assert (first.control, first.split, len(slices)) == ("held", "gen", 8)
    assert first.gap.value == pytest.approx(first.composition.value + first.difficulty.value)
    assert first.composition.value == pytest.approx(first_of(held) - first_of(own))
    (alone,) = own.gap()
    assert alone.composition is None
    assert alone.gap == first.gap


@pytest.fixture(scope="module")
def neutral(tmp_path_factory):
    """A trained system, and one that is neither better nor worse on what is new to the other."""
    aside = (0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6)
    systems = {"own": ACCURACY["lstm"], "aside": aside}
    run = make_run(tmp_path_factory.mktemp("neutral"), systems=systems)
    write_json(run / "experiment.json", {"control_system": "aside"})
    return run


def test_a_neutral_system_stands_in(neutral):
    """What it loses is difficulty, and the rest of the gap composition; in all and by pattern."""
    report = build_report(open_runs([neutral]), ReportOptions(metrics=("exact",)))
    assert len(report.gaps) == 9
    assert all(parts.neutral and parts.control == "aside" for parts in report.gaps)
    all_results = [report.results_of("exact", split) for split in ("test", "gen")]
    familiar, new = (results.overall("aside").value for results in all_results)
    whole = report.gaps[0]
    assert whole.difficulty.value == pytest.approx(familiar - new)
    for parts in report.gaps:
        assert parts.gap.value == pytest.approx(parts.composition.value + parts.difficulty.value)
        assert parts.composition.low <= parts.composition.value <= parts.composition.high
    (sentence,) = gap_sentences(report.gaps)
    assert "neutral system: aside" in sentence
    assert any("aside is a neutral system" in note for note in gap_table(report.gaps).notes)


def test_a_report_can_name_the_neutral_system(controlled, neutral):
    """It is asked only for systems without a control of their own; an unknown name is refused."""
    options = ReportOptions(metrics=("exact",), control_system="alone")
    report = build_report(open_runs([controlled]), options)
    assert {parts.system for parts in report.gaps} == {"own"}
    assert not any(parts.neutral for parts in report.gaps)
    with pytest.raises(ConfigError, match="this report has no such system") as caught:
        build_report(open_runs([neutral]), ReportOptions(control_system="opus"))
    assert "own" in caught.value.hint


def test_the_page_has_one_bar_and_one_sentence(controlled, tmp_path):
    """Its pieces are what is left, composition and difficulty, in points of the metric."""
    paths = write_report([controlled], tmp_path / "report", ReportOptions(figures=()))
    page = paths.html.read_text(encoding="utf-8")
    gap = page.split('<section class="gap">')[1].split("</section>")[0]
    assert gap.count('<div class="gap-bar">') == 1  # `alone` has no control
    (said,) = [line for line in paths.verdict if line.startswith("Of ")]
    assert said in gap
    report = build_report(open_runs([controlled]), ReportOptions())
    whole = next(parts for parts in report.gaps if parts.control)
    for name in ("composition", "difficulty"):
        part = getattr(whole, name).value
        assert f'class="{name}" style="width:{part:.1f}%"' in gap
    assert whole.familiar.value == pytest.approx(
        whole.new.value + whole.composition.value + whole.difficulty.value
    )


def test_two_evaluations_and_a_neutral_one(neutral):
    """From Python: what a system loses beyond the neutral one."""
    benchmark = Benchmark.open(neutral.parent / "benchmark")
    own, aside = (
        score(benchmark, read_hypotheses(neutral, name, 1), ["exact"], name=name)
        for name in ("own", "aside")
    )
    first, *slices = own.gap(aside, neutral=True)
    assert first.neutral
    assert len(slices) == 8
    loss = {
        one.name: next(r.value for r in one if r.split == "test" and not r.tag) - first_of(one)
        for one in (own, aside)
    }
    assert first.composition.value == pytest.approx(loss["own"] - loss["aside"])


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_system_that_loses_as_much_as_the_neutral_one_does_not_fail_to_compose(seeds):
    """The interval of composition covers zero as often as it says."""
    generator = np.random.default_rng(seeds)
    covered, trials = 0, 300
    for _ in range(trials):
        luck = generator.normal(0, 0.04, seeds)
        tables = []
        for share, size in ((0.8, 120), (0.5, 150)):
            (own,) = hits(generator, share, luck[None, :], size)
            (aside,) = hits(generator, share - 0.1, np.zeros((1, 1)), size)
            tables.append(Sample({"own": own, "aside": aside}, Aggregator("mean")))
        familiar, new = tables
        span = new.gain_interval("own", "aside", familiar)
        covered += span.low <= 0 <= span.high
    assert 0.9 < covered / trials <= 1, covered


def first_of(evaluation):
    """The score on new sentences."""
    return next(one.value for one in evaluation if one.split == "gen" and not one.tag)


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_control_like_its_system_leaves_everything_to_difficulty(seeds):
    """The intervals cover the truth: no composition, and a known difference of difficulty."""
    generator = np.random.default_rng(seeds)
    covered = {"gap": 0, "difficulty": 0}
    trials = 300
    for _ in range(trials):
        luck = generator.normal(0, 0.04, (2, seeds))
        familiar = hits(generator, 0.8, luck[:1], 120)
        new = hits(generator, 0.5, luck, 150)
        first = Sample({"own": familiar[0]}, Aggregator("mean"))
        second = Sample({"own": new[0], "held": new[1]}, Aggregator("mean"))
        spans = {
            "gap": second.unpaired_interval("own", first, "own"),
            "difficulty": second.unpaired_interval("held", first, "own"),
        }
        for name, span in spans.items():
            # With one seed its luck is not in the interval.
            truth = 30.0
            if seeds == 1:
                held = luck[1, 0] if name == "difficulty" else luck[0, 0]
                truth += 100 * (luck[0, 0] - held)
            covered[name] += span.low <= truth <= span.high
    assert all(0.9 < count / trials <= 1 for count in covered.values()), covered


def hits(generator, share, luck, size):
    """Verdicts [system][seed] on sentences that all systems share."""
    hard = generator.normal(0, 0.1, size)
    return [
        [
            (generator.random((size, 1)) < np.clip(share + one + hard[:, None], 0, 1)).astype(float)
            for one in seeds
        ]
        for seeds in luck
    ]


def test_too_few_sentences_have_no_interval():
    """A number, and no interval."""
    first = Sample({"a": [np.ones((2, 1))]}, Aggregator("mean"))
    second = Sample({"a": [np.zeros((2, 1))]}, Aggregator("mean"))
    span = second.unpaired_interval("a", first, "a")
    assert span.value == 100
    assert math.isnan(span.low)
