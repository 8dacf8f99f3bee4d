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
    """Read a whole number from 1 on; `1,000` and `1_000` are the same."""
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {number}")
    return number


def separated(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


UNKNOWN = "unknown"
# What a system may have learned from, as recombine.systems.base has it: --help imports nothing.
TRAINED_ON = ("train", "control", UNKNOWN, "nothing")
ENGINES = ("local", "ray")
FORMATS = ("tsv", "text", "parquet", "wmt", "inspect", "lm-eval")

SHARED: dict[str, dict[str, Any]] = {
    "--languages": {"metavar": "CODE,CODE,...", "help": "the languages to show (default: all)"},
    "--edition": {
        "metavar": "NAME",
        "help": "the edition of the grammar, such as official (default: its standard one)",
    },
    "-o": {
        "dest": "overrides",
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "set an option, with dots inside a table (benchmark.target=de); repeatable",
    },
    "--metric": {
        "action": "extend",
        "type": separated,
        "default": [],
        "metavar": "NAME",
        "help": "a metric to score with; several with commas (default: those that the benchmark"
        " recommends)",
    },
    "--json": {"action": "store_true", "help": "print JSON, for programs"},
    "--dry-run": {
        "action": "store_true",
        "help": "print what would be done, with counts, and do nothing",
    },
    "--sample": {
        "type": positive,
        "default": 0,
        "metavar": "N",
        "help": "work on a random subset of N examples, stratified by the first tag",
    },
    "--force": {
        "action": "store_true",
        "help": "make stale outputs again (without it, a stale output is an error)",
    },
    "--retry": {
        "action": "store_true",
        "help": "translate only the sentences again that the system has refused for good",
    },
    "--accept-failures": {
        "action": "store_true",
        "help": "exit with 0 although the system has refused sentences for good; they are counted",
    },
    "--trust": {
        "action": "store_true",
        "help": "run the Python files that are named, also from outside this folder",
    },
    "--address": {
        "metavar": "HOST:PORT",
        "help": "with --engine ray: the cluster (default: a new one on this machine)",
    },
    "--engine": {
        "choices": ENGINES,
        "help": "local (default): this machine; ray: a Ray cluster",
    },
    "--seed": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "another seed makes other random choices (default: 1)",
    },
}
PLANNED = ("--dry-run", "--sample")
LONG = (*PLANNED, "--force")
FAILED = ("--retry", "--accept-failures")


def share(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add options that mean the same in every verb."""
    for name in names:
        parser.add_argument(name, **SHARED[name])


def share_plan(parser: argparse.ArgumentParser) -> None:
    """Add --json to a verb that prints no data of its own: it is the plan's."""
    parser.add_argument(
        "--json", action="store_true", help="with --dry-run: print the plan as JSON"
    )
    parser.set_defaults(json_is_of_plan=True)
