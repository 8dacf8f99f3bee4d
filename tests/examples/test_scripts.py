"""Every script that makes a raw file of the results says what it does."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("reproduce-*/*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_help(path: Path, monkeypatch, capsys) -> None:
    """`--help` is answered, with how to call it."""
    monkeypatch.setattr("sys.argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(path), run_name="__main__")
    assert stopped.value.code == 0
    assert path.name in capsys.readouterr().out
