"""A headline says no more than its data: who learned what, and how much was translated."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.cli import main
from recombine.errors import ConfigError
from recombine.experiment.experiment import read_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate
from recombine.files import read_json
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.reading.validity import cell_caveats, lacking, reference_caveats
from recombine.report.verdict import verdict
from report.scored_run import Outputs, scored_run, small_benchmark

WORDS = [f"{one}{other}" for one in "abcdefghij" for other in "klmnopqrst"]


def _benchmark(folder: Path):
    rows = {
        split: [
            Example.make(source=f"{word} {split}", references=(word.upper(),), tags={})
            for word in WORDS
        ]
        for split in ("gen", "test")
    }
    return small_benchmark(folder / "benchmark", rows, builder="generated", metrics=["exact"])


def _report(folder: Path, trained_on: str, *, answered: int = len(WORDS)) -> Findings:
    """A report on a system that gets every familiar sentence right and half of the others."""
    benchmark = _benchmark(folder)

    def outputs(split: str, _seed: int) -> dict[str, str]:
        rows = benchmark.read(split)[:answered]
        return {
            one.id: one.references[0] if split == "test" or number % 2 else "wrong"
            for number, one in enumerate(rows)
        }

    run = scored_run(
        folder / "run", benchmark, {"engine": outputs}, metrics=["exact"], trained_on=trained_on
    )
    return build_report(open_runs([run]), ReportOptions())


def test_what_learned_elsewhere_is_told_no_generalisation(tmp_path: Path) -> None:
    """No split is new to it, no gap is a loss, and contamination is not known."""
    report = _report(tmp_path, "unknown")
    told = " ".join(verdict(report))
    assert report.headline.headline == "engine gets 50 of 100 right on the generalisation set"
    assert "contamination unknown" in told
    for claim in ("new structures", "familiar", "compos", "Points lost", "Trained with"):
        assert claim not in told
    assert report.gaps == ()
    assert "what engine says otherwise counts as wrong there" in told


def test_what_learned_from_the_benchmark_is_told_as_before(tmp_path: Path) -> None:
    """The same outputs of a system that was trained on the benchmark."""
    report = _report(tmp_path, "train")
    assert report.headline.headline == "engine gets 50 of 100 right on new structures"
    told = " ".join(verdict(report))
    assert "Points lost on new sentences: engine (50.0)" in told
    assert "otherwise" not in told


def test_rules_have_learned_from_nothing(tmp_path: Path) -> None:
    """Nothing contaminates what never read a text."""
    told = " ".join(_report(tmp_path, "nothing").headline.sentences)
    assert "engine learned from no text" in told
    assert "contamination" not in told


def test_half_a_test_set_has_no_verdict(tmp_path: Path) -> None:
    """A service that died says nothing about the sentences that it never saw."""
    report = _report(tmp_path, "train", answered=57)
    assert report.headline.headline == "No verdict: engine has no output for 43 of 100"
    assert "Without output: engine 43 of 100." in report.headline.sentences


def test_a_few_lost_sentences_are_told_and_no_more(tmp_path: Path) -> None:
    """With 98 of 100 there is a verdict, and what it lacks beside it."""
    report = _report(tmp_path, "train", answered=98)
    assert not report.headline.headline.startswith("No verdict")
    assert "Without output: engine 2 of 100." in report.headline.sentences


def test_sentences_that_any_seed_lost_are_told_as_such(tmp_path: Path) -> None:
    """Each seed lost two others: four have no output with some seed, and no seed lost four."""
    benchmark = _benchmark(tmp_path)

    def outputs(split: str, seed: int) -> dict[str, str]:
        rows = benchmark.read(split)
        return {row.id: "x" for place, row in enumerate(rows) if place // 2 != seed}

    run = scored_run(
        tmp_path / "run", benchmark, {"engine": outputs}, metrics=["exact"], seeds=(1, 2)
    )
    report = build_report(open_runs([run]), ReportOptions())
    assert "Without output: engine 4 of 100 with some seed." in report.headline.sentences
    assert lacking(20, 80, 100, seeds=2) == "has no output for 20 of 100 with some seed"


def test_a_system_that_lost_sentences_takes_the_verdict_from_no_others(tmp_path: Path) -> None:
    """Two complete systems are compared; of the third neither rank nor gap is told."""
    benchmark = _benchmark(tmp_path)

    def outputs(right: int, answered: int = 100) -> Outputs:
        def of_split(split: str, _seed: int) -> dict[str, str]:
            rows = benchmark.read(split)[:answered]
            return {
                row.id: row.references[0] if split == "test" or place < right else "wrong"
                for place, row in enumerate(rows)
            }

        return of_split

    systems = {"good": outputs(60), "poor": outputs(10), "half": outputs(100, 70)}
    run = scored_run(tmp_path / "run", benchmark, systems, metrics=["exact"])
    report = build_report(open_runs([run]), ReportOptions())
    told = report.headline
    assert told.headline.startswith("good composes best: 60 of 100 right on ")
    assert told.headline.endswith(", poor 10 (no verdict on half)")
    assert "Without output: half 30 of 100." in told.sentences
    assert {parts.system for parts in report.gaps} == {"good", "poor"}


def test_compare_says_why_there_is_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two systems of which one lacks a tenth of the sentences nobody is ahead."""
    benchmark = _benchmark(tmp_path)
    rows = benchmark.read("gen")
    (tmp_path / "whole.txt").write_text("".join(f"{one.references[0]}\n" for one in rows))
    lines = ("".join(f'{{"id": "{one.id}", "hyp": "?"}}\n' for one in rows[:90]),)
    (tmp_path / "part.jsonl").write_text(lines[0])
    files = [str(tmp_path / "whole.txt"), str(tmp_path / "part.jsonl")]
    assert main(["compare", str(benchmark.path), *files, "--metric", "exact"]) == 0
    told = capsys.readouterr().out
    assert "no verdict" in told
    assert "No verdict on exact, gen: part has no output for 10 of 100" in told
    assert main(["compare", str(benchmark.path), *files, "--trained-on", "part=test"]) == 2
    assert "one of: train, control, unknown, nothing" in capsys.readouterr().err


def test_an_experiment_says_what_a_system_was_trained_on(tmp_path: Path) -> None:
    """Of what is not trained here it is asked for, recorded and told; the rest is known."""
    benchmark = _benchmark(tmp_path)
    for name, said in (("told", 'trained_on = "train"\n'), ("untold", "")):
        path = tmp_path / f"{name}.toml"
        path.write_text(
            f'benchmark = "{benchmark.path}"\nrun = "{tmp_path / name}"\n[system.cat]\n'
            f'use = "command"\nrun = ["cat"]\n{said}'
        )
        experiment = read_experiment(path)
        translate(experiment)
        score_run(experiment)
        record = read_json(tmp_path / name / "cat" / "seed-1" / "run.json")
        assert record["trained_on"] == ("train" if said else "unknown")
    path.write_text(path.read_text() + 'trained_on = "europarl"\n')
    with pytest.raises(ConfigError, match="unknown trained_on = 'europarl'"):
        read_experiment(path)
    path.write_text(
        f'benchmark = "{benchmark.path}"\n[system.new]\nuse = "transformer"\n'
        'trained_on = "nothing"\n'
    )
    with pytest.raises(ConfigError, match="is trained here, on 'train'"):
        read_experiment(path)


def test_the_first_metric_of_the_experiment_makes_the_headline(tmp_path: Path) -> None:
    """In whatever order the benchmark names its own."""
    benchmark = _benchmark(tmp_path)
    path = tmp_path / "experiment.toml"
    path.write_text(
        f'benchmark = "{benchmark.path}"\nrun = "{tmp_path / "run"}"\nmetrics = ["chrf", "exact"]\n'
        '[system.copy]\nuse = "copy"\n'
    )
    experiment = read_experiment(path)
    translate(experiment)
    score_run(experiment)
    source = open_runs([tmp_path / "run"])
    assert source.metrics("gen") == ("chrf", "exact")


def test_what_a_judge_rejects_and_what_is_tiny_is_told() -> None:
    """A share of rejected references, cells of a few sentences, shares that were not judged."""
    assert reference_caveats("wrong compounds", (287, 1000)) == [
        "wrong compounds rejects 28.7% of the references themselves (287 of 1,000), so as many of "
        "the outputs that it rejects may be right."
    ]
    assert reference_caveats("wrong compounds", (10, 1000)) == []
    assert cell_caveats([1, 2, 40], "structures") == [
        "2 of the 3 structures have fewer than 5 sentences: too few for each."
    ]
    assert lacking(0, 40, 100) == "could be judged on 40 of 100 only"
    assert lacking(5, 95, 100) == ""
