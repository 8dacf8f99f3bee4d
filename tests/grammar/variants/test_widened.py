"""A grammar widened by variants reads what the variants of any meaning say."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.variants.widened import is_table, widen, word_of
from recombine.grammar.variants.wordings import wordings_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("neko o inu wa mita", {"see", "cat", "dog"}),
        ("inu wa neko o kononda", {"like~1", "cat", "dog"}),
        ("neko ga inu ni mirareta", {"see", "cat", "dog"}),
        ("inu wa neko o minakatta", {"see~polarity", "cat", "dog"}),
    ],
)
def test_variants_are_read(small, text, words):
    """Orders, synonyms, voices and contrasts are words and rules like all others."""
    grammar = Grammar.load(small)
    widened = widen(grammar, "xx", wordings_of(grammar, small, "xx")).grammar
    tree = widened.parse(text, "xx").tree
    assert tree is not None
    assert {word for word in tree.words() if not is_table(word)} == words


def test_a_synonym_stands_for_its_word():
    """The name of a word in a widened grammar says which word it is, and whether it contrasts."""
    assert word_of("give_dat") == ("give_dat", "")
    assert word_of("give_dat~2") == ("give_dat", "")
    assert word_of("give_dat~polarity") == ("give_dat", "polarity")
    assert word_of("give_dat~tense~1") == ("give_dat", "tense")
