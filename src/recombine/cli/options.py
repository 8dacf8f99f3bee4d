"""What verbs have in common: what a verb is, and options that mean the same wherever they stand."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple


class Verb(NamedTuple):
    """A verb: its name, what its help says, an example to copy, its arguments and what it does."""

    name: str
    help: str
    example: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    function: Callable[[argparse.Namespace], int]


def positive(text: str) -> int:
    """A number of things: below none there is nothing."""
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not possible: give 1 or more")
    return number


def separated(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


ENGINES = ("local", "ray")
FORMATS = ("tsv", "text", "parquet", "wmt", "inspect", "lm-eval")

SHARED: dict[str, dict[str, Any]] = {
    "--languages": {"metavar": "CODE,CODE,...", "help": "which languages to show (default: all)"},
    "--edition": {"help": "an edition of the grammar"},
    "-o": {
        "dest": "overrides",
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "set an option, dotted for nested ones; may be given several times",
    },
    "--metric": {
        "action": "extend",
        "type": separated,
        "default": [],
        "help": "separated by commas, or given several times",
    },
    "--json": {"action": "store_true", "help": "print JSON, for programs"},
    "--dry-run": {
        "action": "store_true",
        "help": "say what would be done and how much of it; do nothing",
    },
    "--sample": {
        "type": positive,
        "default": 0,
        "metavar": "N",
        "help": "a seeded subset of N, stratified by the first tag",
    },
    "--force": {"action": "store_true", "help": "make outputs again that are stale"},
    "--retry": {
        "action": "store_true",
        "help": "ask again for sentences that failed for good, and for nothing else",
    },
    "--accept-failures": {
        "action": "store_true",
        "help": "sentences that failed for good are counted, and no error",
    },
    "--trust": {
        "action": "store_true",
        "help": "run Python files that the file names, wherever they lie",
    },
    "--address": {"help": "the address of a Ray cluster"},
}
ALSO = {"--languages": ("--langs",)}
PLANNED = ("--dry-run", "--sample")
LONG = (*PLANNED, "--force")
FAILED = ("--retry", "--accept-failures")


def share(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add options that mean the same in every verb."""
    for name in names:
        parser.add_argument(name, *ALSO.get(name, ()), **SHARED[name])


def share_plan(parser: argparse.ArgumentParser) -> None:
    """Add --json to a verb that prints no data of its own: it is the plan's."""
    parser.add_argument(
        "--json", action="store_true", help="with --dry-run: print the plan as JSON"
    )
    parser.set_defaults(json_is_of_plan=True)
