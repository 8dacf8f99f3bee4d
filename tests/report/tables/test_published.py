"""Published numbers: every file reads, every row has a source."""

from __future__ import annotations

import pytest

from recombine.report.tables.published import lookup, read_published, systems


@pytest.mark.parametrize("method", ["generated", "compounds", "divergent", "consistency"])
def test_every_number_has_a_paper(method):
    """No number without the place it was printed or computed from."""
    rows = read_published(method)
    assert rows
    assert all(row.paper and row.metric and row.text for row in rows)


def test_lookup_and_systems():
    """Numbers are found by what they are about."""
    assert (
        lookup("generated", metric="exact", tag="group_name", value="lexical", system="Llama 2")
        == 87.0
    )
    assert systems("generated", metric="exact", tag="group_name") == ["Transformer", "Llama 2"]
