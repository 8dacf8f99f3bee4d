"""Classes of words, by neighbours that are few enough to read."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from recombine.augment.grammar.words import (
    CLASS,
    cosine,
    damped,
    is_open,
    leader_clusters,
    with_strays,
    word_classes,
)

NAMES, VERBS, NOUNS = (
    ("Anna", "Bert", "Carl", "Dora"),
    ("saw", "met", "hit", "fed"),
    ("dog", "cat", "cow", "owl"),
)


def test_a_cosine_is_that_of_vectors():
    """Of what both have, by their lengths; nothing in common is zero."""
    first, second = {"a": 1.0, "b": 2.0, "c": 4.0}, {"b": 3.0, "c": 1.0}
    one, other = np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0, 1.0])
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert cosine(first, second) == cosine(second, first) == pytest.approx(expected)
    assert cosine(first, {"d": 1.0}) == cosine({}, {}) == 0.0
    assert cosine(first, first) == pytest.approx(1.0)
    assert damped({"a": 4, "b": 9}) == {"a": 2.0, "b": 3.0}


def test_each_word_joins_the_nearest_cluster_or_founds_one():
    """A rare word never founds one, and does not move a centre."""
    contexts = {
        "a": {"x": 2.0}, "b": {"x": 2.0, "y": 1.0}, "c": {"z": 3.0}, "d": {"y": 1.0, "z": 1.0},
        "e": {"y": 9.0},
    }  # fmt: skip
    often = dict.fromkeys(contexts, 5)
    assert leader_clusters("abcde", contexts, often, 0.7) == [["a", "b"], ["c", "d"], ["e"]]
    assert leader_clusters("abcde", contexts, often, 0.99) == [["a"], ["b"], ["c"], ["d"], ["e"]]
    # Rare, "e" founds none: of the two centres that have its neighbour the first has more of it.
    rare = leader_clusters("abcde", contexts, {**often, "e": 4}, 0.7)
    assert rare == [["a", "b", "e"], ["c", "d"]]
    # Rare, "b" moves no centre: nothing of the first one is near to "e" any more.
    still = leader_clusters("abde", contexts, {**often, "b": 4, "e": 4}, 0.7)
    assert still == [["a", "b"], ["d", "e"]]
    assert leader_clusters("a", contexts, {"a": 1}, 0.7) == [["a"]]


def test_words_of_small_clusters_join_the_nearest_large_one():
    """Four words are a class; without one all stay as they are."""
    contexts = {
        **{word: {"x": 1.0} for word in "abcd"}, **{word: {"y": 1.0} for word in "efgh"},
        "i": {"x": 1.0, "y": 2.0}, "j": {"x": 3.0, "y": 2.0}, "k": {"z": 1.0},
    }  # fmt: skip
    clusters = [list("abcd"), ["i", "j"], list("efgh"), ["k"]]
    assert with_strays(clusters, contexts) == [list("abcdjk"), list("efghi")]
    small = [["a", "b", "c"], ["i"]]
    assert with_strays(small, contexts) == small


def test_words_that_can_be_exchanged_have_one_symbol():
    """Function words stay themselves; names, verbs and nouns are a class each."""
    sentences = [
        tuple(f"{name} {verb} the {noun} .".split())
        for name, verb, noun in product(NAMES, VERBS, NOUNS)
    ]
    symbols = word_classes([*sentences, ("Emil",), ("Fritz", ".")])
    assert symbols["the"] == "the"
    assert symbols["."] == "."
    for words in (NAMES, VERBS, NOUNS):
        (symbol,) = {symbols[word] for word in words}
        assert is_open(symbol)
        assert symbol.startswith(CLASS)
    assert len({symbols[words[0]] for words in (NAMES, VERBS, NOUNS)}) == 3
    # What is seen by itself only has no neighbours that could tell its class.
    assert symbols["Emil"] == symbols["Fritz"] == f"{CLASS}?"
    assert not is_open(symbols["the"])
