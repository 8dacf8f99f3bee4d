"""Phrases and clauses are found by exchange, with no knowledge of the language."""

from __future__ import annotations

import random

import pytest

from augment.made_up_world import ADJECTIVES, NAMES, NOUNS, world
from recombine.augment.grammar.constituents import find_constituents
from recombine.augment.grammar.words import CLASS, word_classes


@pytest.fixture(scope="module")
def sentences():
    """The sentences of the made-up world, and half as many that somebody says."""
    stream = random.Random(3)
    rows = []
    for pair in world():
        words = pair.source.rstrip(".").replace("The ", "the ").split()
        rows.append((*words, "."))
        if stream.random() < 0.5:
            verb = stream.choice(("said", "thought", "hoped", "knew", "dreamt"))
            rows.append((stream.choice(list(NAMES)), verb, "that", *words, "."))
    return rows


def test_closed_words_stay_and_open_ones_have_classes(sentences):
    """Articles and *that* are closed; names, nouns and adjectives are not."""
    symbols = word_classes(sentences)
    for word in ("the", "that", "."):
        assert symbols[word] == word
    for words in (NAMES, NOUNS, ADJECTIVES):
        assert len({symbols[word] for word in words}) == 1
        assert symbols[next(iter(words))].startswith(CLASS)
    assert symbols["Ann"] != symbols["cat"]


def test_phrases_stand_where_names_stand(sentences):
    """A noun with its article, and a noun with an adjective where a noun stands alone."""
    symbols = word_classes(sentences)
    known = find_constituents(sentences, symbols)
    noun = symbols["cat"]
    assert known.phrase == symbols["Ann"]
    assert ("the", noun) in known.short
    assert known.modified == {(symbols["red"], noun): noun}


def test_clauses_stand_behind_a_closed_word(sentences):
    """What follows *that* is a sentence."""
    symbols = word_classes(sentences)
    known = find_constituents(sentences, symbols)
    words = ("Bob", "said", "that", "the", "cat", "called", "Ann", ".")
    nodes = known.parse(tuple(symbols[word] for word in words))
    assert [node.symbol for node in nodes][2:] == ["that", "S", "."]
