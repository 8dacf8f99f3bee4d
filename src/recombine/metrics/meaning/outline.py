"""Two meanings side by side, with the difference marked.

A meaning is written as who does what to whom: `say_that(subj child, slide_tr(subj thief, obj kid))`
What one side has and the other has not, or has in another place, stands in «marks».
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recombine.metrics.anatomy.dependencies import Unit, match


def outline(units: Sequence[Unit], marked: Collection[int] = ()) -> str:
    """A meaning in one line."""
    below: dict[int, list[int]] = {}
    for index, unit in enumerate(units):
        below.setdefault(unit.head, []).append(index)

    def told(index: int) -> str:
        unit = units[index]
        word = f"{unit.label} {unit.contrast}".strip()  # with what sets it apart: give tense
        text = f"«{word}»" if index in marked else word
        inner = [told(child) for child in below.get(index, ())]
        text += f"({', '.join(inner)})" if inner else ""
        return f"{unit.slot} {text}" if unit.named else text

    return ", ".join(told(index) for index in below.get(-1, ()))


def side_by_side(wanted: Sequence[Unit], given: Sequence[Unit]) -> tuple[str, str]:
    """Both meanings in a line each, with what is not in both marked."""
    pairs = match(wanted, given)
    left = {index for index in range(len(wanted)) if index not in pairs}
    right = set(range(len(given))) - set(pairs.values())
    for index, other in pairs.items():
        here, there = wanted[index], given[other]
        moved = pairs.get(here.head, -1) != there.head or here.slot != there.slot
        if moved or here.label != there.label:
            left.add(index)
            right.add(other)
        elif there.contrast:
            right.add(other)
    return outline(wanted, left), outline(given, right)
