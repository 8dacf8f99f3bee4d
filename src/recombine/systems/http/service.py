"""One JSON service over HTTP: a request, its reply, and what is worth another try."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from recombine.errors import ConfigError
from recombine.files import parse_json

_CHUNK = 65536
_EXCERPT = 200
# RFC 9110: these, and every 5xx, say "later", not "never".
_LATER = frozenset({408, 409, 425, 429})
# The address or the key is wrong: no source will ever be answered. Any other 4xx is about the one
# source that was sent: it is malformed, too long or against the rules (400, 413, 422).
_FATAL = frozenset({401, 402, 403, 404, 405, 407})


class Later(Exception):
    """Worth another try; `wait` is what the service asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


class Refused(Exception):
    """The service will not answer this request; `fatal`: nor any other."""

    def __init__(self, reason: str, *, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fatal = fatal


class Service:
    """A JSON service; each thread keeps its own connection open."""

    def __init__(
        self,
        url: str,
        *,
        method: str,
        headers: Callable[[], Mapping[str, str]],
        timeout: float,
        response_limit: int,
        clean: Callable[[str], str] = str,
    ) -> None:
        """`clean` removes secrets from messages about an answer."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"'{url}' is not an http:// or https:// address")
        if parts.username or parts.password:
            raise ConfigError(
                "the url contains a user name or password, which would be stored with the run",
                hint="give the name of an environment variable as 'key_env'",
            )
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._method = method
        self._headers = headers
        self._timeout = timeout
        self._late = f"no complete answer within {timeout:g} s"
        self._response_limit = response_limit
        self._clean = clean
        self._local = threading.local()

    def exchange(self, body: bytes | None) -> Any:
        """Send one request and return the parsed reply; raises Later or Refused."""
        deadline = time.monotonic() + self._timeout
        connection = self._connection()
        # A socket's own timeout begins anew with every byte of a service that drips.
        watch = threading.Timer(self._timeout, _cut, (connection,))
        watch.daemon = True
        watch.start()
        try:
            response = self._send(body, deadline)
            data = self._read(response, deadline)
            if time.monotonic() >= deadline:
                raise TimeoutError
        except Later:
            self.disconnect()
            if time.monotonic() >= deadline:
                raise Later(self._late) from None
            raise
        except TimeoutError:
            self.disconnect()
            raise Later(self._late) from None
        except ssl.SSLCertVerificationError as error:
            self.disconnect()
            raise Refused(f"its certificate is not trusted: {error}", fatal=True) from None
        except (http.client.HTTPException, OSError) as error:
            self.disconnect()
            if time.monotonic() >= deadline:
                raise Later(self._late) from None
            raise Later(f"{type(error).__name__}: {error}".rstrip(": ")) from None
        finally:
            watch.cancel()
        if response.will_close:
            self.disconnect()
        return self._reply(response, data)

    def _send(self, body: bytes | None, deadline: float) -> http.client.HTTPResponse:
        reused = getattr(self._local, "connection", None) is not None
        connection = self._connection()
        try:
            connection.request(self._method, self._target, body=body, headers=self._headers())
            return connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            # Servers close idle connections; a fresh one shows whether anybody is there.
            if not reused or time.monotonic() >= deadline:
                raise
        self.disconnect()
        connection = self._connection()
        connection.request(self._method, self._target, body=body, headers=self._headers())
        return connection.getresponse()

    def disconnect(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            if self._secure:
                connection = http.client.HTTPSConnection(
                    self._host, self._port, timeout=self._timeout
                )
            else:
                connection = http.client.HTTPConnection(
                    self._host, self._port, timeout=self._timeout
                )
            self._local.connection = connection
        return connection

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        announced = response.length
        if announced is not None and announced > self._response_limit:
            raise Later(f"the answer has {announced} bytes, the limit is {self._response_limit}")
        chunks: list[bytes] = []
        size = 0
        while chunk := response.read1(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._response_limit:
                raise Later(f"the answer has more than {self._response_limit} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        if announced is not None and size < announced:
            raise Later(f"the answer broke off after {size} of {announced} bytes")
        response.close()  # read1 leaves it open, and the connection could not be used again
        return self._unpacked(response.getheader("Content-Encoding"), b"".join(chunks))

    def _unpacked(self, coding: str | None, data: bytes) -> bytes:
        """Unpack an answer that is packed although none was asked for, up to the limit."""
        if coding is None or coding.strip().lower() in ("", "identity"):
            return data
        if coding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
            raise Later(f"the answer is packed as '{coding[:20]}', which was not asked for")
        try:
            unpacked = zlib.decompressobj(47).decompress(data, self._response_limit + 1)
        except zlib.error as error:
            raise Later(f"the answer cannot be unpacked: {error}") from None
        if len(unpacked) > self._response_limit:
            raise Later(f"the answer unpacks to more than {self._response_limit} bytes")
        return unpacked

    def _reply(self, response: http.client.HTTPResponse, data: bytes) -> Any:
        status = response.status
        if status in _LATER or status >= 500:
            wait = _retry_after(response.getheader("Retry-After"))
            raise Later(f"HTTP {status}{self._excerpt(data)}", wait)
        if 300 <= status < 400:
            # Following it could carry the key to another host.
            raise Refused(
                f"HTTP {status}: redirects to {response.getheader('Location')}", fatal=True
            )
        if status >= 400:
            raise Refused(f"HTTP {status}{self._excerpt(data)}", fatal=status in _FATAL)
        try:
            return parse_json(data.decode("utf-8"))
        except ValueError:
            raise Later(f"the answer is not JSON{self._excerpt(data)}") from None

    def _excerpt(self, data: bytes) -> str:
        """How an answer begins; a secret is taken out before the cut, which could leave half."""
        text = " ".join(self._clean(data.decode("utf-8", "replace")).split())[:_EXCERPT]
        return f": {text}" if text else ""


def _cut(connection: http.client.HTTPConnection) -> None:
    """End a connection from another thread; a read that waits on it returns."""
    if connection.sock is not None:
        with contextlib.suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


def _retry_after(value: str | None) -> float | None:
    """Read the header's two forms: seconds, or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
