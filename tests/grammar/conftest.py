"""Grammars that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar


@pytest.fixture(scope="session")
def toy() -> Grammar:
    """The shipped toy grammar."""
    return Grammar.load("toy")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the small grammar, with some files replaced or added; return its folder."""

    def build(changes: dict[str, str] | None = None, **more: str) -> Path:
        folder = tmp_path / "small"
        for name, text in {**SMALL, **(changes or {}), **more}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return build


@pytest.fixture
def small(write: Write) -> Grammar:
    """The worked example of the format page."""
    return Grammar.load(write())
