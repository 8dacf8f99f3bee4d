"""Scripts beside the package: what they import is there, and they say what they do."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("reproduce-*/*.py"))
IMPORT = re.compile(r"^\s*from (recombine[\w.]*) import (\([^)]*\)|[^\n#]*)", re.MULTILINE)


def names_of(source: Path, module: str) -> set[str]:
    """What can be imported from a module, by its text: some need what is not installed here."""
    place = source.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    names = {path.stem for path in place.iterdir()} if place.is_dir() else set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)  # names that are loaded when they are asked for
    return names


def test_what_scripts_and_pages_import_is_there(repository: Path) -> None:
    """No benchmark, example or page imports what was renamed."""
    files = [
        *repository.glob("benchmarks/**/*.py"),
        *repository.glob("examples/**/*.py"),
        *repository.glob("docs/**/*.md"),
        *repository.glob("docs/**/*.py"),
    ]
    missing, seen = [], 0
    for file in files:
        for module, imported in IMPORT.findall(file.read_text(encoding="utf-8")):
            there = names_of(repository / "src", module)
            for name in re.split(r"[,;]", imported.strip("()")):
                words = name.split()
                seen += bool(words)
                if words and words[0] not in there:
                    missing.append(f"{file.relative_to(repository)}: {module}.{words[0]}")
    assert missing == []
    assert seen > 50


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_help(path: Path, monkeypatch, capsys) -> None:
    """`--help` is answered, with how to call it."""
    monkeypatch.setattr("sys.argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(path), run_name="__main__")
    assert stopped.value.code == 0
    assert path.name in capsys.readouterr().out
