"""The inner loops of word alignment, compiled: loaded only when a corpus is aligned."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

# Knuth's multiplicative constant spreads consecutive keys over the table.
_SPREAD = np.uint64(11400714819323198485)


@numba.njit(cache=True)
def _index_links(  # type: ignore[no-untyped-def]  # compiled
    given_words, given_offsets, made_words, made_offsets, made_types, bits
):
    """Give every pair of words that meet in a sentence a slot; return slots per link and keys."""
    size = np.int64(1) << bits
    keys = np.full(size, -1, np.int64)
    links = 0
    for sentence in range(len(given_offsets) - 1):
        links += (given_offsets[sentence + 1] - given_offsets[sentence]) * (
            made_offsets[sentence + 1] - made_offsets[sentence]
        )
    slots = np.empty(links, np.int32)
    at = 0
    used = 0
    shift = np.uint64(64 - bits)
    mask = size - 1
    for sentence in range(len(given_offsets) - 1):
        for j in range(made_offsets[sentence], made_offsets[sentence + 1]):
            for i in range(given_offsets[sentence], given_offsets[sentence + 1]):
                key = np.int64(given_words[i]) * made_types + made_words[j]
                slot = np.int64((np.uint64(key) * _SPREAD) >> shift)
                while keys[slot] != key:
                    if keys[slot] == -1:
                        if used * 4 > size * 3:
                            return slots[:0], keys  # too full: the caller takes a larger table
                        keys[slot] = key
                        used += 1
                        break
                    slot = (slot + 1) & mask
                slots[at] = slot
                at += 1
    return slots, keys


@numba.njit(cache=True)
def _expect(  # type: ignore[no-untyped-def]  # compiled
    given_offsets, made_words, made_offsets, slots, table, counts, nulls, null_counts, tension,
    null, best, last
):  # fmt: skip
    """One pass over the corpus: add expected counts, or choose the best places when `last`."""
    at = 0
    weights = np.empty(4096, np.float64)
    for sentence in range(len(given_offsets) - 1):
        width = given_offsets[sentence + 1] - given_offsets[sentence]
        height = made_offsets[sentence + 1] - made_offsets[sentence]
        if width > len(weights):
            weights = np.empty(width, np.float64)
        for j in range(height):
            made_at = made_offsets[sentence] + j
            norm = 0.0
            for i in range(width):
                distance = abs((i + 0.5) / width - (j + 0.5) / height)
                weights[i] = np.exp(-tension * distance)
                norm += weights[i]
            empty = null * nulls[made_words[made_at]]
            total = empty
            top = empty
            chosen = -1
            for i in range(width):
                weights[i] *= (1 - null) / norm * table[slots[at + i]]
                total += weights[i]
                if weights[i] > top:
                    top = weights[i]
                    chosen = i
            if last:
                best[made_at] = chosen
            elif total > 0:
                null_counts[made_words[made_at]] += empty / total
                for i in range(width):
                    counts[slots[at + i]] += weights[i] / total
            at += width


@numba.njit(cache=True)
def _maximise(keys, made_types, given_types, counts, table):  # type: ignore[no-untyped-def]
    totals = np.zeros(given_types, np.float64)
    for slot in range(len(keys)):
        if keys[slot] >= 0:
            totals[keys[slot] // made_types] += counts[slot]
    for slot in range(len(keys)):
        if keys[slot] >= 0:
            total = totals[keys[slot] // made_types]
            table[slot] = counts[slot] / total if total > 0 else 0.0


def expectation_maximisation(
    given_words: Any,
    given_offsets: Any,
    given_types: int,
    made_words: Any,
    made_offsets: Any,
    made_types: int,
    iterations: int,
    tension: float,
    null: float,
) -> Any:
    """Return for every made word the place of its best given word in the sentence, or -1."""
    best = np.full(len(made_words), -1, np.int32)
    if not len(made_words) or not len(given_words):
        return best
    bits = 16
    slots, keys = np.empty(0, np.int32), np.empty(0, np.int64)
    while not len(slots):
        slots, keys = _index_links(
            given_words, given_offsets, made_words, made_offsets, made_types, bits
        )
        bits += 2
    # Uniform to begin with: the first expectation then counts co-occurrence.
    table = np.ones(len(keys), np.float32)
    nulls = np.ones(made_types, np.float64)
    for turn in range(iterations + 1):
        counts = np.zeros(len(keys), np.float32)
        null_counts = np.zeros(made_types, np.float64)
        last = turn == iterations
        _expect(
            given_offsets, made_words, made_offsets, slots, table, counts, nulls, null_counts,
            tension, null, best, last,
        )  # fmt: skip
        if not last:
            _maximise(keys, made_types, given_types, counts, table)
            nulls = null_counts / max(null_counts.sum(), 1e-30)
    return best
