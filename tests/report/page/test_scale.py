"""Colours of scores can be told apart from the text on them, in light and dark (WCAG AA)."""

from __future__ import annotations

import re

import pytest

from recombine.registry import data_path

CSS = data_path("page", "page.css").read_text(encoding="utf-8")
COLOUR = "(#[0-9a-f]{6})"
LIGHT, DARK = 0, 1


def variables(theme: int) -> dict[str, str]:
    """The value of each variable in light or in dark."""
    found = re.findall(rf"--([\w-]+): light-dark\({COLOUR}, {COLOUR}\);", CSS)
    return {name: values[theme] for name, *values in found}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """The contrast of two colours."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("scale", ["m", "w"])
def test_numbers_on_every_step_can_be_read(theme, scale):
    """Text on a step has a contrast of 4.5 at least, and steps go one way."""
    colours = variables(theme)
    text = ["on-low"] * 6 + ["on-mid"] * 2 + ["on-high"] * 3
    for step, name in enumerate(text):
        assert contrast(colours[f"{scale}{step}"], colours[name]) >= 4.5, (scale, step)
    steps = [luminance(colours[f"{scale}{step}"]) for step in range(11)]
    assert steps in (sorted(steps), sorted(steps, reverse=True))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_quiet_text_can_be_read_everywhere(theme):
    """Soft text, links and verdicts on paper, card and code; ink on marks."""
    colours = variables(theme)
    for name in ("ink", "soft", "accent", "good", "bad"):
        for ground in ("paper", "card", "code"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for ground in ("mark", "ins", "del"):
        assert contrast(colours["ink"], colours[ground]) >= 4.5, ground
