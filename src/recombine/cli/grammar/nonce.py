"""The verb nonce: a grammar of invented words."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import Verb, share
from recombine.cli.talk import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    share(parser, "--seed")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder to write (default: GRAMMAR-nonce-SEED)"
    )
    parser.add_argument(
        "--categories",
        metavar="CAT,CAT,...",
        help="the categories to invent words for (default: those that begin with N or V)",
    )
    parser.add_argument(
        "--build", metavar="RECIPE", help="also build this recipe, with the invented words"
    )
    share(parser, "-o")


def nonce_verb(options: argparse.Namespace) -> int:
    """Write a grammar of invented words."""
    from recombine.grammar.nonce.folder import write_nonce

    name = Path(options.grammar).name
    folder = options.out or Path(f"{name}-nonce-{options.seed}")
    categories = tuple(options.categories.split(",")) if options.categories else ()
    nonce = write_nonce(options.grammar, options.seed, folder, categories)
    print(folder)
    for language, rows in nonce.forms.items():
        lists = ", ".join(nonce.lists[language]) or "no word list here"
        say(f"{language}: {len(rows)} words invented, none of them in the lexicons ({lists})")
    if nonce.missing:
        say(
            f"note: no word list for {', '.join(nonce.missing)}: an invented word may be a real one"
            " (Debian: wamerican, wspanish, wngerman; Japanese: recombine[ja])"
        )
    if nonce.kept:
        say(f"kept as they are, without a form of their own: {', '.join(nonce.kept)}")
    if options.build:
        from recombine.builders.recipe import build, read_recipe

        own = _own_languages(options.grammar)
        target = [f"benchmark.target={own[0]}"] if len(own) == 1 else []
        overrides = [f"grammar={folder}", *target, *options.overrides]
        benchmark = build(read_recipe(options.build, overrides), folder / "benchmark")
        say(f"from {benchmark.manifest.source} into {benchmark.manifest.target}")
        print(benchmark.path)
    return 0


def _own_languages(name: str) -> list[str]:
    """The languages that a grammar adds to the one it extends: a benchmark is into the only one."""
    from recombine.grammar.files.folder import base_folders, find_grammar

    *bases, own = base_folders(find_grammar(name))
    before = {path.name for base in bases for path in base.glob("*.grammar")}
    added = [path.stem for path in sorted(own.glob("*.grammar")) if path.name not in before]
    return added if bases else []


VERB = Verb(
    "nonce",
    "invent new nouns, names and verbs for a grammar: a benchmark no model can have seen",
    "recombine nonce sget --seed 7 --build sget-mini -o benchmark.target=ja",
    add_arguments,
    nonce_verb,
)
