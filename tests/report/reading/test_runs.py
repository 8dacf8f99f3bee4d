"""Finding runs and their benchmark."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from recombine.benchmark import Benchmark, Manifest
from recombine.errors import DataError, StaleOutput
from recombine.files import sha256_of, write_jsonl
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.made import chips
from recombine.report.reading.runs import open_runs, read_rows
from recombine.report.reading.shared_benchmark import require_same_benchmark
from report.synthetic import ACCURACY, make_run


def test_splits_and_metrics_in_order(run):
    """Generalisation first; the benchmark's own metrics first."""
    source = open_runs([run])
    assert source.splits() == ("gen", "test")
    assert source.metrics("gen")[:2] == ("exact", "bleu")
    assert len(source.cells) == 9


def test_rows_are_read_at_once_or_line_by_line(tmp_path):
    """Line separators inside text do not break rows; an empty file has none."""
    path = tmp_path / "rows.jsonl"
    write_jsonl(path, [{"a": "x\u2028y"}, {"a": "z"}])
    assert [row["a"] for row in read_rows(path)] == ["x\u2028y", "z"]
    path.write_text("")
    assert list(read_rows(path)) == []


def test_only_what_was_trained_here_has_luck(tmp_path):
    """One seed of a system that no seed changes is all there is: the page warns of no luck."""
    run = make_run(tmp_path, per_pattern=4, seeds=(1,), systems={"lstm": ACCURACY["lstm"]})
    for trained in (False, True):
        if trained:
            (run / "lstm" / "seed-1" / "model").mkdir()
        source = open_runs([run])
        assert source.trained == ({"lstm"} if trained else set())
        report = build_report(source, ReportOptions(metrics=("exact",)))
        assert [chip.name for chip in chips(report) if chip.warns] == ["1 seed"] * trained


def test_runs_of_one_folder_name_are_told_apart(run, tmp_path):
    """No run's scores are lost behind those of another run with the same name."""
    folders = [tmp_path / name / "run" for name in ("first", "second")]
    for folder in folders:
        shutil.copytree(run, folder)
    source = open_runs(folders)
    assert len(source.systems) == 6
    assert source.systems[0] == "first/run/lstm"
    assert len({(one.system, one.seed) for one in source.scores}) == len(source.cells)


def test_scores_of_translations_that_changed_are_refused(run, tmp_path):
    """A number of an earlier translation is not reported as that of the present one."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    cell = copy / "lstm" / "seed-1"
    translated = cell / "translations" / "gen.jsonl"
    stored = {"fingerprint": {"translations": {"gen.jsonl": sha256_of(translated)}}}
    (cell / "scores" / "scores.meta.json").write_text(json.dumps(stored))
    open_runs([copy])
    translated.write_text(translated.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(StaleOutput, match="changed since it was scored"):
        open_runs([copy])


def test_a_run_of_a_sample_says_so(run, tmp_path):
    """Scores of 50 sentences of 1,900 are not taken for those of the benchmark."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    assert open_runs([copy]).notes == ()
    for seed in (1, 2):
        stored = {"fingerprint": {"asked": [50, 0, 0]}, "complete": True}
        path = copy / "lstm" / f"seed-{seed}" / "scores" / "scores.meta.json"
        path.write_text(json.dumps(stored))
    assert open_runs([copy]).notes == ("lstm: scored on a sample of 50 examples of each split",)


def test_a_system_without_scores_is_named(run, tmp_path):
    """One that failed before its first sentence is not left out without a word."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    (copy / "broken" / "seed-1").mkdir(parents=True)
    assert open_runs([copy]).notes == ("broken, seed 1, is left out: it has no scores",)


@pytest.mark.parametrize(
    ("learned", "said", "named"),
    [
        ({"train_size": 50, "sample_seed": 0}, {}, "sample_seed"),
        ({"options": {"steps": 9}}, {"options": {"steps": 5, "beam": 4}}, "options.steps"),
    ],
)
def test_translations_of_a_model_that_was_trained_anew_are_refused(
    run, tmp_path, learned, said, named
):
    """What `train --force` left behind is not reported as the scores of the new model."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    cell = copy / "lstm" / "seed-1"
    meta = cell / "translations" / "gen.meta.json"
    meta.write_text(json.dumps({"fingerprint": {**learned, **said}, "complete": True}))
    model = cell / "model.meta.json"
    same = {**learned, "options": {"steps": 5}} if "options" in learned else learned
    model.write_text(json.dumps({"fingerprint": same, "complete": True}))
    open_runs([copy])
    meta.write_text(json.dumps({"fingerprint": said, "complete": True}))
    model.write_text(json.dumps({"fingerprint": learned, "complete": True}))
    with pytest.raises(StaleOutput, match=f"another '{named}'"):
        open_runs([copy])


def test_a_metric_about_nothing_is_named(run, tmp_path):
    """A metric that was asked for and is not there has a reason to read."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    record = copy / "lstm" / "seed-1" / "run.json"
    stored = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**stored, "score": {"about_nothing": ["literal"]}}))
    assert open_runs([copy]).notes == (
        "literal applies to none of the sentences that lstm translated",
    )


def test_two_editions_are_told_apart_by_their_recipe(tmp_path):
    """What was asked for explains a difference; its data card only shows it."""
    manifest = Manifest(
        format=1,
        name="b",
        version="1",
        source="en",
        target="ja",
        builder="generated",
        seed=1,
        splits={"gen": 2},
        files={"README.md": "1"},
        recipe={"grammar": "sget", "edition": "standard"},
    )
    other = dataclasses.replace(
        manifest, files={"README.md": "2"}, recipe={**manifest.recipe, "edition": "official"}
    )
    opened = [
        (tmp_path, Benchmark(tmp_path, one, one.recipe["edition"])) for one in (manifest, other)
    ]
    with pytest.raises(DataError, match=r"differ in 'edition' \('standard' and 'official'\)"):
        require_same_benchmark(opened)


def test_a_run_given_twice_is_one_run(run):
    """Nothing is counted double, and no system is compared with itself."""
    source = open_runs([run, run.parent / "." / run.name])
    assert len(source.cells) == len({cell.voice for cell in source.cells}) == 9
    assert len(source.scores) == len({one.path for one in source.scores})
