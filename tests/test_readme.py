"""Links between pages lead somewhere, and the ten lines of Python run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def pages(repository: Path) -> list[Path]:
    """Return every Markdown page we write by hand."""
    return [
        *repository.glob("*.md"),
        *repository.glob("docs/**/*.md"),
        *repository.glob("examples/**/*.md"),
    ]


def test_the_ten_lines_of_the_python_page_run(repository, tmp_path):
    """A user's model, evaluated as the page says."""
    page = (repository / "docs" / "python-api.md").read_text(encoding="utf-8")
    block = re.search(r"in ten lines\n\n```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    assert len([line for line in block.group(1).splitlines() if line]) <= 10
    command = [sys.executable, "-c", block.group(1)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^gen +exact +0\.0 \(0\.0 to 0\.\d\) +n=\d+$", done.stdout, re.MULTILINE)


def test_links_between_pages_lead_somewhere(repository):
    """No page promises another that is not there."""
    broken = [
        f"{page.relative_to(repository)}: {link}"
        for page in pages(repository)
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


@pytest.mark.parametrize("folder", ["/home/", "/root/", "/Users/"])
def test_no_page_names_a_machine(repository, folder):
    """Documentation speaks of Recombine, not of the place it was written."""
    assert [page for page in pages(repository) if folder in page.read_text("utf-8")] == []
