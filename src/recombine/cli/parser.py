"""The parser: all verbs. What a verb takes and does is in its own file."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence

from recombine import __version__
from recombine.cli import completion, listing
from recombine.cli.data import augment, build, check, clean, contamination, divergence, export
from recombine.cli.grammar import explore, new_language, nonce, parse, sample, tree
from recombine.cli.options import Verb
from recombine.cli.systems import compare, report, run, score, train, translate
from recombine.errors import ConfigError

# In the order of --help.
VERBS: tuple[Verb, ...] = tuple(
    module.VERB
    for module in (
        *(listing, check, sample, parse, tree, explore, new_language, nonce),
        *(build, export, clean, divergence, contamination, augment),
        *(train, run, translate, score, compare, report, completion),
    )
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser with all verbs."""
    parser = argparse.ArgumentParser(
        prog="recombine",
        description="Build compositional-generalisation benchmarks for machine translation, "
        "run any system on them, score the output and see where the system breaks.",
        epilog="example:\n  recombine build sget-mini -o edition=official --out out/sget-mini && "
        "recombine run experiment.toml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"recombine {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb in VERBS:
        below = subparsers.add_parser(
            verb.name,
            help=verb.help,
            description=verb.help,
            epilog=f"example:\n  {verb.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb.add_arguments(below)
        below.set_defaults(function=verb.function, verb=verb.name, parser=parser)
    return parser


def require_verb(arguments: Sequence[str]) -> None:
    """Refuse an unknown verb, with the one that was probably meant."""
    names = [verb.name for verb in VERBS]
    if not arguments or arguments[0].startswith("-") or arguments[0] in names:
        return
    word = arguments[0]
    close = difflib.get_close_matches(word.lower().replace("_", "-"), names, n=1)
    raise ConfigError(
        f"recombine has no verb '{word}'",
        hint=f"did you mean 'recombine {close[0]}'?" if close else f"verbs: {', '.join(names)}",
    )
