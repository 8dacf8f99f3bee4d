"""Dry runs: what would be done, how much, how long, and how that is known."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.recipe import read_recipe
from recombine.errors import DataError, StaleOutput
from recombine.experiment.experiment import Experiment
from recombine.experiment.plan import (
    plan_build,
    plan_experiment,
    plan_export,
    plan_lines,
    plan_reading,
    plan_scores,
)
from recombine.experiment.scoring import score_run
from recombine.experiment.training import train
from recombine.experiment.translating import translate
from recombine.registry import create
from recombine.report import write_report
from recombine.report.plan import plan_report

OUTSIDE = """
from dataclasses import dataclass


@dataclass(kw_only=True)
class Untold:
    def train(self, data, model_dir, seed):
        model_dir.mkdir(parents=True)
        (model_dir / "size").write_text(str(len(data.train)))

    def load(self, model_dir):
        return self

    def translate(self, sources):
        yield from sources


@dataclass(kw_only=True)
class Builder:
    path: str = ""

    def build(self, draft):
        pass
"""


@pytest.fixture
def outside(tmp_path: Path) -> str:
    """Classes of somebody who declares nothing."""
    path = tmp_path / "outside.py"
    path.write_text(OUTSIDE)
    return str(path)


@pytest.fixture
def experiment(tmp_path: Path, small_benchmark: Path, outside: str) -> Experiment:
    """A cheap system, a program, a service and one that says nothing of itself."""
    never = str(tmp_path / "must-not-exist")
    return Experiment(
        benchmark=small_benchmark,
        run=tmp_path / "run",
        metrics=("exact", "chrf"),
        system={
            "copy": {"use": "copy"},
            "program": {"use": "command", "run": ["touch", never]},
            "service": {"use": "http", "url": "http://127.0.0.1:9/", "answer": "x",
                        "body": {"text": "{source}"}},
            "untold": {"use": f"{outside}:Untold"},
        },
    )  # fmt: skip


def stages(plan: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The estimates of a plan by system and stage."""
    return {
        (row["system"], name): part
        for row in plan["cells"]
        for name, part in row.items()
        if isinstance(part, dict)
    }


def only(experiment: Experiment, *names: str) -> Experiment:
    """The experiment with some of its systems."""
    return dataclasses.replace(experiment, system={name: experiment.system[name] for name in names})


def test_a_first_run_has_estimates_and_their_basis(experiment, tmp_path):
    """No program is started, no service asked, nothing trained, nothing written."""
    plan = plan_experiment(experiment)
    found = stages(plan)
    assert all(part["estimated_seconds"] >= 0 for part in found.values())
    assert found["copy", "translate"]["estimated_from"].startswith("timed now on 3 of 3")
    assert found["program", "translate"]["estimated_from"].startswith("assumed")
    assert found["service", "translate"]["estimated_seconds"] == pytest.approx(0.8)
    assert found["untold", "train"]["pairs"] == 2
    assert found["untold", "train"]["estimated_from"].startswith("assumed")
    assert found["copy", "score"]["estimated_from"].startswith("timed now")
    assert ("copy", "train") not in found
    assert plan["report"]["estimated_seconds"] > 0
    assert plan["sentences"] == 3
    total = sum(p["estimated_seconds"] for p in found.values())
    assert plan["estimated_seconds"] == pytest.approx(
        total + plan["report"]["estimated_seconds"], abs=0.1
    )
    assert not (tmp_path / "must-not-exist").exists()
    assert not experiment.run.exists()


def test_times_of_the_run_are_preferred(experiment):
    """What one seed took tells what the next will take."""
    small = only(experiment, "copy", "untold")
    train(small)
    translate(small)
    score_run(small)
    for cell in ("copy", "untold"):
        from recombine.experiment.run import Run

        record = Run(small.run).cell(cell, 1)
        record.update_record(
            train_seconds=7.0,
            translate={"test": {"sentences": 3, "seconds": 6.0}},
            score={"hypotheses": 3, "seconds": 9.0},
        )
    again = plan_experiment(dataclasses.replace(small, seeds=(1, 2)))
    first, second = (
        {
            (row["system"], stage): row[stage]
            for row in again["cells"]
            if row["seed"] == seed
            for stage in ("train", "translate", "score")
            if stage in row
        }
        for seed in (1, 2)
    )
    assert {part["estimated_from"] for part in first.values()} == {"up to date"}
    assert second["untold", "train"]["estimated_seconds"] == 7
    assert second["untold", "translate"]["estimated_seconds"] == 6
    assert second["untold", "score"]["estimated_seconds"] == 9
    assert "measured in this run, seed 1" in second["untold", "score"]["estimated_from"]
    assert not [name for name, _ in second if name == "copy"]  # no seed makes it another
    forced = stages(plan_experiment(small, ("translate",), force=True))
    assert forced["copy", "translate"]["sentences"] == 3


def test_an_interrupted_translation_counts_what_is_missing(experiment):
    """Rows that are there are not translated again."""
    small = only(experiment, "copy")
    translate(small)
    path = next((small.run / "copy" / "seed-1" / "translations").glob("test.jsonl"))
    path.write_text(path.read_text().split("\n")[0] + "\n")
    meta = path.with_name("test.meta.json")
    meta.write_text(meta.read_text().replace('"complete": true', '"complete": false'))
    assert stages(plan_experiment(small, ("translate",)))["copy", "translate"]["sentences"] == 2


def test_checkpoints_are_translated_too(experiment):
    """Named ones are counted before they are there; of all of them the plan says what it leaves."""
    small = only(experiment, "untold")
    once = stages(plan_experiment(small, ("translate",)))["untold", "translate"]["sentences"]
    named = dataclasses.replace(small, checkpoints=("step-1", "step-2"))
    plan = plan_experiment(named, ("translate",))
    assert stages(plan)["untold", "translate"]["sentences"] == 3 * once
    assert "checkpoints" not in plan
    every = plan_experiment(dataclasses.replace(small, checkpoints=("all",)), ("translate",))
    assert "not trained yet are not counted" in every["checkpoints"]


def test_a_stale_output_is_refused_as_it_would_be(experiment):
    """A plan of what cannot be done is no plan; what a sample answered is not asked again."""
    small = only(experiment, "copy")
    translate(dataclasses.replace(small, sample=1))
    plan = stages(plan_experiment(small, ("translate",)))
    assert plan["copy", "translate"]["sentences"] == 2
    translate(small)
    words = experiment.run.parent / "words.tsv"
    words.write_text("a\tb\n")
    other = dataclasses.replace(small, system={"copy": {"use": "dictionary", "path": str(words)}})
    with pytest.raises(StaleOutput, match=r"another 'code': none then"):
        plan_experiment(other, ("translate",))


def test_a_model_of_a_sample_is_not_taken_for_the_whole(experiment):
    """`train --sample` marks what its model translates."""
    small = only(experiment, "untold")
    given = {**small.system["untold"], "train_size": 1}
    train(dataclasses.replace(small, system={"untold": given}))
    translate(small)
    made = small.run / "untold" / "seed-1" / "translations"
    shutil.copytree(made, small.run / "kept")
    train(small, force=True)
    assert translate(small) == 3
    shutil.rmtree(made)
    shutil.copytree(small.run / "kept", made)
    with pytest.raises(StaleOutput, match=r"sample_seed|train_size"):
        translate(small)


def test_lines_scores_reports_and_exports(experiment, small_benchmark, tmp_path):
    """Each verb has sizes and a time."""
    plan = plan_lines(create("system", "copy", {}), "copy", ["a", "b"])
    assert (plan["lines"], plan["estimated_seconds"]) == (2, 0.0)
    benchmark = Benchmark.open(small_benchmark)
    hypotheses = {example.id: example.source for example in benchmark.read("test")}
    plan = plan_scores(benchmark, hypotheses, ["exact"], {})
    assert plan["hypotheses"] == 3
    assert plan["estimated_from"] == "timed now on up to 3 of 3 hypotheses"
    assert plan_scores(benchmark, {}, None, {})["estimated_seconds"] == 0
    small = only(experiment, "copy")
    translate(small)
    score_run(small)
    plan = plan_report([small.run], tmp_path / "report", sample=2)
    assert plan["observations"] == 4
    assert plan["estimated_seconds"] > 0
    plan = plan_export(benchmark, "tsv", tmp_path / "out", sample=2)
    assert plan["splits"] == {"train": 2, "test": 2}
    assert not (tmp_path / "out").exists()


def test_reading_is_estimated_by_size(tmp_path):
    """Packed text is longer than its file; a missing one is an error."""
    (tmp_path / "a.txt").write_text("x" * 2_000_000)
    (tmp_path / "b.txt.gz").write_bytes(bytes(200_000))
    plan = plan_reading("contamination", [tmp_path / "a.txt", tmp_path / "b.txt.gz"])
    assert list(plan["input_megabytes"].values()) == [2.0, 1.0]
    assert plan["estimated_seconds"] == pytest.approx(2.5)
    with pytest.raises(DataError, match="no such file"):
        plan_reading("divergence", [tmp_path / "c"])


@pytest.mark.parametrize("name", ["sget-mini", "consistency"])
def test_shipped_recipes_have_a_time(name):
    """Sizes and seconds, before anything is built."""
    assert plan_build(read_recipe(name).builder)["estimated_seconds"] > 0


def test_a_builder_that_declares_nothing_is_estimated_by_its_input(tmp_path, outside):
    """The files that its options name; a series takes as long as its members."""
    plan = plan_build(create("builder", f"{outside}:Builder", {}))
    assert plan["estimated_from"].endswith("assumed")
    (tmp_path / "text").write_text("a dog\n" * 500_000)
    recipe = read_recipe("imported", [f"split.test.source={tmp_path / 'text'}"])
    once = plan_build(recipe.builder)
    assert once["input_megabytes"] == 3
    assert once["splits"] == {"test": 500_000}
    assert plan_build(recipe.builder, 3)["estimated_seconds"] > 2 * once["estimated_seconds"]


def test_a_sampled_report_looks_at_a_part(experiment, tmp_path):
    """And says so on the page."""
    small = only(experiment, "copy")
    translate(small)
    score_run(small)
    from recombine.report import ReportOptions

    paths = write_report([small.run], tmp_path / "report", ReportOptions(sample=2, figures=()))
    assert "sample of 2" in paths.markdown.read_text()
    assert ",2," in paths.csv.read_text()
