"""The frame of every page: one file that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from recombine.report.figures.figure import DrawnFigure
from recombine.templates import asset, policy, render

MADE_BY = "Made by recombine report. Tables and figures for papers are in the same folder."


def page(
    title: str,
    eyebrow: str,
    head: Markup,
    sections: Mapping[str, tuple[str, Markup]],
    *,
    scripts: Sequence[str] = (),
    skips: Sequence[str] = (),
    footer: str = MADE_BY,
) -> Markup:
    """A whole page: `head` is the HTML of its first words, with the one h1.

    `sections` maps anchors to what the bar calls them and their HTML; `scripts` are more of them
    than the one for the theme; to the sections of `skips` there is a way around all before them.
    """
    script = asset("theme.js", *scripts)
    return render(
        "page",
        title=title,
        eyebrow=eyebrow,
        head=head,
        sections=[(anchor, name, body) for anchor, (name, body) in sections.items() if body],
        skips=skips,
        footer=footer,
        css=asset("page.css"),
        script=script,
        policy=policy(script),
    )


def figures(drawn: Sequence[DrawnFigure]) -> Markup:
    """Drawings side by side, each with its caption, its source and its data."""
    return render("figures", figures=drawn) if drawn else Markup()


def plain_head(title: str, lead: str) -> Markup:
    """A title and a sentence below it."""
    return render("head", title=title, lead=lead)
