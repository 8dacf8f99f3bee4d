"""The docs site: pages are linked, commands parsed, files read, nothing is from elsewhere."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import http.server
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doc_pages import blocks
from in_browser import PATIENCE
from recombine.benchmark import Example, Manifest
from recombine.builders.recipe import read_recipe
from recombine.cli.parser import make_parser
from recombine.experiment.experiment import SETTINGS, Experiment, read_experiment
from recombine.metrics.score import COLUMNS

TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(recombine [\w-]+ [^`]+)`")
IMAGE = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")


def pages(repository: Path) -> list[Path]:
    """Every page of the site; notes that lie beside raw results are none."""
    paths = [*repository.glob("docs/**/*.md"), *repository.glob("docs/**/*.ipynb")]
    return sorted(path for path in paths if path.parent.parent.name != "results")


def commands(page: Path) -> list[list[str]]:
    """The calls of recombine in blocks and in sentences, without what the shell does with them."""
    lines = [block.script.replace("\\\n", " ") for block in blocks(page)]
    # In a sentence `recombine sample` names the verb; with more words it is a command.
    lines += INLINE.findall(page.read_text(encoding="utf-8"))
    calls = []
    for line in "\n".join(lines).splitlines():
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
                    calls.append(call)
                call = None
            elif call is not None:
                call.append(word)
    return calls


def test_every_page_is_in_a_contents(repository: Path) -> None:
    """A page that no table of contents names cannot be found."""
    named = {repository / "docs" / "index"}
    for page in pages(repository):
        if page.suffix == ".md":
            for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
                for line in block.splitlines():
                    if line and not line.startswith(":"):
                        files = [
                            *page.parent.glob(f"{line}.md"),
                            *page.parent.glob(f"{line}.ipynb"),
                        ]
                        assert files, f"{page}: {line}"
                        named.update(file.with_suffix("") for file in files)
    assert [page for page in pages(repository) if page.with_suffix("") not in named] == []


def texts(repository: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every page that is Markdown, the README first."""
    for page in [repository / "README.md", *pages(repository)]:
        if page.suffix == ".md":
            yield str(page.relative_to(repository)), page.read_text(encoding="utf-8")


def test_every_command_in_the_docs_is_one(repository: Path, capsys) -> None:
    """The parser takes each as it is written: no verb or option that is not there."""
    parser = make_parser()
    seen, wrong = 0, []
    for page in (repository / name for name, _ in texts(repository)):
        for call in commands(page):
            call = call[: call.index("#")] if "#" in call else call
            if "VERB" in call:
                continue  # any of them
            seen += 1
            try:
                options = parser.parse_args(call)
            except (SystemExit, argparse.ArgumentError):
                wrong.append(f"{page.name}: recombine {' '.join(call)}")
                continue
            if options.verb != "build" or options.recipe.isupper():
                continue  # RECIPE stands for any of them
            if not options.recipe.endswith(".toml"):
                read_recipe(options.recipe, options.overrides)  # each key is an option
    capsys.readouterr()
    assert wrong == []
    assert seen > 120


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


def test_the_page_on_formats_has_the_fields_of_the_code(repository: Path) -> None:
    """Neither more nor fewer, in the first column of the table under each heading."""
    text = (repository / "docs" / "formats.md").read_text(encoding="utf-8")

    def fields(kind: type) -> set[str]:
        return {field.name for field in dataclasses.fields(kind)}

    for heading, expected in {
        "### `benchmark.toml`": fields(Manifest),
        "### Examples: `<split>.jsonl`": fields(Example),
        "## Experiment: `experiment.toml`": fields(Experiment) | {"preset", *SETTINGS} - {"use"},
    }.items():
        (section,) = re.findall(
            rf"^{re.escape(heading)}\n(.*?)(?=^##)", text, re.DOTALL | re.MULTILINE
        )
        cells = re.findall(r"^\| (.*?`.*?) \|", section, re.MULTILINE)
        names = {name for cell in cells for name in re.findall(r"`\[?(\w+)[^`]*`", cell)}
        assert names == expected, heading
    columns = re.search(r"\*\*scores\.csv\*\*: `([^`]+)`", text)
    assert columns is not None
    assert tuple(columns[1].split(", ")) == COLUMNS


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


def test_files_of_the_overview_are_there(repository: Path) -> None:
    """Those that a newcomer is told to read, each stage five."""
    text = (repository / "docs" / "overview.md").read_text(encoding="utf-8")
    source = repository / "src" / "recombine"
    names = re.findall(r"`((?:\w+/)+\w+\.py)`", text)
    assert len(names) > 25
    assert [name for name in names if not (source / name).exists()] == []
    for stage in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        assert len(re.findall(r"^\d\. `", stage, re.MULTILINE)) == 5, stage.splitlines()[0]


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
        if kind != "text" and len(line) > (80 if name == "README.md" else 98)
    ]
    assert wide == []


def test_the_readme_fits_a_terminal(repository: Path) -> None:
    """Only rows of tables are wider than 80 columns."""
    lines = (repository / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("|")] == []


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
def test_search_finds_pages_with_excerpts(site: Path, browser: Any) -> None:
    """Served as `make docs-serve` does, a word of a page leads to it."""
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/search.html?q=walrus")
        page.wait_for_selector("#search-results li p.context", timeout=1000 * PATIENCE)
        results = page.inner_text("#search-results")
        page.close()
        server.shutdown()
    assert "Add a word to a language" in results
    assert "walrus" in results.lower()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line per request."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""
