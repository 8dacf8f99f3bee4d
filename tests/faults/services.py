"""Local services that translate: one that is right, and one that does all that can go wrong."""

from __future__ import annotations

import functools
import gzip
import json
import math
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


class Quiet(BaseHTTPRequestHandler):
    """A handler that keeps connections and logs nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def question(self) -> dict[str, Any]:
        """What was asked."""
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
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


@functools.cache
def bomb() -> bytes:
    """Little that unpacks to a lot."""
    return gzip.compress(b" " * 100_000_000)


SECRET = "sk-never/on+disk-0123456789"


class Hostile(Quiet):
    """Does one thing wrong, named by the path: once for each text, or always."""

    asked: ClassVar[Counter[str]] = Counter()
    elsewhere: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        """Answer wrongly first, rightly after that; services that are `always` wrong stay so."""
        mode, _, how = self.path.strip("/").partition("/")
        body = self.question()
        texts = [str(one["q"]) for one in body["items"]]
        key = f"{mode} {texts[0]}"
        Hostile.asked[key] += 1
        right = [{"id": one["id"], "text": str(one["q"]).upper()} for one in body["items"]]
        if how == "always" or Hostile.asked[key] == 1:
            getattr(self, mode.replace("-", "_"))(right)
        else:
            self.right(right)

    def right(self, rows: list[dict[str, str]]) -> None:
        """What was asked for."""
        self.answer(json.dumps({"rows": rows, "used": len(rows)}).encode())

    def told(self) -> bytes:
        """A page that repeats the key, as careless services do, near where excerpts are cut."""
        return ("x" * 185 + f" {self.headers['Authorization']} ").encode()

    def too_many(self, rows: list[dict[str, str]]) -> None:
        """429 with Retry-After."""
        self.answer(self.told(), 429, Retry_After="0.01")

    def endless_wait(self, rows: list[dict[str, str]]) -> None:
        """429 that asks to come back in a century."""
        self.answer(self.told(), 429, Retry_After="3155760000")

    def broken(self, rows: list[dict[str, str]]) -> None:
        """5xx."""
        self.answer(self.told(), 503)

    def silent(self, rows: list[dict[str, str]]) -> None:
        """No answer in time."""
        time.sleep(1.2)

    def dripping_head(self, rows: list[dict[str, str]]) -> None:
        """A head that never ends, a byte at a time."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(12):
            self.wfile.write(f"X-{number}: x\r\n".encode())
            self.wfile.flush()
            time.sleep(0.2)
        self.close_connection = True

    def dripping_body(self, rows: list[dict[str, str]]) -> None:
        """A body that never ends, a byte at a time."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(12):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.2)
        self.close_connection = True

    def half(self, rows: list[dict[str, str]]) -> None:
        """An answer that breaks off."""
        data = json.dumps({"rows": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True

    def reset(self, rows: list[dict[str, str]]) -> None:
        """A connection that is reset."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        self.close_connection = True

    def wrong_order(self, rows: list[dict[str, str]]) -> None:
        """All answers, the last first."""
        self.right(rows[::-1])

    def left_out(self, rows: list[dict[str, str]]) -> None:
        """One answer too few."""
        self.right(rows[1:])

    def twice(self, rows: list[dict[str, str]]) -> None:
        """Two answers to one question."""
        self.right([*rows, {**rows[0], "text": "ANOTHER"}])

    def unasked(self, rows: list[dict[str, str]]) -> None:
        """An answer to what nobody asked."""
        self.right([*rows[1:], {"id": "99999", "text": "UNASKED"}])

    def not_json(self, rows: list[dict[str, str]]) -> None:
        """Text that is no JSON."""
        self.answer(b"{'rows': " + self.told())

    def web_page(self, rows: list[dict[str, str]]) -> None:
        """A page of a proxy, with escape sequences for a terminal."""
        self.answer(b"<html>\x1b[2J\x1b]0;x\x07" + self.told(), Content_Type="text/html")

    def deep(self, rows: list[dict[str, str]]) -> None:
        """JSON of a hundred thousand brackets."""
        self.answer(b"[" * 100_000 + b"]" * 100_000)

    def other_shape(self, rows: list[dict[str, str]]) -> None:
        """JSON of another kind, with a key in it and numbers without end."""
        self.answer(json.dumps([None, math.inf, self.told().decode(), 10**400]).encode())

    def huge(self, rows: list[dict[str, str]]) -> None:
        """More than anybody wants."""
        self.answer(b" " * 3_000_000 + json.dumps({"rows": rows}).encode())

    def packed(self, rows: list[dict[str, str]]) -> None:
        """Packed although nobody asked for it."""
        data = gzip.compress(json.dumps({"rows": rows, "used": 1}).encode())
        self.answer(data, Content_Encoding="gzip")

    def bomb(self, rows: list[dict[str, str]]) -> None:
        """A hundred megabytes in a hundred kilobytes."""
        self.answer(bomb(), Content_Encoding="gzip")

    def redirect(self, rows: list[dict[str, str]]) -> None:
        """To another host."""
        port = self.server.server_address[1]
        self.answer(b"", 307, Location=f"http://localhost:{port}/elsewhere?{self.told().decode()}")

    def repeats_key(self, rows: list[dict[str, str]]) -> None:
        """The key as a translation."""
        self.right([{**row, "text": str(self.headers["Authorization"])} for row in rows])

    def do_GET(self) -> None:
        """Nobody follows a redirect here."""
        Hostile.elsewhere.append(str(self.headers))
        self.answer(b"")
