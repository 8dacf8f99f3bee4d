"""The verb build: a recipe becomes a benchmark, or a series of them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from recombine.cli.options import FORMATS, LONG, Verb, share, share_plan
from recombine.cli.talk import print_plan, say
from recombine.errors import ConfigError

LISTED = 24  # words that a partial build left out, on a terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("recipe", help="a shipped recipe, a .toml file, or a builder's name")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="the folder of the benchmark"
    )
    share(parser, "--seed")
    parser.add_argument(
        "--export",
        action="append",
        default=[],
        choices=FORMATS,
        help="also export it, into DIR-FORMAT; repeatable",
    )
    parser.add_argument(
        "--series",
        metavar="C,C,...",
        help="of divergent splits: one benchmark for each of these divergences, and a series.toml",
    )
    parser.add_argument(
        "--seeds", metavar="N,N,...", help="with --series: the seeds (default: --seed)"
    )
    share(parser, "--engine", "--address", "-o", "--trust", *LONG)
    share_plan(parser)


def build_verb(options: argparse.Namespace) -> int:
    """Build a benchmark."""
    from recombine.builders.recipe import build, read_recipe

    overrides = list(options.overrides)
    if options.engine:
        overrides.append(f"engine={options.engine}")
    if options.address:
        overrides.append(f"address={options.address}")
    recipe = read_recipe(options.recipe, overrides, trust=options.trust)
    if options.dry_run:
        return _plan(recipe, options)
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


def _plan(recipe: Any, options: argparse.Namespace) -> int:
    """Print what would be built, or that it is there."""
    from recombine.builders.recipe import existing_benchmark

    if options.out.exists() and not (options.force or options.series):
        there = existing_benchmark(recipe, options.out, seed=options.seed, sample=options.sample)
        return print_plan({"splits": there.manifest.splits, "up_to_date": True}, options.json)
    say(f"would build {recipe.head.name} with '{recipe.builder_name}' into {options.out}")
    builder = recipe.builder
    plan = dict(builder.plan()) if hasattr(builder, "plan") else {}
    files = [path for path in recipe.inputs().values() if path.is_file()]
    plan["input_megabytes"] = round(sum(path.stat().st_size for path in files) / 1e6, 2)
    if options.sample:
        plan["sample"] = options.sample
    if options.series:
        divergences, seeds = _members(options)
        plan["members"] = len(divergences) * len(seeds)
    return print_plan(plan, options.json)


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
        say(f"left out, because one of the languages lacks it: {', '.join(unsaid[:LISTED])}{more}")
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


VERB = Verb(
    "build",
    "build a benchmark from a recipe",
    "recombine build sget-mini --out out/sget-mini --seed 1 -o edition=official",
    add_arguments,
    build_verb,
)
