"""Is this a translation at all?"""

from __future__ import annotations

import pytest

from recombine.metrics.literal.metric import degeneracy

SOURCE = "The man that sleeps admires the old king of Spain ."


@pytest.mark.parametrize(
    ("hypothesis", "reason"),
    [
        ("", "empty"),
        (" . . .", "empty"),
        ("El", "short"),
        ("el " * 50, "long"),
        ("el el el el el el rey", "repetitive"),
        (SOURCE, "copy"),
        ("El hombre que duerme admira al viejo rey de España .", None),
        ("睡着的男人钦佩西班牙老国王。", None),
    ],
)
def test_reasons(hypothesis: str, reason: str | None) -> None:
    """Silence, babble and copies are told from translations in any script."""
    assert degeneracy(SOURCE, hypothesis) == reason
