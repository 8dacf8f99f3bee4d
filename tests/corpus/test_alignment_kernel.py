"""The compiled loops against a slow and obvious implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recombine.corpus.alignment import number

pytest.importorskip("numba")


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
