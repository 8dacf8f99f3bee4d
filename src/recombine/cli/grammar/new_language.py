"""The verb new-language: the stub of a language, to be filled in."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import Verb
from recombine.cli.talk import say
from recombine.errors import DataError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    parser.add_argument("code", help="the code of the language: it, pt, zh")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder to write (default: GRAMMAR-CODE)"
    )
    parser.add_argument(
        "--like", default="", metavar="CODE", help="another language, shown as an example"
    )
    parser.add_argument(
        "--recipe", default="", metavar="NAME", help="write only what this recipe draws: sget-mini"
    )


def new_language_verb(options: argparse.Namespace) -> int:
    """Write the stub of a language."""
    from recombine.grammar.new_language import new_language

    folder = options.out or Path(f"{Path(options.grammar).name}-{options.code}")
    needed = None
    if options.recipe:
        needed = _needs_of(options.recipe, options.grammar)
    for path in new_language(options.grammar, options.code, folder, options.like, needed):
        print(path)
    check = f"recombine check {folder}"
    if options.recipe:
        check += f" --partial --recipe {options.recipe}"
    say(f"fill in the cells, remove the # before the lines, then: {check}")
    if options.recipe:
        say(
            f"and: recombine build {options.recipe} -o grammar={folder} "
            f"-o benchmark.target={options.code} -o partial=true --out DIR"
        )
    return 0


def _needs_of(recipe: str, grammar: str) -> frozenset[str]:
    """The rules and words that a recipe can draw from a grammar."""
    from recombine.builders.generated.builder import Generated
    from recombine.builders.recipe import read_recipe

    builder = read_recipe(recipe, [f"grammar={grammar}"]).builder
    if not isinstance(builder, Generated):
        raise DataError(f"'{recipe}' draws from no grammar", hint="recombine list recipes")
    return builder.needs()


VERB = Verb(
    "new-language",
    "write the files of a new language, with every line and every word to fill in",
    "recombine new-language sget it --recipe sget-mini"
    " && recombine check sget-it --partial --recipe sget-mini",
    add_arguments,
    new_language_verb,
)
