"""A grammar widened by variants reads what the variants of any meaning say."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.variants.widened import WordVariant, widen
from recombine.grammar.variants.wordings import wordings_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("neko o inu wa mita", {("see", ""), ("cat", ""), ("dog", "")}),
        ("inu wa neko o kononda", {("like", ""), ("cat", ""), ("dog", "")}),
        ("neko ga inu ni mirareta", {("see", ""), ("cat", ""), ("dog", "")}),
        ("inu wa neko o minakatta", {("see", "polarity"), ("cat", ""), ("dog", "")}),
    ],
)
def test_variants_are_read(small, text, words):
    """Orders, synonyms, voices and contrasts are words and rules like all others."""
    grammar = Grammar.load(small)
    widened = widen(grammar, "xx", wordings_of(grammar, small, "xx"))
    tree = widened.grammar.parse(text, "xx").tree
    assert tree is not None
    found = {widened.words[word] for word in tree.words() if word in widened.words}
    assert found == {WordVariant(*word) for word in words}


def test_a_chain_is_one_rule_with_the_slots_of_all(small):
    """What a rule of the widened grammar stands for is told, and not read off its name."""
    grammar = Grammar.load(small)
    widened = widen(grammar, "xx", wordings_of(grammar, small, "xx"))
    tree = widened.grammar.parse("neko o inu wa mita", "xx").require_tree()
    assert ("act", "tr") in {widened.chains.get(name) for name in tree.labels()}
