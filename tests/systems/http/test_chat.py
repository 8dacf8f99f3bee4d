"""A chat service that is shown worked examples and may cost so much, against a local server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, RecombineError, SystemFailure
from recombine.experiment.experiment import read_experiment, track_of_system
from recombine.systems.base import TrainingData, is_trainable
from recombine.systems.http.system import Http


class ChatServer:
    """Answers the last turn in capitals and says what it used."""

    def __init__(self, usage: dict[str, Any] | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        outer, counted = self, usage

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                text = body["messages"][-1]["content"].rpartition("\n")[2].upper()
                reply = {"choices": [{"message": {"content": text}}], "usage": counted or {}}
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


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A service that counts its tokens."""
    made = ChatServer({"prompt_tokens": 100, "completion_tokens": 10})
    yield made
    made.server.shutdown()


def chat(server: ChatServer, **options: Any) -> Http:
    """A system that asks it, from English to French."""
    given = {"preset": "openai-chat", "url": server.url, "model": "m", "retries": 0, **options}
    system: Http = parse_config(Http, given)
    system.source_language, system.target_language = "en", "fr"
    return system


def test_shots_of_a_file_stand_before_the_source(server: ChatServer, tmp_path: Path) -> None:
    """As turns of user and assistant, in the words of the prompt; nothing is trained."""
    path = tmp_path / "shots.tsv"
    path.write_text("source\ttarget\nA cat.\tUn chat.\nA dog.\tUn chien.\nA hen.\tUne poule.\n")
    system = chat(server, shots=2, shots_file=str(path))
    assert not is_trainable(system)
    assert list(system.translate(["A cow."])) == ["A COW."]
    turns = server.bodies[0]["messages"]
    assert [one["role"] for one in turns] == ["user", "assistant", "user", "assistant", "user"]
    assert [one["content"] for one in turns[1::2]] == ["Un chat.", "Un chien."]
    asked = [one["content"] for one in turns[::2]]
    assert all("from English to French" in one for one in asked)
    assert asked[0].endswith("A cat.")


def test_shots_are_drawn_from_training_with_a_seed(server: ChatServer, tmp_path: Path) -> None:
    """Once, and kept: the same seed shows the same examples."""
    rows = [
        Example.make(source=f"s{number}", references=(f"t{number}",), tags={})
        for number in range(20)
    ]
    system = chat(server, shots=3)
    assert is_trainable(system)
    assert system.trained_on == "unknown"
    system.train(TrainingData(rows, [], "en", "fr"), tmp_path / "model", 7)
    list(system.load(tmp_path / "model").translate(["x"]))
    shown = [one["content"] for one in server.bodies[0]["messages"][1::2]]
    assert len(set(shown)) == 3
    again = chat(server, shots=3)
    again.train(TrainingData(rows, [], "en", "fr"), tmp_path / "again", 7)
    list(again.load(tmp_path / "again").translate(["x"]))
    assert [one["content"] for one in server.bodies[1]["messages"][1::2]] == shown


def test_without_shots_a_single_turn_is_sent(server: ChatServer) -> None:
    """As before there were any."""
    list(chat(server).translate(["A cow."]))
    (turn,) = server.bodies[0]["messages"]
    assert turn["role"] == "user"


def test_money_is_counted_and_stops(server: ChatServer) -> None:
    """100 tokens at 2 a million and 10 at 8 a million are 0.00028 a sentence."""
    system = chat(
        server,
        concurrency=1,
        max_cost=0.0005,
        prices={"prompt_tokens": 2.0, "completion_tokens": 8.0},
    )
    said: list[Any] = []
    with pytest.raises(SystemFailure, match=r"budget is spent: 0\.0006, 'max_cost' is 0\.0005"):
        said.extend(system.translate(["a", "b", "c", "d"]))
    assert said == ["A", "B"]
    assert system.usage_counts()["cost"] == pytest.approx(0.00056)


def test_a_cost_that_the_service_says_comes_first() -> None:
    """Its own number is what it bills."""
    server = ChatServer({"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.25})
    system = chat(server, prices={"prompt_tokens": 2.0}, max_cost=1.0)
    assert list(system.translate(["a"])) == ["A"]
    assert system.usage_counts()["cost"] == 0.25
    server.server.shutdown()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"preset": None, "answer": "t", "body": {}, "max_cost": 1.0}, "needs 'prices'"),
        ({"prices": {"letters": 1.0}}, "which 'usage' does not count"),
        (
            {"preset": None, "answer": "t", "body": {}, "shots": 2},
            "need the place {turns} in 'body'",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(
    server: ChatServer, options: dict[str, Any], said: str
) -> None:
    """Before anything is asked."""
    with pytest.raises((ConfigError, RecombineError), match=said):
        chat(server, **options)
    assert server.bodies == []


def test_worked_examples_are_no_track(tmp_path: Path) -> None:
    """A run does not say of a service that it learned from the training pairs alone."""
    path = tmp_path / "e.toml"
    path.write_text(
        'benchmark = "b"\nrun = "r"\n[system.chat]\nuse = "http"\npreset = "openai-chat"\n'
        'url = "http://127.0.0.1:9/v1"\nmodel = "m"\nshots = 2\n[system.net]\nuse = "transformer"\n'
    )
    experiment = read_experiment(path)
    assert [track_of_system(experiment, name) for name in ("chat", "net")] == ["", "plain"]
