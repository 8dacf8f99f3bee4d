"""A benchmark that a stranger made, passed on to other tools: it is data there, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from recombine.benchmark import Benchmark, Example
from recombine.builders.recipe import FORMAT
from recombine.draft import Draft
from recombine.errors import RecombineError
from recombine.export import export
from recombine.export.export import FORMATS

RIGHT = "Ein Hund schlief."


def hostile_benchmark(folder: Path, mark: Path) -> Benchmark:
    """Every text field wants to touch the file `mark`, as Jinja, as YAML and as Python."""
    touch = f"touch {mark}"
    jinja = "{{ cycler.__init__.__globals__.os.system('" + touch + "') }}"
    python = f'__import__("os").system("{touch}")'
    draft = Draft(folder / "benchmark", seed=0)
    train = Example.make(source=f"Learn {jinja}", references=[f"Lerne {jinja}"])
    tested = [
        Example.make(
            source=f"{text} {jinja}", references=[RIGHT, jinja], tags={"kind": jinja, jinja: "x"}
        )
        for text in ("{% raw %}", '"', "'''", "A dog slept.")
    ]
    draft.write("train", [train])
    draft.write("test", tested)
    # Two names that are one as an identifier, and one that Python takes for a word of its own.
    draft.write("gen-1", [Example.make(source="One.", references=["Eins."])])
    draft.write("gen_1", [Example.make(source="Two.", references=["Zwei."])])
    draft.write("1²", [Example.make(source="Three.", references=["Drei."])])
    draft.set_card(f"A card {jinja}\n---\nlicense: other\n")
    return draft.finish(
        {
            "format": FORMAT,
            "name": f'a/../../x"""\n{python}\n',
            "version": f'1"\n  more: !function tasks.run\n  x: "{jinja}',
            "source": f"/../../../x {jinja}",
            "target": f'de"\ndoc_to_text: !function os.system\nx: "{jinja}',
            "builder": "imported",
            "seed": 0,
            "licence": f'"\n{python}',
            "citation": jinja,
            "metrics": ["exact", "chrf"],
            "recombine": "0",
            "recipe": {},
        }
    )


@pytest.fixture
def mark(tmp_path):
    """The file that must not come to be."""
    return tmp_path / "ran"


@pytest.fixture
def benchmark(tmp_path, mark):
    """The hostile benchmark, with a module beside its files that some tool may import."""
    made = hostile_benchmark(tmp_path, mark)
    for name in ("tasks.py", "conftest.py", "sitecustomize.py", "utils.py"):
        (made.path / name).write_text(f"open({str(mark)!r}, 'w')\n")
    return Benchmark.open(made.path)


# The harnesses in a Python of their own: what an import leaves behind dies with it.
LM_EVAL = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Fixed(LM):
    def generate_until(self, requests, disable_tqdm=False):
        return [sys.argv[2] for _ in requests]
    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError
    loglikelihood_rolling = loglikelihood

manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
done = simple_evaluate(
    model=Fixed(), tasks=sorted(manager.all_tasks), task_manager=manager, num_fewshot=1,
    bootstrap_iters=0,
)
print(json.dumps({name: row["exact,none"] for name, row in done["results"].items()}))
"""
INSPECT = """
import json, sys
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def answer(messages, tools, choice, config):
    output = ModelOutput.from_content("mockllm", sys.argv[2])
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

logs = inspect_ai.eval(
    "task/task.py", model=get_model("mockllm/model", custom_outputs=answer),
    display="none", log_dir="logs",
)
print(json.dumps({
    log.eval.task: next(s.metrics["score"].value for s in log.results.scores if s.name == "exact")
    for log in logs
}))
"""


@pytest.mark.real
@pytest.mark.parametrize(
    ("form", "module", "script"),
    [("lm-eval", "lm_eval", LM_EVAL), ("inspect", "inspect_ai", INSPECT)],
)
def test_a_harness_runs_nothing_of_it(
    benchmark, mark, tmp_path, survive, monkeypatch, form, module, script
):
    """The tasks run, and all they do is ask and score."""
    pytest.importorskip(module)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    task = tmp_path / "task"
    export(benchmark, form, task)
    names = {path.relative_to(task / "benchmark").as_posix() for path in task.rglob("benchmark/*")}
    assert names == {*benchmark.manifest.files, "benchmark.toml"}
    ended = subprocess.run(
        [sys.executable, "-c", script, str(task), RIGHT],
        capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2000:]
    found = json.loads(ended.stdout.splitlines()[-1])
    survive("hostile benchmark", f"export to {form}", "it ran code" if mark.exists() else "")
    assert sorted(found.values()) == [0, 0, 0, 100]


@pytest.mark.parametrize("form", FORMATS)
def test_no_file_leaves_the_folder(benchmark, tmp_path, survive, form):
    """Whatever title and languages say."""
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    for path in export(benchmark, form, tmp_path / "deep" / "out"):
        assert path.is_file()
    new = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    outside = [str(p) for p in new if not p.resolve().is_relative_to(tmp_path / "deep" / "out")]
    survive("hostile benchmark", "file names", ", ".join(outside))


def test_the_card_is_data(benchmark, tmp_path, survive):
    """Its front matter is the YAML that was meant, with a loader that would run tags."""
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("pyarrow")
    export(benchmark, "parquet", tmp_path / "out")
    head = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("\n---\n")[0]
    found = yaml.safe_load(head.removeprefix("---\n"))
    assert found["language"] == [benchmark.manifest.source, benchmark.manifest.target]
    assert found["pretty_name"] == benchmark.manifest.name
    names = [one["split"] for one in found["configs"][0]["data_files"]]
    assert names == list(benchmark.splits)
    survive("hostile benchmark", "front matter of a card")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["README.md", "test.jsonl"])
def test_no_link_is_followed(benchmark, tmp_path, survive, form, name):
    """A file of this machine does not end up in what is passed on."""
    secret = tmp_path / "secret"
    secret.write_bytes((benchmark.path / name).read_bytes())
    (benchmark.path / name).unlink()
    (benchmark.path / name).symlink_to(secret)
    with pytest.raises(RecombineError, match="a link"):
        export(benchmark, form, tmp_path / "out")
    survive("hostile benchmark", "a link")


def test_only_what_was_built_is_exported(benchmark, tmp_path, survive):
    """An edited file is not passed on under the name of the benchmark."""
    with (benchmark.path / "test.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"id": "new", "source": "x"}\n')
    with pytest.raises(RecombineError, match="not the one that was built"):
        export(benchmark, "tsv", tmp_path / "out")
    survive("hostile benchmark", "an edited file")
