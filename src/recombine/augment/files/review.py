"""What a method has learned, to be read by people: as text, and as one self-contained page."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import Any

from recombine.augment.recombiner import Review
from recombine.registry import data_path

TITLES = {
    "classes": ("Classes", "words that stand for each other, most supported first"),
    "phrases": ("Kinds of phrases", "what can be put in the place of a word, and of what it is made"),
    "paradigms": ("Paradigms", "forms of words that follow from other forms, in both languages at once"),
    "analogies": ("Analogies", "sentences that follow from other sentences"),
}  # fmt: skip
# A text is for a terminal, a page can fold.
MEMBERS_IN_TEXT = 12
# Nothing may be fetched and nothing may run.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def chapters(review: Review) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield title, explanation and rows of what was learned, most supported first."""
    for field in fields(review):
        rows = sorted(getattr(review, field.name), key=lambda row: -row.get("support", 0))
        title, what = TITLES.get(field.name, (field.name.capitalize(), ""))
        yield title, what, rows


def review_text(review: Review) -> Iterator[str]:
    """Yield lines: every class, kind of phrase, paradigm and analogy with its support."""
    for title, what, rows in chapters(review):
        yield f"{title} ({len(rows):,}): {what}"
        for row in rows:
            members = row.get("members") or []
            shown = ", ".join(map(str, members[:MEMBERS_IN_TEXT]))
            more = len(members) - MEMBERS_IN_TEXT
            parts = [f"  {row['name']}  [support {row.get('support', 0):,}]"]
            if members:
                parts.append(f"{len(members):,} members: {shown}" + (f", {more:,} more" if more > 0 else ""))  # fmt: skip
            parts += [f"{key}: {_plain(value)}" for key, value in _rest(row)]
            yield "  ".join(parts)
        yield ""


def _rest(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if key not in ("name", "members", "support") and value not in (None, "", [], {}):
            yield key, value


def _plain(value: Any) -> str:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    return "; ".join(map(str, value))


def review_page(review: Review, name: str) -> str:
    """Return one HTML file that needs nothing else, not even a network."""
    css = data_path("page", "page.css").read_text(encoding="utf-8")
    sections, links = [], []
    for title, what, rows in chapters(review):
        anchor = title.lower().replace(" ", "-")
        links.append(f'<a href="#{anchor}">{escape(title)}</a>')
        body = "".join(map(_row, rows)) or '<p class="quiet">None was learned.</p>'
        sections.append(
            f'<section id="{anchor}"><div class="wrap"><h2>{escape(title)} ({len(rows):,})</h2>'
            f'<p class="quiet">{escape(what)}</p>{body}</div></section>\n'
        )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(name)}: what was learned</title>
<link rel="icon" href="data:,">
<style>{css}</style></head>
<body>
<header class="top"><div class="wrap">
<p class="eyebrow">Recombine augment</p>
<h1>{escape(name)}: what was learned</h1>
<p class="quiet">From training pairs alone. Support is the number of training pairs or words that show it; whatever has less than the thresholds say is not used.</p>
</div></header>
<nav class="bar" aria-label="Sections"><div class="wrap">{"".join(links)}</div></nav>
<main id="main">
{"".join(sections)}</main>
</body></html>
"""


def _row(row: Mapping[str, Any]) -> str:
    members = row.get("members") or []
    head = f'<strong>{escape(str(row["name"]))}</strong> <span class="quiet">support {row.get("support", 0):,}'
    head += f", {len(members):,} members</span>" if members else "</span>"
    rest = "".join(
        f'<p class="small">{escape(key)}: {escape(_plain(value))}</p>' for key, value in _rest(row)
    )
    if not members:
        return f"<div>{head}{rest}</div>"
    listed = ", ".join(escape(str(one)) for one in members)
    return f"<details><summary>{head}</summary>{rest}<p>{listed}</p></details>"
