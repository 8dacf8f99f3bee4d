"""What a method has learned, to be read by people: as text, and as one self-contained page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from recombine.augment.options import Review
from recombine.templates import asset, policy, render

TITLES = {
    "classes": ("Classes", "words that stand for each other, most supported first"),
    "rules": ("Rules", "source | target: X is a phrase, N a head, S a clause, _ a word"),
}
# A text is for a terminal, a page can fold.
MEMBERS_IN_TEXT = 12


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
                rest = f", {more:,} more" if more > 0 else ""
                parts.append(f"{len(members):,} members: {shown}{rest}")
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


class LearnedCard(NamedTuple):
    """A class, phrase, paradigm or analogy: what it is called, its support, all that it holds."""

    name: Sequence[tuple[str, bool]]
    support: str
    members: Sequence[str]
    # What else is known of it: its name, and texts in which blanks are marked.
    rest: Sequence[tuple[str, Sequence[Sequence[tuple[str, bool]]]]]


# A place that other words fill: #2, X1, or _ for the words of the class itself.
_BLANK = re.compile(r"#\d+|(?<![A-Za-z\d])X\d+|(?<![A-Za-z\d])X(?=_)|_")


def _with_blanks(text: str) -> list[tuple[str, bool]]:
    """A text in pieces, and whether each is a place that other words fill."""
    pieces, done = [], 0
    for blank in _BLANK.finditer(text):
        pieces += [(text[done : blank.start()], False), (blank.group(), True)]
        done = blank.end()
    return [piece for piece in (*pieces, (text[done:], False)) if piece[0]]


def review_page(review: Review, name: str) -> str:
    """Return one HTML file that needs nothing else, not even a network."""
    sections = []
    for title, what, rows in chapters(review):
        body = render("learned", title=title, what=what, cards=[_card(row) for row in rows])
        sections.append((title.lower().replace(" ", "-"), title, body))
    counts = ", ".join(f"{len(rows):,} {title.lower()}" for title, _, rows in chapters(review))
    text = render(
        "page",
        title=f"{name}: what was learned",
        eyebrow="Recombine augment",
        head=render(
            "head",
            title=f"{name}: what was learned",
            lead=f"From training pairs alone: {counts}. Support is the number of training pairs "
            "or words that show it; what has less than the thresholds say is not used.",
        ),
        sections=sections,
        skips=(),
        footer="Made by recombine augment.",
        css=asset("page.css"),
        script="",
        policy=policy(),
    )
    return str(text)


def _card(row: Mapping[str, Any]) -> LearnedCard:
    return LearnedCard(
        _with_blanks(str(row["name"])),
        f"{row.get('support', 0):,}",
        [str(member) for member in row.get("members") or ()],
        [
            (key.replace("_", " "), [_with_blanks(text) for text in _texts(value)])
            for key, value in _rest(row)
        ],
    )


def _texts(value: Any) -> list[str]:
    """What a row holds of one kind, a text each."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return [str(value)]
    return [str(text) for text in value]
