"""The verb check: every problem of a grammar, recipe, experiment or benchmark at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import Verb, share
from recombine.cli.talk import print_json, say
from recombine.errors import DataError, Problems, RecombineError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "path", help="a benchmark, a recipe, an experiment or a grammar: its folder, file or name"
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="of a grammar: accept words and rules that a language lacks",
    )
    parser.add_argument(
        "--recipe",
        default="",
        metavar="NAME",
        help="of an unfinished grammar: which parts of this recipe can be drawn (default: the"
        " recipe with the grammar's name)",
    )
    share(parser, "--json", "--trust")


def check_verb(options: argparse.Namespace) -> int:
    """Check anything, without side effects."""
    from recombine.registry import NotImported

    proof = _proof_of(options.path)
    for line in () if options.json else proof:
        say(line)
    errors = _problems_of(options.path, options.partial, options.trust)
    problems = [error for error in errors if not isinstance(error, NotImported)]
    unfinished = bool(problems) or options.partial or bool(options.recipe)
    unknown = {str(error.message): None for error in errors if isinstance(error, NotImported)}
    notes = _coverage_of(options.path, options.recipe) if unfinished else _notes_on(options.path)
    notes = [*(f"{message}; give --trust to check it, too" for message in unknown), *notes]
    if options.json:
        rows = [
            {"where": str(p.where or ""), "message": p.message, "hint": p.hint} for p in problems
        ]
        print_json({"ok": not problems, "problems": rows, "notes": [*proof, *notes]})
        return 2 if problems else 0
    for note in notes:
        say(f"note: {note}")
    if problems:
        raise Problems(problems)
    say(f"{options.path}: no problem found")
    return 0


def _is_grammar(text: str) -> bool:
    from recombine import registry

    path = Path(text)
    is_benchmark = (path / "benchmark.toml").is_file()
    return not is_benchmark and (path.is_dir() or registry.data_path("grammars", text).is_dir())


def _proof_of(text: str) -> list[str]:
    """What is proved of a benchmark, and what is not."""
    from recombine.benchmark import Benchmark
    from recombine.builders.check import describe_proof

    if not (Path(text) / "benchmark.toml").is_file():
        return []
    try:
        return [describe_proof(Benchmark.open(text))]
    except RecombineError:
        return []  # what cannot be read is among the problems


def _coverage_of(text: str, recipe: str) -> list[str]:
    """How complete the languages of a grammar are, and what a recipe can draw from them."""
    from recombine.grammar import Grammar
    from recombine.grammar.coverage import coverage

    if Path(text).suffix == ".toml" or not _is_grammar(text):
        return []
    try:
        grammar = Grammar.load(text)
        coverages = [coverage(grammar.concrete(language)) for language in grammar.languages]
    except RecombineError:
        return []  # what cannot be read is among the problems
    notes = []
    for own in coverages:
        if not own.is_complete:
            notes += [own.describe(), *_recipe_coverage(text, own.language, recipe)]
    return notes


def _recipe_coverage(text: str, language: str, recipe: str) -> list[str]:
    """What a recipe can draw: the given one, or those with the name of the grammar or its base."""
    from recombine.builders.generated.builder import Generated
    from recombine.builders.recipe import read_recipe, recipe_names
    from recombine.grammar.files.folder import base_folders, find_grammar

    like = [folder.name for folder in base_folders(find_grammar(text))]
    notes = []
    for name in [recipe] if recipe else [name for name in like if name in recipe_names()]:
        overrides = [f"grammar={text}", f"benchmark.target={language}"]
        builder = read_recipe(name, overrides).builder
        if isinstance(builder, Generated):
            notes.append(f"recipe '{name}': {builder.describe_coverage()}")
    return notes


def _notes_on(text: str) -> list[str]:
    """Facts that are no problem, but worth knowing."""
    if Path(text).suffix == ".toml" or not _is_grammar(text):
        return []
    from recombine.grammar import Grammar, note_conflicts

    return note_conflicts(Grammar.load(text))


def _problems_of(text: str, partial: bool, trust: bool) -> list[RecombineError]:
    from recombine import registry

    path = Path(text)
    try:
        if (path / "benchmark.toml").is_file():
            from recombine.benchmark import Benchmark
            from recombine.builders.check import check_benchmark

            return check_benchmark(Benchmark.open(path))
        if path.suffix == ".toml":
            from recombine.builders.recipe import is_recipe

            if is_recipe(path):
                return _recipe_problems(text, trust)
            from recombine.experiment.experiment import check_experiment

            return check_experiment(path, trust=trust)
        if _is_grammar(text):
            from recombine.grammar import check_grammar

            return check_grammar(text, partial=partial)
        if registry.data_path("recipes", f"{text}.toml").is_file():
            return _recipe_problems(text, trust)
    except Problems as error:
        return error.problems
    except RecombineError as error:
        return [error]
    return [
        DataError(
            f"{text} is not a benchmark, a .toml file, a recipe or a grammar",
            hint="recombine list recipes grammars",
        )
    ]


def _recipe_problems(text: str, trust: bool) -> list[RecombineError]:
    """What is wrong with a recipe; a builder may know more than its options do."""
    from recombine.builders.recipe import read_recipe
    from recombine.errors import collect_errors

    problems: list[RecombineError] = []
    with collect_errors(problems):
        builder = read_recipe(text, trust=trust).builder
        if hasattr(builder, "check_recipe"):
            builder.check_recipe()
    return problems


VERB = Verb(
    "check",
    "check a grammar, recipe, experiment or benchmark, and list all problems",
    "recombine check out/sget-mini",
    add_arguments,
    check_verb,
)
