"""How the command line speaks: talk on standard error, trees of data on standard output."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from recombine.progress import Waiting


class _Data:
    """Standard output on a terminal: the bar goes before a line of data comes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        _give_way()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_waiting: list[Waiting] = []


def _give_way() -> None:
    for bar in _waiting:
        bar.give_way()


def say(text: str) -> None:
    """Talk to the person, on standard error."""
    _give_way()
    print(text, file=sys.stderr)


@contextlib.contextmanager
def waiting(description: str) -> Iterator[None]:
    """Let a verb that works in silence show that it works."""
    stream = sys.stdout
    with Waiting(description) as bar:
        _waiting.append(bar)
        # Data that goes to a file or a pipe does not meet the bar.
        if stream.isatty():
            sys.stdout = _Data(stream)
        try:
            yield
        finally:
            sys.stdout = stream
            _waiting.remove(bar)


def print_json(value: Any) -> None:
    """Print data for programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_found(value: Any, as_json: bool) -> None:
    """Print data for programs, or an outline of it for people."""
    if as_json:
        print_json(value)
    else:
        print_tree(value)


def print_tree(value: Any, indent: str = "") -> None:
    """Print nested data as an indented outline."""
    for key, item in value.items():
        if isinstance(item, dict):
            print(f"{indent}{key}:")
            print_tree(item, indent + "  ")
        elif isinstance(item, list):
            print(f"{indent}{key}:")
            for one in item:
                print(f"{indent}  {one}")
        else:
            print(f"{indent}{key}: {item}")
