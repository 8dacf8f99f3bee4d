"""The page and the tables are inert: hostile hypotheses, names and tags are text everywhere."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from faults.inputs import experiment
from recombine.benchmark import Example
from recombine.builders.recipe import FORMAT
from recombine.draft import Draft

MARK = "pwned"
HOSTILE = (
    f"<script>window.{MARK}=1</script>",
    f'"><img src=x onerror="window.{MARK}=1">',
    f"</script><script>window.{MARK}=1</script>",
    f"<svg onload=window.{MARK}=1>",
    f"</style><script>window.{MARK}=1</script>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "<img src=http://127.0.0.1:9/x.png>",
    f"javascript:window.{MARK}=1",
    "]]><!--",
    '=HYPERLINK("http://127.0.0.1:9","x")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    r"\input{/etc/passwd}\write18{id}",
    "[click](http://127.0.0.1:9) ![x](http://127.0.0.1:9/y.png)",
    "${7*7} {{7*7}} <%= 7*7 %>",
    "&lt;b&gt; &#x3c;script&#x3e;",
)


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory, warm):
    """A report on a benchmark, systems and translations that a stranger made."""
    folder = tmp_path_factory.mktemp("hostile")
    examples = [
        Example.make(
            source=f"{text} source {number}",
            references=[f"{text} reference", f"{text} other"],
            tags={"kind": text, f"tag {HOSTILE[number % len(HOSTILE)][:20]}": "x"},
        )
        for number, text in enumerate(HOSTILE * 3)
    ]
    draft = Draft(folder / "benchmark", seed=0)
    draft.write("test", examples[: len(HOSTILE)])
    draft.write("gen", examples[len(HOSTILE) :])
    draft.set_card("A card.")
    draft.finish(
        {
            "format": FORMAT, "name": f"a/../../../x{HOSTILE[0]}", "version": HOSTILE[1],
            "source": HOSTILE[2][:12], "target": HOSTILE[3][:12], "builder": "imported", "seed": 0,
            "licence": HOSTILE[5], "citation": HOSTILE[6], "metrics": ["exact", "chrf"],
            "recombine": "0", "recipe": {},
        }
    )  # fmt: skip
    (folder / "say.py").write_text(
        f"import sys\nbad = {HOSTILE!r}\n"
        "for number, line in enumerate(sys.stdin): print(bad[number % len(bad)], flush=True)\n"
    )
    experiment(
        folder, "e",
        {"copy": {"use": "copy"}, "bad": {"use": "command", "run": ["python3", "say.py"]}},
        splits=["test", "gen"],
    )  # fmt: skip
    ended = warm.run(["run", "e.toml"], folder)
    assert ended.fault(0) == ""
    return folder


def test_the_page_in_a_browser(hostile_report, survive, browser):
    """Nothing runs, nothing is loaded from elsewhere, whatever is clicked."""
    pages = sorted((hostile_report / "runs/e/report").rglob("*.html"))
    drawn = sorted((hostile_report / "runs/e/report").rglob("*.svg"))
    assert pages
    for path in [*pages, *drawn[:6]]:
        page = browser.new_page()
        asked: list[str] = []
        dialogs: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("dialog", lambda one, dialogs=dialogs: (dialogs.append(one.message), one.dismiss()))
        page.goto(path.as_uri())
        page.wait_for_timeout(300)
        for element in page.query_selector_all("button, summary, select, [role=tab]")[:25]:
            if element.is_visible():
                element.click(timeout=1000, no_wait_after=True)
        page.wait_for_timeout(200)
        remote = [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
        ran = page.evaluate(f"typeof window.{MARK}") != "undefined"
        wrong = f"{path.name}: ran {ran}, dialogs {dialogs}, asked {remote}"
        kind = "the page" if path.suffix == ".html" else "a figure"
        survive("hostile text", kind, wrong if ran or dialogs or remote else "")
        page.close()


def test_the_page_forbids_all_but_its_own(hostile_report, survive):
    """A policy in every page: no other script, nothing from outside."""
    for path in sorted((hostile_report / "runs/e/report").rglob("*.html")):
        found = re.search(r'Security-Policy" content="([^"]*)"', path.read_text(encoding="utf-8"))
        policy = found[1] if found else ""
        wrong = "" if "default-src 'none'" in policy else f"{path.name}: {policy}"
        if "script-src" in policy and "sha256-" not in policy:
            wrong = f"{path.name} lets any inline script run: {policy}"
        survive("hostile text", "policy", wrong)


def test_tables_compute_nothing(hostile_report, survive):
    """Spreadsheets take no cell of CSV for a formula."""
    paths = [*(hostile_report / "runs/e").rglob("*.csv")]
    assert len(paths) > 2
    for path in paths:
        with path.open(encoding="utf-8", newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        bad = [
            cell for cell in cells if cell[:1] in "=+-@\t\r" and len(cell) > 1 and not _number(cell)
        ]
        survive("hostile text", "CSV", f"{path.name}: {bad[:3]}" if bad else "")


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_markdown_and_latex_run_nothing(hostile_report, survive):
    """No tag, no link, no image in Markdown; no command in LaTeX."""
    for path in [*(hostile_report / "runs/e").rglob("*.md")]:
        text = _without_code(path.read_text(encoding="utf-8"))
        bad = re.findall(r"(?<!\\)<(?:script|img|svg|link)|(?<!\\)\]\(http", text)
        survive("hostile text", "Markdown", f"{path.name}: {bad}" if bad else "")
    for path in [*(hostile_report / "runs/e").rglob("*.tex")]:
        bad = re.findall(r"\\(?:input|write)", path.read_text(encoding="utf-8"))
        survive("hostile text", "LaTeX", f"{path.name}: {bad}" if bad else "")


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", "", text)


def test_exports_are_whole_json(hostile_report, warm, survive):
    """Whatever is in them."""
    out = hostile_report / "deep/er/exported"
    before = set(hostile_report.rglob("*"))
    ended = warm.run(
        ["report", "runs/e", "--out", str(out), "-o", 'exports=["harness", "genbench"]'],
        hostile_report,
    )
    wrong = ended.fault(0)
    new = {path for path in set(hostile_report.rglob("*")) - before if path.is_file()}
    outside = [str(path) for path in new if not path.is_relative_to(out)]
    survive("hostile text", "files of exports", ", ".join(outside))
    for path in Path(out).rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    survive("hostile text", "exports", wrong)
