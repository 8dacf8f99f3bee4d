"""How the page shows what every section shows: scores, systems with their colours, links."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlencode

from recombine.report.findings import Findings
from recombine.statistics.intervals import Estimate
from recombine.templates import number

# Systems from here on have the colours of the first ones again.
COLOURS = 8


class SystemLook(NamedTuple):
    """A system's name, the class that colours it everywhere, and what it learned from."""

    name: str
    css: str


def colour(report: Findings, system: str) -> str:
    """The class that gives a system its colour everywhere in the page."""
    return f"c{report.systems.index(system) % COLOURS}"


def look(report: Findings, system: str) -> SystemLook:
    """A system as the page shows it."""
    return SystemLook(system, colour(report, system))


def whole(value: float) -> str:
    """A score without decimals; all and none are said only where they are true."""
    if math.isnan(value):
        return "–"
    if 99.5 <= value < 100:
        return ">99"
    return "<1" if 0 < value < 0.5 else number(value, 0)


def between(score: Estimate, write: Callable[[float], str] = number) -> str:
    """A score as text; where the metric could not judge everything, how low and high it may be."""
    return "–".join(map(write, score.possible))


def interval(score: Estimate) -> str:
    """The interval of a score as text; nothing where there is none."""
    if math.isnan(score.low):
        return ""
    return f"{number(score.low)}{'–' if score.low >= 0 else ' to '}{number(score.high)}"


def examples_link(**fields: str) -> str:
    """An address inside the page that opens a selection of examples."""
    return "#examples?" + urlencode({key.replace("__", "."): text for key, text in fields.items()})
