"""How the command line speaks: talk on standard error, trees of data on standard output."""

from __future__ import annotations

import sys
from typing import Any


def say(text: str) -> None:
    """Talk to the person, on standard error."""
    print(text, file=sys.stderr)


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
