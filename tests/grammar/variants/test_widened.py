"""A grammar widened by variants reads what the variants of any meaning say."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.parsing.parser import Parser
from recombine.grammar.variants.widened import widen
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
    tree = Parser(widened.language).parse(text).require_tree()
    first, labels = tree.inventory.first_word, tree.inventory.labels
    found = {(labels[c], widened.contrasts.get(c, "")) for c in tree.codes if c >= first}
    assert found == words


def test_a_chain_is_one_rule_with_the_slots_of_all(small):
    """What a rule of the widened grammar stands for is told, and not read off its name."""
    grammar = Grammar.load(small)
    widened = widen(grammar, "xx", wordings_of(grammar, small, "xx"))
    tree = Parser(widened.language).parse("neko o inu wa mita").require_tree()
    assert ("act", "tr") in {widened.chains.get(name) for name in tree.labels()}


def test_only_words_are_words(small):
    """A cell of a table is a literal, and a sense is called by its word."""
    grammar = Grammar.load(small)
    widened = widen(grammar, "xx", wordings_of(grammar, small, "xx"))
    trees = list(Parser(widened.language).parse("neko o inu ga mita").trees())
    assert {tuple(sorted(tree.words())) for tree in trees} == {("cat", "dog", "see")}
    assert {label for tree in trees for label in tree.labels()} <= {
        *grammar.inventory.labels,
        *widened.chains,
    }
