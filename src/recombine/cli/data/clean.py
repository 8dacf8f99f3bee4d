"""The verb clean: drop what is no translation from a corpus."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import Verb, share
from recombine.cli.talk import print_data, print_reading_plan
from recombine.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "corpus", type=Path, nargs="+", help="a parsed corpus, or two texts aligned line by line"
    )
    parser.add_argument(
        "--source", required=True, metavar="CODE", help="the language of the sentences"
    )
    parser.add_argument(
        "--target",
        required=True,
        metavar="CODE",
        help="the language of the translation; in a table, the name of its column",
    )
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="FILE",
        help="the file to write; with two texts, NAME makes NAME.SOURCE and NAME.TARGET",
    )
    share(parser, "--json", "--dry-run")


def clean_verb(options: argparse.Namespace) -> int:
    """Drop what is no translation from a corpus."""
    from recombine.corpus.cleaning import clean_corpus, clean_texts
    from recombine.corpus.conllu import is_parsed

    if options.dry_run:
        return print_reading_plan(options.corpus, options.json, out=str(options.out))
    codes = {"source": options.source, "target": options.target}
    if len(options.corpus) > 2:
        raise ConfigError("give one parsed corpus, or two aligned texts")
    if len(options.corpus) == 1 and not is_parsed(options.corpus[0]):
        raise ConfigError(
            f"{options.corpus[0]} is not a parsed corpus, and there is no second text",
            hint=f"for two raw texts: recombine clean {options.corpus[0]} TRANSLATION --source "
            f"{options.source} --target {options.target} --out {options.out}",
        )
    if len(options.corpus) == 2:
        counts = clean_texts(tuple(options.corpus), options.out, **codes)
    else:
        counts = clean_corpus(options.corpus[0], options.out, **codes)
    print_data(counts._asdict(), options.json)
    return 0


VERB = Verb(
    "clean",
    "drop sentences of a corpus that are untranslated or in another language",
    "recombine clean corpus.en corpus.fr --source en --target fr --out clean",
    add_arguments,
    clean_verb,
)
