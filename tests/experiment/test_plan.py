"""Dry runs: what would be done, and how much of it."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from recombine.errors import StaleOutput
from recombine.experiment.experiment import Experiment
from recombine.experiment.plan import plan_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.training import train
from recombine.experiment.translating import translate
from recombine.report import write_report

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


def counts(plan: dict[str, Any], stage: str) -> dict[str, int]:
    """What a stage has still to do, by system."""
    return {row["system"]: row[stage] for row in plan["cells"] if stage in row}


def only(experiment: Experiment, *names: str) -> Experiment:
    """The experiment with some of its systems."""
    return dataclasses.replace(experiment, system={name: experiment.system[name] for name in names})


def test_a_first_run_is_counted(experiment, tmp_path):
    """No program is started, no service asked, nothing trained, nothing written."""
    plan = plan_experiment(experiment)
    assert counts(plan, "train") == {"untold": 2}
    assert set(counts(plan, "translate").values()) == {3}
    assert set(counts(plan, "score").values()) == {3}
    assert plan["sentences"] == 3
    assert not (tmp_path / "must-not-exist").exists()
    assert not experiment.run.exists()


def test_what_is_up_to_date_counts_nothing(experiment):
    """Another seed is all to do; with force everything is."""
    small = only(experiment, "copy", "untold")
    train(small)
    translate(small)
    score_run(small)
    plan = plan_experiment(dataclasses.replace(small, seeds=(1, 2)))
    assert plan["cells"] == [
        {"system": "copy", "seed": 1, "translate": 0, "score": 0},
        {"system": "untold", "seed": 1, "train": 0, "translate": 0, "score": 0},
        {"system": "untold", "seed": 2, "train": 2, "translate": 3, "score": 3},
    ]
    assert counts(plan_experiment(small, force=True), "translate") == {"copy": 3, "untold": 3}
    assert set(counts(plan_experiment(small, force=True, sample=1), "score").values()) == {1}


def test_an_interrupted_translation_counts_what_is_missing(experiment):
    """Rows that are there are not translated again."""
    small = only(experiment, "copy")
    translate(small)
    path = next((small.run / "copy" / "seed-1" / "translations").glob("test.jsonl"))
    path.write_text(path.read_text().split("\n")[0] + "\n")
    meta = path.with_name("test.meta.json")
    meta.write_text(meta.read_text().replace('"complete": true', '"complete": false'))
    assert counts(plan_experiment(small, ("translate",)), "translate")["copy"] == 2


def test_checkpoints_are_translated_too(experiment):
    """Named ones are counted before they are there; of all of them the plan says what it leaves."""
    small = only(experiment, "untold")
    once = counts(plan_experiment(small, ("translate",)), "translate")["untold"]
    named = dataclasses.replace(small, checkpoints=("step-1", "step-2"))
    plan = plan_experiment(named, ("translate",))
    assert counts(plan, "translate")["untold"] == 3 * once
    assert "checkpoints" not in plan
    every = plan_experiment(dataclasses.replace(small, checkpoints=("all",)), ("translate",))
    assert "not trained yet are not counted" in every["checkpoints"]


def test_a_stale_output_is_refused_as_it_would_be(experiment):
    """A plan of what cannot be done is no plan; what a sample answered is not asked again."""
    small = only(experiment, "copy")
    translate(dataclasses.replace(small, sample=1))
    assert counts(plan_experiment(small, ("translate",)), "translate") == {"copy": 2}
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


def test_a_sampled_report_looks_at_a_part(experiment, tmp_path):
    """And says so on the page."""
    small = only(experiment, "copy")
    translate(small)
    score_run(small)
    from recombine.report import ReportOptions

    paths = write_report([small.run], tmp_path / "report", ReportOptions(sample=2, figures=()))
    assert "sample of 2" in paths.markdown.read_text()
    assert ",2," in paths.csv.read_text()
