"""Which of two analyses is meant."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar, Tree
from recombine.grammar.parsing.forest import Ranking, Value

ONE = "decl(beside(cat, def(dog)), sleep_(sleep))"
TWO = "decl(beside(cat, beside(dog, def(house))), sleep_(sleep))"


def value(ranking: Ranking, tree: Tree) -> Value:
    """The value of a whole tree."""
    found: dict[int, Value] = {}
    for node in range(len(tree) - 1, -1, -1):
        code = tree.codes[node]
        below = [found[child] for child in tree.positions[node]]
        found[node] = ranking.word if tree.inventory.is_word(code) else ranking.value(code, below)
    return found[0]


@pytest.mark.parametrize(
    ("prefer", "chosen"),
    [("many {pp}", TWO), ("few {pp}", ONE), ("deep beside", TWO), ("shallow beside", ONE)],
)
def test_declared_preferences(write: Write, prefer: str, chosen: str) -> None:
    """The analysis with the larger score is the preferred one."""
    text = SMALL["abstract.grammar"] + f"%prefer {prefer}\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    ranking = Ranking(grammar.inventory)
    best = max((ONE, TWO), key=lambda tree: value(ranking, grammar.tree(tree)).score)
    assert best == chosen


def test_depths_count_from_the_root(write: Write) -> None:
    """Every node is counted with its distance from the top."""
    text = SMALL["abstract.grammar"] + "%prefer deep {pp}\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    found = value(Ranking(grammar.inventory), grammar.tree(TWO))
    assert found.counts == (2,)
    assert found.depths == (1 + 2,)


def test_first_preference_decides(write: Write) -> None:
    """Later preferences only break ties."""
    text = SMALL["abstract.grammar"] + "%prefer few {pp}\n%prefer many beside\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    ranking = Ranking(grammar.inventory)
    one, two = (value(ranking, grammar.tree(tree)).score for tree in (ONE, TWO))
    assert one > two


def test_weights_decide_without_preferences(write: Write) -> None:
    """The likelier rule wins, and any rule beats one of weight 0."""
    text = SMALL["abstract.grammar"] + "rare : NP -> N [0.1]\nnever : NP -> N [0]\n"
    ranking = Ranking(Grammar.load(write({"abstract.grammar": text})).inventory)
    grammar = Grammar.load(write({"abstract.grammar": text}))
    scores = [
        ranking.value(grammar.inventory.code(name), [ranking.word]).score
        for name in ("def", "rare", "never")
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3
