"""Words mended pair by pair, as in published data (%mend)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Constraints, Grammar
from recombine.grammar.sampling.mending import Mender
from recombine.grammar.sampling.ties import read_pairs

PAIRS = "role\tgovernor\tdependent\nobject\tsee\tdog\n"
TREE = "decl(def(cat), trans(see, beside(cat, def(dog))))"
HALF = 1 << 63

Load = Callable[..., tuple[Grammar, Mender]]


@pytest.fixture
def load(write: Write) -> Load:
    """Load the small grammar with a %mend line."""

    def build(rest: str = "", pairs: str = PAIRS) -> tuple[Grammar, Mender]:
        text = SMALL["abstract.grammar"] + f"%mend object : trans.V2 trans.obj {rest}\n"
        grammar = Grammar.load(write({"abstract.grammar": text, "abstract.pairs.tsv": pairs}))
        return grammar, Mender(grammar.inventory, read_pairs(grammar.inventory))

    return build


def _tie(grammar: Grammar, mender: Mender):
    tree = grammar.tree(TREE)
    first = grammar.inventory.first_word
    shape = tuple(code if code < first else -1 for code in tree.codes)
    (tie,) = mender.ties(shape, tree.codes)
    return tree, tie


def test_pairs_tie_lexical_heads(load: Load) -> None:
    """The head of the object is tied to the verb, not the noun inside its modifier."""
    grammar, mender = load()
    tree, tie = _tie(grammar, mender)
    assert grammar.inventory.labels[tree.codes[tie.governor]] == "see"
    assert tie.dependent == tree.head(tree.node("obj", tree.node("VP")))
    assert grammar.violations(tree) == [("object", "see", "cat")]


def test_mending_draws_among_the_candidates(load: Load) -> None:
    """The random word picks evenly among candidates that go with the governor."""
    grammar, mender = load(pairs=PAIRS + "object\tsee\thouse\n")
    candidates = [grammar.inventory.code(name) for name in ("cat", "dog", "house")]
    tree, tie = _tie(grammar, mender)
    for word, name in ((0, "dog"), (HALF - 1, "dog"), (HALF, "house"), (2 * HALF - 1, "house")):
        codes = list(tree.codes)
        mender.mend(codes, tie, candidates, iter([word]))
        assert grammar.inventory.labels[codes[tie.dependent]] == name


def test_last_resort_is_the_else_word(load: Load) -> None:
    """Where no candidate fits, or the line says direct, the else word is taken, without luck."""
    for rest, names in (
        ("else house", ("cat", "house")),
        ("direct else house", ("cat", "dog", "house")),
    ):
        grammar, mender = load(rest)
        candidates = [grammar.inventory.code(name) for name in names]
        tree, tie = _tie(grammar, mender)
        codes = list(tree.codes)
        mender.mend(codes, tie, candidates, iter(()))
        assert grammar.inventory.labels[codes[tie.dependent]] == "house"


def test_sampled_trees_are_mended(load: Load) -> None:
    """Words that do not go together are drawn again; the last resort is the else word."""
    grammar, _ = load("else house")
    for tree in grammar.sample(200, constraints=Constraints(select=True, require=("trans",))):
        assert not grammar.violations(tree)
    blocked = Constraints(select=True, require=("trans",), weights={"dog": 0})
    for tree in grammar.sample(50, constraints=blocked):
        for node, label in enumerate(tree.labels()):
            if label == "trans":
                head = tree.head(tree.node("obj", node))
                assert head is not None
                assert tree.labels()[head] == "house"
