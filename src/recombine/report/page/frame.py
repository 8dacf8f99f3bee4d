"""The frame of every page: one file that needs nothing else, not even a network."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape

from recombine.registry import data_path

# Nothing may be fetched, and nothing but an inlined script may run.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    title: str,
    eyebrow: str,
    head: str,
    sections: Mapping[str, tuple[str, str]],
    *,
    style: str = "",
    scripts: Sequence[str] = (),
) -> str:
    """A whole page: `head` is the HTML of its first words, with the one h1.

    `sections` maps anchors to what the bar calls them and their HTML; `scripts` are more of them
    than the one for the theme.
    """
    css = data_path("page", "page.css").read_text(encoding="utf-8") + style
    links = "".join(
        f'<a href="#{anchor}">{escape(name)}</a>'
        for anchor, (name, html) in sections.items()
        if html
    )
    body = "".join(
        f'<section id="{anchor}"><div class="wrap">\n{html}\n</div></section>\n'
        for anchor, (_, html) in sections.items()
        if html
    )
    parts = (data_path("page", one).read_text(encoding="utf-8") for one in ("theme.js", *scripts))
    code = "\n".join(parts)
    # This script runs and no other, whatever a translation or a tag says.
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode()
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(digest=digest)}">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{css}</style></head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
<nav class="bar" aria-label="Sections"><div class="wrap"><div class="links">{links}</div><button id="theme" type="button">Theme: auto</button></div></nav>
<main id="main" tabindex="-1">
<header class="top"><div class="wrap">
<p class="eyebrow">{escape(eyebrow)}</p>
{head}
</div></header>
{body}</main>
<footer><div class="wrap">Made by <code>recombine report</code>. Tables and figures for papers lie beside this file.</div></footer>
<script>{code}</script>
</body></html>
"""


def figures(charts: Mapping[str, str]) -> str:
    """Inline SVG by caption, side by side."""
    drawn = "".join(
        f'<figure class="card"><figcaption>{escape(caption)}</figcaption>{svg}</figure>'
        for caption, svg in charts.items()
    )
    return f'<div class="grid figures">{drawn}</div>' if drawn else ""


def plain_head(title: str, lead: str) -> str:
    """A title and a sentence below it."""
    return f'<h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>'
