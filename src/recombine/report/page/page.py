"""report.html: one file that needs nothing else, not even a network."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from recombine.registry import data_path
from recombine.report.findings import Findings
from recombine.report.page.comparisons import anatomy_section, compare_section
from recombine.report.page.examples import PackedExamples, pack_examples
from recombine.report.page.sections import (
    breaks_section,
    head_section,
    made_section,
    sure_section,
)

# Nothing may be fetched and nothing but the inlined script may run.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)

# Bytes for examples even when tables and charts use up the whole budget.
LEAST_EXAMPLES = 8_000


def render_page(report: Findings, charts: Mapping[str, str], notes: Sequence[str] = ()) -> str:
    """The whole page; charts map captions to inline SVG."""
    sections = {
        "How sure": sure_section(report),
        "Where it breaks": breaks_section(report, charts),
        "Compare": compare_section(report),
        "What goes wrong": anatomy_section(report),
    }
    made = made_section(report, notes)
    frame = _frame(report, sections, made)
    budget = int(report.options.page_megabytes * 1e6) - len(frame.encode("utf-8"))
    packed = pack_examples(report, max(budget, LEAST_EXAMPLES))
    return frame.replace("<!--examples-->", _examples_section(report, packed), 1)


def _frame(report: Findings, sections: Mapping[str, str], made: str) -> str:
    links = [
        f'<a href="#{_anchor(html)}">{escape(title)}</a>'
        for title, html in sections.items()
        if html
    ]
    links += ['<a href="#examples">Show me</a>', '<a href="#made">How made</a>']
    style = data_path("page", "page.css").read_text(encoding="utf-8")
    script = data_path("page", "page.js").read_text(encoding="utf-8")
    body = "".join(sections.values())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escape(report.title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style></head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
{head_section(report)}
<nav class="bar" aria-label="Sections"><div class="wrap">{"".join(links)}<button id="theme" type="button">Theme</button></div></nav>
<main id="main">
{body}
<!--examples-->
{made}
</main>
<footer><div class="wrap">Made by <code>recombine report</code>. Tables and figures for papers lie beside this file.</div></footer>
<script>{script}</script>
</body></html>
"""


def _anchor(html: str) -> str:
    found = re.search(r'<section id="([a-z]+)"', html)
    return found.group(1) if found else "main"


def _examples_section(report: Findings, packed: PackedExamples) -> str:
    if not packed.shown:
        return (
            '<section id="examples"><div class="wrap"><h2>Show me</h2>'
            '<p class="quiet">These runs hold scores but no translations, so there are no examples to show.</p>'
            "</div></section>"
        )
    seeds = (
        "Every seed is here: choose one; beside each verdict stands how many seeds share it. "
        if any(len(s) > 1 for s in report.main.seeds.values())
        else ""
    )
    part = (
        f"{packed.shown:,} of {packed.total:,} examples are in this page, drawn evenly over "
        f"{escape(report.main.main_tag or 'the splits')}, errors and disagreements first. "
        if packed.shown < packed.total
        else f"All {packed.total:,} examples are in this page. "
    )
    return f"""
<section id="examples"><div class="wrap">
<h2>Show me</h2>
<p class="quiet">{part}{seeds}In a translation, <del>struck</del> is missing from it and <ins>underlined</ins> is not in the reference.
Keys: <kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous.</p>
<form id="controls" class="controls card" onsubmit="return false"></form>
<div class="toolbar"><span id="status" role="status" aria-live="polite">Unpacking the examples …</span>
<button id="clear" type="button" class="hidden">Clear</button>
<button id="copy" type="button">Copy link to this selection</button></div>
<ol id="items" class="items"></ol>
<div class="toolbar"><button id="more" type="button" class="hidden">Show more</button></div>
<noscript><p class="note">The example browser needs JavaScript; everything above works without.</p></noscript>
<script type="text/plain" id="packed" data-total="{packed.total}">{packed.text}</script>
</div></section>"""
