"""Every command of the docs runs, page by page, or its page says why it cannot run here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doc_pages import PAGES, Page, Shell, blocks


@pytest.fixture(scope="module")
def sget_mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark that most pages begin with, built once."""
    folder = tmp_path_factory.mktemp("pages") / "sget-mini"
    command = [sys.executable, "-m", "recombine.cli", "build", "sget-mini", "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=Path(page.path).stem, marks=[pytest.mark.slow] if page.slow else [])
        for page in PAGES
    ],
)
def test_the_commands_of_a_page_run(
    page: Page, repository: Path, sget_mini: Path, tmp_path: Path
) -> None:
    """In order, in a folder with what the page takes for granted."""
    shutil.copytree(sget_mini, tmp_path / "out" / "sget-mini")
    (tmp_path / "examples").symlink_to(repository / "examples")
    shell = Shell(tmp_path, page.shorter)
    printed = ""
    with shell.closing:
        page.prepare(shell)
        for block in blocks(repository / page.path):
            if block.file and not block.file.startswith("examples/"):
                text = block.text
                for old, new in shell.replaced.items():
                    text = text.replace(old, new)
                path = tmp_path / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            elif block.script and not block.reason:
                printed += shell.run(block.script)
    assert [text for text in page.printed if text not in printed] == []


def test_every_page_with_commands_is_run(repository: Path) -> None:
    """A block that is not run has a reason, and a file that a reason names is there."""
    listed = {page.path for page in PAGES}
    for path in [repository / "README.md", *repository.glob("docs/**/*.md")]:
        name = str(path.relative_to(repository))
        left = [block for block in blocks(path) if block.script and not block.reason]
        assert not left or name in listed or name.count("/") > 2, f"{name}: {left[0].text}"
        for block in blocks(path):
            for file in re.findall(r"tests/[\w/]+\.py", block.reason):
                assert (repository / file).is_file(), f"{name}: {file}"
