"""Verbs that make benchmarks and look at them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.cli.talk import print_found, print_json, print_plan, say
from recombine.errors import ConfigError, DataError, Problems, RecombineError

FORMATS = ("tsv", "text", "parquet", "inspect", "lm-eval")
LISTED = 24  # words that a partial build left out, on a terminal


def check_verb(options: argparse.Namespace) -> int:
    """Check anything, without side effects."""
    from recombine.registry import NotImported

    proof = _proof_of(options.path)
    for line in () if options.json else proof:
        say(line)
    found = _problems_of(options.path, options.partial, options.trust)
    problems = [one for one in found if not isinstance(one, NotImported)]
    unfinished = bool(problems) or options.partial
    unknown = {str(one.message): None for one in found if isinstance(one, NotImported)}
    notes = _coverage_of(options.path) if unfinished else _notes_on(options.path)
    notes = [*(f"{message}; with --trust it is checked, too" for message in unknown), *notes]
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


def _coverage_of(text: str) -> list[str]:
    """How much of a grammar its unfinished languages say, and what a recipe can make of that."""
    from recombine.grammar import Grammar
    from recombine.grammar.coverage import coverage

    if Path(text).suffix == ".toml" or not _is_grammar(text):
        return []
    try:
        grammar = Grammar.load(text)
        found = [coverage(grammar.concrete(language)) for language in grammar.languages]
    except RecombineError:
        return []  # what cannot be read is among the problems
    notes = []
    for one in found:
        if not one.is_complete:
            notes += [one.describe(), *_recipe_coverage(text, one.language)]
    return notes


def _recipe_coverage(text: str, language: str) -> list[str]:
    """What the recipe that is called like the grammar, or like what it extends, can draw."""
    from recombine.builders.generated.builder import Generated
    from recombine.builders.recipe import read_recipe, recipe_names
    from recombine.grammar.files.folder import base_folders, find_grammar

    names = [folder.name for folder in base_folders(find_grammar(text))]
    notes = []
    for name in names:
        if name in recipe_names():
            overrides = [f"grammar={text}", f"benchmark.target={language}", "partial=true"]
            recipe = read_recipe(name, overrides).builder
            if isinstance(recipe, Generated):
                try:
                    notes.append(f"recipe '{name}': {recipe.describe_coverage()}")
                except RecombineError as error:
                    notes.append(f"recipe '{name}' cannot be drawn yet: {error.message}")
    return notes


def _notes_on(text: str) -> list[str]:
    """What is no problem but good to know."""
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
    from recombine.errors import collected

    problems: list[RecombineError] = []
    with collected(problems):
        builder = read_recipe(text, trust=trust).builder
        if hasattr(builder, "check_recipe"):
            builder.check_recipe()
    return problems


def build_verb(options: argparse.Namespace) -> int:
    """Build a benchmark."""
    from recombine.builders.recipe import build, existing_benchmark, read_recipe

    overrides = list(options.overrides)
    if options.engine:
        overrides.append(f"engine={options.engine}")
    if options.address:
        overrides.append(f"address={options.address}")
    recipe = read_recipe(options.recipe, overrides, trust=options.trust)
    if options.dry_run:
        from recombine.experiment.plan import plan_build

        if options.out.exists() and not (options.force or options.series):
            from recombine.systems.cost import NOTHING

            asked = {"seed": options.seed, "sample": options.sample}
            there = existing_benchmark(recipe, options.out, **asked)
            print_plan({"splits": there.manifest.splits, **NOTHING.row()}, options.json)
            return 0
        say(f"would build {recipe.head.name} with '{recipe.builder_name}' into {options.out}")
        asked = {"sample": options.sample} if options.sample else {}
        if options.series:
            divergences, seeds = _members(options)
            asked["members"] = len(divergences) * len(seeds)
        plan = {**plan_build(recipe.builder, asked.get("members", 1)), **asked}
        print_plan(plan, options.json)
        return 0
    if options.series:
        return _build_series(recipe, options)
    before = options.out.exists()
    benchmark = build(
        recipe, options.out, seed=options.seed, force=options.force, sample=options.sample
    )
    sizes = ", ".join(f"{name} {size:,}" for name, size in benchmark.manifest.splits.items())
    state = "is up to date" if before and not options.force else "built"
    say(f"{options.out}: {state} ({sizes})")
    _say_left_out(options.out / "certificate.json")
    for form in options.export:
        from recombine.export import export

        export(benchmark, form, options.out.with_name(f"{options.out.name}-{form}"))
    return 0


def _say_left_out(certificate: Path) -> None:
    """What a partial benchmark lacks."""
    if not certificate.is_file():
        return
    left_out = json.loads(certificate.read_text(encoding="utf-8")).get("left_out", {})
    if left_out.get("unsaid"):
        unsaid = left_out["unsaid"]
        more = (
            f" and {len(unsaid) - LISTED} more (all in README.md)" if len(unsaid) > LISTED else ""
        )
        say(f"left out, as it is not said in both languages: {', '.join(unsaid[:LISTED])}{more}")
    for part, why in left_out.get("parts", {}).items():
        say(f"left out: {part} ({why})")


def _build_series(recipe: Any, options: argparse.Namespace) -> int:
    from recombine.builders.divergent.series import build_series

    divergences, seeds = _members(options)
    series = build_series(
        recipe, options.out, divergences=divergences, seeds=seeds, force=options.force
    )
    for member in series.member:
        say(
            f"{options.out / member.benchmark}: D_A {member.atom_divergence:.5f}, "
            f"D_C {member.compound_divergence:.5f}"
        )
    print(options.out / "series.toml")
    return 0


def _members(options: argparse.Namespace) -> tuple[list[float], list[int]]:
    """The target divergences and the seeds of a series."""
    try:
        divergences = [float(part) for part in options.series.split(",")]
        seeds = [int(part) for part in (options.seeds or str(options.seed)).split(",")]
    except ValueError as error:
        raise ConfigError(f"--series and --seeds are comma-separated numbers: {error}") from None
    return divergences, seeds


def export_verb(options: argparse.Namespace) -> int:
    """Export a benchmark."""
    from recombine.benchmark import Benchmark
    from recombine.export import export

    benchmark = Benchmark.open(options.benchmark)
    if options.dry_run:
        from recombine.experiment.plan import plan_export

        plan = plan_export(benchmark, options.format, options.out, options.sample)
        print_plan(plan, options.json)
        return 0
    for path in export(benchmark, options.format, options.out, sample=options.sample):
        print(path)
    return 0


def clean_verb(options: argparse.Namespace) -> int:
    """Drop what is no translation from a corpus."""
    from recombine.corpus.cleaning import clean_corpus, clean_texts
    from recombine.corpus.conllu import is_parsed

    if options.dry_run:
        return _print_reading(options, options.corpus, out=str(options.out))
    codes = {"source": options.source, "target": options.target}
    if len(options.corpus) > 2:
        raise ConfigError("one parsed corpus, or two aligned texts")
    if len(options.corpus) == 1 and not is_parsed(options.corpus[0]):
        raise ConfigError(
            f"{options.corpus[0]} is not parsed, and no translation stands beside it",
            hint=f"of two raw texts: recombine clean {options.corpus[0]} TRANSLATION --source "
            f"{options.source} --target {options.target} --out {options.out}",
        )
    if len(options.corpus) == 2:
        found = clean_texts(tuple(options.corpus), options.out, **codes)
    else:
        found = clean_corpus(options.corpus[0], options.out, **codes)
    print_found(found._asdict(), options.json)
    return 0


def divergence_verb(options: argparse.Namespace) -> int:
    """Measure divergence."""
    from recombine.builders.divergent.compare_sets import measure_divergence
    from recombine.config import apply_overrides

    given = apply_overrides({"sample": options.sample}, options.overrides)
    if options.dry_run:
        return _print_reading(options, [options.train, options.test], **given)
    print_found(measure_divergence(options.train, options.test, given), options.json)
    return 0


def contamination_verb(options: argparse.Namespace) -> int:
    """Find benchmark sentences in a corpus."""
    from recombine.benchmark import Benchmark
    from recombine.corpus.contamination import contamination, searched_splits

    benchmark = Benchmark.open(options.benchmark)
    if options.dry_run:
        sizes = {
            split: benchmark.manifest.splits[split]
            for split in searched_splits(benchmark, options.split)
        }
        if options.sample:
            sizes = {split: min(size, options.sample) for split, size in sizes.items()}
        return _print_reading(options, options.corpus, examples=sizes)
    found = contamination(
        benchmark, options.corpus, splits=tuple(options.split), sample=options.sample
    )
    print_found(found, options.json)
    return 0


def _print_reading(options: argparse.Namespace, files: Sequence[Path], **more: Any) -> int:
    from recombine.experiment.plan import plan_reading

    print_plan({**plan_reading(options.verb, files), **more}, options.json)
    return 0
