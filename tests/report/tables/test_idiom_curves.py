"""Curves of literal translation over training."""

from __future__ import annotations

import math

from recombine.builders.consistency.training import count_idioms
from recombine.report.tables.training_curves import Curve, idiom_curves


def rows(idiom: str, literal: int, total: int, degenerate: int = 0) -> list[dict[str, object]]:
    """Return rows of a score file."""
    good = [
        {
            "stats": [float(place < literal), 1.0],
            "detail": {"idiom": idiom, "class": "literal" if place < literal else "paraphrase"},
        }
        for place in range(total)
    ]
    bad = [
        {"stats": [0.0, 0.0], "detail": {"idiom": idiom, "class": "degenerate"}}
        for _ in range(degenerate)
    ]
    return [*good, *bad]


def test_a_curve_has_peak_end_and_drop() -> None:
    """Degenerate checkpoints give no point, so the curve does not begin at zero."""
    curves = idiom_curves(
        [
            ("step-1", rows("by heart", 0, 2, degenerate=18)),
            ("step-2", rows("by heart", 12, 20)),
            ("step-3", rows("by heart", 4, 20)),
        ]
    )
    curve = curves.idioms["by heart"]
    assert curve.values == (None, 0.6, 0.2)
    assert (curve.peak, curve.peak_at, curve.end) == (0.6, "step-2", 0.2)
    assert curve.drop is not None
    assert math.isclose(curve.drop, 0.4)
    assert curves.degenerate == (0.9, 0.0, 0.0)


def test_mean_leaves_out_idioms_without_a_value() -> None:
    """The mean over idioms skips missing cells instead of counting them as zero."""
    curves = idiom_curves(
        [
            ("step-1", [*rows("a", 10, 10), *rows("b", 0, 1)]),
            ("step-2", [*rows("a", 5, 10), *rows("b", 0, 10)]),
        ]
    )
    assert curves.mean.values == (1.0, 0.25)


def test_correlation_with_frequency() -> None:
    """Frequent idioms that are unlearned more give a positive correlation."""
    start = [row for idiom in "abc" for row in rows(idiom, 10, 10)]
    end = [*rows("a", 9, 10), *rows("b", 5, 10), *rows("c", 0, 10)]
    curves = idiom_curves([("step-1", start), ("step-2", end)])
    found = curves.correlation({"a": 10, "b": 100, "c": 1000})
    assert found is not None
    assert found > 0.99
    assert curves.correlation({"a": 10}) is None
    assert curves.correlation({"a": 5, "b": 5, "c": 5}) is None


def test_empty_curve() -> None:
    """Nothing scored: no peak, no end."""
    assert Curve(("step-1",), (None,)).peak_at is None
    assert Curve((), ()).drop is None


def test_idioms_are_counted_whatever_their_case() -> None:
    """Frequency counts sentences of the training text."""
    lines = ["Out of the blue it came .", "I know it by heart , by heart", "nothing"]
    assert count_idioms(lines, ["out of the blue", "by heart"]) == {
        "out of the blue": 1,
        "by heart": 1,
    }
