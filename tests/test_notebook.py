"""The notebook of the docs: what it shows is what its cells give."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any


def run_cell(text: str, names: dict[str, Any]) -> Any:
    """Run the statements of a cell; return what its last line is, as a notebook does."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102  our own notebook
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def test_the_notebook_runs_and_shows_what_it_gives(repository: Path, tmp_path, monkeypatch) -> None:
    """In an empty folder, cell by cell; scores stand in it as they come out."""
    monkeypatch.chdir(tmp_path)
    path = repository / "docs" / "your-model.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    compared = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        value = run_cell("".join(cell["source"]), names)
        shown = "".join(
            line
            for output in cell["outputs"]
            for line in output.get("data", {}).get("text/plain", ())
        )
        if shown.startswith("<Evaluation"):
            assert repr(value) == shown
            compared += 1
    assert compared == 2
    assert (tmp_path / "out" / "report" / "report.html").is_file()
