"""Pages without a script: the frame that they share, and a table in it."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Mapping
from html import escape

from recombine.registry import data_path
from recombine.report.tables.table import Table, is_numeric, show

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
# What a row is about stays in sight when a narrow screen scrolls its numbers.
_TABLE_STYLE = (
    "table{margin:0}.scroll+p{margin-top:.5rem}th[scope=col]{white-space:normal}"
    "th[scope=row]{position:sticky;left:0;background:var(--card);min-width:6.5rem}"
    "@media(min-width:40rem){th[scope=row]{white-space:nowrap}}"
    "tr.rule>*{border-top:2px solid var(--line)}"
)


def static_page(
    title: str, eyebrow: str, lead: str, sections: Mapping[str, tuple[str, str]], style: str = ""
) -> str:
    """A whole page; `sections` maps anchors to what the bar calls them and their HTML."""
    shared = data_path("page", "page.css").read_text(encoding="utf-8")
    links = "".join(
        f'<a href="#{anchor}">{escape(name)}</a>' for anchor, (name, _) in sections.items()
    )
    body = "".join(
        f'<section id="{anchor}"><div class="wrap">\n{html}\n</div></section>\n'
        for anchor, (_, html) in sections.items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{shared}{_TABLE_STYLE}{style}</style></head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
<header class="top"><div class="wrap">
<p class="eyebrow">{escape(eyebrow)}</p>
<h1>{escape(title)}</h1>
<p class="quiet">{escape(lead)}</p>
</div></header>
<nav class="bar" aria-label="Sections"><div class="wrap">{links}</div></nav>
<main id="main">
{body}</main>
<footer><div class="wrap">Made by <code>recombine report</code>. Tables and figures for papers lie beside this file.</div></footer>
</body></html>
"""


def html_table(table: Table | None) -> str:
    """A table with its title and notes; nothing where there is none."""
    if table is None:
        return ""
    kinds = [
        ' class="num"' if is_numeric(table, place) else "" for place in range(len(table.columns))
    ]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for kind, name in zip(kinds, table.columns, strict=True)
    )
    rows = "".join(
        f'<tr{_rule(table, number)}><th scope="row">{escape(show(row[0], table.decimals))}</th>'
        + "".join(
            f"<td{kind}>{escape(show(cell, table.decimals))}</td>"
            for kind, cell in zip(kinds[1:], row[1:], strict=True)
        )
        + "</tr>"
        for number, row in enumerate(table.rows)
    )
    notes = "".join(f'<p class="small quiet">{escape(note)}</p>' for note in table.notes)
    return (
        f"<h3>{escape(table.title)}</h3>"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{notes}"
    )


def _rule(table: Table, row: int) -> str:
    return ' class="rule"' if row in table.rules and row > 0 else ""
