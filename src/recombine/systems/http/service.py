"""One JSON service over HTTP: a request, its reply, and what is worth another try."""

from __future__ import annotations

import email.utils
import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from recombine.errors import ConfigError

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
    ) -> None:
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
        self._response_limit = response_limit
        self._local = threading.local()

    def exchange(self, body: bytes | None) -> Any:
        """Send one request and return the parsed reply; raises Later or Refused."""
        deadline = time.monotonic() + self._timeout
        try:
            response = self._send(body)
            data = self._read(response, deadline)
        except Later:
            self.disconnect()
            raise
        except TimeoutError:
            self.disconnect()
            raise Later(f"no complete answer within {self._timeout:g} s") from None
        except ssl.SSLCertVerificationError as error:
            self.disconnect()
            raise Refused(f"its certificate is not trusted: {error}", fatal=True) from None
        except (http.client.HTTPException, OSError) as error:
            self.disconnect()
            raise Later(f"{type(error).__name__}: {error}".rstrip(": ")) from None
        if response.will_close:
            self.disconnect()
        return self._reply(response, data)

    def _send(self, body: bytes | None) -> http.client.HTTPResponse:
        reused = getattr(self._local, "connection", None) is not None
        connection = self._connection()
        try:
            connection.request(self._method, self._target, body=body, headers=self._headers())
            return connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            # Servers close idle connections; a fresh one shows whether anybody is there.
            if not reused:
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
        return b"".join(chunks)

    def _reply(self, response: http.client.HTTPResponse, data: bytes) -> Any:
        status = response.status
        if status in _LATER or status >= 500:
            wait = _retry_after(response.getheader("Retry-After"))
            raise Later(f"HTTP {status}{_excerpt(data)}", wait)
        if 300 <= status < 400:
            # Following it could carry the key to another host.
            raise Refused(
                f"HTTP {status}: redirects to {response.getheader('Location')}", fatal=True
            )
        if status >= 400:
            raise Refused(f"HTTP {status}{_excerpt(data)}", fatal=status in _FATAL)
        try:
            return json.loads(data.decode("utf-8"))
        except ValueError:
            raise Later(f"the answer is not JSON{_excerpt(data)}") from None


def _excerpt(data: bytes) -> str:
    text = " ".join(data[: 4 * _EXCERPT].decode("utf-8", "replace").split())[:_EXCERPT]
    return f": {text}" if text else ""


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
