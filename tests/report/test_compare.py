"""Comparisons: verdicts, ranks and ties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from recombine.evaluation import score
from recombine.metrics.observations import ObservationTable
from recombine.report.compare import compare, comparisons_of, verdict_of
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.report.results import make_results
from recombine.report.tables.own import difference_table
from recombine.statistics.aggregate import Aggregator
from recombine.statistics.paired import PairedDifference
from recombine.statistics.sample import Sampling
from report import compound_run
from report.scored_run import small_benchmark


def test_clear_differences_are_found_and_ranked(findings):
    """Systems made with clearly different accuracies are ranked, patterns have verdicts."""
    assert findings.main.ranking() == [["oracle-ish"], ["transformer"], ["lstm"]]
    pair = next(
        one
        for one in findings.main.comparisons
        if {one.first, one.second} == {"lstm", "oracle-ish"}
    )
    assert pair.count("win") + pair.count("tie") + pair.count("loss") == len(pair.slices) == 8
    assert pair.p_adjusted < 0.001
    assert pair.overall.low <= pair.overall.value <= pair.overall.high


def test_equal_scores_are_tied(findings):
    """On the test split all systems are equally good, so there is one set."""
    results = findings.results_of("exact", "test")
    assert [set(group) for group in results.ranking()] == [{"lstm", "oracle-ish", "transformer"}]


def test_compare_is_a_function_of_runs(run):
    """The API gives the same comparisons without writing a report."""
    found = compare([run], "exact", "gen", ReportOptions())
    assert len(found) == 3


def test_a_lower_error_rate_is_a_win():
    """Which way is better decides between win and loss; without evidence it is a tie."""
    less = PairedDifference(-5.0, -7.0, -3.0, "any", p_value=0.001)
    assert verdict_of(less, 0.001, higher_is_better=False) == "win"
    assert verdict_of(less, 0.001, higher_is_better=True) == "loss"
    assert verdict_of(less, 0.2, higher_is_better=False) == "tie"


def test_paired_tests_use_the_same_rows(run):
    """A key that could be judged for one system alone has no part in their difference."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    right = np.tile([1.0, 0.0], 160)
    # The second system is judged where it is right only: 100% of 160 against 50% of 320.
    stats = {
        ("one", 1): np.stack([right, np.ones(320)], axis=1),
        ("two", 1): np.stack([right, right], axis=1),
    }
    values = dict.fromkeys(stats, right)
    ratio = Aggregator("ratio")
    (found,) = comparisons_of(replace(panel, stats=stats, values=values, aggregator=ratio))
    assert found.n == 160
    assert found.overall.value == 0
    assert all(one.difference.value == 0 for one in found.slices)


def test_a_clear_difference_on_many_patterns_can_be_told(run, monkeypatch):
    """Holm multiplies the least p that a randomisation test has; of 42 patterns all were ties."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    noise = np.tile([0.0, 0.01, 0.02, 0.03], 80)
    values = {(name, 1): level + noise for name, level in (("low", 0.1), ("high", 0.9))}
    stats = {voice: column[:, None] for voice, column in values.items()}
    many = {str(number): np.arange(20 * number, 20 * number + 20) for number in range(16)}
    monkeypatch.setattr(ObservationTable, "slices", lambda self, tag: many)
    for trials in (20, 2_000):
        sampling = Sampling(trials=trials)
        table = replace(panel, stats=stats, values=values, sampling=sampling)
        (found,) = comparisons_of(table)
        assert found.slices[0].difference.method == "approximate randomisation"
        assert found.count("win") == 16


def test_what_has_no_score_comes_last(run):
    """A system of which nothing could be judged does not part others that can be ranked."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    unknown = {
        ("unknown", seed): column * np.nan
        for (system, seed), column in panel.stats.items()
        if system == "lstm"
    }
    values = {voice: column[:, 0] for voice, column in unknown.items()}
    table = replace(panel, stats={**panel.stats, **unknown}, values={**panel.values, **values})
    assert table.best_first == ["oracle-ish", "transformer", "lstm", "unknown"]
    results = make_results(table)
    assert results.ranking() == [["oracle-ish", "transformer", "lstm", "unknown"]]


def test_the_greatest_loss_is_told_first(run):
    """Where less is better a loss is a rise; what has no difference stands at the end."""
    observed = read_observations(open_runs([run]), "exact", "gen")
    (one, *_) = comparisons_of(observed)
    first, second, *rest = one.slices
    gone = replace(first, difference=replace(first.difference, value=math.nan))
    for higher in (True, False):
        parts = [replace(part, higher_is_better=higher) for part in (second, gone, *rest)]
        pair = replace(one, slices=tuple(parts))
        table = difference_table([(observed, pair)], slices=True)
        gains = [row[8].value for row in table.rows[1:]]  # below the row of all sentences
        assert math.isnan(gains[-1])
        assert gains[:-1] == sorted(gains[:-1], reverse=not higher)


def test_judges_that_learned_from_other_texts_are_told(tmp_path):
    """Without references `compound` learns from a system's own outputs: no common judge."""
    texts = {one.id: one.references[0] for one in compound_run.examples()}
    others = {name: text.replace("kleine", "große") for name, text in texts.items()}
    for references, told in ((True, False), (False, True)):
        examples = (
            one if references else replace(one, references=()) for one in compound_run.examples()
        )
        benchmark = small_benchmark(tmp_path / str(references), {"gen": examples})
        one, two = (
            score(benchmark, hypotheses, "compound", name=name)
            for name, hypotheses in (("one", texts), ("two", others))
        )
        table = one.compare(two)
        assert any("learned also from its own outputs" in note for note in table.notes) is told
        paths = one.report(tmp_path / f"report-{references}", two)
        assert any("learned also from its own outputs" in note for note in paths.notes) is told
