"""The verb augment: recombine training pairs into more of them, and look inside."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from recombine.cli.options import LONG, Verb, positive, share, share_plan
from recombine.cli.talk import print_plan, say
from recombine.errors import ConfigError, DataError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "pairs",
        nargs="+",
        type=Path,
        help="a benchmark; or two aligned texts, one .tsv or one .jsonl (.gz, .xz, .bz2)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder to write")
    parser.add_argument("-n", type=positive, help="how many pairs to draw (default: 250,000)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="another seed draws other pairs (default: 1)"
    )
    parser.add_argument(
        "--source", default="", metavar="CODE", help="the source language of your own pairs"
    )
    parser.add_argument(
        "--target", default="", metavar="CODE", help="the target language of your own pairs"
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="print what is learned and from how many pairs; with --out FILE.html, as a page",
    )
    parser.add_argument(
        "--explain",
        metavar="SENTENCE",
        help="show what this sentence was made of (pairs in --out DIR) or could be made of",
    )
    parser.add_argument(
        "--grammar",
        type=Path,
        metavar="DIR",
        help="write what is learned as files that can be read and corrected: rules and words",
    )
    parser.add_argument(
        "--from-grammar",
        type=Path,
        metavar="DIR",
        help="draw from such files, as they are now, instead of learning anew",
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="hide some combinations of the pairs, and print how many are derived again correctly",
    )
    share(parser, "--engine", "--address", "-o", *LONG)
    share_plan(parser)


def augment_verb(options: argparse.Namespace) -> int:
    """Recombine training pairs into more training pairs."""
    from recombine.augment.files.folder import existing_folder, write_augmented
    from recombine.augment.files.inputs import read_pairs
    from recombine.augment.methods import read_options, store_grammar
    from recombine.config import apply_overrides

    asked_for = options.review, options.held_out, options.explain is not None, options.grammar
    if sum(map(bool, asked_for)) > 1:
        raise ConfigError(
            "--review, --held-out, --explain and --grammar are different: ask one at a time"
        )
    source = read_pairs(
        options.pairs, source=options.source, target=options.target, sample=options.sample
    )
    settings = apply_overrides({}, options.overrides)
    for name in ("n", "seed", "engine", "address"):
        if getattr(options, name) is not None:
            settings[name] = getattr(options, name)
    if options.from_grammar is not None:
        settings["grammar"] = str(options.from_grammar)
    method_options = read_options(settings, source)
    if options.grammar is not None:
        rules = store_grammar(source, method_options, options.grammar)
        say(f"{options.grammar}: {rules:,} rules; its README.md says how to correct them")
        print(options.grammar)
        return 0
    if options.review:
        return _review(source, method_options, options)
    if options.explain is not None:
        return _explain(source, method_options, options)
    if options.held_out:
        return _held_out(source, method_options)
    if options.out is None:
        raise ConfigError(
            "give --out DIR for the pairs, or ask --review, --held-out or --explain 'SENTENCE'",
            hint="recombine augment BENCHMARK --out DIR",
        )
    if options.dry_run:
        up_to_date = existing_folder(source, method_options, options.out, force=options.force)
        plan = {
            "method": method_options.method,
            "training_pairs": len(source.pairs),
            "n": method_options.n,
            "out": str(options.out),
            "up_to_date": up_to_date is not None,
        }
        return print_plan(plan, options.json)
    folder = write_augmented(source, method_options, options.out, force=options.force)
    certificate = folder.certificate
    state = "written" if folder.made_now else "is up to date"
    say(f"{options.out}: {state} ({certificate['kept']:,} pairs, track {certificate['track']})")
    for split, row in certificate["removed"].items():
        if row["sources"] and folder.made_now:
            say(
                f"note: {row['sources']:,} drawn sources are sentences of '{split}' and were "
                f"removed; {row['target_as_reference']:,} had its reference as target"
            )
    if certificate["drawn"] < method_options.n and folder.made_now:
        drawn = f"{certificate['drawn']:,} of {method_options.n:,}"
        say(f"note: only {drawn} different pairs could be drawn")
    print(options.out / "pairs.jsonl")
    return 0


def _review(source: Any, method_options: Any, options: argparse.Namespace) -> int:
    from recombine.augment.files.review import review_page, review_text
    from recombine.augment.methods import learn
    from recombine.files import write_text
    from recombine.stage import refuse_output

    if options.out is not None:
        if options.out.suffix != ".html":
            raise ConfigError("--review writes one page: --out FILE.html, or no --out for text")
        refuse_output(options.out.parent)
    learned = learn(source, method_options).review()
    if options.out is not None:
        write_text(options.out, review_page(learned, options.out.stem))
        print(options.out)
        return 0
    for line in review_text(learned):
        print(line)
    return 0


def _held_out(source: Any, method_options: Any) -> int:
    """Print how much of what training combines could be made if it were not in training."""
    from recombine.augment.grammar.held_out import held_out_trial

    if method_options.method != "recombine":
        raise ConfigError(f"--held-out tries the method 'recombine', not '{method_options.method}'")
    print("hidden\tcombinations\tpairs\tderived %\tof those right %")
    for row in held_out_trial(source.pairs, method_options):
        print(
            f"{row.kind}\t{row.combinations:,}\t{row.pairs:,}\t{100 * row.coverage:.1f}\t"
            + (f"{100 * row.precision:.1f}" if row.derived else "-")
        )
    return 0


def _explain(source: Any, method_options: Any, options: argparse.Namespace) -> int:
    """Say how a sentence came to be: as it was written or is drawn, or as it could be made."""
    from recombine.augment.files.folder import AugmentedFolder
    from recombine.augment.methods import find_pair, learn

    sentence = " ".join(options.explain.split())
    if options.out is not None:
        pair = find_pair(AugmentedFolder.open(options.out).pairs(), sentence)
        if pair is not None:
            return _print_derivation(source, pair)
        say(f"note: {options.out} does not have this sentence")
    method = learn(source, method_options)
    lines = method.explain(sentence)
    if lines is not None:
        print("\n".join(lines))
        return 0
    pair = find_pair(method.draw(method_options.n, method_options.seed), sentence)
    if pair is None:
        raise DataError(
            f"'{sentence}' is none of {method_options.n:,} pairs drawn from "
            f"{len(source.pairs):,} training pairs",
            hint="recombine augment ... --review shows what was learned",
        )
    return _print_derivation(source, pair)


def _print_derivation(source: Any, pair: Any) -> int:
    print(f"{pair.source}\t{pair.target}")
    texts = {known.id: f"{known.source}\t{known.target}" for known in source.pairs}
    for parent in pair.parents:
        print(f"  made of {parent}: {texts.get(parent, '(not among these pairs)')}")
    for step in pair.steps:
        print(f"  {step}")
    return 0


VERB = Verb(
    "augment",
    "recombine training pairs into more training pairs, learned from train alone",
    "recombine augment out/sget-mini -n 5000 --out out/sget-mini-augmented",
    add_arguments,
    augment_verb,
)
