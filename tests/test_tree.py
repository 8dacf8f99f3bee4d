"""The tree is the architecture: tests mirror sources, and imports only go down."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

# Lowest first (docs/decisions/0001-layers.md). A module may import its own layer's package and
# anything below.
LAYERS = [
    {"errors"},
    {"config", "cost", "files", "pause"},
    {"registry"},
    {"run"},
    {"benchmark"},
    {"grammar"},
    {"systems", "metrics"},
    {"builders", "report"},
    {"experiment"},
    {"export", "evaluation", "testing", "cluster", "plan"},
    {"cli"},
]
# The oracle translates with a grammar, and two metrics parse hypotheses with one.
READS_GRAMMAR = {"systems/oracle", "metrics/partial", "metrics/anatomy"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def modules(repository: Path) -> list[Path]:
    """Return every source file but package markers."""
    source = repository / "src" / "recombine"
    return [path.relative_to(source) for path in sorted(source.rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Return the parts of recombine that a file imports when it is loaded or run."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("recombine.")}
    return {name for name in found if name in RANK}


def test_imports_only_go_down(repository):
    """A lower layer that needs a higher one is in the wrong place."""
    wrong = []
    for path in modules(repository):
        own = path.parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        assert own in RANK, f"{path}: give '{own}' a layer"
        for name in imported(repository / "src" / "recombine" / path):
            same = name == own
            reads_grammar = name == "grammar" and own in ("systems", "metrics")
            if reads_grammar:
                allowed = path.with_suffix("").as_posix() in READS_GRAMMAR
            else:
                allowed = same or RANK[name] < RANK[own]
            if not allowed:
                wrong.append(f"{path} imports {name}")
    assert wrong == []


def test_every_module_has_its_tests(repository):
    """src/recombine/a/b.py is tested by tests/a/test_b.py."""
    missing = [
        path.as_posix()
        for path in modules(repository)
        if not path.name.startswith("__")
        and not (repository / "tests" / path.parent / f"test_{path.name}").is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "core", "manager", "misc"])
def test_no_drawer_for_the_homeless(repository, name):
    """A function without a home is missing its noun."""
    assert not [path for path in modules(repository) if name in path.with_suffix("").parts]


def test_only_the_command_line_prints(repository):
    """Everything below returns values or raises."""
    printing = [
        path.as_posix()
        for path in modules(repository)
        if path.parts[0] != "cli"
        and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            for node in ast.walk(
                ast.parse((repository / "src" / "recombine" / path).read_text(encoding="utf-8"))
            )
        )
    ]
    assert printing == []
