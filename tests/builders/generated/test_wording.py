"""How a sentence words its constituents."""

from __future__ import annotations

import pytest

from recombine.builders.generated.focus import wording
from recombine.grammar import Grammar


@pytest.mark.parametrize(
    ("slot", "english", "japanese"),
    [("subj", "the child", "子供"), ("VF", "found a book in a car", "車の中の本を見つけた")],
)
def test_phrase_and_verb(slot, english, japanese):
    """A phrase has its plain form; a verb phrase is worded by its own pieces."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("The child found a book in a car.", "en").require_tree()
    node = tree.node(slot, tree.positions[0][0])
    assert wording(grammar.realiser("en"), tree, node) == english
    if slot == "subj":
        assert wording(grammar.realiser("ja"), tree, node) == japanese


def test_word_in_its_form():
    """A verb without its particle."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("The child found a book.", "en").require_tree()
    verb = next(n for n, label in enumerate(tree.labels()) if label == "find_tr")
    assert wording(grammar.realiser("ja"), tree, verb) == "見つけた"
