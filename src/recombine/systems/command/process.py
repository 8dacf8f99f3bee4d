"""A child program with drained pipes: records in, records out, never a deadlock."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

_CHUNK = 65536
_STDERR_KEPT = 4000  # bytes: enough for a traceback's end, little enough for one message
_RECORDS_AHEAD = 10_000  # unread records after which a flooding program is made to wait


class Record(NamedTuple):
    """One separated piece of output; `complete` is false when the output ended before its end."""

    data: bytes
    complete: bool


class RecordTooLong(Exception):
    """The program wrote more than the allowed bytes without a separator."""


class Child:
    """One running program. Threads write its input and drain its output and its stderr."""

    def __init__(
        self,
        run: Sequence[str] | str,
        *,
        cwd: Path | None,
        environment: Mapping[str, str],
        separator: bytes,
        record_limit: int,
    ) -> None:
        self._separator = separator
        self._record_limit = record_limit
        self._records: queue.Queue[Record | RecordTooLong | None] = queue.Queue(_RECORDS_AHEAD)
        self._input: queue.Queue[bytes | None] = queue.Queue()
        self._stderr: deque[bytes] = deque()
        self._stderr_size = 0
        self._ended = False
        self._stopped = threading.Event()
        self._process = subprocess.Popen(
            run,
            shell=isinstance(run, str),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            # Its own process group, so that what the program started ends with it.
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._threads = [
            threading.Thread(target=self._feed, args=(self._process.stdin,), daemon=True),
            threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._drain, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, record: bytes) -> None:
        """Queue one record for the program's input; never blocks."""
        self._input.put(record + self._separator)

    def finish_input(self) -> None:
        """Close the program's input once everything queued is written."""
        self._input.put(None)

    def receive(self, timeout: float) -> Record | None:
        """Return the next record, None at the end of output; TimeoutError when none comes."""
        if self._ended:
            return None
        try:
            record = self._records.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        if record is None:
            self._ended = True
        elif isinstance(record, RecordTooLong):
            self._ended = True
            raise record
        return record

    def has_output(self, settle: float) -> bool:
        """Say whether unread output is there, or comes within `settle` seconds."""
        deadline = time.monotonic() + settle
        while not self._ended:
            if not self._records.empty():
                return self._records.queue[0] is not None
            if time.monotonic() >= deadline:
                return False
            time.sleep(min(0.005, settle))
        return False

    @property
    def alive(self) -> bool:
        """Whether the program still runs."""
        return self._process.poll() is None

    def exit_status(self, timeout: float) -> int | None:
        """Return the exit status, waiting for it; None when the program does not end."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def stderr_tail(self) -> str:
        """Return the last lines the program wrote to its stderr."""
        return b"".join(self._stderr)[-_STDERR_KEPT:].decode("utf-8", "replace").strip()

    def stop(self) -> None:
        """End the program and everything it started."""
        self._stopped.set()
        self._input.put(None)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        while self._threads[1].is_alive():  # a reader that waits for room in the queue
            with contextlib.suppress(queue.Empty):
                self._records.get_nowait()
            self._threads[1].join(0.01)
        for thread in self._threads:
            thread.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _feed(self, pipe: IO[bytes]) -> None:
        # A program that closed its input or died shows in its output; here it is no error.
        with contextlib.suppress(OSError, ValueError):
            while (record := self._input.get()) is not None:
                view = memoryview(record)
                while view:
                    view = view[pipe.write(view) :]
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self, pipe: IO[bytes]) -> None:
        rest = b""
        with contextlib.suppress(OSError, ValueError):
            while chunk := pipe.read(_CHUNK):
                *records, rest = (rest + chunk).split(self._separator)
                for record in records:
                    self._records.put(Record(record, complete=True))
                if len(rest) > self._record_limit or self._stopped.is_set():
                    self._records.put(RecordTooLong())
                    return
        if rest.strip():
            self._records.put(Record(rest, complete=False))
        self._records.put(None)

    def _drain(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := pipe.read(_CHUNK):
                self._stderr.append(chunk)
                self._stderr_size += len(chunk)
                while self._stderr_size - len(self._stderr[0]) > _STDERR_KEPT:
                    self._stderr_size -= len(self._stderr.popleft())
