"""Natural spacing: punctuation that was set apart goes back where people write it.

Systems that were not trained on tokens take `said " Just do it " .` for odd text and answer oddly.
"""

from __future__ import annotations

import dataclasses
import re

from recombine.benchmark import Example

# A space that goes: before closing marks and English endings, after opening ones.
_BEFORE = re.compile(
    r" (?=[,.;:?!)\]}%…](?:\s|$|[,.;:?!)\]}…\"]))| (?=(?:n't|['’](?:s|re|ve|ll|d|m))\b)"
)
_AFTER = re.compile(r"(?<=[(\[{¿¡]) ")


def closed_up(text: str) -> tuple[str, list[int]]:
    """Return a text in natural spacing, and where each of its former places is now."""
    gone = {match.start() for rule in (_BEFORE, _AFTER) for match in rule.finditer(text)}
    quotes = [place for place, letter in enumerate(text) if letter == '"']
    # A quotation mark alone opens or closes nothing that could be told.
    for opening, closing in zip(quotes[::2], quotes[1::2], strict=False):
        gone |= {place for place in (opening + 1, closing - 1) if text[place] == " "}
    places: list[int] = []
    kept: list[str] = []
    for place, letter in enumerate(text):
        places.append(len(kept))
        if place not in gone:
            kept.append(letter)
    return "".join(kept), [*places, len(kept)]


def naturally_spaced(example: Example) -> Example:
    """Return an example with its source and what it points at in natural spacing."""
    source, places = closed_up(example.source)
    focus = []
    for part in example.focus:
        moved = dataclasses.replace(part, text=closed_up(part.text)[0])
        if part.start is not None and part.end is not None:
            moved = dataclasses.replace(moved, start=places[part.start], end=places[part.end])
        focus.append(moved)
    return dataclasses.replace(example, source=source, focus=tuple(focus))
