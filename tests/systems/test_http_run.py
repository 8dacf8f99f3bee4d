"""A whole run against a service: nothing secret in any file, and what it used on record."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from recombine.experiment.experiment import read_experiment
from recombine.experiment.stages import translate

SECRET = "sk-never-on-disk"


class Echo(BaseHTTPRequestHandler):
    """Answers in capitals, reports tokens and, in a header and an error, repeats the key."""

    failed = False

    def do_POST(self) -> None:
        """Answer one request; the first fails and shows the key it was given."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = 200
        reply = {"text": body["q"].upper() + body["to"], "tokens": 3}
        if not Echo.failed:
            Echo.failed, status, reply = True, 503, {"error": self.headers["Authorization"]}
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def test_a_run_keeps_no_secret_and_counts_tokens(small_benchmark: Path, tmp_path, monkeypatch):
    """Every file of the run is searched for the key; languages and usage are filled in."""
    monkeypatch.setenv("ECHO_KEY", SECRET)
    Echo.failed = False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    experiment = tmp_path / "experiment.toml"
    experiment.write_text(
        f"""
        benchmark = "{small_benchmark}"
        run = "{tmp_path / "run"}"
        [system.echo]
        use = "http"
        url = "http://127.0.0.1:{server.server_address[1]}/"
        body = {{ q = "{{source}}", to = "{{target_language}}" }}
        answer = "text"
        usage = {{ tokens = "tokens" }}
        key_env = "ECHO_KEY"
        backoff = 0.01
        """,
        encoding="utf-8",
    )
    try:
        count = translate(read_experiment(experiment))
    finally:
        server.shutdown()
        server.server_close()
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    record = json.loads((tmp_path / "run" / "echo" / "seed-1" / "run.json").read_text())
    assert record["described"]["used"]["tokens"] == 3 * count
    rows = (tmp_path / "run" / "echo" / "seed-1" / "translations" / "test.jsonl").read_text()
    assert rows.count('de"') == rows.count("\n")
