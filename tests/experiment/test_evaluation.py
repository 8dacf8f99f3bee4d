"""Evaluating one's own model in one call."""

import pytest

import recombine
from recombine.errors import SystemFailure


def test_a_function_can_be_evaluated(small_benchmark):
    """Ten lines are enough; here it is one."""
    answers = {"A dog slept.": "Ein Hund schlief."}
    rows = recombine.evaluate(
        lambda sources: [answers.get(s, "?") for s in sources], small_benchmark, metrics=["exact"]
    )
    overall = rows[0]
    assert (overall.split, overall.metric, overall.n) == ("test", "exact", 3)
    assert overall.score == pytest.approx(100 / 3)
    assert overall.ci_low < overall.score < overall.ci_high


def test_a_system_that_loses_a_line_is_caught(small_benchmark):
    """Length is verified, not assumed."""
    with pytest.raises(SystemFailure, match="2 translations for 3"):
        recombine.evaluate(lambda sources: sources[1:], small_benchmark)


def test_every_public_name_resolves():
    """The lazy table of the package has no dead entry."""
    for name in recombine.__all__:
        assert getattr(recombine, name) is not None
    with pytest.raises(AttributeError):
        recombine.no_such_name  # noqa: B018 - the access is the test
