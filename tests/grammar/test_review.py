"""Rows for people."""

from __future__ import annotations

from recombine.grammar import Grammar, review_rows, sample_rows


def test_sample_rows(toy: Grammar) -> None:
    """Parallel sentences with their tree, filtered by pattern, seeded."""
    rows = list(sample_rows(toy, 5, languages=["en", "ja"], seed=3, patterns=["rc_obj"]))
    assert len(rows) == 5
    assert all(set(row) == {"tree", "en", "ja"} for row in rows)
    assert all("rc_obj(" in row["tree"] for row in rows)
    assert rows == list(sample_rows(toy, 5, languages=["en", "ja"], seed=3, patterns=["rc_obj"]))


def test_review_rows(toy: Grammar) -> None:
    """Every word form that is used and every construction, also of weight 0, once."""
    rows = list(review_rows(toy))
    rules = [row["rule"] for row in rows if row["kind"] == "construction"]
    assert rules == list(toy.abstract.rules)
    forms = {(r["language"], r["id"], r["field"]): r["text"] for r in rows if r["kind"] == "form"}
    assert forms["de", "watch", "prefix"] == "an"
    assert forms["en", "child", "pl"] == "children"
    assert forms["ja", "see", "past"] == "見た"
    assert {word for _, word, _ in forms} == set(toy.abstract.words)
