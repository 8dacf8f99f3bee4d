"""One exchange with a service: what is an answer, what may work later, what never will."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recombine.errors import ConfigError
from recombine.systems.http.service import Later, Refused, Service


@pytest.fixture
def serve():
    """Start a server that gives one planned reply to all; return its address and what it saw."""
    with contextlib.ExitStack() as stack:

        def start(status=200, body=b'{"text": "ja"}', headers=None, announced=None, drip=0.0):
            seen = []

            class Handler(BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self):
                    asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    seen.append((self.client_address[1], self.path, dict(self.headers), asked))
                    self.send_response(status)
                    for name, value in (headers or {}).items():
                        self.send_header(name, value)
                    if announced == 0:
                        self.send_header("Connection", "close")
                    else:
                        self.send_header("Content-Length", str(announced or len(body)))
                    self.end_headers()
                    with contextlib.suppress(ConnectionError):
                        for place in range(len(body)) if drip else ():
                            self.wfile.write(body[place : place + 1])
                            time.sleep(drip)
                        if not drip:
                            self.wfile.write(body)
                    if announced is not None:
                        self.close_connection = True

                def log_message(self, *_):
                    pass

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}/v1/ask?lang=de", seen

        yield start


def service(url: str, **options) -> Service:
    """A client with a short patience."""
    values = {"method": "POST", "headers": dict, "timeout": 5.0, "response_limit": 1000, **options}
    return Service(url, **values)


def test_requests_share_one_connection(serve):
    """Body, headers and the whole path arrive, and the connection stays open between requests."""
    url, seen = serve()
    client = service(url, headers=lambda: {"X-Key": "k"})
    replies = [client.exchange(json.dumps({"n": n}).encode()) for n in range(3)]
    client.disconnect()
    assert replies == [{"text": "ja"}] * 3
    assert {path for _, path, _, _ in seen} == {"/v1/ask?lang=de"}
    assert {headers["X-Key"] for _, _, headers, _ in seen} == {"k"}
    assert [json.loads(asked)["n"] for *_, asked in seen] == [0, 1, 2]
    assert len({port for port, *_ in seen}) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_busy_services_may_be_asked_later(serve, status):
    """These say "later", with the wait the service asked for and an excerpt of what it said."""
    url, _ = serve(status=status, body=b"too\n much", headers={"Retry-After": "7"})
    with pytest.raises(Later, match=f"HTTP {status}: too much") as error:
        service(url).exchange(b"{}")
    assert error.value.wait == 7.0


@pytest.mark.parametrize(
    ("status", "fatal"), [(400, False), (422, False), (401, True), (404, True), (302, True)]
)
def test_refusals_are_of_one_request_or_of_all(serve, status, fatal):
    """A wrong key, address or redirect concerns every request; a bad request only itself."""
    url, seen = serve(status=status, headers={"Location": "http://127.0.0.1:1/"})
    with pytest.raises(Refused, match=f"HTTP {status}") as error:
        service(url).exchange(b"{}")
    assert error.value.fatal is fatal
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"body": b"<html>"}, "not JSON: <html>"),
        ({"body": b'"' + b"x" * 2000 + b'"'}, "2002 bytes, the limit is 1000"),
        ({"body": b"1" * 2000, "announced": 0}, "more than 1000 bytes"),
        ({"body": b'{"text"', "announced": 99}, "after 7 of 99 bytes|IncompleteRead"),
    ],
)
def test_a_broken_answer_may_be_whole_the_next_time(serve, reply, reason):
    """What is no JSON, too long or cut off is not taken for an answer."""
    url, _ = serve(**reply)
    with pytest.raises(Later, match=reason):
        service(url).exchange(b"{}")


def test_the_timeout_is_for_the_whole_answer(serve):
    """A service that sends a byte now and then does not hold a request for ever."""
    url, _ = serve(body=b'{"text": "' + b"a" * 900 + b'"}', drip=0.2)  # in three minutes
    with pytest.raises(Later, match=r"within 0\.3 s"):
        service(url, timeout=0.3).exchange(b"{}")


def test_nobody_listening_is_worth_another_try():
    """A refused connection is a Later with the reason."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Later, match="ConnectionRefusedError"):
        service(f"http://127.0.0.1:{port}").exchange(b"{}")


def test_retry_after_may_be_a_date(serve):
    """The header's second form is a moment; nonsense is no wait at all."""
    url, _ = serve(status=503, headers={"Retry-After": email.utils.formatdate(time.time() + 60)})
    with pytest.raises(Later) as error:
        service(url).exchange(b"{}")
    assert 50 < error.value.wait <= 60
    url, _ = serve(status=503, headers={"Retry-After": "soon"})
    with pytest.raises(Later) as error:
        service(url).exchange(b"{}")
    assert error.value.wait is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://host/x", "not an http"),
        ("http:///x", "not an http"),
        ("https://me:secret@host/x", "user name or password"),
    ],
)
def test_wrong_addresses_are_refused_at_once(url, words):
    """No request is needed to see that an address cannot be used or would leak a password."""
    with pytest.raises(ConfigError, match=words) as error:
        service(url)
    assert "secret" not in str(error.value)


def test_an_answer_that_is_packed_unasked_is_unpacked_up_to_the_limit(serve):
    """A hundred kilobytes may unpack to gigabytes."""
    packed = {"Content-Encoding": "gzip"}
    url, _ = serve(body=gzip.compress(b'{"text": "ja"}'), headers=packed)
    assert service(url).exchange(b"{}") == {"text": "ja"}
    url, _ = serve(body=gzip.compress(b" " * 500_000), headers=packed)
    with pytest.raises(Later, match="unpacks to more than"):
        service(url).exchange(b"{}")
    url, _ = serve(body=b"no gzip", headers=packed)
    with pytest.raises(Later, match="cannot be unpacked"):
        service(url).exchange(b"{}")
    url, _ = serve(headers={"Content-Encoding": "br"})
    with pytest.raises(Later, match="packed as 'br'"):
        service(url).exchange(b"{}")


def test_json_without_end_is_no_answer(serve):
    """Python's parser runs out of stack."""
    url, _ = serve(body=b"[" * 100_000)
    with pytest.raises(Later, match="not JSON"):
        service(url, response_limit=1_000_000).exchange(b"{}")


def test_a_secret_is_taken_out_before_an_answer_is_cut(serve):
    """Half a key at the end of an excerpt was not recognised."""
    url, _ = serve(status=503, body=b"x" * 195 + b"sk-secret")
    with pytest.raises(Later) as said:
        service(url, clean=lambda text: text.replace("sk-secret", "[KEY]")).exchange(b"{}")
    assert "sk-" not in said.value.reason


def test_a_head_that_drips_ends_in_time(serve):
    """A socket's timeout begins anew with every byte."""
    listener = socket.create_server(("127.0.0.1", 0))

    def drip():
        connection, _ = listener.accept()
        with contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            for number in range(10_000):
                connection.sendall(f"X-{number}: a\r\n".encode())
                time.sleep(0.1)

    threading.Thread(target=drip, daemon=True).start()
    with pytest.raises(Later, match=r"no complete answer within 0\.3 s"):
        service(f"http://127.0.0.1:{listener.getsockname()[1]}/", timeout=0.3).exchange(b"{}")
    listener.close()
