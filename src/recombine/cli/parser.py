"""The parser: every verb, its options, its example."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recombine import __version__
from recombine.cli import augment as more
from recombine.cli import build as make
from recombine.cli import compare, completion, listing
from recombine.cli import grammar as look
from recombine.cli import run as evaluate

Verb = Callable[[argparse.Namespace], int]


def _count(text: str) -> int:
    """A number of things: below none there is nothing."""
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not possible: give 1 or more")
    return number


def _names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


# Options that mean the same wherever they stand.
SHARED: dict[str, dict[str, Any]] = {
    "--languages": {"metavar": "CODE,CODE,...", "help": "which languages to show (default: all)"},
    "--edition": {"help": "an edition of the grammar"},
    "-o": {
        "dest": "overrides",
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "set an option, dotted for nested ones; may be given several times",
    },
    "--json": {"action": "store_true", "help": "print JSON, for programs"},
    "--dry-run": {
        "action": "store_true",
        "help": "say what would be done, sizes and an estimate of time; do nothing",
    },
    "--sample": {
        "type": _count,
        "default": 0,
        "metavar": "N",
        "help": "a seeded subset of N, stratified by the first tag",
    },
    "--force": {"action": "store_true", "help": "make outputs again that are stale"},
    "--retry": {
        "action": "store_true",
        "help": "ask again for sentences that failed for good, and for nothing else",
    },
    "--accept-failures": {
        "action": "store_true",
        "help": "sentences that failed for good are counted, and no error",
    },
    "--trust": {
        "action": "store_true",
        "help": "run Python files that the file names, wherever they lie",
    },
    "--address": {"help": "the address of a Ray cluster"},
}
ALSO = {"--languages": ("--langs",)}
# Verbs that print no data of their own print their plan.
PLAN_JSON: dict[str, Any] = {
    "action": "store_true",
    "help": "with --dry-run: print the plan as JSON",
}
PLANNED = ("--dry-run", "--sample")
LONG = (*PLANNED, "--force")
FAILED = ("--retry", "--accept-failures")
ENGINES = ("local", "ray")


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
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")

    def verb(name: str, function: Verb, help_text: str, example: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(
            name,
            help=help_text,
            description=help_text,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(function=function, verb=name)
        return made

    add = verb(
        "list",
        listing.list_verb,
        "list builders, systems, metrics, recipes, presets and grammars; or describe one of them",
        "recombine list transformer",
    )
    add.add_argument(
        "what",
        nargs="*",
        help=f"{', '.join(listing.LISTED)}; or the name of one, to see its options (default: all)",
    )
    add.add_argument("--options", action="store_true", help="show the options of each")
    _share(add, "--json")

    add = verb(
        "check",
        make.check_verb,
        "check a grammar, recipe, experiment or benchmark; every problem at once",
        "recombine check out/sget-mini",
    )
    add.add_argument("path", help="a benchmark directory, a .toml file, or a grammar")
    add.add_argument(
        "--partial",
        action="store_true",
        help="of a grammar: words and rules that a language does not say yet are no problem",
    )
    _share(add, "--json", "--trust")

    add = verb(
        "sample",
        look.sample_verb,
        "print parallel sentences of a grammar: the linguist's loop",
        "recombine sample toy -n 5 --languages en,ja --require 'decl.subj >> beside'",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("-n", type=_count, default=10, help="how many sentences (default 10)")
    add.add_argument("--seed", type=int, default=1)
    add.add_argument(
        "--require",
        action="append",
        default=[],
        help="a tree pattern that must occur; what has weight 0 in it is let in",
    )
    add.add_argument("--exclude", action="append", default=[], help="a pattern that must not occur")
    add.add_argument(
        "--any-words",
        action="store_true",
        help="words that do not go together (%%select), and words that come twice in the first"
        " language; benchmarks have neither",
    )
    add.add_argument("--trees", action="store_true", help="draw the trees too")
    add.add_argument(
        "--review", action="store_true", help="every lexeme x form and construction once, to read"
    )
    add.add_argument(
        "--variants",
        action="store_true",
        help="other ways to say each sentence too; with --review every variant once",
    )
    _share(add, "--languages", "--edition", "--json")

    add = verb(
        "parse",
        look.parse_verb,
        "draw every reading of a sentence, its meaning, and what every language says for each part",
        "recombine parse sget en 'Liam saw the cat in the box.' --svg liam.svg",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("language", help="the language of the sentences")
    add.add_argument("text", nargs="*", help="sentences (default: the lines of standard input)")
    add.add_argument("-n", type=_count, default=5, help="how many readings of each (default 5)")
    add.add_argument("--all", action="store_true", help="all readings")
    add.add_argument("--svg", type=Path, metavar="FILE", help="draw into this file, too")
    _share(add, "--languages", "--edition", "--json")

    add = verb(
        "tree",
        look.tree_verb,
        "draw a tree and what every language says for each of its parts",
        "recombine tree toy 'say(decl(past, def(cat), intrans(sleep)))' --languages en,ja",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("tree", nargs="*", help="rule(child, word) (default: from standard input)")
    add.add_argument("--svg", type=Path, metavar="FILE", help="draw into this file, too")
    _share(add, "--languages", "--edition", "--json")

    add = verb(
        "explore",
        look.explore_verb,
        "write a grammar as one page to search: rules with sentences and trees, and all words",
        "recombine explore sget --out sget.html",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("--out", type=Path, help="the page to write (default: GRAMMAR.html)")
    _share(add, "--edition")

    add = verb(
        "new-language",
        look.new_language_verb,
        "write the stub of a language: every line and every word, with examples, to be filled in",
        "recombine new-language sget it --recipe sget-mini && recombine check sget-it --partial",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("code", help="the code of the language: it, pt, zh")
    add.add_argument("--out", type=Path, help="the folder to write (default: GRAMMAR-CODE)")
    add.add_argument("--like", default="", metavar="CODE", help="the language to show beside it")
    add.add_argument("--recipe", default="", help="write only what this recipe draws: sget-mini")

    add = verb(
        "nonce",
        look.nonce_verb,
        "invent the nouns, names and verbs of a grammar: a benchmark that no model can have seen",
        "recombine nonce sget --seed 7 --build sget-mini -o benchmark.target=ja",
    )
    add.add_argument("grammar", help="a shipped grammar or a directory")
    add.add_argument("--seed", type=int, default=1)
    add.add_argument("--out", type=Path, help="the folder to write (default: GRAMMAR-nonce-SEED)")
    add.add_argument(
        "--categories",
        metavar="CAT,CAT,...",
        help="whose words are invented (default: those that begin with N or V)",
    )
    add.add_argument("--build", metavar="RECIPE", help="build this recipe with it, too")
    _share(add, "-o")

    add = verb(
        "build",
        make.build_verb,
        "build a benchmark from a recipe",
        "recombine build sget-mini --out out/sget-mini --seed 1 -o edition=official",
    )
    add.add_argument("recipe", help="a shipped recipe, a .toml file, or a builder's name")
    add.add_argument("--out", required=True, type=Path, help="the benchmark directory to make")
    add.add_argument("--seed", type=int, default=1)
    add.add_argument("--export", action="append", default=[], choices=make.FORMATS)
    add.add_argument(
        "--series",
        metavar="C,C,...",
        help="divergent splits: one benchmark per target divergence and a series.toml",
    )
    add.add_argument("--seeds", metavar="N,N,...", help="the seeds of a series (default: --seed)")
    add.add_argument("--engine", choices=ENGINES, help="where to count")
    _share(add, "--address", "-o", "--trust", *LONG)
    _share_plan(add)

    add = verb(
        "export",
        make.export_verb,
        "write a benchmark as TSV, text, a data set of parquet, or a task of Inspect or lm-eval",
        "recombine export out/sget-mini --format parquet --out out/sget-mini-hf",
    )
    add.add_argument("benchmark", type=Path)
    add.add_argument(
        "--format",
        required=True,
        choices=make.FORMATS,
        help="parquet: a dataset for the Hugging Face Hub, with Croissant metadata; "
        "inspect, lm-eval: a task that these tools run",
    )
    add.add_argument("--out", required=True, type=Path)
    _share(add, *PLANNED)
    _share_plan(add)

    add = verb(
        "clean",
        make.clean_verb,
        "drop the sentences of a corpus that are not translated or in another language",
        "recombine clean corpus.en corpus.fr --source en --target fr --out clean",
    )
    add.add_argument(
        "corpus", type=Path, nargs="+", help="a parsed corpus, or two texts aligned line by line"
    )
    add.add_argument("--source", required=True, help="the language of the sentences")
    add.add_argument("--target", required=True, help="the language and name of the translation")
    add.add_argument(
        "--out",
        required=True,
        type=Path,
        help="the file to write; of two texts, the name that gets .SOURCE and .TARGET",
    )
    _share(add, "--json", "--dry-run")

    add = verb(
        "divergence",
        make.divergence_verb,
        "measure atom and compound divergence between two sets (Keysers 2020, Moisio 2023)",
        "recombine divergence train.conllu test.conllu",
    )
    add.add_argument("train", type=Path)
    add.add_argument("test", type=Path)
    _share(add, "-o", "--json", *PLANNED)

    add = verb(
        "contamination",
        make.contamination_verb,
        "find benchmark sentences in a training corpus (exact, normalised, n-gram)",
        "recombine contamination out/sget-mini corpus.txt",
    )
    add.add_argument("benchmark", type=Path)
    add.add_argument("corpus", type=Path, nargs="+")
    add.add_argument("--split", action="append", default=[])
    _share(add, "--json", *PLANNED)

    add = verb(
        "augment",
        more.augment_verb,
        "recombine training pairs into more training pairs, learned from train alone",
        "recombine augment out/sget-mini -n 5000 --out out/sget-mini-augmented",
    )
    add.add_argument(
        "pairs",
        nargs="+",
        type=Path,
        help="a benchmark; or two aligned texts, one .tsv or one .jsonl (.gz, .xz, .bz2)",
    )
    add.add_argument("--out", type=Path, help="the folder to make")
    add.add_argument("-n", type=_count, help="how many pairs to draw (default 250,000)")
    add.add_argument("--seed", type=int, help="another seed draws other pairs (default 1)")
    add.add_argument("--source", default="", help="the source language of your own pairs")
    add.add_argument("--target", default="", help="the target language of your own pairs")
    add.add_argument(
        "--review",
        action="store_true",
        help="print what is learned with its support, or write it as a page: --out FILE.html",
    )
    add.add_argument(
        "--explain",
        metavar="SENTENCE",
        help="show what a sentence was made of (of --out DIR), or could be made of",
    )
    add.add_argument(
        "--held-out",
        action="store_true",
        help="hide combinations of the pairs and print how many are made again, and rightly",
    )
    add.add_argument("--engine", choices=ENGINES, help="where to cut and count texts")
    _share(add, "--address", "-o", *LONG)
    _share_plan(add)

    add = verb(
        "train",
        evaluate.train_verb,
        "train the trainable systems of an experiment, every seed",
        "recombine train experiment.toml",
    )
    add.add_argument("experiment", type=Path)
    _share(add, "-o", "--trust", *LONG)
    _share_plan(add)

    add = verb(
        "run",
        evaluate.run_verb,
        "train, translate, score and report, skipping what is up to date",
        "recombine run experiment.toml",
    )
    add.add_argument("experiment", type=Path)
    _share(add, "-o", "--trust", *LONG, *FAILED)
    _share_plan(add)
    add.add_argument("--engine", choices=ENGINES, default="local")
    _share(add, "--address")

    add = verb(
        "translate",
        evaluate.translate_verb,
        "translate lines with a system, or the splits of an experiment",
        'recombine translate --system command -o \'run=["apertium", "eng-spa"]\' < source.txt',
    )
    add.add_argument("experiment", nargs="?", type=Path)
    add.add_argument("--system", help="a system's name or ./file.py:Name, instead of an experiment")
    add.add_argument("--model", type=Path, help="the model directory of a trained system")
    add.add_argument("--input", type=Path, help="a text file, one sentence a line (default: stdin)")
    add.add_argument("--output", type=Path, help="a text file; resumable (default: stdout)")
    _share(add, "-o", "--trust", *LONG, *FAILED)
    _share_plan(add)

    add = verb(
        "score",
        evaluate.score_verb,
        "score hypotheses from anywhere on a benchmark, or the translations of an experiment",
        "recombine score out/sget-mini --hyps hypotheses.txt --split gen --metric exact",
    )
    add.add_argument("target", type=Path, help="a benchmark directory or an experiment file")
    add.add_argument("outputs", type=Path, nargs="*", help="the same as --hyps")
    add.add_argument(
        "--hyps",
        type=Path,
        action="append",
        default=[],
        help='plain lines, or JSON lines {"id", "hyp"}; - is standard input',
    )
    add.add_argument(
        "--split",
        help="the split of plain lines (default: gen or test); the only one of JSON lines",
    )
    add.add_argument(
        "--metric",
        action="extend",
        type=_names,
        default=[],
        help="separated by commas, or given several times",
    )
    add.add_argument("--observations", type=Path, help="write one JSON row per observation here")
    add.add_argument("--tags", action="store_true", help="print scores per tag too")
    add.add_argument(
        "--explain",
        action="store_true",
        help="say of every sentence why it is not right, where a metric knows (meaning, anatomy)",
    )
    add.add_argument(
        "--missing",
        choices=("count", "skip"),
        default="count",
        help="sentences without an output count as each metric declares (default), or are skipped",
    )
    _share(add, "-o", "--trust", "--json", *LONG)

    add = verb(
        "compare",
        compare.compare_verb,
        "score the outputs of several systems, test their differences and write the report",
        "recombine compare out/sget-mini ours.txt theirs.txt --split gen --out out/comparison",
    )
    add.add_argument("benchmark", type=Path)
    add.add_argument(
        "hyps",
        type=Path,
        nargs="+",
        metavar="FILE",
        help='plain lines in the order of a split, or JSON lines {"id", "hyp"}',
    )
    add.add_argument("--names", metavar="NAME,NAME,...", help="(default: the files' names)")
    add.add_argument(
        "--split",
        help="the split of plain lines (default: gen or test); the only one of JSON lines",
    )
    add.add_argument(
        "--metric",
        action="extend",
        type=_names,
        default=[],
        help="separated by commas, or given several times",
    )
    add.add_argument("--slices", action="store_true", help="test every pattern by itself, too")
    add.add_argument("--out", type=Path, help="the folder of the report (default: none is written)")
    _share(add, "-o", "--json")

    add = verb(
        "report",
        evaluate.report_verb,
        "write report.html, tables and figures of one run, or compare several",
        "recombine report runs/quickstart --out out/report",
    )
    add.add_argument("runs", nargs="+", type=Path)
    add.add_argument("--out", type=Path, help="the directory to write (default: RUN/report)")
    add.add_argument(
        "--power", type=float, metavar="POINTS", help="seeds needed to see such a gain"
    )
    add.add_argument(
        "--scorecard", action="store_true", help="runs of several benchmarks side by side"
    )
    add.add_argument(
        "--annotate", type=Path, metavar="TSV", help="write compounds to judge by hand"
    )
    add.add_argument("--judged", type=Path, metavar="TSV", help="read judgements back")
    _share(add, "-o", "--json", *PLANNED)

    add = verb(
        "completion",
        completion.completion_verb,
        "print what lets a shell complete verbs, options and names",
        "recombine completion bash",
    )
    add.add_argument("shell", choices=completion.SHELLS)
    add.set_defaults(parser=parser)
    return parser


def _share(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, *ALSO.get(name, ()), **SHARED[name])


def _share_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", **PLAN_JSON)
    parser.set_defaults(json_is_of_plan=True)
