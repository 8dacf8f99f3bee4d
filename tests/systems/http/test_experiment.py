"""Whole runs against services: no secret in any file, and no failure that stops the others."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from recombine.benchmark import Benchmark
from recombine.cli import main
from recombine.experiment.experiment import read_experiment
from recombine.experiment.translating import translate

SECRET = "sk-never-on-disk"


class Echo(BaseHTTPRequestHandler):
    """Answers in capitals and reports tokens; statuses planned for a text come first."""

    plan: ClassVar[dict[str, list[int]]] = {}
    asked: ClassVar[Counter[str]] = Counter()

    def do_POST(self) -> None:
        """Answer one request; an error shows the key it was given."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Echo.asked[body["q"]] += 1
        planned = self.plan.get(f"{self.path} {body['q']}", self.plan.get(self.path, []))
        status = planned.pop(0) if planned else 200
        reply = {"text": body["q"].upper() + body["to"], "tokens": 3}
        if status != 200:
            reply = {"error": self.headers["Authorization"]}
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextmanager
def echo(plan: dict[str, list[int]]) -> Iterator[str]:
    """Serve, and give the address."""
    Echo.plan, Echo.asked = plan, Counter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def service(name: str, url: str) -> str:
    """Return the description of a service in an experiment."""
    return f"""
        [system.{name}]
        use = "http"
        url = "{url}"
        body = {{ q = "{{source}}", to = "{{target_language}}" }}
        answer = "text"
        usage = {{ tokens = "tokens" }}
        key_env = "ECHO_KEY"
        backoff = 0.01
        retries = 2
        """


def test_a_run_keeps_no_secret_and_counts_tokens(small_benchmark: Path, tmp_path, monkeypatch):
    """Every file of the run is searched for the key; languages and usage are filled in."""
    monkeypatch.setenv("ECHO_KEY", SECRET)
    experiment = tmp_path / "experiment.toml"
    with echo({"/": [503]}) as url:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\n'
            + service("echo", f"{url}/"),
            encoding="utf-8",
        )
        count = translate(read_experiment(experiment))
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    record = json.loads((tmp_path / "run" / "echo" / "seed-1" / "run.json").read_text())
    assert record["described"]["used"]["tokens"] == 3 * count
    rows = (tmp_path / "run" / "echo" / "seed-1" / "translations" / "test.jsonl").read_text()
    assert rows.count('de"') == rows.count("\n")


def test_a_run_goes_on_without_what_fails(small_benchmark: Path, tmp_path, monkeypatch, capsys):
    """A wrong key, a refused sentence and a lost one: the rest is scored, reported and kept."""
    monkeypatch.setenv("ECHO_KEY", SECRET)
    refused, lost, _ = (example.source for example in Benchmark.open(small_benchmark).read("test"))
    experiment, run = tmp_path / "experiment.toml", tmp_path / "run"
    plan = {
        "/wrong-key": [401] * 99,
        f"/some {refused}": [422] * 99,
        f"/some {lost}": [503] * 3,
    }
    with echo(plan) as url:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
            "seeds = [1, 2, 3]\n"
            + service("wrong-key", f"{url}/wrong-key")
            + service("some", f"{url}/some")
            + '[system.copy]\nuse = "copy"\n',
            encoding="utf-8",
        )
        assert main(["run", str(experiment)]) == 1
        output = capsys.readouterr()
        assert output.out.strip().endswith("report.html")
        assert "wrong-key, seed 1: error: the service at" in output.err
        assert "some, seed 1: error: 2 of 3 sentences of test could not be translated" in output.err
        assert sorted(path.name for path in run.glob("*/seed-*")) == ["seed-1"] * 3
        Echo.asked.clear()
        Echo.plan["/wrong-key"].clear()
        assert main(["run", str(experiment)]) == 1
        assert "some, seed 1: error: 1 of 3 sentences" in capsys.readouterr().err
        assert Echo.asked[lost] == 2  # by the system whose key is right now, and again by the other
        assert Echo.asked[refused] == 1
    assert (
        "HTTP 422" in (run / "some" / "seed-1" / "translations" / "test.errors.jsonl").read_text()
    )


def test_a_budget_stops_one_system_and_a_higher_one_goes_on(
    small_benchmark: Path, tmp_path, monkeypatch, capsys
):
    """What was paid for is kept and counted over all runs; nothing is asked for twice."""
    monkeypatch.setenv("ECHO_KEY", SECRET)
    experiment, run = tmp_path / "experiment.toml", tmp_path / "run"
    translations = run / "echo" / "seed-1" / "translations" / "test.jsonl"

    def attempt(url: str, budget: str) -> tuple[int, str, int]:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
            + service("echo", url)
            + f'{budget}\n[system.copy]\nuse = "copy"\n',
            encoding="utf-8",
        )
        code = main(["translate", str(experiment)])
        record = json.loads((run / "echo" / "seed-1" / "run.json").read_text())
        assert record["described"]["used"]["requests"] == Echo.asked.total()
        assert record["described"]["used"]["tokens"] == 3 * Echo.asked.total()
        return code, capsys.readouterr().err, len(translations.read_text().splitlines())

    with echo({}) as url:
        code, said, rows = attempt(url, "max_requests = 1")
        assert (code, rows, Echo.asked.total()) == (1, 1, 1)
        assert "echo, seed 1: error: the budget is spent: 'max_requests' is 1" in said
        assert (run / "copy" / "seed-1" / "translations" / "test.jsonl").exists()
        assert attempt(url, "max_requests = 1")[::2] == (1, 1)  # it is spent once, not once a run
        code, said, rows = attempt(url, "concurrency = 4\nmax_tokens = 6\nmax_requests = 2")
        assert (code, rows, Echo.asked.total()) == (1, 2, 2)
        assert "6 tokens, 'max_tokens' is 6" in said or "'max_requests' is 2" in said
        code, said, rows = attempt(url, "max_tokens = 600")
        assert (code, rows, Echo.asked.total()) == (0, 3, 3)
        assert set(Echo.asked.values()) == {1}


def test_how_fast_a_service_is_asked_makes_nothing_stale(
    small_benchmark: Path, tmp_path, monkeypatch, capsys
):
    """Options on which no answer depends may change, also where they were noted once; the others
    may not.
    """
    monkeypatch.setenv("ECHO_KEY", SECRET)
    experiment, run = tmp_path / "experiment.toml", tmp_path / "run"

    def attempt(options: str, url: str) -> int:
        described = service("echo", url).replace("retries = 2", options)
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n' + described,
            encoding="utf-8",
        )
        return main(["translate", str(experiment)])

    with echo({}) as url:
        assert attempt("retries = 2", url) == 0
        asked = Echo.asked.total()
        noted = run / "echo" / "seed-1" / "translations" / "test.meta.json"
        before = json.loads(noted.read_text())
        assert not {"concurrency", "rate", "timeout", "retries"} & {
            *before["fingerprint"]["options"]
        }
        assert attempt("concurrency = 9\nrate = 50.0\ntimeout = 7.0\nretries = 1", url) == 0
        # As a run of version 0.1 has it.
        del before["fingerprint"]["idle"]
        before["fingerprint"]["options"] |= {"concurrency": 3, "timeout": 60.0}
        noted.write_text(json.dumps(before))
        assert attempt("concurrency = 9", url) == 0
        assert Echo.asked.total() == asked
        capsys.readouterr()
        assert attempt('prompt = "Say {source}"', url) != 0
        assert "options.prompt" in capsys.readouterr().err


def test_a_chat_model_behind_a_service_is_cleaned_as_any_other(
    small_benchmark: Path, tmp_path, monkeypatch
):
    """The preset takes talk off, says so in run.json, asks for no stream; `clean = false` leaves
    every answer as it is.
    """
    experiment, run = tmp_path / "experiment.toml", tmp_path / "run"
    asked: list[dict[str, object]] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(json.loads(handler.rfile.read(int(handler.headers["Content-Length"]))))
        said = 'Sure! Here is the translation:\n"Ein Hund."'
        reply = {
            "choices": [{"message": {"content": said}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
        }
        data = json.dumps(reply).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    monkeypatch.setattr(Echo, "do_POST", answer)
    with echo({}) as url:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
            + "".join(
                f'[system.{name}]\nuse = "http"\npreset = "openai-chat"\nurl = "{url}"\n'
                f'model = "m"\nclean = {clean}\n'
                for name, clean in (("on", "true"), ("off", "false"))
            ),
            encoding="utf-8",
        )
        count = translate(read_experiment(experiment)) // 2
    records = {
        name: json.loads((run / name / "seed-1" / "run.json").read_text())["described"]
        for name in ("on", "off")
    }
    rows = [(run / name / "seed-1" / "translations" / "test.jsonl").read_text() for name in records]
    assert rows[0].count('"hyp":"Ein Hund."') == count
    assert rows[1].count("Sure! Here is the translation:") == count
    assert {one["answers"] for one in records["on"]["cleaned"].values()} == {count}
    assert set(records["on"]["cleaned"]) == {"preamble", "quotes"}
    assert "cleaned" not in records["off"]
    assert records["on"]["used"]["prompt_tokens"] == 7 * count
    assert {one["stream"] for one in asked} == {False}
