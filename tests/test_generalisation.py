"""Experiments accept a series, and its curve and ratio are read from the scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.recipe import read_recipe
from recombine.builders.series import build_series
from recombine.errors import DataError
from recombine.experiment import Experiment, score_run, translate
from recombine.generalisation import (
    dose_response,
    generalisation_scores,
    series_experiments,
    write_dose_response,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two members of a series, translated by copying and scored."""
    folder = tmp_path_factory.mktemp("series")
    corpus = write_conllu(folder / "c.conllu", made_up(400, words=100))
    options = [f"corpus={corpus}", "edition=all", "passes=10", "benchmark.target=de"]
    build_series(read_recipe("divergent", options), folder / "s", divergences=(0.3, 0.7))
    whole = Experiment(
        benchmark=folder / "s" / "series.toml",
        run=folder / "run",
        system={"copy": {"use": "copy"}},
        metrics=("chrf++",),
    )
    for experiment in series_experiments(whole):
        translate(experiment)
        score_run(experiment)
    return folder / "run"


def test_a_series_expands_to_its_members(run: Path) -> None:
    """Each member has a run directory of its own; a plain benchmark stays alone."""
    assert sorted(path.name for path in run.iterdir()) == ["c-0.3-seed-1", "c-0.7-seed-1"]
    plain = Experiment(
        benchmark=run.parent / "s" / "c-0.3-seed-1", system={"copy": {"use": "copy"}}
    )
    assert series_experiments(plain) == [plain]
    folder = Experiment(benchmark=run.parent / "s", system={"copy": {"use": "copy"}})
    assert len(series_experiments(folder)) == 2


def test_the_curve_has_scores_and_confounders(run: Path, tmp_path: Path) -> None:
    """A row per member with divergence, score, interval, length and vocabulary."""
    rows = dose_response(run)
    assert [row["target_divergence"] for row in rows] == [0.3, 0.7]
    assert all(row["ci_low"] <= row["score"] <= row["ci_high"] for row in rows)
    assert all(row["mean_length"] > 0 and row["lemmas"] > 0 for row in rows)
    paths = write_dose_response(rows, tmp_path)
    assert paths[0].read_text().count("\n") == 3
    assert json.loads(paths[2].read_text())["data"]["values"] == rows


def test_the_generalisation_score_is_a_ratio(run: Path) -> None:
    """Score on the divergent split over score on the similar one, with both beside it."""
    (row,) = generalisation_scores(run / "c-0.7-seed-1", run / "c-0.3-seed-1")
    assert row["generalisation"] == pytest.approx(row["high"] / row["low"])
    assert row["least"] <= row["generalisation"] <= row["most"]
    assert row["confounders"]["compound_divergence"]["high"] > 0.6
    assert set(row["confounders"]["mean_length"]) == {"high", "low"}


def test_nothing_scored_is_said(tmp_path: Path) -> None:
    """An empty run directory is an error, not an empty curve."""
    with pytest.raises(DataError, match="no scored runs"):
        dose_response(tmp_path)
    with pytest.raises(DataError, match="share no scored system"):
        generalisation_scores(tmp_path, tmp_path)
