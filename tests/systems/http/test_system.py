"""A service with every fault we know of, and the client that gets everything out of it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from recombine.config import parse_config, to_plain
from recombine.errors import ConfigError, Problems, SystemFailure
from recombine.systems.base import Failure, answers
from recombine.systems.http.system import Http

SOURCES = [f'sentence {number} with "quotes" and {{braces}}' for number in range(24)]
UPPER = [source.upper() for source in SOURCES]
SECRET = "sk-do-not-write-me-down"  # the value the tests look for in every file


class FaultServer:
    """Answers in capitals, after the faults planned for a source have been played out."""

    def __init__(self, plan=None, hold: float = 0.0) -> None:
        self.plan = dict(plan or {})
        self.hold = hold
        self.held: dict[str, threading.Event] = {}  # what is answered only after an event
        self.asked: Counter[str] = Counter()
        self.times: list[float] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict] = []
        self.lock = threading.Lock()
        self.busy = self.most_busy = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                with outer.lock:
                    outer.busy += 1
                    outer.most_busy = max(outer.most_busy, outer.busy)
                    outer.times.append(time.monotonic())
                try:
                    outer.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with outer.lock:
                        outer.busy -= 1

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                with contextlib.suppress(ConnectionResetError):  # a killed client
                    super().handle()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/translate"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        texts = body["texts"] if "texts" in body else [body["text"]]
        if self.hold:
            time.sleep(self.hold)
        for text in texts:
            if text in self.held:
                self.held[text].wait()
        with self.lock:
            self.headers.append(dict(handler.headers))
            self.bodies.append(body)
            fault = None
            for text in texts:
                self.asked[text] += 1
                if fault is None and self.plan.get(text):
                    fault = self.plan[text].pop(0)
        reply: dict = {"translation": texts[0].upper(), "usage": {"tokens": 7}}
        if "texts" in body:
            ids = body.get("ids", [None] * len(texts))
            reply = {
                "list": [{"id": i, "text": t.upper()} for i, t in zip(ids, texts, strict=True)]
            }
        data = json.dumps(reply).encode()
        status, extra, announced = 200, {}, None
        if fault == "429":
            status, data, extra = 429, b"slow down", {"Retry-After": "0.05"}
        elif fault is not None and fault.isdigit():
            status, data = int(fault), f"no: {handler.headers['Authorization']}".encode()
        elif fault == "timeout":
            handler.connection.recv(1)  # nothing, once who asked has gone
            return
        elif fault == "half":
            announced, data = len(data), data[: len(data) // 2]
        elif fault == "wrong-json":
            data = b'{"translation": "unfinished'
        elif fault == "wrong-shape":
            data = b'{"translation": {"oops": 1}, "list": 3}'
        elif fault == "10-mb":
            data = b'{"translation": "' + b"x" * 10_000_000 + b'"}'
        elif fault == "10-mb-unannounced":
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            for _ in range(160):
                handler.wfile.write(b"x" * 65536)
            handler.close_connection = True
            return
        elif fault == "drop":
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        elif fault == "reordered":
            reply["list"].reverse()
            data = json.dumps(reply).encode()
        elif fault == "missing":
            data = json.dumps({"list": reply["list"][1:]}).encode()
        elif fault == "redirect":
            status, extra = 302, {"Location": "http://elsewhere.invalid/"}
        handler.send_response(status)
        for name, value in extra.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(announced or len(data)))
        handler.end_headers()
        handler.wfile.write(data)
        if announced:
            handler.close_connection = True

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def serve():
    """Start fault servers and stop them afterwards."""
    servers = []

    def start(plan=None, **options) -> FaultServer:
        servers.append(FaultServer(plan, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def single(url: str, **options) -> Http:
    """A client of the one-text form, quick to retry."""
    values = {"backoff": 0.01, "backoff_limit": 0.05, "timeout": 60, **options}
    return Http(url=url, body={"text": "{source}"}, answer="translation", **values)


def batched(url: str, **options) -> Http:
    """A client of the list form, whose answers are matched by position."""
    values = {"backoff": 0.01, "timeout": 60, "batch_size": 4, **options}
    return Http(url=url, body={"texts": "{sources}"}, items="list", answer="text", **values)


FAULTS = [
    "429", "500", "503", "timeout", "half", "wrong-json", "wrong-shape", "10-mb",
    "10-mb-unannounced", "drop",
]  # fmt: skip


def test_every_fault_once_then_recovery(serve):
    """With each fault on some sentence the translations are complete, in order, none doubled."""
    plan = {SOURCES[number]: [fault] for number, fault in enumerate(FAULTS)}
    server = serve(plan)
    assert list(single(server.url, retries=3, timeout=3).translate(SOURCES)) == UPPER
    assert all(server.asked[source] == (2 if source in plan else 1) for source in SOURCES)


def test_many_faults_on_one_sentence(serve):
    """All faults in a row on one sentence cost exactly one request each."""
    server = serve({SOURCES[3]: list(FAULTS)})
    assert list(single(server.url, retries=len(FAULTS), timeout=3).translate(SOURCES)) == UPPER
    assert server.asked[SOURCES[3]] == len(FAULTS) + 1


@pytest.mark.parametrize("fault", ["missing", "wrong-shape", "500", "half"])
def test_faults_of_batches(serve, fault):
    """A batch whose answer is wrong is asked again, and its answers stay with their sources."""
    server = serve({SOURCES[5]: [fault]})
    assert list(batched(server.url).translate(SOURCES)) == UPPER
    assert max(server.asked.values()) == 2


def test_a_lasting_wrong_count_is_broken_up(serve):
    """A service that always drops an item of a batch is asked for single items in the end."""
    server = serve({SOURCES[1]: ["missing"] * 3})
    assert list(batched(server.url, retries=1).translate(SOURCES[:4])) == UPPER[:4]


def test_reordered_and_missing_items_with_ids(serve):
    """With ids, answers may come reordered, and only what is missing is asked again."""
    server = serve({SOURCES[0]: ["reordered"], SOURCES[4]: ["missing"]})
    system = Http(
        url=server.url,
        body={"texts": "{sources}", "ids": "{ids}"},
        items="list",
        item_id="id",
        answer="text",
        batch_size=4,
        backoff=0.01,
    )
    assert list(system.translate(SOURCES)) == UPPER
    assert server.asked[SOURCES[4]] == 2
    assert sum(server.asked.values()) == len(SOURCES) + 1


def test_ids_that_nobody_reads_are_refused():
    """Answers in another order would be taken for those of other sentences."""
    with pytest.raises(ConfigError, match="'item_id' does not say where they come back"):
        Http(
            url="http://localhost:1",
            body={"texts": "{sources}", "ids": "{ids}"},
            items="list",
            answer="text",
            batch_size=4,
        )


def test_a_source_that_is_refused_fails_alone(serve):
    """HTTP 400 on one sentence of a batch fails that sentence only."""
    server = serve({SOURCES[6]: ["400"] * 9})
    results = list(batched(server.url).translate(SOURCES))
    assert [r for i, r in enumerate(results) if i != 6] == UPPER[:6] + UPPER[7:]
    assert isinstance(results[6], Failure)
    assert results[6].final


def test_used_up_retries_are_a_failure_of_one_sentence(serve):
    """A sentence that never works is named with its last reason; the rest is complete."""
    server = serve({SOURCES[2]: ["500"] * 99})
    results = list(single(server.url, retries=2).translate(SOURCES))
    assert [r for i, r in enumerate(results) if i != 2] == UPPER[:2] + UPPER[3:]
    assert "HTTP 500" in results[2].reason
    assert "3 tries" in results[2].reason
    assert server.asked[SOURCES[2]] == 3


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 502, 503, 504, 529, 599])
def test_later_is_asked_again(serve, status):
    """Too busy, in conflict, broken for now: the next try is answered."""
    server = serve({SOURCES[0]: [str(status)]})
    assert list(single(server.url, retries=1).translate(SOURCES[:1])) == UPPER[:1]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_never_is_asked_once(serve, status):
    """A sentence the service does not accept is final, and no other suffers."""
    server = serve({SOURCES[0]: [str(status)] * 9})
    first, second = single(server.url).translate(SOURCES[:2])
    assert isinstance(first, Failure)
    assert first.final
    assert second == UPPER[1]
    assert server.asked[SOURCES[0]] == 1


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 407])
def test_a_wrong_address_or_key_stops_the_system(serve, status):
    """No other sentence would be answered either."""
    server = serve({source: [str(status)] * 9 for source in SOURCES})
    with pytest.raises(SystemFailure, match=str(status)):
        list(single(server.url, concurrency=1).translate(SOURCES))
    assert server.asked.total() < len(SOURCES)


def test_a_wrong_key_stops_at_once_and_is_not_shown(serve, monkeypatch):
    """HTTP 401 ends the run, names the variable and never its value."""
    monkeypatch.setenv("SERVICE_KEY", SECRET)
    server = serve({source: ["401"] * 9 for source in SOURCES})
    system = single(server.url, key_env="SERVICE_KEY")
    with pytest.raises(SystemFailure, match="401") as error:
        list(system.translate(SOURCES))
    assert SECRET not in error.value.render()
    assert "SERVICE_KEY" in error.value.render()
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"


def test_redirects_are_not_followed(serve):
    """A redirect could carry the key elsewhere, so it ends the run."""
    server = serve({source: ["redirect"] for source in SOURCES})
    with pytest.raises(SystemFailure, match="redirects"):
        list(single(server.url).translate(SOURCES))


def test_a_dead_service_is_given_up():
    """Nobody listening: a few sentences are tried, then the run stops with the reason."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    system = single(f"http://127.0.0.1:{port}/", retries=1)
    with pytest.raises(SystemFailure, match="3 sentences in a row"):
        list(answers(system, SOURCES))


def test_rate_and_concurrency_are_kept(serve):
    """Requests leave no faster than the rate, and no more at once than allowed."""
    server = serve(hold=0.02)
    list(single(server.url, rate=40, concurrency=3).translate(SOURCES[:12]))
    assert server.times[-1] - server.times[0] >= 11 / 40 * 0.9
    assert server.most_busy <= 3


def test_a_budget_that_nobody_counts_is_refused(serve):
    """Without a count of tokens `max_tokens` would never be spent."""
    system = single(serve().url, usage={"tokens": "no.such"}, max_tokens=14)
    with pytest.raises(SystemFailure, match=r"no number at no\.such"):
        list(system.translate(SOURCES))


def test_usage_is_counted(serve):
    """Tokens the service reports are summed, with requests and retries."""
    server = serve({SOURCES[0]: ["500"]})
    system = single(server.url, usage={"tokens": "usage.tokens", "absent": "no.such"})
    list(system.translate(SOURCES))
    counts = system.usage_counts()
    assert counts["tokens"] == 7 * len(SOURCES)
    assert counts["requests"] == len(SOURCES) + 1
    assert counts["retries"] == 1
    assert "absent" not in counts  # not reported is not 0


def test_max_tokens_stops_after_what_was_paid_for(serve):
    """Tokens are known when an answer is there; all answers that were asked for are yielded."""
    system = single(
        serve().url, usage={"tokens": "usage.tokens"}, max_tokens=14, concurrency=1, batch_size=1
    )
    given = system.translate(SOURCES)
    assert [isinstance(next(given), str) for _ in range(2)] == [True, True]
    with pytest.raises(SystemFailure, match="14 tokens, 'max_tokens' is 14"):
        next(given)
    with pytest.raises(ConfigError, match="max_tokens"):
        single("http://localhost/", max_tokens=5)


@pytest.mark.parametrize("preset", ["openai-chat", "libretranslate", "deepl"])
def test_presets_send_what_the_service_expects(monkeypatch, preset):
    """Each shipped preset fills its request and reads a reply of its service's documented form."""
    monkeypatch.setenv("SERVICE_KEY", SECRET)
    replies = {
        "openai-chat": {
            "choices": [{"message": {"content": " UNO "}}],
            "usage": {"prompt_tokens": 3},
        },
        "libretranslate": {"translatedText": ["UNO"]},
        "deepl": {"translations": [{"text": "UNO", "billed_characters": 3}]},
    }
    system = parse_config(
        Http,
        {
            "preset": preset,
            "key_env": "SERVICE_KEY",
            "model": "m",
            "source_language": "en",
            "target_language": "es",
        },
    )
    request = json.loads(system._request({0: "one {x}"}))
    assert "one {x}" in json.dumps(request)
    if preset == "openai-chat":
        assert "from English to Spanish" in json.dumps(request)
    assert "{" not in json.dumps(request).replace("one {x}", "").replace('{"', "")
    assert system._read(replies[preset], {0: "one"})[0] == {0: "UNO"}
    assert SECRET not in json.dumps(to_plain(system))
    assert SECRET not in repr(system)


def test_a_preset_is_completed_by_the_experiment():
    """The experiment's tables are merged over the preset's, key by key."""
    system = parse_config(
        Http, {"preset": "libretranslate", "url": "http://h/t", "body": {"alternatives": 0}}
    )
    assert system.body["q"] == "{sources}"
    assert system.body["alternatives"] == 0
    assert system.url == "http://h/t"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"answer": "x"}, "'url' is missing"),
        ({"url": "http://h/"}, "'answer' is missing"),
        ({"url": "ftp://h/", "answer": "x"}, "not an http"),
        ({"url": "http://me:secret@h/", "answer": "x"}, "password"),
        ({"url": "http://h/", "answer": "x", "body": {"t": "{sorce}"}}, "{sorce}"),
        ({"url": "http://h/", "answer": "x", "batch_size": 3}, "'items'"),
        ({"preset": "nonsense"}, "unknown preset"),
        ({"preset": "openai-chat"}, "'model' is missing"),
    ],
)
def test_mistakes_are_found_before_anything_runs(options, words):
    """A wrong description of the service is refused with what is wrong."""
    with pytest.raises((ConfigError, Problems)) as error:
        parse_config(Http, options)
    assert words in error.value.render()


def test_an_unset_key_is_the_users_mistake(serve, monkeypatch):
    """A key variable that is not set stops before the first request."""
    monkeypatch.delenv("SERVICE_KEY", raising=False)
    server = serve()
    with pytest.raises(ConfigError, match="SERVICE_KEY"):
        list(single(server.url, key_env="SERVICE_KEY").translate(SOURCES))
    assert not server.asked


RUN = """
import json, sys
from pathlib import Path
from recombine.config import parse_config, to_plain
from recombine.systems.http.system import Http
from recombine.experiment.translations import SourceSentence, translate_to_file

options = json.loads(sys.argv[1])
sources = [SourceSentence(f"id-{i}", text) for i, text in enumerate(json.loads(sys.argv[2]))]
system = parse_config(Http, options)
translate_to_file(system, sources, Path(sys.argv[3]), {"options": to_plain(system)})
"""


def test_kill_and_resume_give_the_same_file(serve, tmp_path, monkeypatch):
    """Kill -9 in mid-run, run again: the same bytes, nothing asked twice, no key in any file."""
    monkeypatch.setenv("SERVICE_KEY", SECRET)
    server = serve({SOURCES[1]: ["500"]})
    killed = threading.Event()
    server.held = dict.fromkeys(SOURCES[8:], killed)
    options = {
        "url": server.url, "body": {"text": "{source}"}, "answer": "translation",
        "key_env": "SERVICE_KEY", "backoff": 0.01, "concurrency": 2,
    }  # fmt: skip
    path = tmp_path / "run" / "gen.jsonl"
    path.parent.mkdir()
    line = [sys.executable, "-c", RUN, json.dumps(options), json.dumps(SOURCES), str(path)]
    first = subprocess.Popen(line, stderr=subprocess.PIPE)
    while (not path.exists() or path.read_text().count("\n") < 8) and first.poll() is None:
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert path.read_text().count("\n") == 8
    killed.set()
    log = subprocess.run(line, check=True, capture_output=True, text=True)
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    assert [row["hyp"] for row in rows] == UPPER
    assert [row["id"] for row in rows] == [f"id-{i}" for i in range(len(SOURCES))]
    # What was kept is not asked for again; of the rest only what was under way when killed.
    times = [server.asked[source] - (source == SOURCES[1]) for source in SOURCES]
    assert times[:8] == [1] * 8
    assert set(times[8:10]) <= {1, 2}
    assert set(times[10:]) == {1}
    assert SECRET not in log.stdout + log.stderr
    for file in Path(tmp_path).rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes()
