"""Review files go out and come back."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example
from recombine.builders.compounds.references import read_references, review_lines
from recombine.errors import DataError


def test_a_round_trip(tmp_path):
    """Drafts are shown, filled rows are read, empty ones are not."""
    examples = [Example.make(source=f"s {n}", tags={"compound": "c"}) for n in range(2)]
    lines = list(review_lines(examples, {"s 0": "entwurf"}))
    assert lines[1].split("\t")[3:] == ["entwurf", ""]
    path = tmp_path / "review.tsv"
    path.write_text("\n".join([lines[0], lines[1] + "fertig", lines[2]]) + "\n", encoding="utf-8")
    assert read_references(path) == {"s 0": "fertig"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows"),
        ("a\tb\n", "source"),
        ("source\tx\na\tb\n", "reference"),
        ("source\treference\nx\ty\tz\n", "3 cells"),
    ],
)
def test_faults_are_named(tmp_path, text, message):
    """Header and columns."""
    path = tmp_path / "r.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_references(path)
