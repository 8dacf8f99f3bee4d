"""Classes of words: log-odds that can be counted by hand, and k-means that finds what is apart."""

from __future__ import annotations

import numpy as np
import pytest

from recombine.augment.natural.word_classes import k_means, neighbour_odds, word_classes
from recombine.corpus.alignment import number


def test_log_odds_are_positive_and_by_place():
    """log(p(word, neighbour) / (p(word) p(neighbour))); rare neighbours are left out."""
    once = [["the", "cat", "yawned"]]
    side = number([["the", "cat", "sat"], ["the", "dog", "ran"]] * 5 + once)
    words = np.array([side.vocabulary.index(word) for word in ("cat", "dog")])
    odds = neighbour_odds(side, words).toarray()
    # Of four places around each word, "the" and both edges come as chance has it. *sat* comes
    # behind *cat* only: 5 of the 44 - 1 meetings, of which *cat* has 23.
    assert odds[0].max() == pytest.approx(np.log(5 * 43 / (23 * 5)))
    assert odds[1].max() == pytest.approx(np.log(5 * 43 / (20 * 5)))
    assert "yawned" not in {side.vocabulary[n] for n in words}
    assert (odds > 0.1).sum() == 2


def test_what_stands_alike_is_one_class():
    """Words of one place are together, those of another apart, whatever the seed."""
    nouns, verbs = [f"noun{n}" for n in range(8)], [f"verb{n}" for n in range(8)]
    sentences = [["the", noun, verb, "it"] for noun in nouns for verb in verbs]
    side = number(sentences)
    words = np.array([side.vocabulary.index(word) for word in (*nouns, *verbs)])
    for seed in range(5):
        own = word_classes(side, words, 2, seed)
        assert len(set(own[:8])) == len(set(own[8:])) == 1
        assert own[0] != own[8]


def test_k_means_ends_where_every_point_is_nearest_to_its_centre():
    """And gives the same classes for the same seed."""
    stream = np.random.default_rng(1)
    vectors = stream.normal(size=(200, 5))
    own = k_means(vectors, 7, 3)
    assert (own == k_means(vectors, 7, 3)).all()
    centres = np.stack([vectors[own == one].mean(0) for one in range(7)])
    distances = np.square(vectors[:, None] - centres[None]).sum(-1)
    assert (distances.argmin(1) == own).all()


def test_points_that_are_the_same_make_fewer_classes():
    """There are no more classes than different points."""
    own = k_means(np.ones((10, 3)), 4, 1)
    assert set(own.tolist()) == {0}
