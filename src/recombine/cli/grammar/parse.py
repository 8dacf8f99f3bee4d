"""The verb parse: the readings of a sentence, or the place where parsing failed."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recombine.cli.grammar.readings import (
    chosen_languages,
    draw_tree,
    given_sentences,
    print_reading,
    tree_row,
)
from recombine.cli.options import Verb, positive, share
from recombine.errors import DataError, Problems, Where

if TYPE_CHECKING:
    from recombine.grammar import Grammar, Parse, Tree


MORE = 6  # words named of each list that could have come


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    parser.add_argument("language", help="the language of the sentences, such as en")
    parser.add_argument("text", nargs="*", help="sentences (default: the lines of standard input)")
    parser.add_argument(
        "-n",
        type=positive,
        default=5,
        help="how many readings of each sentence to draw (default: 5)",
    )
    parser.add_argument("--all", action="store_true", help="draw all readings")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw into this file")
    share(parser, "--languages", "--edition", "--json")


def parse_verb(options: argparse.Namespace) -> int:
    """Print the analyses of sentences."""
    from recombine.grammar import Grammar

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = chosen_languages(grammar, options.languages)
    grammar.parser(options.language)
    failures = []
    drawn = 0
    for where, text in given_sentences(options.text):
        parse = grammar.parse(text, options.language)
        trees = list(parse.trees(None if options.all else options.n))
        if options.json:
            print(json.dumps(_parse_row(grammar, parse, trees, languages), ensure_ascii=False))
        for number, tree in enumerate(trees, start=1):
            if not options.json:
                print_reading(grammar, tree, languages, f"{number} of {parse.count}")
            drawn += draw_tree(grammar, tree, languages, options.svg, drawn)
        if not trees:
            failures.append(_unread(grammar, options.language, parse, where))
    if failures:
        raise failures[0] if len(failures) == 1 else Problems(failures)
    return 0


def _parse_row(
    grammar: Grammar, parse: Parse, trees: Sequence[Tree], languages: Sequence[str]
) -> dict[str, Any]:
    row: dict[str, Any] = {"text": parse.text, "count": parse.count}
    row["readings"] = [tree_row(grammar, tree, languages) for tree in trees]
    if parse.failure is not None:
        row["failure"] = {"message": parse.failure.message, "offset": parse.failure.offset}
    return row


def _unread(grammar: Grammar, language: str, parse: Parse, where: Where) -> DataError:
    """Return the place where parsing failed, and the words that were possible there."""
    failure = parse.failure
    assert failure is not None
    place = where._replace(column=failure.offset + 1, width=max(1, len(failure.found)))
    lines = []
    read = parse.text[: failure.offset].strip()
    if failure.unknown:
        entries = grammar.parser(language).cfg.entries
        close = difflib.get_close_matches(failure.found.rstrip(".?!,"), entries, n=1)
        lines += [f"did you mean '{close[0]}'?"] if close else []
    if read:
        lines.append(f"read so far: {read}")
    literals = [name for name in failure.expected if name.startswith('"')]
    if failure.expected:
        lines.append(f"possible here: {' '.join(literals)}".rstrip())
    for name in failure.expected:
        if name not in literals:
            words = grammar.parser(language).words_of(failure, name)
            shown = ", ".join(words[:MORE]) + (", ..." if len(words) > MORE else "")
            lines.append(f"  {name}: {shown}")
    what = f"unknown word '{failure.found}'" if failure.unknown else f"unexpected '{failure.found}'"
    what = what if failure.found else "the sentence ends too early"
    if not failure.terminals and not failure.unknown:
        what = failure.message
    return DataError(
        f"this is no sentence of the grammar in '{language}': {what}",
        place,
        "\n".join(lines) or None,
    )


VERB = Verb(
    "parse",
    "draw the readings of a sentence: tree, meaning, and each part in all languages",
    "recombine parse sget en 'Liam saw the cat in the box.' --svg liam.svg",
    add_arguments,
    parse_verb,
)
