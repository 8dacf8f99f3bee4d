"""Tokens that join to the same text again."""

from __future__ import annotations

import pytest

from recombine.augment import tokens
from recombine.augment.tokens import Tokeniser


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


def test_an_elided_word_is_a_word():
    """French *l'* is an article as *la* is."""
    assert Tokeniser("fr", []).cut("vit l'ami") == (" vit", " l'", "ami")


def test_characters_are_the_same_at_the_beginning_of_a_sentence():
    """No space goes before them there either."""
    assert Tokeniser("zh", []).cut("猫在猫") == ("猫", "在", "猫")


def test_chinese_words_that_a_dictionary_joins_are_cut_apart():
    """毛巾被 is a kind of blanket to a dictionary; here it is 毛巾, a towel, before 被."""
    pytest.importorskip("jieba")
    towels = ["那条毛巾被他看见了。", "他看见了那条毛巾。", "那只猫被他看见了。"] * 12
    tokeniser = Tokeniser("zh", towels, words=True)
    assert tokeniser.raw[0][-7:] == tokeniser.cut(towels[0])[-7:]
    assert "毛巾被" not in tokeniser.raw[0]
    assert "毛巾" in tokeniser.raw[0]
