"""Metrics that are programs, files and language models: kept, resumed, and never believed."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Example
from recombine.cli import main
from recombine.errors import RecombineError
from recombine.experiment.experiment import check_experiment, outside_of, read_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate
from recombine.files import read_json, read_jsonl
from recombine.metrics.external.base import JudgedText
from recombine.metrics.external.judge import read_errors
from recombine.metrics.scoring import score
from report.scored_run import small_benchmark

EXAMPLES = Path(__file__).parents[3] / "examples" / "external-metrics"
# Scores the length of a hypothesis, notes every sentence that it is asked for, and may fail.
LENGTH = """
import json, sys
log = open({log!r}, "a")
for line in sys.stdin:
    asked = json.loads(line)
    log.write(asked["hypothesis"] + "\\n"); log.flush()
    {fault}
    print(json.dumps({{"id": asked["id"], "score": len(asked["hypothesis"]),
                      "detail": {{"explanation": asked["target_language"]}}}}), flush=True)
"""


@pytest.fixture
def benchmark(tmp_path: Path):
    """Ten sentences in English with a reference in French."""
    rows = [
        Example.make(source=f"word {number}", references=("mot " * (number + 1),), tags={})
        for number in range(10)
    ]
    return small_benchmark(
        tmp_path / "b", {"test": rows}, source="en", target="fr", metrics=["exact"]
    )


def program(folder: Path, fault: str = "") -> list[str]:
    """The command line of a program that scores; `fault` is a statement of its loop."""
    path = folder / "length.py"
    path.write_text(LENGTH.format(log=str(folder / "log"), fault=fault))
    return [sys.executable, str(path)]


def outputs(benchmark: Any) -> dict[str, str]:
    """What a system said: the sources."""
    return {one.id: one.source * (number + 1) for number, one in enumerate(benchmark.read("test"))}


def asked(folder: Path) -> list[str]:
    """What the program was asked for so far."""
    log = folder / "log"
    return log.read_text().splitlines() if log.is_file() else []


def test_a_program_scores_each_sentence(benchmark: Any, tmp_path: Path) -> None:
    """Its number is the score, as it is, and the mean that of the split."""
    given = {"length": {"use": "command", "run": program(tmp_path), "limits": [0.0, 1000.0]}}
    said = outputs(benchmark)
    (result,) = score(benchmark, said, ["length"], options=given)
    assert result.metric == "length"
    assert [one.value for one in result.rows()] == [len(one) for one in said.values()]
    assert next(result.rows()).detail == {"explanation": "fr"}
    assert result.overall()[0].value == sum(map(len, said.values())) / 10
    assert "points:0..1000|higher is better" in result.signature


def test_scores_are_kept_and_only_what_lacks_is_asked_for(benchmark: Any, tmp_path: Path) -> None:
    """A program that died in the middle is asked for the rest, once; nobody pays twice."""
    cache = str(tmp_path / "cache.jsonl")
    dies = 'if asked["source"] == "word 5": sys.exit(1)'
    given = {
        "use": "command", "run": program(tmp_path, dies), "limits": [0.0, 1000.0], "cache": cache,
        "retries": 0,
    }  # fmt: skip
    (result,) = score(benchmark, outputs(benchmark), ["length"], options={"length": given})
    assert len(result.keys) == 9
    assert result.notes()["without_score"] == 1
    assert result.notes()["ask_again"] == 1
    before = len(asked(tmp_path))
    given["run"] = program(tmp_path)  # mended: another program, so all is asked again
    (result,) = score(benchmark, outputs(benchmark), ["length"], options={"length": given})
    assert len(asked(tmp_path)) == before + 10
    (result,) = score(benchmark, outputs(benchmark), ["length"], options={"length": given})
    assert len(asked(tmp_path)) == before + 10
    assert result.notes()["asked_now"] == 0
    with Path(cache).open("a") as stream:
        stream.write('{"key": "half a li')  # what a kill leaves
    (result,) = score(benchmark, outputs(benchmark), ["length"], options={"length": given})
    assert len(result.keys) == 10


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            'print(json.dumps({"id": asked["id"], "score": "good"})); continue',
            "the score is 'good'",
        ),
        ('print(json.dumps({"id": asked["id"]})); continue', "no 'score'"),
        ('print(json.dumps({"id": 99, "score": 1})); continue', "was not asked"),
        ("print('thinking ...'); continue", "is not JSON"),
        ('print(json.dumps({"id": asked["id"], "score": 1e9})); continue', "outside its limits"),
        ('print(\'{"id": %d, "score": NaN}\' % asked["id"]); continue', "outside its limits"),
    ],
)
def test_a_program_is_not_believed(benchmark: Any, tmp_path: Path, fault: str, said: str) -> None:
    """What it says is checked against what it was asked and what it declared."""
    given = {"use": "command", "run": program(tmp_path, fault), "retries": 0, "give_up_after": 3}
    with pytest.raises(RecombineError, match=said):
        score(benchmark, outputs(benchmark), ["length"], options={"length": given})


def test_ter_in_a_process_is_ter(benchmark: Any) -> None:
    """The example of the docs, against the library itself."""
    from sacrebleu.metrics import TER

    given = {
        "use": "command", "run": [sys.executable, str(EXAMPLES / "ter.py")],
        "higher_is_better": False, "limits": [0.0, 10000.0],
    }  # fmt: skip
    (result,) = score(benchmark, outputs(benchmark), ["ter"], options={"ter": given})
    wanted = [
        TER().sentence_score(outputs(benchmark)[one.id], list(one.references)).score
        for one in benchmark.read("test")
    ]
    assert [one.value for one in result.rows()] == pytest.approx(wanted)
    assert result.right_value == 0.0


def _experiment(folder: Path, benchmark: Any, metric: str) -> Path:
    path = folder / "experiment.toml"
    path.write_text(
        f'benchmark = "{benchmark.path}"\nrun = "{folder / "run"}"\nmetrics = ["length"]\n'
        f'[system.copy]\nuse = "copy"\n[metric.length]\nlimits = [0.0, 1000.0]\n{metric}'
    )
    return path


def test_an_experiment_says_what_it_runs_and_scores_again_what_changed(
    benchmark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run starts nothing; an edited program is another metric; all of it is reported."""
    line = json.dumps(program(tmp_path))
    path = _experiment(tmp_path, benchmark, f'use = "command"\nrun = {line}\n')
    assert check_experiment(path) == []
    assert any("length.py" in one.get("runs", "") for one in outside_of(read_experiment(path)))
    assert main(["run", str(path), "--dry-run"]) == 0
    assert asked(tmp_path) == []
    assert main(["run", str(path)]) == 0
    assert len(asked(tmp_path)) == 10
    assert "length" in capsys.readouterr().err
    kept = read_jsonl(tmp_path / "run" / "copy" / "seed-1" / "asked" / "length.jsonl")
    assert {row["score"] for row in kept} == {6}
    assert score_run(read_experiment(path)) == 0
    program(tmp_path, "pass")
    assert score_run(read_experiment(path)) == 1
    assert len(asked(tmp_path)) == 20


def test_what_has_no_score_yet_is_asked_for_by_the_next_run(benchmark: Any, tmp_path: Path) -> None:
    """A scoring with lost sentences is not finished."""
    flag = tmp_path / "mended"
    fault = (
        f'import os\n    if asked["source"] == "word 5" and not os.path.exists({str(flag)!r}): '
        "sys.exit(1)"
    )
    line = json.dumps(program(tmp_path, fault))
    path = _experiment(tmp_path, benchmark, f'use = "command"\nrun = {line}\nretries = 0\n')
    experiment = read_experiment(path)
    translate(experiment)
    assert score_run(experiment) == 1
    flag.touch()
    before = len(asked(tmp_path))
    assert score_run(experiment) == 1
    assert asked(tmp_path)[before:] == ["word 5"]
    assert score_run(experiment) == 0


def test_scores_of_a_file_are_read_by_id(benchmark: Any, tmp_path: Path) -> None:
    """One file per system; what it lacks has no score, and what is twice in it is refused."""
    rows = benchmark.read("test")
    lines = [json.dumps({"id": one.id, "score": 0.5}) for one in rows[:8]]
    (tmp_path / "copy.test.jsonl").write_text("\n".join(lines) + "\n")
    place = json.dumps(str(tmp_path / "{system}.{split}.jsonl"))
    path = _experiment(tmp_path, benchmark, f'use = "scores-file"\npath = {place}\n')
    experiment = read_experiment(path)
    translate(experiment)
    score_run(experiment)
    table = (tmp_path / "run" / "copy" / "seed-1" / "scores.csv").read_text().splitlines()[1]
    assert "length,8,10,0,0.5000" in table
    (tmp_path / "copy.test.jsonl").write_text("\n".join([*lines, lines[0]]) + "\n")
    with pytest.raises(RecombineError, match="has a score already"):
        score_run(experiment)


class JudgeServer:
    """A chat service that judges; `answer` makes its answer of a question."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.questions: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                question = body["messages"][-1]["content"]
                outer.questions.append(question)
                reply = {
                    "choices": [{"message": {"content": answer(question)}}],
                    "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
                }
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def options(self, **more: Any) -> dict[str, Any]:
        """The options of a metric that asks it."""
        service = {"url": self.url, "model": "judge-1", "retries": 0, "concurrency": 1, **more}
        return {"use": "llm-judge", "service": service}


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    """A judge that marks `word` as major and every 5 as minor."""

    def answer(question: str) -> str:
        said = question.rpartition("TRANSLATION\n")[2].removesuffix("\nEND")
        errors = [{"span": "word", "category": "accuracy/untranslated", "severity": "major"}]
        if "5" in said:
            errors.append({"span": "5", "category": "style/awkward", "severity": "minor"})
        return "Here it is:\n```json\n" + json.dumps({"errors": errors}, indent=1) + "\n```"

    made = JudgeServer(answer)
    yield made
    made.server.shutdown()


def test_a_judge_marks_errors(judge: JudgeServer, benchmark: Any, tmp_path: Path) -> None:
    """Five points for a major error, one for a minor; prompt, model and use are on record."""
    said = {one.id: one.source for one in benchmark.read("test")}
    (result,) = score(benchmark, said, ["mqm"], options={"mqm": judge.options()})
    assert [one.value for one in result.rows()] == [5, 5, 5, 5, 5, 6, 5, 5, 5, 5]
    detail = list(result.rows())[5].detail
    assert detail["class"] == "major"
    assert detail["explanation"] == "major accuracy/untranslated: word; minor style/awkward: 5"
    notes = result.notes()
    assert notes["model"] == "judge-1"
    assert notes["used"]["requests"] == 10
    assert "{source}" in notes["prompt"]
    assert "from English to French" in judge.questions[0]
    assert "judge:judge-1|prompt:" in result.signature


def test_a_budget_holds_over_runs_and_nothing_is_paid_twice(
    judge: JudgeServer, benchmark: Any, tmp_path: Path
) -> None:
    """At 0.0012 a sentence 0.006 buys five, then the other five are asked for."""
    said = {one.id: one.source for one in benchmark.read("test")}
    prices = {"prompt_tokens": 1.0, "completion_tokens": 2.0}
    for budget, questions in ((0.0059, 5), (0.0059, 5), (1.0, 10), (1.0, 10)):
        given = {
            **judge.options(prices=prices, max_cost=budget), "cache": str(tmp_path / "kept.jsonl"),
        }  # fmt: skip
        if questions == 5:
            with pytest.raises(RecombineError, match="the budget is spent"):
                score(benchmark, said, ["mqm"], options={"mqm": given})
        else:
            score(benchmark, said, ["mqm"], options={"mqm": given})
        assert len(judge.questions) == questions
    assert read_json(tmp_path / "kept.used.json")["cost"] == pytest.approx(0.012)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("This is a fine translation.", "no JSON object"),
        ('{"errors": "none"}', "no list"),
        ('{"errors": [{"span": "word", "severity": "fatal"}]}', "without span"),
        ('{"errors": [7]}', "without span"),
        ('{"score": 100}', "no list"),
        ('{"errors": [' + '{"span": "word", "severity": "minor"},' * 200 + "{}]}", "sensible"),
        ("{" * 5000, "no JSON object"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "not JSON"),
    ],
)
def test_a_hostile_judge_is_not_believed(benchmark: Any, answer: str, reason: str) -> None:
    """A sentence whose verdict cannot be read has none, and a judge of which none can, fails."""
    server = JudgeServer(lambda _: answer)
    said = {one.id: one.source for one in benchmark.read("test")}
    with pytest.raises(RecombineError, match=f"scored nothing.*{reason}"):
        score(benchmark, said, ["mqm"], options={"mqm": server.options()})
    server.server.shutdown()


def test_errors_are_of_words_that_somebody_said() -> None:
    """An invented span does not count, a repeated one counts once, an omission is of the source."""
    question = JudgedText("1", "The big cat sleeps.", "Le chat dort.", ())
    listed = [
        {"span": "chien", "category": "accuracy/mistranslation", "severity": "critical"},
        {"span": "big", "category": "accuracy/omission", "severity": "MAJOR"},
        {"span": "big", "category": "Accuracy/Omission", "severity": "major"},
        {"span": "dort", "category": "made up", "severity": "minor"},
    ]
    errors, invented = read_errors(json.dumps({"errors": listed}), question)
    assert invented == 1
    assert [(one["span"], one["category"], one["severity"]) for one in errors] == [
        ("big", "accuracy/omission", "major"),
        ("dort", "other", "minor"),
    ]


def test_a_text_is_no_template(judge: JudgeServer, tmp_path: Path) -> None:
    """Braces and marks in a sentence reach the judge as they are."""
    rows = [Example.make(source="{hypothesis} {{x}} END", references=("r",), tags={})]
    benchmark = small_benchmark(tmp_path / "braces", {"test": rows}, source="en", target="fr")
    said = {rows[0].id: "{source} word"}
    score(benchmark, said, ["mqm"], options={"mqm": judge.options()})
    assert judge.questions[0].endswith(
        "SOURCE\n{hypothesis} {{x}} END\nTRANSLATION\n{source} word\nEND"
    )
