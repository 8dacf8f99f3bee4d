"""How the command line speaks: talk on standard error, trees of data on standard output."""

from __future__ import annotations

import json
import sys
from typing import Any

from recombine.progress import give_way


def say(text: str) -> None:
    """Talk to the person, on standard error."""
    give_way()
    print(text, file=sys.stderr)


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
