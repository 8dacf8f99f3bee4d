"""The verb explore: a grammar as one page to search."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import Verb, share


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page to write (default: GRAMMAR.html)"
    )
    share(parser, "--edition")


def explore_verb(options: argparse.Namespace) -> int:
    """Write a grammar as a page."""
    from recombine.files import write_text
    from recombine.grammar import Grammar
    from recombine.grammar.explore import explore_page

    grammar = Grammar.load(options.grammar, edition=options.edition)
    path = options.out or Path(f"{grammar.name}.html")
    write_text(path, explore_page(grammar))
    print(path)
    return 0


VERB = Verb(
    "explore",
    "write a page to search a grammar: its rules with sentences and trees, and all words",
    "recombine explore sget --out sget.html",
    add_arguments,
    explore_verb,
)
