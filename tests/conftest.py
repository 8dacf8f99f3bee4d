"""Fixtures that every test may use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

# Tests run side by side, a core each: threads that wait for each other there cost twice the time.
# Before PyTorch is imported, and for the commands that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no fault of the code: no example has a time limit.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What a developer may ask for."""
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")
    parser.addoption("--moments", type=int, default=6, help="kills of each command (test-faults)")
    parser.addoption("--fault-table", help="write the table of faults here, as CSV (test-faults)")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The papers' published data; it is not ours to ship, so tests that need it may skip."""
    path = Path(os.environ.get("RECOMBINE_REFERENCE_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip("the published data is not here: set RECOMBINE_REFERENCE_DATA to its folder")
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium, which asks the network for nothing by itself."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium here: install the package chromium")
    api = pytest.importorskip("playwright.sync_api")
    flags = [
        "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update",
    ]  # fmt: skip
    with api.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares text with a golden file of that name."""

    def compare(name: str, actual: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8", newline="\n")
        assert path.is_file(), f"no golden file {name}: run pytest --update-golden and review"
        assert path.read_text(encoding="utf-8") == actual

    return compare


@pytest.fixture
def small_benchmark(tmp_path: Path) -> Path:
    """A benchmark of a few lines of our own text, built by the `imported` builder."""
    from recombine.builders.recipe import build

    folder = tmp_path / "small"
    folder.mkdir()
    texts = {
        "train": [("The dog ran.", "Der Hund lief."), ("A cat slept.", "Eine Katze schlief.")],
        "test": [
            ("The king saw a queen.", "Der König sah eine Königin."),
            ("A dog slept.", "Ein Hund schlief."),
            ("The cat ran.", "Die Katze lief."),
        ],
    }
    overrides = ["benchmark.name=small", "benchmark.source=en", "benchmark.target=de"]
    for split, pairs in texts.items():
        for side, language in ((0, "en"), (1, "de")):
            path = folder / f"{split}.{language}"
            path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
        overrides += [
            f'split.{split}.source="{folder / split}.en"',
            f'split.{split}.references=["{folder / split}.de"]',
            f'split.{split}.tags.pattern="{split}"',
        ]
    return build("imported", tmp_path / "benchmark", overrides=overrides).path
