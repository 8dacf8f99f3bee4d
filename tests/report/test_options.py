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
