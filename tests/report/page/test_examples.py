"""Examples in the page: even, telling, packed, explained."""

from __future__ import annotations

from collections import Counter

from recombine.report.page.examples import pack_examples
from report.synthetic import unpack


def test_everything_fits_or_is_counted(findings):
    """All examples when there is room; else a sample that is even over patterns."""
    everything = pack_examples(findings, 10_000_000)
    assert (everything.shown, everything.total) == (400, 400)
    small = pack_examples(findings, 12_000)
    assert 50 <= small.shown < 400
    assert len(small.text) <= 12_000
    data = unpack(small.text)
    codes = data["tags"]["pattern"]["codes"]
    gen = [c for c, s in zip(codes, data["tags"]["split"]["codes"], strict=True) if s == 0]
    counts = Counter(gen)
    assert max(counts.values()) - min(counts.values()) <= 1
