"""Word alignment on corpora whose alignment is known."""

from __future__ import annotations

import numpy as np
import pytest

from recombine.corpus.alignment import align, align_with_eflomal, number

pytest.importorskip("numba")

DICTIONARY = {word: word.upper() for word in "abcdefghij"}


def corpus(sentences=300, swap=True):
    """Sentences of a word-by-word language, the last two words exchanged."""
    generator = np.random.default_rng(1)
    sources = [list(generator.choice(list(DICTIONARY), 6, replace=False)) for _ in range(sentences)]
    targets = [[DICTIONARY[word] for word in sentence] for sentence in sources]
    if swap:
        targets = [[*t[:-2], t[-1], t[-2]] for t in targets]
    return sources, targets


def accuracy(alignment, sources, targets):
    """Return the share of links that are right, and the share of words that are linked."""
    right = total = words = 0
    for place, (source, target) in enumerate(zip(sources, targets, strict=True)):
        for word, partner in zip(source, alignment.of(place), strict=True):
            words += 1
            if partner >= 0:
                total += 1
                right += target[partner] == DICTIONARY[word]
    return right / total, total / words


def test_known_links_are_found():
    """Also where the order differs."""
    sources, targets = corpus()
    precision, recall = accuracy(align(sources, targets), sources, targets)
    assert precision > 0.99
    assert recall > 0.95


def test_a_word_without_counterpart_stays_unlinked():
    """Links need both directions."""
    sources, targets = corpus(200)
    sources = [[*sentence, "the"] for sentence in sources]
    alignment = align(sources, targets)
    linked = [alignment.of(place)[-1] >= 0 for place in range(len(sources))]
    assert np.mean(linked) < 0.2


def test_empty_sentences_do_no_harm():
    """Nothing to link, nothing linked."""
    alignment = align([["a"], [], ["a"]], [["A"], ["A"], []])
    assert alignment.of(1).tolist() == []
    assert alignment.of(2).tolist() == [-1]


def test_numbers_follow_first_appearance():
    """The same corpus gives the same numbers on any machine."""
    side = number([["b", "a"], ["b"]])
    assert side.words.tolist() == [0, 1, 0]
    assert side.vocabulary == ["b", "a"]


def test_eflomal_agrees():
    """The installed aligner, where there is one."""
    pytest.importorskip("eflomal", reason="the extra `align` is not installed")
    sources, targets = corpus()
    precision, recall = accuracy(align_with_eflomal(sources, targets), sources, targets)
    assert precision > 0.99
    assert recall > 0.95
