"""A relaxed grammar says all the original says, and more."""

from __future__ import annotations

import pytest

from recombine.grammar import Constraints, Grammar
from recombine.grammar.parsing.relaxed import relax


@pytest.mark.parametrize(("name", "language"), [("toy", "de"), ("toy", "ja"), ("sget", "ja")])
def test_relaxed_grammar_parses_what_the_original_says(name, language):
    """Every sampled sentence still has an analysis, with fewer rules."""
    grammar = Grammar.load(name)
    relaxed = relax(grammar, language)
    assert len(relaxed.grammar.abstract.rules) <= len(grammar.abstract.rules)
    for tree in grammar.sample(40, seed=3):
        text = grammar.text(tree, language)
        assert relaxed.grammar.parse(text, language).ok, text


def test_word_classes_no_longer_matter():
    """A name may be modified and a preposition may take any noun."""
    grammar = Grammar.load("sget")
    relaxed = relax(grammar, "ja").grammar
    for text in ("家の横のリアムは本を見た。", "リアムは家の上の本を見た。"):
        assert not grammar.parse(text, "ja").ok
        assert relaxed.parse(text, "ja").ok


@pytest.mark.parametrize("language", ["en", "ja", "fr"])
def test_a_ladder_of_adjectives_is_one_category(language):
    """Two adjectives are read once, not once for every step of the ladder that was skipped."""
    grammar = Grammar.load("sget")
    two = Constraints(require=("thing_two",), exclude=("thing_one", "living_one", "living_two"))
    (tree,) = grammar.sample(1, seed=2, constraints=two)
    relaxed, names = relax(grammar, language)
    assert "thing_1_1_skip" not in names
    assert names["thing_1_3"] == names["thing_1_1"] == "thing_1_1"
    text = grammar.text(tree, language)
    shapes = {
        tuple(label for label in reading.labels() if label.startswith(("thing_1", "thing_2")))
        for reading in relaxed.parse(text, language).trees()
    }
    assert shapes == {("thing_2_1", "thing_1_1")}, text
