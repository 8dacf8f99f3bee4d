"""Make the pictures of the docs anew: `python docs/make_images.py [RUN]`.

Drawings and figures are made of the grammars and of the tables of docs/results (`make results`).
Screenshots are of the report on RUN (the run of `make run`); they need Chromium and the extra `dev`.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from recombine.report.figures.figure import base, to_svg
from recombine.report.figures.palette import INK, LINE, PALETTE, SOFT

HERE = Path(__file__).parent
IMAGES = HERE / "images"
# What was trained, what is asked, what is new in it.
KNOWN, ASKED, NEW = "#e4eef6", "#f3f1ec", "#f6d9c4"


def table(name: str) -> list[list[str]]:
    """The rows of a table of the results, heads first: "sget.headline"."""
    sys.path.insert(0, str(HERE / "results"))
    import make

    found = make.table(*name.split("."))
    return [[cell.strip("*") for cell in row] for row in (found.head, *found.rows)]


def dots(
    rows: Sequence[dict[str, Any]],
    names: Sequence[str],
    title: str,
    *,
    domain: Sequence[float] = (0, 100),
) -> str:
    """A dot for each row and name, on one axis; a line joins the dots of a row."""
    spec = base(rows, 430, {"step": 17})
    y = {
        "field": "row",
        "type": "nominal",
        "sort": list(dict.fromkeys(r["row"] for r in rows)),
        "title": None,
    }
    x = {
        "field": "score",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": list(domain)},
    }
    colour = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": list(names), "range": list(PALETTE[: len(names)])},
    }
    shape = {
        "field": "name",
        "type": "nominal",
        "scale": {
            "domain": list(names),
            "range": ["circle", "diamond", "triangle-up", "square", "cross"][: len(names)],
        },
    }
    spec["layer"] = [
        {
            "mark": {"type": "rule", "color": LINE, "strokeWidth": 2},
            "encoding": {
                "y": y,
                "x": {**x, "aggregate": "min"},
                "x2": {"aggregate": "max", "field": "score"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"y": y, "x": x, "color": colour, "shape": shape},
        },
    ]
    return to_svg(spec)


def _number(cell: str) -> float:
    return float(cell.split()[0])


def sget() -> str:
    """Forty-two patterns: ours on the authors' edition, and the paper's Transformer."""
    from recombine.report.tables.published import SGET, find

    rows = []
    ours: dict[str, list[float]] = {}
    for seed in (1, 2, 3):
        path = HERE / "results" / "sget" / f"released-256-official-seed-{seed}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if (row["split"], row["tag"], row["metric"]) == ("gen", "pattern", "exact"):
                    ours.setdefault(row["value"], []).append(float(row["score"]))
    for value, scores in ours.items():
        theirs = find(SGET, table="10", system="Transformer", metric="exact", value=value)
        name = value.replace("_", " ")
        rows.append({"row": name, "name": "ours (3 seeds)", "score": fmean(scores)})
        if theirs is not None:
            rows.append({"row": name, "name": "paper (5 seeds)", "score": theirs.score})
    return dots(rows, ["ours (3 seeds)", "paper (5 seeds)"], "exact match, percent")


def recombination() -> str:
    """Plain training, recombined pairs (mean of three seeds), the grammar's own and Llama 2 of the paper."""
    _, *found = table("sget.every_pattern")
    names = ("plain", "recombined (3 seeds)", "trained on the grammar", "Llama 2 (paper)")
    rows = []
    for name, plain, *ours, _, llama, grammar in found:
        scores = (_number(plain), fmean(map(_number, ours)), _number(grammar), _number(llama))
        rows += [
            {"row": name.replace("_", " "), "name": one, "score": score}
            for one, score in zip(names, scores, strict=True)
        ]
    return dots(rows, names, "exact match, percent")


def languages() -> str:
    """Forty-two patterns into four languages, as the appendix's table has them."""
    head, *found = table("languages.patterns")
    rows = [
        {"row": row[0].strip(" †").replace("_", " "), "name": name, "score": _number(cell)}
        for row in found
        for name, cell in zip(head[1:], row[1:], strict=True)
    ]
    return dots(rows, head[1:], "exact match, percent")


def cognition() -> str:
    """Errors on the published outputs by judge, and on our own benchmark."""
    head, *found = table("compounds.judges")
    names = ["people (paper)", "published tool", "ours, default"]
    rows = []
    for place, category in enumerate(head[1:], start=1):
        for number, kind in enumerate(("instance", "aggregate")):
            for name, row in zip(names, found, strict=True):
                score = float(row[place].split(" / ")[number])
                rows.append({"row": f"{category}, {kind}", "name": name, "score": score})
    return dots(rows, names, "compound translation error rate, percent (lower is better)")


def dbca() -> str:
    """The three splits, ours and the paper's."""
    _, *found = table("divergent.scores")
    rows = []
    for name, _, _, ours, theirs in found[:3]:  # German, split seed 1
        kind = name.split(", ")[1]
        rows.append({"row": kind, "name": "ours (1 split)", "score": _number(ours)})
        rows.append({"row": kind, "name": "paper (3 splits)", "score": _number(theirs)})
    return dots(
        rows, ["ours (1 split)", "paper (3 splits)"], "chrF2++, English to German", domain=(48, 58)
    )


def paradox() -> str:
    """Consistency of our English-Dutch model and of the paper's small and full ones."""
    _, *found, _ = table("consistency.systematicity")
    names = ["ours, Europarl", "paper, small", "paper, full"]
    short = [
        "NP VP, synthetic",
        "NP VP, semi-natural",
        "NP VP (VP), synthetic",
        "S1', synthetic",
        "S1', semi-natural",
        "S1', natural",
        "S3, synthetic",
        "S3, semi-natural",
        "S3, natural",
    ]
    rows = [
        {"row": label, "name": name, "score": _number(cell)}
        for label, row in zip(short, found, strict=True)
        for name, cell in zip(names, row[1:4], strict=True)
    ]
    return dots(rows, names, "consistent pairs, percent")


def controls() -> str:
    """What is lost from familiar to new sentences, and how a control takes it apart."""
    rows = (
        ("own, familiar sentences", [(300, "#9db8d2", "right")]),
        (
            "own, new sentences",
            [(120, "#9db8d2", "right"), (118, NEW, "composition"), (62, ASKED, "difficulty")],
        ),
        ("control, the same new sentences", [(238, "#9db8d2", "right"), (62, ASKED, "difficulty")]),
    )
    parts = []
    for number, (name, pieces) in enumerate(rows):
        y, x = 14 + 44 * number, 230
        parts.append(f'<text x="222" y="{y + 19}" text-anchor="end">{escape(name)}</text>')
        for width, colour, label in pieces:
            parts.append(
                f'<rect x="{x}" y="{y}" width="{width}" height="28" fill="{colour}" stroke="{LINE}"/>'
            )
            parts.append(f'<text x="{x + 8}" y="{y + 18}" font-size="11">{label}</text>')
            x += width
    parts.append(
        f'<line x1="468" y1="8" x2="468" y2="134" stroke="{SOFT}" stroke-dasharray="3 3"/>'
    )
    parts.append(
        f'<line x1="350" y1="8" x2="350" y2="134" stroke="{SOFT}" stroke-dasharray="3 3"/>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="560" height="146" viewBox="0 0 560 146" font-family="sans-serif" '
        f'font-size="13" fill="{INK}"><rect width="560" height="146" fill="white"/>{"".join(parts)}</svg>\n'
    )


class Strip:
    """Lines of words on coloured grounds, as SVG."""

    def __init__(self, width: int = 720) -> None:
        self.width, self.y, self.parts = width, 14, []

    def head(self, text: str) -> None:
        """A heading."""
        self.y += 16
        self.parts.append(
            f'<text x="8" y="{self.y}" font-size="13" fill="{SOFT}">{escape(text)}</text>'
        )
        self.y += 8

    def words(self, *words: tuple[str, str] | str, label: str = "") -> None:
        """A line; a word may have a ground of its own."""
        x, height = 8, 26
        if label:
            self.parts.append(
                f'<text x="{x}" y="{self.y + 18}" font-size="12" fill="{SOFT}">{escape(label)}</text>'
            )
            x += 110
        for word in words:
            text, ground = (word, ASKED) if isinstance(word, str) else word
            wide = sum(15 if ord(letter) > 0x2E80 else 8.2 for letter in text) + 14
            self.parts.append(
                f'<rect x="{x}" y="{self.y}" width="{wide:.0f}" height="{height}" rx="4" fill="{ground}"/>'
                f'<text x="{x + wide / 2:.0f}" y="{self.y + 18}" font-size="14" text-anchor="middle" fill="{INK}">{escape(text)}</text>'
            )
            x += wide + 5
        self.y += height + 6

    def svg(self, said: str) -> str:
        """The drawing, with words for those who do not see it."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(said)}" viewBox="0 0 {self.width} {self.y + 8}" '
            f'width="{self.width}" height="{self.y + 8}" font-family="Helvetica, Arial, \'Noto Sans CJK JP\', sans-serif">{"".join(self.parts)}</svg>\n'
        )


def compounds() -> str:
    """Atoms that are known, a compound that is not, and its contexts."""
    strip = Strip()
    strip.head("In training, each word often, in other company")
    strip.words("every", ("doctor", KNOWN), "he", "liked", "was", "there")
    strip.words("the", ("small", KNOWN), "dog", "he", "liked", "barked")
    strip.head("The compound: never in training")
    strip.words(("the", NEW), ("small", NEW), ("doctor", NEW), ("he", NEW), ("liked", NEW))
    strip.head("In the test: five contexts that training has")
    strip.words(("the small doctor he liked", NEW), "came to see me .")
    strip.words("nobody knew where", ("the small doctor he liked", NEW), "had gone .")
    strip.words("she waved at", ("the small doctor he liked", NEW), ".", label="")
    return strip.svg(
        "Words known from training make a new compound, which is set into contexts of training."
    )


def divergent() -> str:
    """The same words on both sides, other pairs of them."""
    strip = Strip()
    strip.head("Training: the words and their grammatical relations")
    strip.words(("open", KNOWN), ("the", ASKED), ("debate", KNOWN))
    strip.words(("adopt", KNOWN), ("the", ASKED), ("report", KNOWN))
    strip.head("Test of small divergence: known words, known pairs (D_C near 0)")
    strip.words("they", ("open", KNOWN), "the", ("debate", KNOWN), "today")
    strip.head("Test of great divergence: known words, new pairs (D_C near 1)")
    strip.words("they", ("adopt", NEW), "the", ("debate", NEW), "today")
    strip.words("they", ("open", NEW), "the", ("report", NEW), "today")
    return strip.svg("Two test sets have the words of training; only one has its pairs of words.")


def consistency() -> str:
    """Two sources that differ in a word, and what may differ in the translation."""
    strip = Strip()
    strip.head("Two sources that differ in one noun")
    strip.words("The", ("poet", KNOWN), "criticises", "the", "king", ".", label="source 1")
    strip.words("The", ("baker", KNOWN), "criticises", "the", "king", ".", label="source 2")
    strip.head("Consistent: the translation differs where the source does")
    strip.words(
        "De", ("dichter", KNOWN), "bekritiseert", "de", "koning", ".", label="translation 1"
    )
    strip.words("De", ("bakker", KNOWN), "bekritiseert", "de", "koning", ".", label="translation 2")
    strip.head("Not consistent: the rest changed, too")
    strip.words(
        "De",
        ("bakker", KNOWN),
        ("heeft kritiek op", NEW),
        "de",
        "koning",
        ".",
        label="translation 2",
    )
    return strip.svg(
        "Two sources with one noun changed, a consistent pair of translations and one that is not."
    )


def generated() -> str:
    """A tree of the grammar with what both languages say for each part, as `recombine parse` draws it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.svg"
        command = [
            "parse",
            "sget",
            "en",
            "The cat in the box saw Liam.",
            "--languages",
            "en,ja",
            "--svg",
            str(path),
        ]
        subprocess.run(
            [sys.executable, "-m", "recombine.cli", *command], check=True, capture_output=True
        )
        return path.read_text(encoding="utf-8")


DRAWN = {
    "controls": controls, "generated": generated, "compounds": compounds, "divergent": divergent, "consistency": consistency,
    "result-sget": sget, "result-cognition": cognition, "result-dbca": dbca, "result-paradox": paradox,
    "result-recombination": recombination,
    "result-languages": languages,
}  # fmt: skip


# What the numbers in the annotated screenshot point at; docs/how-to/read-a-report.md explains them.
POINTED_AT = (
    "h1", ".chips-top", ".verdict-bars", ".gap", "#map h2", ".map-table .about",
    ".map-table tbody tr:nth-child(2) td:last-child",
)  # fmt: skip
# Places a numbered badge at the left edge of what is pointed at.
BADGES = """selectors => selectors.forEach((selector, number) => {
    const at = [...document.querySelectorAll(selector)]
        .map(element => element.getBoundingClientRect()).find(box => box.width > 0)
    const badge = document.createElement("b")
    badge.textContent = number + 1
    badge.style.cssText = `position: absolute; z-index: 99; left: ${at.left - 27}px;
        top: ${at.top + scrollY - 1}px; width: 24px; height: 24px; border-radius: 12px;
        font: bold 14px/24px sans-serif; text-align: center; color: white; background: #b3261e`
    document.body.append(badge)
})"""


def screenshots(run: Path) -> None:
    """The report on a run as a reader meets it: the first screen, plain and numbered; examples."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        command = ["report", str(run), "--out", str(Path(folder) / "report")]
        subprocess.run(
            [sys.executable, "-m", "recombine.cli", *command], check=True, capture_output=True
        )
        page_file = (Path(folder) / "report" / "report.html").as_uri()
        with sync_playwright() as player:
            browser = player.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            for name, target in (
                ("report", ""),
                ("report-annotated", ""),
                ("report-examples", "#examples"),
            ):
                page = browser.new_page(
                    viewport={"width": 1280, "height": 860}, color_scheme="light"
                )
                page.goto(page_file + target)
                page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
                page.wait_for_timeout(500)
                if name == "report-annotated":
                    page.evaluate(BADGES, POINTED_AT)
                page.screenshot(path=IMAGES / f"{name}.png")
                page.close()
            browser.close()


def main() -> None:
    """Draw all, and take screenshots where a run is given."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (IMAGES / f"{name}.svg").write_text(draw(), encoding="utf-8")
    if len(sys.argv) > 1:
        screenshots(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
