"""Trees as preorder sequences."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError
from recombine.grammar import Grammar

TEXT = "decl(beside(cat, def(house)), trans(see, def(dog)))"


def test_text_and_back(small: Grammar) -> None:
    """Text of a tree and tree() are inverse."""
    for tree in small.sample(100, seed=4):
        assert small.tree(str(tree)) == tree


def test_navigation(small: Grammar) -> None:
    """Slots, children, heads, words and depth."""
    tree = small.tree(TEXT)
    assert tree.label == "decl"
    assert tree["subj"].label == "beside"
    assert [child.label for child in tree] == ["beside", "trans"]
    assert str(tree["VP"]["obj"]) == "def(dog)"
    assert tree.words() == ["cat", "house", "see", "dog"]
    head = tree.head()
    assert head is not None
    assert tree.at(head).label == "see"
    assert tree.at(head).word is not None
    assert tree.depth("pp") == 1
    assert tree.count("pp") == 1
    assert len(tree) == 9
    assert hash(tree) == hash(small.tree(TEXT))
    with pytest.raises(KeyError):
        tree["nothing"]


def test_replace(small: Grammar) -> None:
    """A subtree is exchanged without touching the tree."""
    tree = small.tree(TEXT)
    other = tree.replace(tree.node("subj"), small.tree("def(dog)"))
    assert str(other) == "decl(def(dog), trans(see, def(dog)))"
    assert str(tree) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "decl",
        "decl(def(cat))",
        "def(see)",
        "def(cat) x",
        "def(cat",
        "def(cat,dog)",
        "(",
        "def[cat]",
    ],
)
def test_wrong_trees(small: Grammar, text: str) -> None:
    """What is no tree of the grammar is refused."""
    with pytest.raises(GrammarError):
        small.tree(text)
