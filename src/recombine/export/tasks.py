"""Tasks that other people's harnesses run: Inspect and the LM Evaluation Harness.

An export holds the benchmark and a few lines in the harness's own form that call the functions
here. The answers to all sentences go through our metrics at once, so that metrics of a corpus, and
those that learn from all outputs, give the numbers that `recombine score` gives.

A benchmark may be a stranger's, and the harness runs Python and expands Jinja templates: no text of
a benchmark becomes a part of either. Names become identifiers, prompts are made by functions here
when they are asked for, everything else is a quoted string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from recombine.benchmark import TRAINING_SPLITS, Benchmark, Example, stratified_sample
from recombine.errors import ConfigError
from recombine.files import read_json, write_bytes, write_json, write_text
from recombine.metrics.base import Metric, Scored
from recombine.metrics.scoring import create_metrics, default_metrics, score
from recombine.registry import require
from recombine.systems.languages import language_name

HARNESSES = ("inspect", "lm-eval")
# Splits to learn from; the harness may take examples for a prompt from the first.
LEARNED = (*TRAINING_SPLITS, "dev")


class ExportedTask:
    """One split of an exported benchmark: its sentences, a prompt, and our metrics."""

    def __init__(self, folder: Path, split: str) -> None:
        self.split = split
        self.benchmark = Benchmark.open(folder / "benchmark")
        options = read_json(folder / "task.json")
        self.sample = int(options["sample"])
        self.metrics = metrics_of(self.benchmark, split, options["metrics"])
        self.examples = {
            example.id: example
            for example in stratified_sample(self.benchmark.read(split), self.sample, 0)
        }

    def value(self, metric: str, answers: Mapping[str, str]) -> float:
        """The score of a metric on these answers, which are all that was asked for."""
        tables = score(self.benchmark, answers, [metric], splits=[self.split], asked=set(answers))
        scores = [score for table in tables for score in table.overall() if score.metric == metric]
        return scores[0].value if scores else float("nan")

    def verdict(self, metric: Metric, example: Example, answer: str) -> float:
        """What a metric says of one answer alone; nothing where it judges several together."""
        seen = metric.observe([Scored(example, answer)]) if metric.key(example) else None
        return float("nan") if seen is None else seen.value


@cache
def exported_task(folder: Path, split: str) -> ExportedTask:
    """Open a task once."""
    return ExportedTask(folder, split)


def metrics_of(benchmark: Benchmark, split: str, names: Sequence[str]) -> dict[str, Metric]:
    """Those of these metrics that are about sentences of a split, by name."""
    examples = benchmark.read(split)
    created = create_metrics(names, benchmark)
    return {
        metric.name: metric
        for metric in created
        if any(metric.key(example) for example in examples)
    }


def language(benchmark: Benchmark, side: str) -> str:
    """The name of a language for a prompt."""
    return language_name(getattr(benchmark.manifest, side)) or "the target language"


def first_line(text: str) -> str:
    """An answer as one line: the first that says anything."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def inspect_task(folder: Path, split: str) -> Any:
    """The task of a split, as Inspect runs it."""
    inspect = require("inspect_ai", extra="inspect", feature="tasks of Inspect")
    dataset = require("inspect_ai.dataset", extra="inspect", feature="tasks of Inspect")
    solver = require("inspect_ai.solver", extra="inspect", feature="tasks of Inspect")
    task_data = exported_task(folder, split)
    source, target = (language(task_data.benchmark, side) for side in ("source", "target"))
    instruction = (
        f"Translate this {source} sentence into {target}. Answer with the translation alone.\n\n"
    )
    samples = [
        dataset.Sample(
            id=example.id,
            input=instruction + example.source,
            target=list(example.references) or "",
            metadata=dict(example.tags),
        )
        for example in task_data.examples.values()
    ]
    return inspect.Task(
        dataset=dataset.MemoryDataset(samples, name=f"{task_data.benchmark.manifest.name}-{split}"),
        solver=solver.generate(),
        scorer=[_inspect_scorer(task_data, name) for name in task_data.metrics],
    )


def _inspect_scorer(task_data: ExportedTask, name: str) -> Any:
    scorer = require("inspect_ai.scorer", extra="inspect", feature="tasks of Inspect")

    @scorer.metric(name="score")  # type: ignore[untyped-decorator]
    def whole() -> Callable[[Sequence[Any]], float]:
        def compute(scores: Sequence[Any]) -> float:
            return task_data.value(name, {str(x.sample_id): x.score.answer or "" for x in scores})

        return compute

    @scorer.scorer(metrics=[whole()], name=name)  # type: ignore[untyped-decorator]
    def judged() -> Any:
        async def judge(state: Any, target: Any) -> Any:
            answer = first_line(state.output.completion)
            example = task_data.examples[str(state.sample_id)]
            value = task_data.verdict(task_data.metrics[name], example, answer)
            return scorer.Score(value=value, answer=answer)

        return judge

    return judged()


def harness_dataset(folder: Path, split: str) -> dict[str, Any]:
    """The rows of a split, and those to learn from, as the LM Evaluation Harness reads them."""
    datasets = require("datasets", extra="harness", feature="tasks of the LM Evaluation Harness")
    task_data = exported_task(folder, split)
    splits = {split: list(task_data.examples.values())}
    splits |= {
        name: task_data.benchmark.read(name)
        for name in LEARNED
        if name in task_data.benchmark.splits
    }
    return {
        name: datasets.Dataset.from_list(
            [{"id": x.id, "source": x.source, "reference": (*x.references, "")[0]} for x in rows]
        )
        for name, rows in splits.items()
    }


def harness_answer(folder: Path, split: str, row: Mapping[str, Any], text: str) -> dict[str, Any]:
    """What every metric is to be given of one answer."""
    answer = (row["id"], first_line(text))
    return dict.fromkeys(exported_task(folder, split).metrics, answer)


def harness_score(folder: Path, split: str, metric: str, answers: Sequence[Any]) -> float:
    """The score of a metric on all answers."""
    return exported_task(folder, split).value(metric, dict(answers))


def harness_prompt(folder: Path, split: str, row: Mapping[str, Any]) -> str:
    """The text that a model is to continue."""
    benchmark = exported_task(folder, split).benchmark
    source, target = (language(benchmark, side) for side in ("source", "target"))
    return f"{source}: {row['source']}\n{target}:"


def harness_target(row: Mapping[str, Any]) -> str:
    """What a model should continue a prompt with."""
    return f" {row['reference']}"


def write_tasks(
    benchmark: Benchmark, out: Path, form: str, sample: int, metrics: Sequence[str] = ()
) -> Iterator[Path]:
    """Write the benchmark and what the harness reads.

    What a harness asks did not learn from the benchmark: where no metrics are chosen, `meaning` is
    among those of a generated one.
    """
    for name in metrics:
        if ".py:" in name:
            raise ConfigError(
                f"a task cannot carry the metric '{name}'", hint="install it: add-a-metric.md"
            )
    chosen = list(metrics or default_metrics(benchmark, learned=False))
    # Its own files and nothing else: what the manifest does not list nobody has checked.
    for name in (*benchmark.manifest.files, "benchmark.toml"):
        write_bytes(out / "benchmark" / name, (benchmark.path / name).read_bytes())
    write_json(out / "task.json", {"sample": sample, "metrics": chosen})
    yield out / "task.json"
    names = _Identifiers()
    title = benchmark.manifest.name[:LONGEST_TITLE]
    tested = [split for split in benchmark.splits if split not in LEARNED]
    splits = {split: names.add(f"{title}_{split}") for split in tested}
    if form == "inspect":
        tasks = "".join(
            _INSPECT_TASK.format(name=name, split=json.dumps(split))
            for split, name in splits.items()
        )
        write_text(out / "task.py", _INSPECT + tasks)
        yield out / "task.py"
        return
    functions = [_HARNESS]
    for split, name in splits.items():
        carried = metrics_of(benchmark, split, chosen)
        quoted = json.dumps(split)
        functions.append(_HARNESS_SPLIT.format(name=name, split=quoted))
        scorers = {metric: names.add(f"{name}_{metric}") for metric in carried}
        functions += [
            _HARNESS_METRIC.format(name=scorer, split=quoted, metric=json.dumps(metric))
            for metric, scorer in scorers.items()
        ]
        text = _yaml(benchmark, name, split, {scorers[name]: carried[name] for name in carried})
        write_text(out / f"{name}.yaml", text)
        yield out / f"{name}.yaml"
    write_text(out / "recombine_tasks.py", "".join(functions))
    yield out / "recombine_tasks.py"


LONGEST_TITLE = 60


class _Identifiers:
    """Texts as Python names and file names: ASCII letters, digits, underscores; no name twice."""

    def __init__(self) -> None:
        # What the written modules import, in lower case as names here may be.
        self._names = {"inspect_task", "task", "target", "harness_answer", "harness_dataset",
                       "harness_prompt", "harness_score", "harness_target"}  # fmt: skip

    def add(self, text: str) -> str:
        plain = re.sub(r"\W+", "_", text.replace("+", "p"), flags=re.ASCII)
        plain = plain if plain[:1].isalpha() else f"task_{plain}"
        name, number = plain, 1
        while name in self._names:
            number += 1
            name = f"{plain}_{number}"
        self._names.add(name)
        return name


def _yaml(benchmark: Benchmark, name: str, split: str, metrics: Mapping[str, Metric]) -> str:
    """The YAML file of a task; JSON strings are YAML strings whatever is in them."""
    lines = [
        f"# lm_eval run --tasks {name} --include_path THIS_FOLDER --model ...",
        f"task: {name}",
        f"custom_dataset: !function recombine_tasks.{name}_dataset",
        "output_type: generate_until",
        f"test_split: {json.dumps(split)}",
        *([f"fewshot_split: {LEARNED[0]}"] if LEARNED[0] in benchmark.splits else []),
        f"doc_to_text: !function recombine_tasks.{name}_prompt",
        "doc_to_target: !function recombine_tasks.target",
        "generation_kwargs:",
        '  until: ["\\n"]',
        "  do_sample: false",
        f"process_results: !function recombine_tasks.{name}_answer",
        "metric_list:",
    ]
    for scorer, metric in metrics.items():
        lines += [
            f"  - metric: {json.dumps(metric.name)}",
            f"    aggregation: !function recombine_tasks.{scorer}",
            f"    higher_is_better: {json.dumps(metric.higher_is_better)}",
        ]
    lines += ["metadata:", f"  version: {json.dumps(benchmark.manifest.version)}"]
    return "\n".join(lines) + "\n"


_INSPECT = '''"""Run with: inspect eval task.py --model MODEL."""

from pathlib import Path

from inspect_ai import Task, task
from recombine.export.tasks import inspect_task
'''

_INSPECT_TASK = """

@task
def {name}() -> Task:
    return inspect_task(Path(__file__).parent.resolve(), {split})
"""

_HARNESS = '''"""What the YAML files beside this one call."""

from pathlib import Path

from recombine.export.tasks import (
    harness_answer,
    harness_dataset,
    harness_prompt,
    harness_score,
    harness_target,
)

FOLDER = Path(__file__).parent.resolve()


def target(row):
    return harness_target(row)
'''

_HARNESS_SPLIT = """

def {name}_dataset(**options):
    return harness_dataset(FOLDER, {split})


def {name}_prompt(row):
    return harness_prompt(FOLDER, {split}, row)


def {name}_answer(row, answers):
    return harness_answer(FOLDER, {split}, row, answers[0])
"""

_HARNESS_METRIC = """

def {name}(answers):
    return harness_score(FOLDER, {split}, {metric}, answers)
"""
