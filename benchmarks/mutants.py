"""Do the tests bite? Plant small faults in the core, one at a time, and see which test notices.

    python benchmarks/mutants.py --number 300 --jobs 8 --out mutants.jsonl
    python benchmarks/mutants.py --only files --number 40

A fault is one changed node of a module's syntax tree: another comparison, operator, constant or
branch, a statement left out. Each is tried in a copy of a process that has everything but Recombine
imported already, with the tests of its module alone. What no test notices is printed: it gets a
test, or a reason why it changes nothing. The choice is seeded; --out is added to, and what it has
is not tried again, so that --seconds can be spent in several calls.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib.abc
import importlib.util
import json
import math
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
# The core: module -> the tests that answer for it, the closest first.
CORE: dict[str, tuple[str, ...]] = {
    "recombine.files": ("tests/test_files.py", "tests/test_lock.py"),
    "recombine.lock": ("tests/test_lock.py",),
    "recombine.stage": ("tests/test_stage.py",),
    "recombine.config": ("tests/test_config.py",),
    "recombine.corpus.conllu": ("tests/corpus/test_conllu.py",),
    "recombine.metrics.score": ("tests/metrics/test_score.py", "tests/metrics/test_scoring.py"),
    "recombine.metrics.slices": ("tests/metrics/test_slices.py", "tests/metrics/test_score.py"),
    "recombine.metrics.scoring": ("tests/metrics/test_scoring.py", "tests/metrics/test_score.py"),
    "recombine.metrics.exact": ("tests/metrics/test_exact.py",),
    "recombine.metrics.base": ("tests/metrics/test_base.py", "tests/contracts/test_metrics.py"),
    "recombine.metrics.surface": ("tests/metrics/test_surface.py",),
    "recombine.metrics.partial": ("tests/metrics/test_partial.py",),
    "recombine.metrics.compound.metric": ("tests/metrics/compound/test_metric.py",),
    "recombine.metrics.consistency.metric": ("tests/metrics/consistency/test_metric.py",),
    "recombine.metrics.consistency.agreement": (
        "tests/metrics/consistency/test_agreement.py",
        "tests/metrics/consistency/test_metric.py",
    ),
    "recombine.metrics.meaning.judge": (
        "tests/metrics/meaning/test_metric.py",
        "tests/metrics/meaning/test_contrast.py",
    ),
    "recombine.statistics.aggregate": (
        "tests/statistics/test_aggregate.py",
        "tests/statistics/test_sample.py",
    ),
    "recombine.statistics.intervals": (
        "tests/statistics/test_intervals.py",
        "tests/statistics/test_sample.py",
    ),
    "recombine.statistics.paired": (
        "tests/statistics/test_paired.py",
        "tests/statistics/test_sample.py",
    ),
    "recombine.statistics.sample": ("tests/statistics/test_sample.py",),
    "recombine.statistics.ranks": ("tests/statistics/test_ranks.py",),
    "recombine.builders.generated.certificate": (
        "tests/builders/generated/test_certificate.py",
        "tests/builders/generated/test_languages.py",
    ),
    "recombine.grammar.parsing.parser": ("tests/grammar/parsing/test_parser.py",),
    "recombine.grammar.parsing.chart": (
        "tests/grammar/parsing/test_chart.py",
        "tests/grammar/parsing/test_parser.py",
    ),
    "recombine.grammar.parsing.forest": (
        "tests/grammar/parsing/test_forest.py",
        "tests/grammar/parsing/test_parser.py",
    ),
    "recombine.builders.divergent.encode": (
        "tests/builders/divergent/test_encode.py",
        "tests/builders/divergent/test_count.py",
    ),
    "recombine.builders.divergent.measure": ("tests/builders/divergent/test_measure.py",),
    "recombine.builders.divergent.options": (
        "tests/builders/divergent/test_split.py",
        "tests/builders/divergent/test_builder.py",
    ),
    "recombine.builders.compounds.certificate": (
        "tests/builders/compounds/test_builder.py",
        "tests/builders/test_check.py",
    ),
    "recombine.builders.divergent.split": (
        "tests/builders/divergent/test_split.py",
        "tests/builders/divergent/test_given.py",
        "tests/builders/divergent/test_search.py",
    ),
    "recombine.builders.divergent.search": (
        "tests/builders/divergent/test_incremental_split.py",
        "tests/builders/divergent/test_search.py",
    ),
    "recombine.builders.divergent.incremental_split": (
        "tests/builders/divergent/test_incremental_split.py",
        "tests/builders/divergent/test_search.py",
    ),
    "recombine.builders.divergent.certificate": (
        "tests/builders/divergent/test_certificate.py",
        "tests/builders/divergent/test_control.py",
    ),
    "recombine.experiment.run": ("tests/experiment/test_run.py", "tests/experiment/test_stages.py"),
    "recombine.experiment.translations": (
        "tests/experiment/test_translations.py",
        "tests/experiment/test_stages.py",
    ),
    "recombine.systems.seq2seq.checkpoint": (
        "tests/systems/seq2seq/test_checkpoint.py",
        "tests/systems/seq2seq/test_system.py",
    ),
}
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


def places(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the number of each node that can be changed, and how."""
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
            yield number, "comparison"
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _COMBINED:
            # Texts that are put together, and types, are no arithmetic.
            if not any(isinstance(one, ast.JoinedStr) for one in ast.walk(node)):
                yield number, "operator"
        elif isinstance(node, ast.BoolOp):
            yield number, "and, or"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield number, "not"
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield number, "condition"
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            yield number, "constant"
        elif isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
            yield number, "return"
        elif isinstance(node, (ast.Assign, ast.AugAssign)) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        ):
            yield number, "left out"
        elif isinstance(node, (ast.Break, ast.Continue)):
            yield number, "loop"


def changed(tree: ast.Module, number: int, kind: str) -> tuple[ast.Module, int]:
    """Return the tree with one node changed, and the line it stands on."""
    tree = copy.deepcopy(tree)
    node: Any = list(ast.walk(tree))[number]
    line = node.lineno
    if kind == "comparison":
        node.ops[0] = _COMPARED[type(node.ops[0])]()
    elif kind == "operator":
        node.op = _COMBINED[type(node.op)]()
    elif kind == "and, or":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif kind == "not":
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif kind == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "constant":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif kind == "return":
        node.value = ast.Constant(None)
    else:
        _replace(tree, node, kind)
    return ast.fix_missing_locations(tree), line


def _replace(tree: ast.Module, node: ast.stmt, kind: str) -> None:
    other: ast.stmt = ast.Pass()
    if kind == "loop":
        other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    for parent in ast.walk(tree):
        for _, value in ast.iter_fields(parent):
            if isinstance(value, list) and any(one is node for one in value):
                value[[one is node for one in value].index(True)] = ast.copy_location(other, node)


def mutants(module: str) -> list[tuple[int, str]]:
    """All that can be changed in a module, inside its functions."""
    tree = _tree(module)
    inside: set[int] = set()
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                inside |= {numbers[id(one)] for one in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):  # what is said is not what is done
            inside -= {numbers[id(one)] for one in ast.walk(node)}
    return [place for place in places(tree) if place[0] in inside]


def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_text(encoding="utf-8"))


def _path(module: str) -> Path:
    return SOURCE / Path(*module.split(".")).with_suffix(".py")


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a changed tree."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module, self.tree = module, tree

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Claim the one module."""
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, _path(name), loader=self)

    def create_module(self, spec: Any) -> None:
        """Let Python make it."""

    def exec_module(self, module: Any) -> None:
        """Run the changed code."""
        exec(compile(self.tree, str(_path(self.module)), "exec"), module.__dict__)  # noqa: S102


def tried(
    module: str,
    tree: ast.Module | None,
    limit: float,
    said: str = os.devnull,
    without: Sequence[str] = (),
) -> tuple[str, float]:
    """Run a module's tests in a copy of this process; say how they end, and in a file why."""
    began = time.monotonic()
    child = os.fork()
    if not child:
        os.setsid()
        told = os.open(said, os.O_WRONLY)
        os.dup2(told, 1)
        os.dup2(told, 2)
        if tree is not None:
            sys.meta_path.insert(0, _Planted(module, tree))
        import pytest

        marks = "not slow and not gpu and not real and not faults"
        quiet = ["-q", "-p", "no:cacheprovider", "-m", marks, *["-x"] * (tree is not None)]
        quiet += [f"--deselect={test}" for test in without]
        code = 2
        with contextlib.suppress(BaseException):
            code = int(pytest.main([*quiet, *CORE[module]]))
        os._exit(code)
    while time.monotonic() < began + limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return ("passed" if code == 0 else "caught"), time.monotonic() - began
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung", time.monotonic() - began


def chosen(only: str, number: int, seed: int) -> list[tuple[str, int, str]]:
    """A seeded choice, each module as often as it has nodes to change, at most a tenth of all."""
    draw = random.Random(seed)
    pools = {module: mutants(module) for module in CORE if only in module}
    for pool in pools.values():
        draw.shuffle(pool)
    found: list[tuple[str, int, str]] = []
    while len(found) < number and any(pools.values()):
        for module, pool in pools.items():
            if pool and len(found) < number:
                found.append((module, *pool.pop()))
    return found


def unspoilt(module: str) -> tuple[float, list[str]]:
    """The most seconds that a module's tests may take, and those that fail without a fault."""
    with tempfile.NamedTemporaryFile(mode="r", errors="replace") as said:
        _, seconds = tried(module, None, 600, said.name)
        lines = [line.split() for line in said]
    failed = [line[1] for line in lines if line and line[0] in ("FAILED", "ERROR")]
    if failed:
        print(f"{module}: failing without a fault, left out: {' '.join(failed)}", flush=True)
    if any("::" not in test for test in failed):  # a whole file: nothing can be said of this module
        seconds = -math.inf
    return 20 + 5 * seconds, failed


def trial(work: tuple[str, int, str, float, list[str], float]) -> dict[str, Any] | None:
    """Plant one fault and tell how it ended, if there is time left."""
    module, number, kind, most, without, ends = work
    if time.monotonic() > ends:
        return None
    tree, line = changed(_tree(module), number, kind)
    end, seconds = tried(module, tree, most, without=without)
    row = {"module": module, "line": line, "node": number, "kind": kind, "end": end}
    return {**row, "seconds": round(seconds, 1)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Plant faults and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="modules whose name has this in it")
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--jobs", type=int, default=1, help="faults that are tried at once")
    parser.add_argument("--seconds", type=float, default=math.inf, help="none is begun after that")
    parser.add_argument("--out", type=Path, help="a file to add every trial to")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    # Not the folder of this script: its grammar.py is not the tests' package of that name.
    sys.path[:] = [str(SOURCE), *(one for one in sys.path if Path(one) != ROOT / "benchmarks")]
    for heavy in ("hypothesis", "numpy", "pytest", "sacrebleu", "scipy.stats"):
        importlib.import_module(heavy)
    assert not any(name.startswith("recombine") for name in sys.modules)
    rows: list[dict[str, Any]] = []
    if options.out is not None and options.out.exists():
        rows = [json.loads(line) for line in options.out.read_text().splitlines()]
    known = {(row["module"], row["node"], row["kind"]) for row in rows}
    ends = time.monotonic() + options.seconds
    wanted = chosen(options.only, options.number, options.seed)
    wanted = [one for one in wanted if one not in known]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(options.jobs, mp_context=fork) as pool:
        modules = list(dict.fromkeys(module for module, _, _ in wanted))
        known_good = dict(zip(modules, pool.map(unspoilt, modules), strict=True))
        work = [(*one, *known_good[one[0]], ends) for one in wanted]
        work = [one for one in work if one[3] > 0]
        for done in as_completed([pool.submit(trial, one) for one in work]):
            row = done.result()
            if row is None:
                continue
            rows.append(row)
            if options.out is not None:
                with options.out.open("a") as stream:
                    stream.write(json.dumps(row) + "\n")
            if row["end"] == "passed":
                text = _path(row["module"]).read_text(encoding="utf-8").splitlines()
                where = f"{row['module']}:{row['line']} ({row['kind']})"
                print(f"survived: {where}: {text[row['line'] - 1].strip()}", flush=True)
    print("| module | planted | caught | survived |\n| --- | ---: | ---: | ---: |")
    for module in [*CORE, "all"]:
        of = [row for row in rows if module in (row["module"], "all")]
        if of:
            lost = sum(row["end"] == "passed" for row in of)
            print(
                f"| {module.removeprefix('recombine.')} | {len(of)} | {len(of) - lost} | {lost} |"
            )


if __name__ == "__main__":
    main()
