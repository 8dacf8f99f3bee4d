"""Secrets come from environment variables by name and never leave in a message."""

from __future__ import annotations

import os
from collections.abc import Iterable

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
    return value


def redact(text: str, names: Iterable[str]) -> str:
    """Return the text with the values of these environment variables replaced by their names."""
    values = [(os.environ.get(name, "").strip(), name) for name in names]
    for value, name in sorted(values, key=lambda pair: -len(pair[0])):
        if len(value) >= _SHORTEST:
            text = text.replace(value, f"[{name}]")
    return text
