"""Scores with intervals, overall and by tag."""

from __future__ import annotations

from dataclasses import replace

from recombine.benchmark import Benchmark
from recombine.files import read_jsonl
from recombine.metrics.scoring import score
from recombine.metrics.slices import is_number
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.statistics.sample import Sampling
from report.synthetic import ACCURACY, make_run


def test_overall_scores_have_seed_spread_and_interval(run):
    """Estimate inside its interval, minimum and maximum around the mean."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    for one in panel.overall():
        assert one.low <= one.value <= one.high
        assert min(one.seeds) <= one.value <= max(one.seeds)
        assert len(one.seeds) == 3


def test_clusters_widen_the_interval_when_they_matter(run, tmp_path):
    """Patterns differ, so an interval over eight of them is wider than one over 320 keys."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    alone, by_word, by_pattern = (
        replace(panel, sampling=Sampling(cluster=name)).overall()[0]
        for name in ("key", "target_word", "pattern")
    )
    assert (alone.method, by_word.method) == ("seeds and items", "seeds and clusters")
    assert by_pattern.high - by_pattern.low > 1.5 * (alone.high - alone.low)
    assert by_pattern.value == by_word.value == alone.value


def test_score_stage_and_report_print_the_same_score(tmp_path):
    """One number, one interval, wherever it is printed: exact by Wilson, BLEU by leaving out."""
    run = make_run(tmp_path, seeds=(1,), systems={"lstm": ACCURACY["lstm"]})
    benchmark = Benchmark.open(tmp_path / "benchmark")
    stored = [
        row for split in ("gen", "test")
        for row in read_jsonl(run / "lstm" / "seed-1" / "translations" / f"{split}.jsonl")
    ]  # fmt: skip
    results = score(benchmark, {row["id"]: row["hyp"] for row in stored}, ["exact", "bleu"])
    report = build_report(open_runs([run]), ReportOptions())
    shown = {(one.split, one.metric, one.tag, one.slice): one for one in report.scores}
    made = [one for table in results for one in table.scores()]
    assert len(made) == len(shown)
    for one in made:
        other = shown[one.split, one.metric, one.tag, one.slice]
        assert replace(one, system="lstm") == other


def test_tags_are_told_apart(run):
    """Patterns slice, depths are numbers, identifiers do neither."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    assert panel.main_tag == "pattern"
    assert "depth" in panel.number_tags
    assert "in_cp" in panel.sliceable_tags
    assert is_number("3.5")
    assert not is_number("nan")
