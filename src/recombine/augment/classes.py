"""Words that stand for each other: classes of linked words by their environments.

A unit is a source word with its target word (" book", "本"). Its features are its neighbours in
both languages: function words as they are, content words by their class of the round before. Units
are taken from the most frequent one on; each joins the class whose centre is nearest (cosine of
square roots of counts, weighted by rarity of the feature, at least `similarity`) or founds one, and
then all are assigned anew twice. After a few rounds the classes are stable and clean: names,
people, things, places, adjectives. Units that are too rare for this can join the finished classes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.augment.links import LinkedPair, LinkedText

Unit = tuple[str, str]
Place = tuple[LinkedPair, int, int]
# A word that stands somewhere: as it is, or the unit whose class stands for it.
Near = str | Unit
Feature = tuple[str, ...]
Floats = npt.NDArray[np.float32]

ROUNDS = 4
# Enough occurrences to know a word by; longer sentences cost more than they tell.
MOST_PLACES = 400
LONGEST_PAIR = 30
# Features of fewer units than this say nothing; the rarest of a large text are cut.
FEWEST_UNITS = 3
MOST_FEATURES = 4000
# The most frequent units of a large text have classes; the others stay what they are.
MOST_UNITS = 4000


def unit_text(unit: Unit) -> str:
    """Return a unit as people read it: word|translation."""
    return f"{unit[0].strip()}|{unit[1].strip()}"


class Joining(NamedTuple):
    """What a rare unit joins: a class of so many, if there are any (a sort of its own).

    It is as like it as others are, or `clearly` times as like it as any other such class.
    """

    class_size: int = 0
    clearly: float = 0.0


def word_classes(
    text: LinkedText, similarity: float, support: int, *, rare: Joining | None = None
) -> list[list[Unit]]:
    """Return classes of units, the largest first, in each the most frequent unit first.

    With `rare`, units of fewer than `support` pairs join them, also those of long pairs alone.
    """
    size, clearly = rare or Joining()
    places: dict[Unit, list[Place]] = defaultdict(list)
    anywhere: dict[Unit, list[Place]] = defaultdict(list)
    for pair in text.pairs:
        for i, j in pair.links:
            unit = pair.source[i], pair.target[j]
            if len(pair.source) <= LONGEST_PAIR:
                places[unit].append((pair, i, j))
            if rare is not None:
                anywhere[unit].append((pair, i, j))
    units = sorted(
        (unit for unit, seen in places.items() if len(seen) >= support),
        key=lambda unit: (-len(places[unit]), unit),
    )[:MOST_UNITS]
    if not units:
        return []
    # A known word with an odd partner is an error of alignment.
    known = {word for unit in units for word in unit}
    others = sorted(unit for unit in anywhere if known.isdisjoint(unit))
    label: dict[Unit, str] = {}
    classes: list[list[Unit]] = []
    around = [
        Counter(_around(text, pair, i, j) for pair, i, j in seen[unit][:MOST_PLACES])
        for seen, some in ((places, units), (anywhere, others))
        for unit in some
    ]
    for _ in range(ROUNDS):
        environments = []
        for own in around:
            counts: Counter[Feature] = Counter()
            for near, count in own.items():
                for feature in _features(near, label):
                    counts[feature] += count
            environments.append(counts)
        vectors = _vectors(environments, len(units))
        found = _cluster(vectors[: len(units)], similarity)
        classes = [[units[number] for number in members] for members in found]
        label = {unit: f"#{number}" for number, members in enumerate(classes) for unit in members}
    large = [number for number, members in enumerate(found) if len(members) >= size]
    large = large or list(range(len(found)))
    if others:
        centres = np.array([vectors[found[number]].sum(0) for number in large])
        cosines = vectors[len(units) :] @ (centres / np.linalg.norm(centres, axis=1)[:, None]).T
        for unit, row in zip(others, cosines, strict=True):
            *_, second, best = 0.0, *sorted(row)
            if best >= similarity or best >= clearly * second:
                classes[large[int(row.argmax())]].append(unit)
    return classes


def _around(text: LinkedText, pair: LinkedPair, i: int, j: int) -> tuple[Near, ...]:
    """Return the neighbours of a unit: two in the source, its end, three in the target."""

    def near(place: int, side: int) -> Near:
        tokens, content = (
            (pair.source, text.source_content) if side == 0 else (pair.target, text.target_content)
        )
        if not 0 <= place < len(tokens):
            return "^" if place < 0 else "$"
        if tokens[place] not in content:
            return tokens[place]
        # The last link where a word has several.
        own = [link for link in pair.links if link[side] == place]
        return (pair.source[own[-1][0]], pair.target[own[-1][1]]) if own else "C"

    end = pair.source[-1] if i < len(pair.source) - 1 else "$"
    return near(i - 1, 0), near(i + 1, 0), end, near(j - 1, 1), near(j + 1, 1), near(j + 2, 1)


def _features(around: tuple[Near, ...], label: Mapping[Unit, str]) -> list[Feature]:
    before, after, end, made_before, made_after, behind = (
        near if isinstance(near, str) else label.get(near, "C") for near in around
    )
    return [
        ("sl", before),
        ("sr", after),
        ("tl", made_before),
        ("tr", made_after),
        ("trr", made_after, behind),
        ("s", before, after),
        ("t", made_before, made_after),
        ("end", end),
        ("end", end, after),
    ]


def _vectors(environments: list[Counter[Any]], known: int) -> Floats:
    """Return unit vectors; which features there are, and how rare, is told by the first `known`."""
    seen = Counter(feature for counts in environments[:known] for feature in counts)
    kept = sorted(
        (feature for feature, units in seen.items() if units >= FEWEST_UNITS),
        key=lambda feature: (-seen[feature], feature),
    )[:MOST_FEATURES]
    column = {feature: number for number, feature in enumerate(kept)}
    matrix = np.zeros((len(environments), len(kept)), np.float32)
    for row, counts in enumerate(environments):
        for feature, count in counts.items():
            if feature in column:
                matrix[row, column[feature]] = count**0.5
    rarity = np.log(known / np.array([seen[feature] for feature in kept]))
    matrix *= (0.3 + rarity).astype(np.float32)
    unit: Floats = matrix / (np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9)
    return unit


def _cluster(vectors: Floats, similarity: float) -> list[list[int]]:
    """Leader clustering of unit vectors in their order, then two rounds of assignment."""
    count = len(vectors)
    centres = np.zeros((count, vectors.shape[1]), np.float32)
    norms = np.ones(count, np.float32)
    used = 0
    for vector in vectors:
        best = -1
        if used:
            cosines = centres[:used] @ vector / norms[:used]
            best = int(cosines.argmax())
            if cosines[best] < similarity:
                best = -1
        if best < 0:
            best, used = used, used + 1
        centres[best] += vector
        norms[best] = np.linalg.norm(centres[best])
    centres = centres[:used]
    members: list[list[int]] = []
    for _ in range(2):
        norms = np.linalg.norm(centres, axis=1, keepdims=True)
        nearest = (vectors @ (centres / norms).T).argmax(1)
        members = [np.flatnonzero(nearest == number).tolist() for number in range(len(centres))]
        members = [rows for rows in members if rows]
        centres = np.array([vectors[rows].sum(0) for rows in members])
    return sorted(members, key=lambda rows: (-len(rows), rows))
