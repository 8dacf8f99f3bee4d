"""Reading runs: alignment, refusals, tags."""

from __future__ import annotations

import dataclasses
import shutil

import numpy as np
import pytest

from recombine.errors import DataError, StaleOutput
from recombine.files import write_jsonl
from recombine.report.panel import Column, read_panel, show_tag
from recombine.report.runs import open_source
from recombine.report.score_file import read_scores


def test_panel_is_aligned_and_scaled(run):
    """Every system and seed has the same keys; the score is that of the metric itself."""
    panel = read_panel(open_source([run]), "exact", "gen")
    assert panel.systems == ("lstm", "oracle-ish", "transformer")
    assert len(panel.keys) == 320
    scores = panel.seed_scores("oracle-ish")
    assert set(scores) == {1, 2, 3}
    assert all(90 < score <= 100 for score in scores.values())
    assert sum(len(rows) for rows in panel.slices("pattern").values()) == 320


@pytest.mark.parametrize(
    ("labels", "order"),
    [(["10", "9", "-1"], ["-1", "9", "10"]), (["b", "a", "3"], ["b", "a", "3"])],
)
def test_numbers_ascend_and_names_stay_as_they_come(run, labels, order):
    """A table by length reads from short to long, one by pattern as the benchmark has it."""
    panel = read_panel(open_source([run]), "exact", "gen")
    column = np.array([labels[n % 3] for n in range(320)], dtype=object)
    assert list(dataclasses.replace(panel, tags={"one": column}).slices("one")) == order


def test_missing_keys_are_left_out_and_counted(run, tmp_path):
    """Only keys that all have are compared, and the report says how many are not."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    path = copy / "lstm" / "seed-1" / "scores" / "exact.gen.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[5:]) + "\n")
    panel = read_panel(open_source([copy]), "exact", "gen")
    assert len(panel.keys) == 315
    assert panel.left_out["transformer, seed 2"] == 5


def test_changed_benchmark_is_refused(run, tmp_path):
    """Scores of another version of the benchmark are stale."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    record = copy / "lstm" / "seed-1" / "run.json"
    record.write_text(record.read_text().replace('"benchmark_hash": "', '"benchmark_hash": "0'))
    with pytest.raises(StaleOutput, match="another version"):
        open_source([copy])


def test_folder_that_is_no_run(tmp_path):
    """An empty folder gets a hint."""
    with pytest.raises(DataError, match="not a run"):
        open_source([tmp_path])
    with pytest.raises(DataError, match="no run was given"):
        open_source([])


def test_bad_score_file_names_its_line(tmp_path):
    """A row that is no observation is reported with file and line."""
    path = tmp_path / "exact.gen.jsonl"
    write_jsonl(path, [{"key": "a", "value": 1, "stats": [1]}, {"key": "b"}])
    with pytest.raises(DataError, match=r"exact.gen.jsonl:2"):
        read_scores(path)


def test_clusters_number_tag_values(run):
    """Cluster codes follow the tag; the examples' groups are the default; keys stand alone."""
    panel = read_panel(open_source([run]), "exact", "gen")
    codes = panel.clusters("target_word")
    assert len(codes) == len(panel.keys)
    assert len(set(codes)) == len(set(panel.tags["target_word"]))
    one_word = panel.slices("target_word")[panel.tags["target_word"][0]]
    assert panel.clusters("target_word", one_word) is None
    assert panel.clusters("group") is None
    assert panel.clusters("key") is None


def test_tags_as_text():
    """Numbers that are equal are one slice."""
    assert (show_tag(3.0), show_tag(3), show_tag(2.5), show_tag(True)) == ("3", "3", "2.5", "yes")


@pytest.mark.parametrize(
    ("higher_is_better", "turned", "expected"),
    [(True, False, 1.0), (False, False, 0.0), (False, True, 1.0)],
)
def test_the_value_of_an_observation_without_fault(run, higher_is_better, turned, expected):
    """Where less is better 1 is a fault, unless the statistics count the other way round."""
    panel = read_panel(open_source([run]), "exact", "gen")
    for by_seed in panel.columns.values():
        for seed, column in by_seed.items():
            stats = 1 - column.stats if turned else column.stats
            by_seed[seed] = Column(stats, column.values)  # type: ignore[index]
    assert dataclasses.replace(panel, higher_is_better=higher_is_better).right_value == expected


def test_all_wrong_is_wrong(run):
    """Where no observation differs from another, a fault is still told from its absence."""
    panel = read_panel(open_source([run]), "exact", "gen")
    for by_seed in panel.columns.values():
        for seed, column in by_seed.items():
            wrong = np.zeros_like(column.values)
            by_seed[seed] = Column(np.ones_like(column.stats), wrong)  # type: ignore[index]
    assert dataclasses.replace(panel, higher_is_better=False).right_value == 1.0
