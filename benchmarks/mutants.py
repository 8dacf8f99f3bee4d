"""Do the tests bite? Plant small faults in the code, one at a time, and see which test notices.

    python benchmarks/mutants.py --number 600 --out mutants.jsonl
    python benchmarks/mutants.py --area meaning --number 40 --seed 7

A fault is one changed node of a function's syntax tree: another comparison, operator, number or
index, a turned condition, a statement or a call left out. First the tests of an area run once,
and which lines each of them reaches is written down. Then each fault is planted in a copy of a
process that has everything imported already, and the tests that reach its line run, the quickest
first. A fault on a line that no test reaches survives at once. What no test notices is printed:
it gets a test, or a reason why it changes nothing. The choice is seeded; --out is added to, and
what it has is not tried again, so that --seconds can be spent in several calls.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import gc
import importlib
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "recombine"
# Area -> its files, and the tests that answer for them.
AREAS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "compound": (("metrics/compound/*.py",), ("tests/metrics/compound",)),
    "consistency": (("metrics/consistency/*.py",), ("tests/metrics/consistency",)),
    "meaning": (
        ("metrics/meaning/*.py",),
        ("tests/metrics/meaning", "tests/cli/systems/test_compare.py"),
    ),
    "anatomy": (("metrics/anatomy/*.py",), ("tests/metrics/anatomy",)),
    "literal": (("metrics/literal/*.py",), ("tests/metrics/literal",)),
    "scores": (
        ("metrics/*.py",),
        ("tests/metrics/test_*.py", "tests/test_numbers.py", "tests/contracts/test_metrics.py"),
    ),
    "statistics": (("statistics/*.py",), ("tests/statistics", "tests/test_numbers.py")),
    "proof": (
        (
            "builders/generated/certificate.py", "builders/generated/proof.py",
            "builders/generated/judge.py", "builders/compounds/certificate.py",
            "builders/divergent/certificate.py", "augment/files/certificate.py",
        ),
        (
            "tests/builders/generated/test_certificate.py",
            "tests/builders/generated/test_languages.py", "tests/builders/test_check.py",
            "tests/builders/compounds/test_builder.py",
            "tests/builders/divergent/test_certificate.py",
            "tests/builders/divergent/test_builder.py", "tests/augment/files/test_certificate.py",
        ),
    ),
    "stage": (
        ("stage.py", "lock.py", "files.py"),
        ("tests/test_stage.py", "tests/test_lock.py", "tests/test_files.py"),
    ),
    "grammar compile": (
        ("grammar/compiled.py", "grammar/files/*.py"),
        ("tests/grammar/test_*.py", "tests/grammar/files", "tests/grammar/check",
         "tests/grammar/realise"),
    ),
    "grammar parse": (
        ("grammar/parsing/*.py",), ("tests/grammar/parsing", "tests/grammar/variants"),
    ),
    "divergence": (
        tuple(
            f"builders/divergent/{name}.py"
            for name in ("compare_sets", "count", "encode", "extract", "incremental_split",
                         "measure", "search", "split")
        ),
        ("tests/builders/divergent", "tests/test_numbers.py"),
    ),
    "augment": (("augment/*.py", "augment/*/*.py"), ("tests/augment", "tests/cli/data")),
    "controls": (
        ("builders/*/control.py",),
        ("tests/builders/compounds/test_control.py", "tests/builders/divergent/test_control.py"),
    ),
    "methods": (
        ("methods/*.py", "methods/*/*.py"), ("tests/methods", "tests/report/page",
                                             "tests/report/tables"),
    ),
}  # fmt: skip
MARKS = "not slow and not gpu and not real and not faults and not reference"
# Seconds of one fault's tests, as they were recorded: the slowest beyond it are not asked.
ENOUGH = 60.0
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
# Calls of one argument, or of a text, without which a value is left.
_PLAIN = frozenset({"sorted", "reversed", "set", "frozenset", "abs", "round", "math.log"})
_OF_A_TEXT = frozenset({"lower", "casefold", "strip", "lstrip", "rstrip"})


class Fault(NamedTuple):
    """One node of one file, and how it is changed."""

    path: str  # below the package
    node: int
    kind: str
    line: int


class Test(NamedTuple):
    """What a test reached when nothing was wrong."""

    name: str
    seconds: float
    lines: frozenset[tuple[str, int]]


def kinds(node: ast.AST) -> Iterator[str]:
    """How a node can be changed."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield "comparison"
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _COMBINED:
        # Texts that are put together are no arithmetic.
        if not any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):
            yield "operator"
    elif isinstance(node, ast.BoolOp):
        yield "and, or"
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) or getattr(node, "ifs", None):
        yield "condition"
    elif isinstance(node, ast.Subscript) and isinstance(_index(node), ast.Constant):
        if type(_index(node).value) is int:
            yield "index"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield "number"
    elif isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
        yield "return"
    elif isinstance(node, ast.Call) and _without(node) is not None:
        yield "call"
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield "loop"
    if isinstance(node, (ast.Assign, ast.AugAssign)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "left out"


def _index(node: ast.Subscript) -> Any:
    negative = isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub)
    return node.slice.operand if negative else node.slice


def _without(call: ast.Call) -> ast.expr | None:
    """What is left of a call: its argument, or the text whose method it is."""
    if len(call.args) == 1 and ast.unparse(call.func) in _PLAIN:
        return call.args[0]
    if not call.args and isinstance(call.func, ast.Attribute) and call.func.attr in _OF_A_TEXT:
        return call.func.value
    return None


def changed(tree: ast.Module, fault: Fault) -> ast.Module:
    """Return the tree with one node changed."""
    tree = copy.deepcopy(tree)
    node: Any = list(ast.walk(tree))[fault.node]
    if fault.kind == "comparison":
        node.ops[0] = _COMPARED[type(node.ops[0])]()
    elif fault.kind == "operator":
        node.op = _COMBINED[type(node.op)]()
    elif fault.kind == "and, or":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif fault.kind == "condition":
        if isinstance(node, ast.comprehension):
            node.ifs[0] = ast.UnaryOp(ast.Not(), node.ifs[0])
        else:
            node.test = ast.UnaryOp(ast.Not(), node.test)
    elif fault.kind == "index":
        _index(node).value += 1
    elif fault.kind == "number":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif fault.kind == "return":
        node.value = ast.Constant(None)
    elif fault.kind == "call":
        _replace(tree, node, _without(node))
    elif fault.kind == "loop":
        _replace(tree, node, ast.Continue() if isinstance(node, ast.Break) else ast.Break())
    else:
        _replace(tree, node, ast.Pass())
    return ast.fix_missing_locations(tree)


def _replace(tree: ast.Module, node: ast.AST, other: Any) -> None:
    ast.copy_location(other, node)
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, other)
            elif isinstance(value, list):
                value[:] = [other if part is node else part for part in value]


def faults(path: str) -> list[Fault]:
    """All that can be changed in a file, inside its functions; what an error says is left."""
    tree = _tree(path)
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            inside |= {part for statement in node.body for part in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            inside -= set(ast.walk(node))
        elif isinstance(node, ast.Subscript):  # an index, not one more number
            inside -= set(ast.walk(node.slice)) if list(kinds(node)) else set()
    return [
        Fault(path, number, kind, getattr(node, "lineno", 0) or node.target.lineno)  # type: ignore[attr-defined]
        for number, node in enumerate(ast.walk(tree))
        if node in inside
        for kind in kinds(node)
    ]


def _tree(path: str) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


def files(area: str) -> list[str]:
    """The Python files of an area; compiled kernels cannot be changed while they run."""
    paths = [path for pattern in AREAS[area][0] for path in sorted(PACKAGE.glob(pattern))]
    plain = [path for path in paths if "njit" not in path.read_text(encoding="utf-8")]
    return [path.relative_to(PACKAGE).as_posix() for path in plain if path.name != "__init__.py"]


def chosen(area: str, number: int, seed: int) -> list[Fault]:
    """A seeded choice of all that can be changed in an area."""
    pool = [fault for path in files(area) for fault in faults(path)]
    random.Random(f"{seed} {area}").shuffle(pool)
    return pool[:number]


def plant(fault: Fault) -> bool:
    """Give the functions of this process the changed code; False: nothing can be changed."""
    path = str(PACKAGE / fault.path)
    tree = changed(_tree(fault.path), fault)
    new = {
        (code.co_name, code.co_firstlineno): code for code in _codes(compile(tree, path, "exec"))
    }
    planted = False
    for function in [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]:
        old = function.__code__
        other = new.get((old.co_name, old.co_firstlineno))
        if old.co_filename == path and other is not None and other != old:
            with contextlib.suppress(ValueError):  # other variables of the outside are used
                function.__code__ = other
                planted = True
    return planted


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class Bench:
    """A pytest plugin: records what tests reach, then tries faults, each in a copy of the process.

    rows is called with a dict for each fault that was tried.
    """

    def __init__(
        self, area: str, wanted: list[Fault], ends: float, row: Callable[..., None]
    ) -> None:
        self.area, self.wanted, self.ends, self.row = area, wanted, ends, row

    def pytest_sessionstart(self) -> None:
        """Examples of Hypothesis are the same for all faults, and leave nothing behind."""
        from hypothesis import settings

        settings.register_profile("mutants", deadline=None, database=None, derandomize=True)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: Any) -> bool:
        """Do all of it instead of running the tests."""
        for path in files(self.area):
            importlib.import_module("recombine." + path.removesuffix(".py").replace("/", "."))
        tests = self.recorded(session)
        alone: dict[str, bool] = {}
        for fault in self.wanted:
            if time.monotonic() > self.ends:
                break
            began = time.monotonic()
            where = (fault.path, fault.line)
            close = sorted((test for test in tests if where in test.lines), key=lambda t: t.seconds)
            end, by = "passed", ""
            while close:
                end, by = self.tried(session, fault, close)
                if end != "caught" or not by:
                    break
                if by not in alone:  # does it pass by itself when nothing is wrong?
                    test = [test for test in close if test.name == by]
                    alone[by] = self.tried(session, None, test)[0] == "passed"
                if alone[by]:
                    break
                tests = [test for test in tests if test.name != by]
                close = [test for test in close if test.name != by]
                end, by = "passed", ""
            if end != "void":
                seconds = round(time.monotonic() - began, 1)
                self.row(
                    area=self.area, **fault._asdict(), end=end, by=by, asked=len(close),
                    seconds=seconds,
                )  # fmt: skip
        return True

    def recorded(self, session: Any) -> list[Test]:
        """Run every test once in a copy of this process; those that fail are left out."""
        folder = Path(tempfile.mkdtemp())
        child = os.fork()
        if not child:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
            with (folder / "tests").open("w") as stream, contextlib.suppress(BaseException):
                self._record(session, stream, folder)
            os._exit(0)
        os.waitpid(child, 0)
        rows = [json.loads(line) for line in (folder / "tests").read_text().splitlines()]
        for name in json.loads((folder / "modules").read_text()):
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        shutil.rmtree(folder, ignore_errors=True)
        for row in rows:
            if row["failed"]:
                print(f"fails without a fault, left out: {row['name']}", flush=True)
        return [
            Test(
                row["name"], row["seconds"], frozenset((path, line) for path, line in row["lines"])
            )
            for row in rows
            if not row["failed"]
        ]

    def _record(self, session: Any, stream: Any, folder: Path) -> None:
        paths = {str(PACKAGE / path): path for path in files(self.area)}
        for item, after in zip(session.items, [*session.items[1:], None], strict=True):
            # Copies that a test makes of this process write into the same file.
            reached = os.open(folder / "lines", os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
            failed, began = session.testsfailed, sum(os.times()[:4])
            with _traced(paths, reached):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            os.close(reached)
            lines = {
                tuple(line.split("\t")) for line in (folder / "lines").read_text().splitlines()
            }
            row = {
                "name": item.nodeid, "failed": session.testsfailed > failed,
                "seconds": round(sum(os.times()[:4]) - began, 3),
                "lines": [(path, int(line)) for path, line in sorted(lines)],
            }  # fmt: skip
            stream.write(json.dumps(row) + "\n")
            stream.flush()
        (folder / "modules").write_text(json.dumps([n for n in sys.modules if "test" not in n]))

    def tried(self, session: Any, fault: Fault | None, close: Sequence[Test]) -> tuple[str, str]:
        """Run tests in a copy of this process; say how they end, and which one noticed."""
        asked, total = [], 0.0
        for test in close:
            total += test.seconds
            if asked and total > ENOUGH:
                break
            asked.append(test.name)
        items = {item.nodeid: item for item in session.items}
        folder = Path(tempfile.mkdtemp())
        child = os.fork()
        if not child:
            os.setsid()
            limit = int(20 + 5 * total)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
            code = 3
            with contextlib.suppress(BaseException):
                code = self._noticed(session, fault, [items[name] for name in asked], folder)
            os._exit(code)
        limit = time.monotonic() + 120 + 20 * total
        end = "hung"
        while time.monotonic() < limit:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                end = {
                    0: "passed",
                    2: "void",
                    -signal.SIGXCPU: "hung",
                    -signal.SIGKILL: "hung",
                }.get(code, "caught")
                break
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if end == "hung":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)
        by = (folder / "by").read_text() if (folder / "by").exists() else ""
        shutil.rmtree(folder, ignore_errors=True)
        return end, by

    def _noticed(self, session: Any, fault: Fault | None, items: list[Any], folder: Path) -> int:
        if fault is not None and not plant(fault):
            return 2
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                (folder / "by").write_text(item.nodeid)
                return 1
        return 0


@contextlib.contextmanager
def _traced(paths: dict[str, str], reached: int) -> Iterator[None]:
    """Write each line of these files that runs, once."""
    seen: set[tuple[str, int]] = set()
    calls: dict[CodeType, int] = {}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            place = frame.f_code.co_filename, frame.f_lineno
            if place not in seen:
                seen.add(place)
                os.write(reached, f"{paths[place[0]]}\t{place[1]}\n".encode())
                calls[frame.f_code] = 0
        return line

    def call(frame: FrameType, _: str, __: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in paths:
            return None
        calls[code] = calls.get(code, 0) + 1
        # A function that has shown nothing new for long is not looked at any more: time.
        return line if calls[code] < 1000 else None

    threading.settrace(call)
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]


def tried_area(area: str, wanted: list[Fault], ends: float, sender: Any) -> None:
    """Collect the tests of an area and try faults; runs in a process of its own."""
    import pytest

    told = os.open(
        os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_APPEND | os.O_CREAT
    )
    os.dup2(told, 1)
    os.dup2(told, 2)
    bench = Bench(area, wanted, ends, lambda **row: sender.send(row))
    names = [str(path) for name in AREAS[area][1] for path in sorted(ROOT.glob(name))]
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", MARKS]
    pytest.main([*quiet, *names], plugins=[bench])
    sender.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Plant faults and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--area", action="append", choices=[*AREAS], help="only this; may be given more than once"
    )
    parser.add_argument("--number", type=int, default=600, help="faults over all areas")
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--seconds", type=float, default=math.inf, help="none is begun after that")
    parser.add_argument("--out", type=Path, help="a file to add every trial to")
    parser.add_argument("--again", type=Path, help="try what survived in this file of --out")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    # Not the folder of this script: its grammar.py is not the tests' package of that name.
    sys.path[:] = [part for part in sys.path if Path(part) != ROOT / "benchmarks"]
    for heavy in ("hypothesis", "numpy", "pytest", "sacrebleu", "scipy.stats"):
        importlib.import_module(heavy)
    rows: list[dict[str, Any]] = []
    if options.out is not None and options.out.exists():
        rows = [json.loads(line) for line in options.out.read_text().splitlines()]
    known = {(row["path"], row["node"], row["kind"]) for row in rows}
    ends = time.monotonic() + options.seconds
    areas = options.area or [*AREAS]
    fork = multiprocessing.get_context("fork")
    survivors = []
    if options.again is not None:
        earlier = [json.loads(line) for line in options.again.read_text().splitlines()]
        survivors = [row for row in earlier if row["end"] == "passed"]
    for area in areas:
        wanted = chosen(area, math.ceil(options.number / len(areas)), options.seed)
        if options.again is not None:
            wanted = [
                Fault(row["path"], row["node"], row["kind"], row["line"])
                for row in survivors
                if row["area"] == area
            ]
        wanted = [fault for fault in wanted if (fault.path, fault.node, fault.kind) not in known]
        if not wanted or time.monotonic() > ends:
            continue
        receiver, sender = fork.Pipe(duplex=False)
        process = fork.Process(target=tried_area, args=(area, wanted, ends, sender))
        process.start()
        sender.close()
        with contextlib.suppress(EOFError):
            while True:
                row = {"seed": options.seed, **receiver.recv()}
                rows.append(row)
                if options.out is not None:
                    with options.out.open("a") as stream:
                        stream.write(json.dumps(row) + "\n")
                if row["end"] == "passed":
                    text = (PACKAGE / row["path"]).read_text(encoding="utf-8").splitlines()
                    where = f"{row['path']}:{row['line']} ({row['kind']})"
                    print(f"survived: {where}: {text[row['line'] - 1].strip()}", flush=True)
        process.join()
    print("| area | planted | caught | survived |\n| --- | ---: | ---: | ---: |")
    for area in [*AREAS, "all"]:
        of = [row for row in rows if area in (row["area"], "all")]
        if of:
            lost = sum(row["end"] == "passed" for row in of)
            print(f"| {area} | {len(of)} | {len(of) - lost} ({1 - lost / len(of):.0%}) | {lost} |")


if __name__ == "__main__":
    main()
