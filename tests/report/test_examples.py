"""Examples in the page: even, telling, packed, explained."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter

from recombine.report.examples import explain, pack_examples


def unpack(text: str) -> dict:
    """What the browser unpacks."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


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


def test_hypotheses_equal_to_the_reference_are_not_stored_twice(findings):
    """0 stands for the reference; verdicts agree with it."""
    data = unpack(pack_examples(findings, 10_000_000).text)
    exact = data["verdicts"][0]
    for system in range(3):
        for hypothesis, value in zip(
            data["hypotheses"][system], exact["values"][system], strict=True
        ):
            assert (hypothesis == 0) == (value == 1)


def test_details_become_sentences():
    """A metric's own sentence is used; else its fields are listed, internals are not."""
    assert explain({"class": "modifier dropped", "explanation": "house of game"}) == (
        "modifier dropped: house of game"
    )
    assert explain({"missing": ["car"], "aligned": [["a", "b", "c"]], "n": 2}) == "missing car; n 2"
    assert explain({}) == ""
    assert explain({"class": "right"}) == ""
    assert explain({"class": "collapsed"}) == "collapsed"
