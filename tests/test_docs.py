"""The docs site: every page is found, commands and files are read, nothing is from elsewhere."""

from __future__ import annotations

import argparse
import functools
import http.server
import re
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from recombine.builders.recipe import read_recipe
from recombine.cli.parser import make_parser
from recombine.experiment.experiment import read_experiment

TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")


def pages(repository: Path) -> list[Path]:
    """Every page of the site; notes that lie beside raw results are none."""
    found = [*repository.glob("docs/**/*.md"), *repository.glob("docs/**/*.ipynb")]
    return sorted(path for path in found if path.parent.parent.name != "results")


def commands(text: str) -> list[list[str]]:
    """The calls of recombine in the blocks of a page, without what the shell does with them."""
    found = []
    for kind, block in BLOCK.findall(text):
        if kind not in ("", "sh", "console"):
            continue
        for line in block.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                continue  # what was printed
            try:
                lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>;&")
                lexer.whitespace_split = True
                words = list(lexer)
            except ValueError:
                continue
            call: list[str] | None = None
            for word in [*words, ";"]:
                if word == "recombine" and call is None:
                    call = []
                elif set(word) <= set("|<>;&"):
                    if call is not None:
                        found.append(call)
                    call = None
                elif call is not None:
                    call.append(word)
    return found


def test_every_page_is_in_a_contents(repository: Path) -> None:
    """A page that no table of contents names cannot be found."""
    named = {repository / "docs" / "index"}
    for page in pages(repository):
        if page.suffix == ".md":
            for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
                for line in block.splitlines():
                    if line and not line.startswith(":"):
                        found = [
                            *page.parent.glob(f"{line}.md"),
                            *page.parent.glob(f"{line}.ipynb"),
                        ]
                        assert found, f"{page}: {line}"
                        named.update(one.with_suffix("") for one in found)
    assert [page for page in pages(repository) if page.with_suffix("") not in named] == []


def texts(repository: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every page that is Markdown, the README first."""
    for page in [repository / "README.md", *pages(repository)]:
        if page.suffix == ".md":
            yield page.name, page.read_text(encoding="utf-8")


def test_every_command_in_the_docs_is_one(repository: Path, capsys) -> None:
    """The parser takes each as it is written: no verb or option that is not there."""
    parser = make_parser()
    seen, wrong = 0, []
    for name, text in texts(repository):
        for call in commands(text):
            call = call[: call.index("#")] if "#" in call else call
            seen += 1
            try:
                options = parser.parse_args(call)
            except (SystemExit, argparse.ArgumentError):
                wrong.append(f"{name}: recombine {' '.join(call)}")
                continue
            if options.verb == "build" and not options.recipe.endswith(".toml"):
                read_recipe(options.recipe, options.overrides)  # each key is an option
    capsys.readouterr()
    assert wrong == []
    assert seen > 40


def test_every_recipe_and_experiment_in_the_docs_is_read(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each key and value of a TOML block is one that the program knows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "gen.txt").touch()
    file = tmp_path / "block.toml"
    read = 0
    for _, text in texts(repository):
        for kind, block in BLOCK.findall(text):
            data = tomllib.loads(block) if kind == "toml" else {}
            if "builder" in data or "split" in data:
                file.write_text(
                    block if "builder" in data else f'preset = "sget"\n{block}', "utf-8"
                )
                read_recipe(str(file))
            elif "system" in data:
                start = "" if "benchmark" in data else 'benchmark = "b"\n'
                file.write_text(start + block, "utf-8")
                read_experiment(file)
            else:
                continue
            read += 1
    assert read > 20


def test_pages_link_to_pages_of_the_site(repository: Path) -> None:
    """A Markdown file elsewhere in the repository is no page; a folder or file may be named."""
    docs = repository / "docs"
    link = re.compile(r"\]\((?!https?:)([^)#]+\.md)(?:#[^)]*)?\)")
    left = [
        f"{page.relative_to(repository)}: {target}"
        for page in pages(repository)
        for target in link.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).resolve().is_relative_to(docs.resolve())
    ]
    assert left == []


def test_files_that_pages_name_are_there(repository: Path) -> None:
    """Also those that notes beside raw results name."""
    named = re.compile(r"`((?:src|tests|benchmarks|examples|docs)/[\w./-]+\.\w+)`")
    missing = [
        f"{page.relative_to(repository)}: {name}"
        for folder in ("", "docs/**/", "examples/**/")
        for page in repository.glob(f"{folder}*.md")
        for name in named.findall(page.read_text(encoding="utf-8"))
        if not (repository / name).exists()
    ]
    assert missing == []


def test_pictures_are_there_and_small(repository: Path) -> None:
    """Each is shown somewhere, says what is to be seen, and is under 300 KB."""
    shown = set()
    for page in [repository / "README.md", *pages(repository)]:
        for path in IMAGE.findall(page.read_text(encoding="utf-8")):
            shown.add((page.parent / path).resolve())
    there = {path.resolve() for path in (repository / "docs" / "images").iterdir()}
    assert shown == there
    assert [path for path in there if path.stat().st_size > 300_000] == []


def test_readme_and_tutorial_show_the_same_run(repository: Path) -> None:
    """Each score in the README's table stands in what the tutorial shows `make run` to print."""
    readme = (repository / "README.md").read_text(encoding="utf-8")
    tutorial = (repository / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"```text\n(.*?)```", tutorial, re.DOTALL)
    rows = re.findall(r"^\| ((?:transformer|recombined) \(.*?\)) \|(.*)\|$", readme, re.MULTILINE)
    assert len(rows) == 2
    for system, scores in rows:
        (line,) = (
            line for line in printed.splitlines() if re.match(rf"{re.escape(system)}  ", line)
        )
        assert [score for score in map(str.strip, scores.split("|")) if score not in line] == []


def test_code_does_not_overflow(repository: Path) -> None:
    """No line is wider than a page shows; what a program prints may scroll."""
    wide = [
        f"{name}: {line}"
        for name, text in texts(repository)
        for kind, block in BLOCK.findall(text)
        for line in block.splitlines()
        if kind != "text" and len(line) > (90 if name == "README.md" else 98)
    ]
    assert wide == []


@pytest.fixture(scope="module")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it: a warning is an error."""
    pytest.importorskip("furo", reason="the docs need: pip install 'recombine[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, str(repository / "docs"), str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    """No font or script comes from a host; the reference is written by the program."""
    loaded = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"(https?:)?//")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page
    assert "--dry-run" in (site / "reference" / "cli.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_search_finds_pages_with_excerpts(site: Path) -> None:
    """Served as `make docs-serve` does, a word of a page leads to it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here: install the package chromium")
    api = pytest.importorskip("playwright.sync_api")
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with api.sync_playwright() as player:
            browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/search.html?q=walrus")
            page.wait_for_selector("#search-results li p.context", timeout=30_000)
            found = page.inner_text("#search-results")
            browser.close()
        server.shutdown()
    assert "Add a word to a language" in found
    assert "walrus" in found.lower()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line per request."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""
