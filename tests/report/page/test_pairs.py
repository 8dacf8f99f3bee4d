"""The page of inconsistent pairs."""

from __future__ import annotations

from recombine.report.page.pairs import MOST_PAIRS, MarkedPair, _heading, _listed, _marked, _pair

PAIR = MarkedPair(
    "s",
    1,
    "k",
    "context",
    {"condition": "np", "template": "t1", "data": "synthetic"},
    ("A <b> .", "A c ."),
    ((("a", False), ("<i>", True)), ()),
    {"reason": "x & y"},
)


def test_everything_is_escaped() -> None:
    """Sources, outputs and reasons are text, never markup."""
    html = _pair(PAIR)
    assert "A &lt;b&gt; ." in html
    assert "<mark>&lt;i&gt;</mark>" in html
    assert "x &amp; y" in html


def test_headings_and_empty_outputs() -> None:
    """A pair is filed under its condition; silence is shown as such."""
    assert _heading(PAIR) == "np, synthetic, t1"
    assert _heading(PAIR._replace(tags={**PAIR.tags, "synonym": "a/b"})) == "a/b, synthetic"
    assert _marked(()) == "<em>nothing</em>"


def test_every_condition_has_its_share() -> None:
    """Many failures in one template do not push the others off the page."""
    few = PAIR._replace(tags={**PAIR.tags, "template": "t9"})
    html = _listed([PAIR] * MOST_PAIRS + [few])
    assert f"t1 ({MOST_PAIRS // 2} of {MOST_PAIRS})" in html
    assert "t9 (1)" in html
