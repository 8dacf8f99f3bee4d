"""Packed analyses of a text."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.parsing.chart import Chart, ChartGrammar
from recombine.grammar.parsing.forest import PackedForest
from recombine.grammar.parsing.lattice import Cutter


def pack(grammar: Grammar, text: str, language: str) -> tuple[PackedForest, Chart]:
    """The packed analyses of one text."""
    productions = grammar.parser(language).productions
    lattice = Cutter(productions).cut(text)
    chart = Chart(ChartGrammar(productions), lattice, productions.roots)
    return PackedForest(productions, chart), chart


def test_one_analysis(small: Grammar) -> None:
    """An unambiguous sentence has one root and no node with two alternatives."""
    packed, _ = pack(small, "The cat beside the dog slept.", "en")
    assert len(packed.roots) == 1
    assert max(len(found) for found in packed.alternatives) == 1
    (alternative,) = packed.alternatives[packed.roots[0]]
    assert small.inventory.labels[alternative.rule] == "decl"
    assert len(alternative.children) == 2


def test_ambiguity_is_an_alternative_of_one_node(toy: Grammar) -> None:
    """Two attachments share everything but the node where they differ."""
    packed, _ = pack(toy, "The cat saw the dog beside the house.", "en")
    labels = toy.inventory.labels
    split = [found for found in packed.alternatives if len(found) > 1]
    assert [sorted(labels[a.rule] for a in found) for found in split] == [["trans", "transat"]]


def test_leaves_hold_the_words_of_the_text(small: Grammar) -> None:
    """Which word a leaf is comes from the strings of the text."""
    packed, chart = pack(small, "The cat saw the house.", "en")
    entries = [edge.entry for edge in chart.lattice.edges]
    heard = [
        small.inventory.labels[packed.words(number, entries)[0]]
        for number, leaf in enumerate(packed.leaves)
        if leaf is not None
    ]
    assert sorted(heard) == ["cat", "house", "see"]


def test_no_analysis_no_root(small: Grammar) -> None:
    """A text of known words that is no sentence has no root."""
    packed, _ = pack(small, "The cat the dog.", "en")
    assert packed.roots == []


def test_limit_is_told(small: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the forest says that it is not whole."""
    assert not pack(small, "The cat slept.", "en")[0].truncated
    monkeypatch.setattr("recombine.grammar.parsing.forest.MAX_ALTERNATIVES", 1)
    assert pack(small, "The cat slept.", "en")[0].truncated
