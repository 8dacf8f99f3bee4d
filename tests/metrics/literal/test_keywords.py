"""Lists of words that betray a literal rendering."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.errors import DataError
from recombine.metrics.literal.keywords import read_dictionary, read_lemmas


def test_bad_lists(tmp_path: Path) -> None:
    """A line without a tab is named."""
    path = tmp_path / "list.tsv"
    path.write_text("while poos\n", encoding="utf-8")
    for read in (read_dictionary, read_lemmas):
        with pytest.raises(DataError, match="1 columns, expected 2") as caught:
            read(path)
        assert "separated by tabs" in caught.value.render()
