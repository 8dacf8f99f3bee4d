"""Secrets come from environment variables by name and never leave in a message."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from urllib.parse import quote

from recombine.errors import ConfigError

_SHORTEST = 4  # shorter values are not secrets, and would blank out ordinary words


def read_secret(name: str) -> str:
    """Return the value of an environment variable; an unset one is the user's mistake."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise ConfigError(
            f"environment variable {name} is not set",
            hint=f"export {name}=... in the shell that starts recombine",
        )
    if "\n" in value or "\r" in value:
        raise ConfigError(f"environment variable {name} contains a line break")
    if not (value.isascii() and value.isprintable()):
        raise ConfigError(
            f"environment variable {name} has characters that no key has",
            hint="was it copied with something around it?",
        )
    return value


def redact(text: str, names: Iterable[str]) -> str:
    """Return the text with the values of these environment variables replaced by their names."""
    values = [(os.environ.get(name, "").strip(), name) for name in names]
    for value, name in sorted(values, key=lambda pair: -len(pair[0])):
        if len(value) >= _SHORTEST:
            # As it is, and as JSON or an address would write it.
            for written in (
                value,
                json.dumps(value)[1:-1],
                value.replace("/", "\\/"),
                quote(value),
            ):
                text = text.replace(written, f"[{name}]")
    return text
