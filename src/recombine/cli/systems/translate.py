"""The verb translate: lines with a system, or the splits of an experiment."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.cli.options import FAILED, LONG, Verb, share, share_plan
from recombine.cli.systems.experiments import (
    about_failures,
    print_plans,
    read_experiments,
    remark_failures,
)
from recombine.cli.talk import print_plan, say
from recombine.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("experiment", nargs="?", type=Path, help="an experiment file (.toml)")
    parser.add_argument(
        "--system",
        metavar="NAME",
        help="instead of an experiment: a system's name, or ./file.py:Name",
    )
    parser.add_argument("--model", type=Path, metavar="DIR", help="the folder of a trained model")
    parser.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="a text, one sentence per line (default: standard input)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the text to write, continued after a stop (default: standard output)",
    )
    share(parser, "-o", "--trust", *LONG, *FAILED)
    share_plan(parser)


def translate_verb(options: argparse.Namespace) -> int:
    """Translate lines, or an experiment."""
    if options.system is None:
        if options.experiment is None:
            raise ConfigError("give an experiment file, or --system NAME")
        from recombine.experiment.translating import translate

        if options.dry_run:
            return print_plans(options, "translate")
        for experiment in read_experiments(options):
            count = translate(experiment, force=options.force, **about_failures(options))
            say(f"{experiment.run}: {count:,} sentences translated")
            remark_failures(experiment)
        return 0
    return _translate_lines(options)


def _translate_lines(options: argparse.Namespace) -> int:
    from recombine import registry
    from recombine.benchmark import Example, stratified_sample
    from recombine.config import apply_overrides
    from recombine.errors import StaleOutput
    from recombine.experiment.fingerprint import code_of, options_of
    from recombine.experiment.translations import SourceSentence, translate_to_file
    from recombine.files import read_jsonl, read_lines, read_standard_input, sha256_of, write_text
    from recombine.lock import lock_of, locked
    from recombine.stage import identity_of
    from recombine.systems.base import hook

    given_options = apply_overrides({}, options.overrides)
    system = registry.create("system", options.system, given_options)
    given = read_standard_input() if options.input is None else read_lines(options.input)
    lines = [line for _, line in given]
    if options.sample:
        # Lines have no tags, so that the whole text is one stratum.
        examples = [Example(id=str(place), source=line) for place, line in enumerate(lines)]
        lines = [example.source for example in stratified_sample(examples, options.sample, 0)]
    if options.dry_run:
        outside = hook(system, "outside")()
        return print_plan({"system": options.system, "lines": len(lines), **outside}, options.json)
    if options.model is not None:
        system = system.load(options.model)
    if options.output is None:
        return _print_translations(system, lines)
    fingerprint = {
        "system": options.system,
        "options": options_of(system, given_options),
        "input": identity_of(lines),
        **code_of(options.system, system),
    }
    if options.model is not None:
        folder: Path = options.model
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        fingerprint["model"] = {str(path.relative_to(folder)): sha256_of(path) for path in files}
    rows = options.output.with_name(options.output.name + ".rows.jsonl")
    numbered = [SourceSentence(str(number), line) for number, line in enumerate(lines, start=1)]
    sources = [source for source in numbered if source.text.strip()]
    problem: Exception | None = None
    with locked(lock_of(options.output)):
        try:
            translated = translate_to_file(
                system, sources, rows, fingerprint, force=options.force, retry=options.retry
            )
            if translated.failed and not (options.accept_failures and translated.final):
                problem = translated.problem()
        except StaleOutput:
            raise
        except Exception as failure:  # also a fault of the system's own code
            problem = failure
        # One line for each source, also if it failed: people align the files line by line.
        done = read_jsonl(rows) if rows.is_file() else ()
        answers = {row["id"]: row["hyp"] for row in done}
        text = "".join(answers.get(source.id, "") + "\n" for source in numbered)
        write_text(options.output, text)
    say(f"{options.output}: {len(lines):,} lines")
    if problem is not None:
        lost = sum(source.id not in answers for source in sources)
        say(f"note: {lost:,} of them are empty, because they could not be translated")
        raise problem
    return 0


def _print_translations(system: Any, lines: Sequence[str]) -> int:
    from recombine.errors import SystemFailure
    from recombine.progress import progress
    from recombine.systems.base import Failure, answers, one_line

    failed = 0
    given = answers(system, [line for line in lines if line.strip()])
    # On a terminal the translations themselves show how far the work is.
    shown = contextlib.nullcontext() if sys.stdout.isatty() else progress("translate", len(lines))
    with shown as bar:
        for number, line in enumerate(lines, start=1):
            hypothesis = next(given) if line.strip() else ""
            if isinstance(hypothesis, Failure):
                failed += 1
                say(f"error: line {number}: {hypothesis.reason}")
            print("" if isinstance(hypothesis, Failure) else one_line(hypothesis), flush=True)
            if bar is not None:
                bar.advance()
        for _ in given:
            pass  # one answer too many is a fault, too
    if failed:
        raise SystemFailure(f"{failed} of {len(lines)} sentences could not be translated")
    return 0


VERB = Verb(
    "translate",
    "translate a text with one system, or the splits of an experiment",
    'recombine translate --system command -o \'run=["apertium", "eng-spa"]\' < source.txt',
    add_arguments,
    translate_verb,
)
