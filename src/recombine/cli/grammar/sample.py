"""The verb sample: parallel sentences of a grammar, to read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from recombine.cli.grammar.readings import chosen_languages, terminal_width
from recombine.cli.options import Verb, positive, share
from recombine.cli.talk import say
from recombine.errors import GrammarError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("grammar", help="a shipped grammar or a directory")
    parser.add_argument("-n", type=positive, default=10, help="how many sentences (default: 10)")
    share(parser, "--seed")
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="PATTERN",
        help="a tree pattern that must occur, also of rules and words of weight 0; repeatable",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="a tree pattern that must not occur; repeatable",
    )
    parser.add_argument(
        "--any-words",
        action="store_true",
        help="ignore %%select (which words go together), and let words repeat in a sentence;"
        " benchmarks do neither",
    )
    parser.add_argument("--trees", action="store_true", help="also draw the trees")
    parser.add_argument(
        "--review",
        action="store_true",
        help="print every word form and every construction once, to proofread",
    )
    parser.add_argument(
        "--variants",
        action="store_true",
        help="also print other wordings of each sentence; with --review, each variant once",
    )
    share(parser, "--languages", "--edition", "--json")


def sample_verb(options: argparse.Namespace) -> int:
    """Print parallel sentences."""
    from recombine.grammar import Constraints, Grammar, review_rows, sample_rows
    from recombine.grammar.coverage import looks_complete, unsaid
    from recombine.grammar.drawing import draw_lines
    from recombine.grammar.variants.review import shown_variants, variant_rows
    from recombine.grammar.variants.wordings import wordings_of

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = chosen_languages(grammar, options.languages)
    if options.review and options.variants:
        rows = variant_rows(grammar, options.grammar, languages)
    elif options.review:
        rows = review_rows(grammar, languages)
    else:
        concretes = [grammar.concrete(language) for language in languages]
        left_out = unsaid(concrete for concrete in concretes if not looks_complete(concrete))
        if left_out:
            say(f"note: drawn without {len(left_out)} words and rules that a language lacks")
        wanted = Constraints(
            require=tuple(options.require),
            exclude=tuple(options.exclude),
            weights=dict.fromkeys(sorted(left_out), 0.0),
            select=not options.any_words,  # as in benchmarks
            no_repeat=None if options.any_words else languages[0],
        )
        rows = sample_rows(
            grammar, options.n, languages=languages, seed=options.seed, constraints=wanted
        )
        if left_out:
            rows = _drawn_of_unfinished(rows, languages)
    wordings = (
        {code: wordings_of(grammar, options.grammar, code) for code in languages}
        if options.variants and not options.review
        else {}
    )
    for row in rows:
        for code, words in wordings.items():
            others = shown_variants(grammar, words, grammar.tree(row["tree"]), options.seed)
            if others:
                row[f"{code}, also"] = list(others) if options.json else " | ".join(others)
        tree = row["tree"] if options.review and "tree" in row else row.pop("tree", "")
        if options.json:
            print(json.dumps({**row, "tree": tree} if options.trees else row, ensure_ascii=False))
        elif options.review:
            print("\t".join(str(value) for value in row.values()))
        else:
            print("\n".join(f"{key}\t{value}" for key, value in row.items()))
            if options.trees:
                drawn = draw_lines(grammar, grammar.tree(tree), languages, terminal_width())
                print("\n".join(["", tree, *drawn]))
            print()
    return 0


def _drawn_of_unfinished(
    rows: Iterator[dict[str, Any]], languages: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Say of languages without a whole sentence that they have none, not that weights are wrong."""
    try:
        yield from rows
    except GrammarError:
        raise GrammarError(
            f"no complete sentence can be generated yet in {' and '.join(languages)}",
            hint="recombine check GRAMMAR says what is missing; --languages CODE draws from others",
        ) from None


VERB = Verb(
    "sample",
    "print parallel sentences that a grammar generates",
    "recombine sample toy -n 5 --languages en,ja --require 'decl.subj >> beside'",
    add_arguments,
    sample_verb,
)
