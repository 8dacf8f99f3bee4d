"""Segmentation by Unicode classes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.corpus.segment import is_punctuation, segment


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("El rey admira la reina.", ["el", "rey", "admira", "la", "reina", "."]),
        ("L'atleta i l\u2019oncle", ["l'", "atleta", "i", "l\u2019", "oncle"]),
        (
            "\u00bfD\u00e1-lhe 3,5 \u20ac?",
            ["\u00bf", "d\u00e1", "-", "lhe", "3", ",", "5", "\u20ac", "?"],
        ),
        ("国王看见了。", ["国", "王", "看", "见", "了", "。"]),
        ("王はテーブルを見た", list("王はテーブルを見た")),
        ("राजा को देखा", ["राजा", "को", "देखा"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("国王 saw 3 кота", ["国", "王", "saw", "3", "кота"]),
        ("", []),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    """Words in spaced scripts, graphemes in unspaced ones, mixed scripts in one sentence."""
    assert list(segment(text)) == tokens


def test_only_the_first_word_is_lowered() -> None:
    """German nouns keep their capitals; quotation marks do not count as the first word."""
    assert segment('"Der König ." Sagte') == ('"', "der", "König", ".", '"', "Sagte")


@given(st.text(max_size=40))
def test_nothing_visible_is_lost(text: str) -> None:
    """The tokens hold every character that is not white space."""
    normal = unicodedata.normalize("NFC", text)
    assert "".join(segment(text)).lower() == "".join(normal.split()).lower()


def test_punctuation_is_told_from_words() -> None:
    """Marks and symbols are punctuation, letters and digits are not."""
    assert [is_punctuation(token) for token in ("¿", "...", "a", "3", "。")] == [
        True,
        True,
        False,
        False,
        True,
    ]
