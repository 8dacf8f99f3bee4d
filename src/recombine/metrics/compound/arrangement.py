"""Where the atoms of a compound stand in a translation: the best choice among all occurrences."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import islice, pairwise, product
from typing import NamedTuple

from recombine.metrics.compound.units import Atom, find_all

Span = tuple[int, int]

# Texts that repeat an atom dozens of times are degenerate; the first combinations decide them.
MOST_COMBINATIONS = 2000


class Placed(NamedTuple):
    """An atom and the occurrence chosen for it."""

    span: Span
    atom: Atom


class Arrangement(NamedTuple):
    """Chosen occurrences in text order, with what speaks against them."""

    misplaced: tuple[Atom, ...]
    foreign: str
    placed: tuple[Placed, ...]

    @property
    def start(self) -> int:
        """The first unit of the phrase."""
        return self.placed[0].span[0]

    @property
    def end(self) -> int:
        """The unit after the last one of the phrase."""
        return self.placed[-1].span[1]


def arrange(
    units: str,
    atoms: Sequence[Atom],
    *,
    before: Container[tuple[str, str]],
    allowed: Container[str] | None = None,
    bridges: Sequence[Span] = (),
) -> Arrangement | None:
    """Choose non-overlapping occurrences with the best order, least foreign material, least width.

    `before` holds the role pairs (first, second) that must come in this order. `allowed` are units
    that may stand between atoms (None: not looked at); `bridges` are occurrences of the compound's
    own head, which is not foreign inside it. None is returned where an atom is missing or all
    choices overlap ("small" may not be found inside "clown").
    """
    choices: list[list[Placed]] = []
    for atom in atoms:
        found = [Placed(span, atom) for span in find_all(units, atom.accepted)]
        if not found:
            return None
        choices.append(found)
    if not choices:
        return None
    best: Arrangement | None = None
    least: tuple[int, int, int, int] | None = None
    for combination in islice(product(*choices), MOST_COMBINATIONS):
        placed = sorted(combination, key=_position)
        end = 0
        for span, _ in placed:
            if span[0] < end:
                break
            end = span[1]
        else:
            misplaced = _misplaced(placed, before)
            foreign = "" if allowed is None else foreign_units(units, placed, allowed, bridges)
            start = placed[0].span[0]
            cost = (len(misplaced), len(foreign), end - start, start)
            if least is None or cost < least:
                least, best = cost, Arrangement(misplaced, foreign, tuple(placed))
    return best


def _position(placed: Placed) -> Span:
    return placed.span


def between(units: str, placed: Sequence[Placed]) -> str:
    """Return everything that stands between the atoms."""
    return "".join(units[left.span[1] : right.span[0]] for left, right in pairwise(placed))


def foreign_units(
    units: str, placed: Sequence[Placed], allowed: Container[str], bridges: Sequence[Span]
) -> str:
    """Return the units between the atoms that neither belong there nor to the head."""
    foreign: list[str] = []
    at = placed[0].span[1]
    for place in placed[1:]:
        end = place.span[0]
        while at < end:
            bridge = 0
            if bridges:
                bridge = max((b[1] for b in bridges if b[0] == at and b[1] <= end), default=0)
            if bridge:
                at = bridge
                continue
            if units[at] not in allowed:
                foreign.append(units[at])
            at += 1
        at = place.span[1]
    return "".join(foreign)


def _misplaced(placed: Sequence[Placed], before: Container[tuple[str, str]]) -> tuple[Atom, ...]:
    misplaced = []
    for place, (_, atom) in enumerate(placed):
        # An atom that must precede one standing to its left is misplaced.
        if any((atom.role, other.atom.role) in before for other in placed[:place]):
            misplaced.append(atom)
    return tuple(misplaced)
