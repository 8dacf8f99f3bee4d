"""Samples that all exports share."""

from __future__ import annotations

from recombine.report.exports.samples import samples_of, stamp


def test_samples_hold_text_and_verdict_of_every_seed(findings):
    """One sample per example and seed; right means equal to the reference."""
    rows = list(samples_of(findings, "lstm", "gen"))
    assert len(rows) == 3 * 320
    for row in rows:
        assert row["value"] == float(row["hypothesis"] in row["references"])
    assert stamp(findings) == stamp(findings)
