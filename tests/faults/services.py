"""Local services that translate: one that is right, and one that does all that can go wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(BaseHTTPRequestHandler):
    """A handler that keeps connections and logs nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def question(self) -> dict[str, object]:
        """What was asked."""
        body: dict[str, object] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return body

    def answer(self, data: bytes, status: int = 200, **headers: str) -> None:
        """Send one answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Capitals(Quiet):
    """Answers in capitals, slowly enough to be killed."""

    def do_POST(self) -> None:
        """Answer one request."""
        text = str(self.question()["q"])
        time.sleep(0.01)
        self.answer(json.dumps({"text": text.upper()}).encode())


@contextmanager
def serving(handler: type[Quiet]) -> Iterator[str]:
    """Serve, and give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/translate"
    finally:
        server.shutdown()
        server.server_close()


def capitals() -> object:
    """Serve what is right."""
    return serving(Capitals)
