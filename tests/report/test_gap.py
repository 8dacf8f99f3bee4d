"""The gap between familiar and new sentences: composition and difficulty."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from recombine.benchmark import Benchmark
from recombine.evaluation import score
from recombine.experiment.run import Run
from recombine.report import ReportOptions, write_report
from recombine.report.findings import build_report
from recombine.report.gap import gap_sentences
from recombine.report.reading.runs import open_runs
from recombine.report.tables.own import gap_table
from recombine.statistics.aggregate import Aggregator
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
    sheet = report.main
    (pair,) = [
        one for one in sheet.comparisons
        if {one.first.split()[0], one.second.split()[0]} == {"own", "held"}
    ]  # fmt: skip
    overall = own[0].composition
    assert (overall.value, overall.low, overall.high) == pytest.approx(pair.overall[:3])
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
    assert span.estimate == 100
    assert math.isnan(span.low)
