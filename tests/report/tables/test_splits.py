"""Table 2 of Moisio et al. 2023."""

from __future__ import annotations

from recombine.files import write_json
from recombine.report.tables.splits import _published_splits, divergent_tables


def test_no_certificate_no_table(findings):
    """A benchmark that is not a split of a corpus has no Table 2."""
    assert divergent_tables(findings) == []


def test_the_certificate_is_the_row(findings):
    """Sizes and divergences of this split; the paper's stand below its own splits only."""
    path = findings.source.benchmark.path / "certificate.json"
    size = {
        "sentences": 9, "words": 50, "lemmas": 20, "mean_length": 5.5, "novel_compound_share": 0.5,
    }  # fmt: skip
    found = {"atom_divergence": 0.01, "compound_divergence": 0.9, "target_divergence": 1.0}
    write_json(path, {**found, "splits": {"train": size, "test": {**size, "sentences": 3}}})
    try:
        (table,) = divergent_tables(findings)
    finally:
        path.unlink()
    assert table.rows[0] == ("max", "ja", 0, 9, 3, 50, 5.5, 20, 0.5, 0.01, 0.9)
    assert len(table.rows) == 1


def test_the_paper_prints_eleven_splits():
    """Three random ones, three minimal, three maximal, and two of other papers."""
    rows = _published_splits()
    assert len(rows) == 11
    row = next(one for one in rows if str(one[0]).startswith("Europarl max D_C split #2"))
    assert row == (
        "Europarl max D_C split #2 (paper)", None, None, "198k", "22k", "390k", None, "34k", None,
        0.002, 1.0,
    )  # fmt: skip
