"""Exported tasks, run by the harnesses themselves."""

from __future__ import annotations

import pytest

import recombine
from recombine.benchmark import Benchmark, Example
from recombine.errors import RecombineError
from recombine.export import export
from recombine.export.tasks import first_line, harness_score
from report.scored_run import small_benchmark as generated_benchmark

RIGHT = {"A dog slept.": "Ein Hund schlief.", "The cat ran.": "Die Katze rannte."}


@pytest.fixture
def benchmark(small_benchmark):
    """Three sentences, of which a system gets one right."""
    return Benchmark.open(small_benchmark)


@pytest.fixture
def ours(benchmark):
    """Scores of that system by metric."""

    def translate(sources):
        return [RIGHT.get(one, "?") for one in sources]

    found = recombine.evaluate(translate, benchmark)
    return {one.metric: one.value for one in found if not one.tag}


@pytest.mark.real
def test_inspect_runs_the_task(benchmark, ours, tmp_path, monkeypatch):
    """Its scores are ours, its samples have their verdicts, its answers are one line."""
    inspect = pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(messages, tools, choice, config):
        said = RIGHT.get(messages[-1].text.rpartition("\n")[2], "?")
        output = ModelOutput.from_content("mockllm", f"\n{said}\nThis is German.")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    export(benchmark, "inspect", tmp_path / "task")
    monkeypatch.chdir(tmp_path)
    (log,) = inspect.eval(
        "task/task.py",
        model=get_model("mockllm/model", custom_outputs=answer),
        display="none",
        log_dir=str(tmp_path / "logs"),
    )
    assert log.status == "success"
    found = {score.name: score.metrics["score"].value for score in log.results.scores}
    assert found == pytest.approx(ours)
    verdicts = {
        sample.scores["exact"].answer: sample.scores["exact"].value for sample in log.samples
    }
    assert verdicts == {"Ein Hund schlief.": 1.0, "Die Katze rannte.": 0.0, "?": 0.0}


@pytest.mark.real
def test_the_harness_runs_the_task(benchmark, ours, tmp_path, monkeypatch):
    """Corpus metrics too: every metric is given all answers."""
    pytest.importorskip("lm_eval", reason="the extra 'harness' is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Known(LM):
        def generate_until(self, requests, disable_tqdm=False):
            asked = [one.args[0].split("English: ")[-1].partition("\n")[0] for one in requests]
            return [" " + RIGHT.get(one, "?") for one in asked]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    export(benchmark, "lm-eval", tmp_path / "task")
    manager = TaskManager(include_path=str(tmp_path / "task"), include_defaults=False)
    done = simple_evaluate(
        model=Known(), tasks=["small_test"], task_manager=manager, num_fewshot=1, bootstrap_iters=0
    )
    found = done["results"]["small_test"]
    assert {name: found[f"{name},none"] for name in ours} == pytest.approx(ours)
    asked = str(done["samples"]["small_test"][0]["arguments"])
    assert asked.count("German:") == 2  # one of the training pairs before the sentence


def test_a_task_carries_the_metrics_that_were_chosen(benchmark, tmp_path):
    """And only a task does."""
    export(benchmark, "lm-eval", tmp_path / "task", metrics=["chrf"])
    task = (tmp_path / "task" / "small_test.yaml").read_text()
    assert '"chrf"' in task
    assert '"exact"' not in task
    with pytest.raises(RecombineError, match="carries no metrics"):
        export(benchmark, "tsv", tmp_path / "tsv", metrics=["chrf"])
    with pytest.raises(RecombineError, match="cannot carry"):
        export(benchmark, "inspect", tmp_path / "own", metrics=["./mine.py:Mine"])


def test_a_task_of_a_generated_benchmark_accepts_other_words(tmp_path):
    """Nobody taught the models of a harness the one wording of its references."""
    rows = [Example.make(source="A manager slept.", references=("Un gerente durmió.",))]
    benchmark = generated_benchmark(
        tmp_path / "b",
        {"gen": rows},
        builder="generated",
        target="es",
        recipe={"grammar": "sget"},
        metrics=["exact"],
    )
    export(benchmark, "lm-eval", tmp_path / "task")
    assert '"meaning"' in (tmp_path / "task" / "small_gen.yaml").read_text()


def test_a_sample_is_exported(benchmark, tmp_path):
    """Of each split, as everywhere; scores are of what was asked."""
    export(benchmark, "lm-eval", tmp_path / "task", sample=2)
    ids = [one.id for one in benchmark.read("test")]
    assert harness_score(tmp_path / "task", "test", "exact", [(ids[1], "Ein Hund schlief.")]) == 100


def test_no_benchmark_is_replaced(benchmark, tmp_path):
    """Least of all the one that is exported."""
    assert benchmark.path == tmp_path / "benchmark"
    with pytest.raises(RecombineError, match="no part of this export"):
        export(benchmark, "inspect", tmp_path)
    assert benchmark.verify() == []
    export(benchmark, "inspect", tmp_path / "task")
    assert export(benchmark, "inspect", tmp_path / "task", sample=2)


def test_an_answer_is_its_first_line():
    """Models like to explain themselves."""
    assert first_line("\n Hallo. \nThat is German.") == "Hallo."
    assert first_line("\n") == ""
