"""Words that go together, found and mended in trees."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar
from recombine.grammar.sampling.selection import Selector

PAIRS = "role\tgovernor\tdependent\nobject\tsee\tdog\n"
TREE = "decl(def(cat), trans(see, beside(cat, def(dog))))"
HALF = 1 << 63


Load = Callable[..., tuple[Grammar, Selector]]


@pytest.fixture
def load(write: Write) -> Load:
    """Load the small grammar with a %select line."""

    def build(select: str = "", pairs: str = PAIRS) -> tuple[Grammar, Selector]:
        text = SMALL["abstract.grammar"] + f"%select object : trans.V2 trans.obj {select}\n"
        grammar = Grammar.load(write({"abstract.grammar": text, "abstract.pairs.tsv": pairs}))
        return grammar, Selector(grammar.inventory)

    return build


def test_pairs_tie_lexical_heads(load: Load) -> None:
    """The head of the object is tied to the verb, not the noun inside its modifier."""
    grammar, selector = load()
    tree = grammar.tree(TREE)
    (tie,) = selector.violations(tree)
    assert grammar.inventory.labels[tree.codes[tie.governor]] == "see"
    assert tie.dependent == tree.head(tree.node("obj", tree.node("VP")))
    assert list(selector.ties(tree.codes, tree.codes)) == [tie]


def test_governor_without_pairs_takes_anything(load: Load) -> None:
    """Only words that are listed as governors restrict their partners."""
    grammar, selector = load()
    code = grammar.inventory.code
    assert selector.fits(code("sleep"), code("cat"), 0)
    assert selector.fits(code("see"), code("dog"), 0)
    assert not selector.fits(code("see"), code("cat"), 0)


def test_mending_draws_among_the_candidates(load: Load) -> None:
    """The random word picks evenly among candidates that go with the governor."""
    grammar, selector = load(pairs=PAIRS + "object\tsee\thouse\n")
    candidates = [grammar.inventory.code(name) for name in ("cat", "dog", "house")]
    tree = grammar.tree(TREE)
    (tie,) = selector.violations(tree)
    for word, name in ((0, "dog"), (HALF - 1, "dog"), (HALF, "house"), (2 * HALF - 1, "house")):
        codes = list(tree.codes)
        selector.mend(codes, tie, candidates, iter([word]))
        assert grammar.inventory.labels[codes[tie.dependent]] == name


def test_last_resort_is_the_else_word(load: Load) -> None:
    """Where no candidate fits, or the line says direct, the else word is taken, without luck."""
    for select, names in (
        ("else house", ("cat", "house")),
        ("direct else house", ("cat", "dog", "house")),
    ):
        grammar, selector = load(select)
        tree = grammar.tree(TREE)
        (tie,) = selector.violations(tree)
        codes = list(tree.codes)
        candidates = [grammar.inventory.code(name) for name in names]
        selector.mend(codes, tie, candidates, iter(()))
        assert grammar.inventory.labels[codes[tie.dependent]] == "house"
