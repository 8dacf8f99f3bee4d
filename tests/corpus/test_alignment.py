"""Word alignment on corpora whose alignment is known, and against a slow implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recombine.corpus.alignment import align, number

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


def slow(given, made, iterations, tension, null):
    """Expectation maximisation written down as in the paper."""
    table, nulls = {}, {}
    for turn in range(iterations + 1):
        counts, null_counts, best = {}, {}, []
        for source, target in zip(given, made, strict=True):
            for j, word in enumerate(target):
                weights = [
                    math.exp(-tension * abs((i + 0.5) / len(source) - (j + 0.5) / len(target)))
                    for i in range(len(source))
                ]
                norm = sum(weights)
                links = [
                    (1 - null) * w / norm * table.get((s, word), 1.0 if not turn else 0.0)
                    for s, w in zip(source, weights, strict=True)
                ]
                empty = null * nulls.get(word, 1.0)
                best.append(int(np.argmax(links)) if max(links) > empty else -1)
                total = sum(links) + empty
                null_counts[word] = null_counts.get(word, 0) + empty / total
                for s, link in zip(source, links, strict=True):
                    counts[s, word] = counts.get((s, word), 0) + link / total
        totals = {}
        for (s, _), count in counts.items():
            totals[s] = totals.get(s, 0) + count
        table = {key: count / totals[key[0]] for key, count in counts.items()}
        nulls = {word: count / sum(null_counts.values()) for word, count in null_counts.items()}
    return best


@pytest.mark.parametrize("forward", [True, False])
def test_the_kernel_does_what_the_formulas_say(forward):
    """Same best links as the slow implementation on random sentences, in both directions."""
    from recombine.corpus.alignment_kernel import expectation_maximisation, index_links

    generator = np.random.default_rng(5)
    given = [generator.integers(0, 12, generator.integers(1, 7)).tolist() for _ in range(60)]
    made = [[word + 20 for word in sentence[::-1]] for sentence in given]
    expected = slow(given, made, 4, 4.0, 0.08)
    sides = number(given), number(made)
    links = index_links(*(sides if forward else sides[::-1]))
    actual = expectation_maximisation(
        *sides, links, forward=forward, iterations=4, tension=4.0, null=0.08
    )
    assert np.mean(np.array(expected) == actual) > 0.98  # equal weights may fall either way


def test_every_pair_that_meets_has_one_number():
    """Rows are source words; a pair keeps its number in every sentence."""
    from recombine.corpus.alignment_kernel import index_links

    links = index_links(number([["a", "b"], ["b"]]), number([["X", "Y"], ["Y", "X"]]))
    assert links.numbers.tolist() == [0, 1, 2, 3, 3, 2]
    assert links.starts.tolist() == [0, 4, 6]
    assert links.sources.tolist() == [0, 0, 1, 1]
    assert links.targets.tolist() == [0, 1, 0, 1]
