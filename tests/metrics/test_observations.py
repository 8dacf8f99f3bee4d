"""The table of observations: the same from memory and from files, cut by tags, put side by side."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from recombine.benchmark import Benchmark
from recombine.errors import DataError, MissingExtra
from recombine.evaluation import score
from recombine.experiment.translations import stored_hypotheses
from recombine.metrics.observations import ObservationTable, side_by_side
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.report.write import write_report
from report.synthetic import make_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Three systems with one seed."""
    return make_run(tmp_path_factory.mktemp("observations"), per_pattern=8, seeds=(1,))


def evaluations(run):
    """The same systems, scored in memory."""
    benchmark = Benchmark.open(run.parent / "benchmark")
    for cell in open_runs([run]).cells:
        assert cell.cell is not None
        texts: dict[str, str] = {}
        for path in cell.cell.path.glob("translations/*.jsonl"):
            texts |= stored_hypotheses(path)
        trained_on = cell.trained_on
        yield score(benchmark, texts, ["exact", "bleu"], name=cell.name, trained_on=trained_on)


def columns(table: ObservationTable) -> dict[str, object]:
    """The columns of a table in plain lists."""
    return {
        "keys": table.keys,
        "ids": table.ids,
        "values": {voice: one.tolist() for voice, one in table.values.items()},
        "stats": {voice: one.tolist() for voice, one in table.stats.items()},
        "tags": {tag: list(one) for tag, one in table.tags.items()},
        "scores": table.scores(),
        "declares": table.declares,
        "signature": table.signature,
    }


@pytest.mark.parametrize("metric", ["exact", "bleu"])
def test_memory_and_files_give_the_same_table(run, metric):
    """Nothing that is made of a table can tell where it is from."""
    stored = read_observations(open_runs([run]), metric, "gen")
    held = side_by_side(
        [
            table.of(one.name)
            for one in evaluations(run)
            for table in one.observations
            if (table.metric, table.split) == (metric, "gen")
        ]
    )
    assert columns(held) == columns(stored)


def test_a_report_is_the_same_from_memory_and_from_a_run(run, tmp_path):
    """No run is written for it, and every number is that of the stages."""
    options = ReportOptions(figures=())
    first, *others = evaluations(run)
    held = first.report(tmp_path / "held", *others, options=options)
    stored = write_report([run], tmp_path / "stored", options)
    assert held.csv.read_text() == stored.csv.read_text()
    assert held.markdown.read_text() == stored.markdown.read_text()
    assert {one.name for one in held.tables} == {one.name for one in stored.tables}


def test_systems_side_by_side_share_their_keys(run):
    """What one system lacks is left out of all and counted; a key twice is refused."""
    one, two, *_ = (table for e in evaluations(run) for table in e.observations)
    one, two = one.of("one"), one.at(range(3, len(one.keys))).of("two")
    both = side_by_side([one, two])
    assert both.systems == ("one", "two")
    assert both.keys == one.keys[3:]
    assert both.left_out == {"one, seed 1": 3}
    assert {score.of for score in both.overall()} == {len(one.keys)}
    with pytest.raises(DataError, match="observed twice"):
        side_by_side([one, one.at([0, 0, 1]).of("two")])


def test_rows_give_back_the_table(run):
    """Each row is an observation as the metric made it."""
    table = next(evaluations(run)).observations[0]
    rows = list(table.rows())
    assert [row.key for row in rows] == list(table.keys)
    assert [row.stats for row in rows] == [tuple(one) for one in table.stats["", 1].tolist()]


def test_a_slice_is_a_group_by(run):
    """Its score is that of its rows alone, and pandas gives the same means."""
    table = read_observations(open_runs([run]), "exact", "gen")
    frame = table.to_pandas()
    means = 100 * frame.groupby(["system", "tag.pattern"])["value"].mean()
    found = {(one.system, one.slice): one.value for one in table.by_tag("pattern")}
    assert found == pytest.approx(means.to_dict())
    assert len(frame) == len(table.keys) * len(table.systems)


def test_results_do_not_keep_the_observations(run):
    """Twenty systems of a large benchmark fit into memory."""
    report = build_report(open_runs([run]), ReportOptions(metrics=("exact",)))
    assert not any(isinstance(one, np.ndarray) for one in vars(report.main).values())
    assert replace(report.main).limits == (0.0, 100.0)


def test_scores_and_comparisons_need_no_pandas(run, monkeypatch):
    """Only who asks for a data frame has to install it."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    first, second, *_ = evaluations(run)
    assert len(first) > 0
    assert first.compare(second).rows
    with pytest.raises(MissingExtra, match="pandas"):
        first.observations[0].to_pandas()
