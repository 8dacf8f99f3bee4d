"""The tree is the architecture: chapters import only chapters below, and nothing imports itself."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

import pytest

# Lowest first (docs/contributing/decisions/0001-layers.md). A module may import its own chapter
# and anything below.
LAYERS = [
    {"errors"},
    {"encoding", "kernels", "lock"},
    {"config", "files"},
    {"registry", "progress", "stage"},
    {"parallel", "templates"},
    {"benchmark", "statistics"},
    {"draft"},
    {"grammar"},
    {"corpus"},
    {"builders", "systems"},
    {"augment"},
    {"metrics"},
    {"experiment"},
    {"report"},
    {"methods"},
    {"evaluation", "export", "testing"},
    {"cli"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
# A chapter of more entries than this has chapters in it.
MOST_ENTRIES = 15


@functools.cache
def sources(repository: Path) -> dict[str, ast.Module]:
    """Return every module by its dotted name, without `recombine`."""
    root = repository / "src" / "recombine"
    return {
        ".".join(path.relative_to(root).with_suffix("").parts): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(root.rglob("*.py"))
    }


def imports(modules: dict[str, ast.Module], name: str) -> set[str]:
    """Return the modules that one imports: when loaded, inside a function or for its types."""
    found = set()
    for node in ast.walk(modules[name]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recombine"):
            parent = (node.module or "").removeprefix("recombine").removeprefix(".")
            for alias in node.names:
                below = f"{parent}.{alias.name}".removeprefix(".")
                for target in (below, f"{below}.__init__", parent, f"{parent}.__init__"):
                    if target in modules:
                        found.add(target)
                        break
    return found


def test_imports_only_go_down(repository):
    """A lower chapter that needs a higher one is in the wrong place."""
    modules = sources(repository)
    wrong = []
    for name in modules:
        own = name.partition(".")[0]
        if own == "__init__":
            continue
        assert own in RANK, f"{name}: give '{own}' a layer"
        wrong += [
            f"{name} imports {target}"
            for target in imports(modules, name)
            if (chapter := target.partition(".")[0]) != "__init__"
            and chapter != own
            and RANK[chapter] >= RANK[own]
        ]
    assert wrong == []


def test_no_file_needs_itself(repository):
    """Two files that need each other miss a noun between them; imports for types count."""
    modules = sources(repository)
    graph = {name: imports(modules, name) for name in modules if name != "__init__"}
    circles = set()
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            circles.add(" -> ".join([*path[path.index(name) :], name]))
        elif name not in done:
            for target in sorted(graph.get(name, ())):
                visit(target, [*path, name])
            done.add(name)

    for name in sorted(graph):
        visit(name, [])
    assert circles == set()


def test_no_two_classes_share_a_name(repository):
    """A reader who finds a class by its name has found it."""
    names = Counter(
        node.name
        for module in sources(repository).values()
        for node in module.body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_no_folder_is_crowded(repository):
    """Which chapters are in there?"""
    folders = Counter(
        path.parent
        for path in (repository / "src" / "recombine").rglob("*.py")
        if path.name != "__init__.py"
    )
    crowded = {
        str(folder.relative_to(repository)): count
        for folder, count in folders.items()
        if count > MOST_ENTRIES
    }
    assert crowded == {}


def test_every_chapter_has_its_tests(repository):
    """Tests mirror the folders; a test file is about a concept, not about a file."""
    missing = {
        ".".join(name.split(".")[:-1])
        for name in sources(repository)
        if "." in name
        and not any((repository / "tests" / Path(*name.split(".")[:-1])).glob("test_*.py"))
    }
    assert missing == set()


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "core", "manager", "misc"])
def test_no_drawer_for_the_homeless(repository, name):
    """A function without a home is missing its noun."""
    assert not [module for module in sources(repository) if name in module.split(".")]


def test_only_the_command_line_prints(repository):
    """Everything below returns values or raises."""
    printing = [
        name
        for name, module in sources(repository).items()
        if name.partition(".")[0] != "cli"
        and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            for node in ast.walk(module)
        )
    ]
    assert printing == []


def test_the_overview_names_files_that_are_there(repository):
    """docs/overview.md names a few files to begin with; one that moves takes its sentence along."""
    text = (repository / "docs" / "overview.md").read_text(encoding="utf-8")
    files = [f"/{name.replace('.', '/')}.py" for name in sources(repository)]
    named = re.findall(r"`([\w/]+\.py)`", text)
    assert [name for name in named if not any(f.endswith(f"/{name}") for f in files)] == []
    assert len(set(named)) >= 20


def test_tests_import_public_names_only(repository: Path) -> None:
    """A test of a private name holds back whoever wants to change what it does not promise."""
    private = [
        f"{path.relative_to(repository)}:{node.lineno} {alias.name}"
        for path in sorted((repository / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recombine")
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert private == []
