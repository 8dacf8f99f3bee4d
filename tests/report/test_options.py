"""Report options parse from the command line's strings."""

from __future__ import annotations

import pytest

from recombine.config import apply_overrides, parse_config
from recombine.errors import RecombineError
from recombine.report.options import ReportOptions


def test_overrides_and_typos():
    """Options are strict."""
    data = apply_overrides({}, ["trials=50", 'exports=["harness"]'])
    options = parse_config(ReportOptions, data)
    assert (options.trials, options.exports) == (50, ("harness",))
    with pytest.raises(RecombineError, match="trails"):
        parse_config(ReportOptions, apply_overrides({}, ["trails=50"]))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("trials=1", "trials must be 20"),
        ("sample=-1", "must not be negative"),
        ("seed=-1", "seed must be 0"),
    ],
)
def test_too_few_draws_are_refused(given, named):
    """A test of a single trial is none."""
    with pytest.raises(RecombineError, match=named):
        parse_config(ReportOptions, apply_overrides({}, [given]))
