"""Forms of one word, and keywords among the words of a sentence."""

from __future__ import annotations

import pytest

from recombine.corpus.segment import segment
from recombine.corpus.word_forms import as_keyword, find_keyword, is_form_of


@pytest.mark.parametrize(
    ("token", "keyword", "same"),
    [
        ("blauwe", "blauw", True),
        ("arañazos", "arañazo", True),
        ("tijdens", "tijd", False),
        ("altijd", "tijd", False),
        ("hart", "hard", False),
        ("augen", "auge", True),
        ("weil", "weile", False),
        ("lage", "lager", False),
        ("markt", "marke", False),
    ],
)
def test_forms(token: str, keyword: str, same: bool) -> None:
    """Endings are forgiven, other words are not."""
    assert is_form_of(token, keyword) == same


def test_several_words_and_unspaced_scripts() -> None:
    """A keyword of two words must stand together; a Chinese one is a stretch of characters."""
    keywords = [as_keyword("zip code")]
    assert find_keyword(segment("De Zip Code ."), keywords, inflected=False) == ("zip", "code")
    assert find_keyword(segment("zip de code"), keywords, inflected=False) is None
    chinese = [as_keyword("蓝色")]
    assert find_keyword(segment("它从蓝色中来。"), chinese, inflected=True) is not None
    assert find_keyword(segment("它从天空中来。"), chinese, inflected=True) is None
