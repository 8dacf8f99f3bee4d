"""The verb tree: a tree drawn, and what every language says for its parts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from recombine.cli.grammar.readings import (
    chosen_languages,
    draw_tree,
    given_sentences,
    print_reading,
    tree_row,
)
from recombine.cli.options import Verb, share
from recombine.errors import DataError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    parser.add_argument(
        "tree", nargs="*", help="such as rule(child, word) (default: lines of standard input)"
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw into this file")
    share(parser, "--languages", "--edition", "--json")


def tree_verb(options: argparse.Namespace) -> int:
    """Draw trees that are given as rule(child, word)."""
    from recombine.grammar import Grammar

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = chosen_languages(grammar, options.languages)
    if options.tree and options.tree[0] in grammar.languages:
        hint = f"recombine parse {options.grammar} {options.tree[0]} '...' draws sentences"
        raise DataError(f"'{options.tree[0]}' is a language, not a tree", hint=hint)
    for number, (_, text) in enumerate(given_sentences(options.tree)):
        if " " in text and "(" not in text:
            hint = f"recombine parse {options.grammar} LANGUAGE '...' draws sentences"
            raise DataError(
                f"'{text}' is a sentence, not a tree such as rule(child, word)", hint=hint
            )
        tree = grammar.tree(text)
        if options.json:
            print(json.dumps(tree_row(grammar, tree, languages), ensure_ascii=False))
        else:
            print_reading(grammar, tree, languages)
        draw_tree(grammar, tree, languages, options.svg, number)
    return 0


VERB = Verb(
    "tree",
    "draw a tree, with each of its parts in all languages",
    "recombine tree toy 'say(decl(past, def(cat), intrans(sleep)))' --languages en,ja",
    add_arguments,
    tree_verb,
)
