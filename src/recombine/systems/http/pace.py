"""When the next request may go: a rate limit and the pauses a service asks for."""

from __future__ import annotations

import threading
import time
import zlib


class Pace:
    """Shared by all threads of one system."""

    def __init__(self, rate: float | None) -> None:
        self._interval = 1.0 / rate if rate else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self.halted = threading.Event()

    def wait_turn(self) -> None:
        """Wait until a request may be sent."""
        while True:
            with self._lock:
                now = time.monotonic()
                if now >= self._next:
                    # A late wake-up keeps the timetable; after a longer rest it begins anew.
                    late = now - self._next
                    self._next = (self._next if late < self._interval else now) + self._interval
                    return
                pause = self._next - now
            if self.halted.wait(pause):
                return

    def hold(self, seconds: float) -> None:
        """Let no request go for a while: the service asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def sleep(self, seconds: float) -> None:
        """Wait before a retry, unless everything is being stopped."""
        self.halted.wait(seconds)


def delay(attempt: int, *, base: float, limit: float, key: str) -> float:
    """Return the seconds before a retry: exponential, with a jitter fixed by `key`.

    The jitter keeps many clients from retrying in step; deriving it from the request keeps runs
    reproducible.
    """
    jitter = 0.5 + 0.5 * (zlib.crc32(f"{key}/{attempt}".encode()) / 0xFFFFFFFF)
    return float(min(limit, base * 2.0**attempt) * jitter)
