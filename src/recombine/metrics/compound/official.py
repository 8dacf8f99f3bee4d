"""The published evaluation tool of Li et al. 2021, verdict for verdict, quirks included.

Substring search in the whole sentence; one slot per role; DET and ADJ before N, MOD before N only
without a verb, each tested leniently (smallest start of the first below the largest start of the
second). A word without renderings, or with an empty one, is never missing. The tool crashes on an
empty hypothesis; here it is an error of the system.
"""

from __future__ import annotations

from collections.abc import Sequence

from recombine.benchmark import Focus

_BEFORE_NOUN = ("DET", "ADJ")


def official_fault(focus: Sequence[Focus], hypothesis: str) -> tuple[str, str] | None:
    """Return what the tool finds wrong, as (kind, atom), or None."""
    text = hypothesis.replace("@@ ", "").replace(" ", "")
    if not text:
        return "empty", ""
    places: dict[str, tuple[int, int]] = {}
    for atom in focus:
        if not atom.accepted:
            continue
        starts = _starts(text, atom.accepted)
        if starts is None:
            return "missing", atom.text
        places[atom.role] = starts
    roles = [atom.role for atom in focus]
    first = (*_BEFORE_NOUN, "MOD") if "V" not in roles else _BEFORE_NOUN
    for role in first:
        if role in places and "N" in places and places[role][0] >= places["N"][1]:
            return "misplaced", next(atom.text for atom in focus if atom.role == role)
    return None


def _starts(text: str, accepted: Sequence[str]) -> tuple[int, int] | None:
    starts: list[int] = []
    for rendering in accepted:
        if not rendering:
            starts += [0, len(text)]  # the tool's empty alternative matches at every place
            continue
        at = text.find(rendering)
        while at >= 0:
            starts.append(at)
            at = text.find(rendering, at + len(rendering))
    return (min(starts), max(starts)) if starts else None
