"""Literal translation over the course of training: curves, their peaks, and frequency.

A model first translates an idiom not at all, then word for word, then as a whole (Dankers et al.
2022, section 4.3): the curve rises and falls. Checkpoints whose output is no translation yet give
no point, so a curve cannot start at 0 for the wrong reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# With fewer judged sentences than this a point says nothing.
FEWEST = 5


class Curve(NamedTuple):
    """One course: the value at each checkpoint, None where most outputs were degenerate."""

    checkpoints: tuple[str, ...]
    values: tuple[float | None, ...]

    @property
    def known(self) -> list[tuple[int, float]]:
        """Place and value of the checkpoints that have one."""
        return [(place, value) for place, value in enumerate(self.values) if value is not None]

    @property
    def peak(self) -> float | None:
        """The largest value."""
        return max((value for _, value in self.known), default=None)

    @property
    def peak_at(self) -> str | None:
        """The first checkpoint with the largest value."""
        peak = self.peak
        return next((self.checkpoints[place] for place, v in self.known if v == peak), None)

    @property
    def end(self) -> float | None:
        """The last value."""
        return self.known[-1][1] if self.known else None

    @property
    def drop(self) -> float | None:
        """How much was unlearned: peak minus end."""
        peak, end = self.peak, self.end
        return None if peak is None or end is None else peak - end


@dataclass(frozen=True)
class IdiomCurves:
    """The curves of all idioms of one system, and how much output was degenerate."""

    checkpoints: tuple[str, ...]
    idioms: Mapping[str, Curve]
    degenerate: tuple[float, ...]

    @property
    def mean(self) -> Curve:
        """The mean over idioms, as in the published figure: idioms without a value left out."""
        values: list[float | None] = []
        for place in range(len(self.checkpoints)):
            known = [
                value
                for curve in self.idioms.values()
                if (value := curve.values[place]) is not None
            ]
            values.append(sum(known) / len(known) if known else None)
        return Curve(self.checkpoints, tuple(values))

    def correlation(self, frequencies: Mapping[str, float], of: str = "drop") -> float | None:
        """Return Pearson's r of an idiom's `drop`, `peak` or `end` with its log frequency.

        The paper reports .53 to .56 for the drop (section 4.3.2); None with fewer than three
        idioms or where one side does not vary.
        """
        pairs = [
            (math.log(frequencies[idiom]), value)
            for idiom, curve in self.idioms.items()
            if frequencies.get(idiom, 0) > 0 and (value := getattr(curve, of)) is not None
        ]
        if len(pairs) < 3:
            return None
        x, y = np.array(pairs, dtype=np.float64).T
        if x.std() == 0 or y.std() == 0:
            return None
        return float(np.corrcoef(x, y)[0, 1])


def idiom_curves(observations: Sequence[tuple[str, Iterable[Mapping[str, Any]]]]) -> IdiomCurves:
    """Make curves from (checkpoint, rows of `literal` observations), in training order.

    A row is what a score file holds: `stats` and a `detail` with `idiom` and `class`.
    """
    names = tuple(name for name, _ in observations)
    sums: list[dict[str, list[float]]] = []
    degenerate = []
    for _, rows in observations:
        found: dict[str, list[float]] = {}
        bad = total = 0
        for row in rows:
            literal, judged = row["stats"]
            cell = found.setdefault(str(row["detail"]["idiom"]), [0.0, 0.0])
            cell[0] += literal
            cell[1] += judged
            bad += row["detail"]["class"] == "degenerate"
            total += 1
        sums.append(found)
        degenerate.append(bad / total if total else 0.0)
    idioms = dict.fromkeys(idiom for found in sums for idiom in found)
    return IdiomCurves(
        names,
        {
            idiom: Curve(names, tuple(_value(found.get(idiom, [0.0, 0.0])) for found in sums))
            for idiom in idioms
        },
        tuple(degenerate),
    )


def count_idioms(lines: Iterable[str], idioms: Sequence[str]) -> dict[str, int]:
    """Count the sentences of a training text that contain each idiom."""
    counts = dict.fromkeys(idioms, 0)
    lowered = [(idiom, idiom.lower()) for idiom in idioms]
    for line in lines:
        text = line.lower()
        for idiom, wanted in lowered:
            counts[idiom] += wanted in text
    return counts


def _value(cell: Sequence[float]) -> float | None:
    return cell[0] / cell[1] if cell[1] >= FEWEST else None
