"""Tokens that join to the same text again."""

from __future__ import annotations

import pytest

from recombine.augment import tokens
from recombine.augment.frames import OPEN
from recombine.augment.phrases.slots import FREE, HEAD, PHRASE
from recombine.augment.tokens import SYMBOLS, Tokeniser


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The book that a turtle knew , the child changed."),
        ("es", "¿Qué vio l'Anna?"),
        ("zh", "猫在ABC上面。"),
    ],
)
def test_tokens_join_to_the_text(language, text):
    """Nothing is lost or moved by cutting."""
    tokeniser = Tokeniser(language, [text])
    assert "".join(tokeniser.raw[0]).strip() == text


def test_a_first_word_is_written_as_inside_sentences():
    """Names keep their capital, other first words lose it, and a sentence gets it back."""
    tokeniser = Tokeniser("en", ["The cat saw Ann.", "Ann saw the cat.", "A cat saw Ann."])
    assert tokeniser.cut("The cat.")[0] == " the"
    assert tokeniser.cut("Ann saw.")[0] == " Ann"
    assert tokeniser.text([" the", " cat", "."]) == "The cat."


def test_texts_are_cut_alike_in_this_process_and_in_others(monkeypatch):
    """Processes cut blocks; the order of the sentences stays."""
    sentences = [f"The {n} cats saw {n % 7} dogs." for n in range(50)]
    whole = Tokeniser("en", sentences).raw
    monkeypatch.setattr(tokens, "BLOCK", 8)
    assert Tokeniser("en", sentences).raw == whole
    assert len(whole) == 50


def test_a_letter_of_the_text_is_never_taken_for_a_symbol():
    """X, N, D and _ stand for phrases, heads, articles and open words in what is learnt."""
    assert {PHRASE, HEAD, FREE, OPEN} == SYMBOLS
    for language in ("zh", "ja", "th"):
        for text in ("猫在D上。", "X是猫。", "猫在_X。", "N和D是猫"):
            (cut,) = Tokeniser(language, [text]).raw
            assert "".join(cut).strip() == text
            assert not SYMBOLS & set(cut)
