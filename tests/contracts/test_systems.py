"""Every built-in system keeps the contract that outside authors are held to."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Example
from recombine.registry import BUILT_IN, create
from recombine.systems.base import TrainingData
from recombine.testing import SENTENCES, check_system

# Needs a pretrained model; its own tests make tiny ones and run the same suite on them.
PRETRAINED = {"llm", "hf-seq2seq"}
UPPER_LINES = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"


class Upper(BaseHTTPRequestHandler):
    """A service that answers in capitals."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"translation": body["text"].upper()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@pytest.fixture
def service() -> Iterator[str]:
    """The address of a running service."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upper)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def make(name: str, tmp_path: Path, benchmark: Path, service: str) -> Any:
    """Return the system, trained where it has to be."""
    words = tmp_path / "words.tsv"
    words.write_text("dog\tHund\n", encoding="utf-8")
    options: dict[str, dict[str, Any]] = {
        "dictionary": {"path": str(words)},
        "file": {"path": str(words)},
        "noisy-oracle": {"benchmark": str(benchmark)},
        "oracle": {"grammar": "toy", "source": "en", "target": "ja"},
        "command": {"run": [sys.executable, "-c", UPPER_LINES]},
        "http": {"url": service, "body": {"text": "{source}"}, "answer": "translation"},
        "transformer": {"preset": "tiny", "steps": 20},
        "lstm": {
            "encoder_layers": 1,
            "decoder_layers": 1,
            "width": 16,
            "steps": 20,
            "batch_size": 4,
            "source_subwords": "word",
            "target_subwords": "word",
        },
    }
    system = create("system", name, options.get(name, {}))
    if hasattr(system, "train"):
        pairs = [Example.make(source=s, references=[s.upper()]) for s in SENTENCES]
        system.train(TrainingData(pairs, pairs, "en", "de"), tmp_path / "model", 1)
        system = system.load(tmp_path / "model")
    return system


@pytest.mark.parametrize("name", sorted(set(BUILT_IN["system"]) - PRETRAINED))
def test_the_contract_holds(name, tmp_path, small_benchmark, service):
    """Length, order, text, repeatability, empty input."""
    system = make(name, tmp_path, small_benchmark, service)
    try:
        check_system(system)
    finally:
        close = getattr(system, "close", None)
        if close is not None:
            close()
