"""A child program's pipes are drained, separated and ended."""

from __future__ import annotations

import os
import sys

import pytest

from recombine.systems.command.process import Child, RecordTooLong


def child(body: str, separator: bytes = b"\n", limit: int = 1000) -> Child:
    """Start a Python program."""
    return Child(
        [sys.executable, "-u", "-c", body],
        cwd=None,
        environment={"PATH": os.environ["PATH"]},
        separator=separator,
        record_limit=limit,
    )


def test_records_come_one_by_one():
    """Output is split at the separator; a last piece without one is marked incomplete."""
    program = child("import sys; sys.stdout.write('a;b;c')", separator=b";")
    found = [program.receive(20) for _ in range(4)]
    assert [one and (one.data, one.complete) for one in found] == [
        (b"a", True), (b"b", True), (b"c", False), None,
    ]  # fmt: skip
    assert program.exit_status(5) == 0
    program.stop()


def test_silence_is_a_timeout():
    """A program that says nothing is not waited for longer than told."""
    program = child("import time; time.sleep(60)")
    with pytest.raises(TimeoutError):
        program.receive(0.1)
    assert program.alive
    program.stop()
    assert not program.alive


def test_a_record_without_end_is_refused():
    """Output beyond the limit raises instead of filling the memory."""
    program = child("print('x' * 5000000, end='')")
    with pytest.raises(RecordTooLong):
        program.receive(20)
    program.stop()


def test_a_flooding_program_can_be_stopped():
    """One that writes without pause is ended, and nobody is left waiting for what it writes."""
    program = child("while True: print('y' * 50)")
    assert program.receive(60) is not None
    program.stop()
    for thread in program._threads:
        thread.join(60)
    assert not program.alive
    assert not any(thread.is_alive() for thread in program._threads)


def test_the_end_of_stderr_is_kept():
    """The last words of a program are there for the error message."""
    program = child("import sys; sys.stderr.write('z' * 100000 + 'last words')")
    while program.receive(20) is not None:
        pass
    program.exit_status(5)
    program.stop()
    assert program.stderr_tail().endswith("last words")
    assert len(program.stderr_tail()) <= 4000
