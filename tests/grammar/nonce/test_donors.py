"""How a cell is made of a form."""

from __future__ import annotations

import pytest

from recombine.grammar.nonce.donors import FormChange, change_of


@pytest.mark.parametrize(
    ("form", "cell", "change"),
    [
        ("walk", "walked", FormChange("", "ed")),
        ("try", "tried", FormChange("y", "ied")),
        ("aimer", "a aimé", FormChange("er", "é", "a ")),
        ("送给", "送了", FormChange("给", "了")),
        ("go", "went", None),
    ],
)
def test_the_cell_is_made_of_the_form(form: str, cell: str, change: FormChange | None) -> None:
    """The longest beginning of the form in any word of the cell is the stem."""
    assert change_of(form, cell) == change
    if change is not None:
        assert change.of(form) == cell
