"""Report options parse from the command line's strings."""

from __future__ import annotations

import pytest

from recombine.config import apply_overrides, parse_config
from recombine.errors import RecombineError
from recombine.report.options import ReportOptions


def test_overrides_and_typos():
    """Options are strict."""
    data = apply_overrides({}, ["samples=50", 'exports=["harness"]'])
    options = parse_config(ReportOptions, data)
    assert (options.samples, options.exports) == (50, ("harness",))
    with pytest.raises(RecombineError, match="smaples"):
        parse_config(ReportOptions, apply_overrides({}, ["smaples=50"]))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("samples=1", "samples must be 40 or more"),
        ("samples=39", "samples must be 40"),
        ("trials=1", "trials must be 20"),
        ("sample=-1", "must not be negative"),
        ("seed=-1", "seed must be 0"),
    ],
)
def test_too_few_draws_are_refused(given, named):
    """An interval of a single resample is none."""
    with pytest.raises(RecombineError, match=named):
        parse_config(ReportOptions, apply_overrides({}, [given]))


def test_a_wider_interval_needs_more_resamples():
    """Some resamples must lie beyond each of its ends."""
    with pytest.raises(RecombineError, match="samples must be 2000"):
        ReportOptions(confidence=0.999)
