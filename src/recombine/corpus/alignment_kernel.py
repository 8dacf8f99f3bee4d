"""The inner loops of word alignment, compiled: loaded only when a corpus is aligned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from recombine.kernels import kernel

# Columns of a link type's cell: side by side, since an expectation reads one and adds to the other.
_PROBABILITY, _COUNT = 0, 1


class Links(NamedTuple):
    """Every pair of words that meet in a sentence, under the number of its link type.

    `numbers` has the sentences one after the other (from `starts`), in each a row per source word.
    `sources` and `targets` are the words of every link type.
    """

    numbers: Any
    starts: Any
    sources: Any
    targets: Any


@kernel()
def _index(  # type: ignore[no-untyped-def]  # compiled
    source_words, source_offsets, order, target_words, target_offsets, target_types
):
    sentences = len(source_offsets) - 1
    starts = np.zeros(sentences + 1, np.int64)
    owner = np.empty(len(source_words), np.int64)
    for sentence in range(sentences):
        width = source_offsets[sentence + 1] - source_offsets[sentence]
        height = target_offsets[sentence + 1] - target_offsets[sentence]
        starts[sentence + 1] = starts[sentence] + width * height
        owner[source_offsets[sentence] : source_offsets[sentence + 1]] = sentence
    numbers = np.empty(starts[-1], np.int32)
    sources = np.empty(starts[-1], np.int32)
    targets = np.empty(starts[-1], np.int32)
    # `order` has all places of one source word in a row, so a table of the target words is enough.
    met_by = np.full(target_types, -1, np.int64)
    number_of = np.empty(target_types, np.int32)
    used = 0
    for place in order:
        word = source_words[place]
        sentence = owner[place]
        first = target_offsets[sentence]
        height = target_offsets[sentence + 1] - first
        row = starts[sentence] + (place - source_offsets[sentence]) * height
        for j in range(height):
            other = target_words[first + j]
            if met_by[other] != word:
                met_by[other] = word
                number_of[other] = used
                sources[used] = word
                targets[used] = other
                used += 1
            numbers[row + j] = number_of[other]
    return numbers, starts, sources[:used].copy(), targets[:used].copy()


@kernel()
def _priors(given_offsets, made_offsets, tension, null):  # type: ignore[no-untyped-def]
    """Return the diagonal prior of every pair of lengths that occurs, and where each begins.

    Per made word a weight for every given word, and behind them what scales their sum.
    """
    widths, heights = np.diff(given_offsets), np.diff(made_offsets)
    begins = np.full((widths.max() + 1, heights.max() + 1), -1, np.int64)
    size = 0
    for sentence in range(len(widths)):
        width, height = widths[sentence], heights[sentence]
        if begins[width, height] < 0:
            begins[width, height] = size
            size += height * (width + 1)
    weights = np.empty(size, np.float64)
    for width in range(begins.shape[0]):
        for height in range(begins.shape[1]):
            at = begins[width, height]
            if at < 0:
                continue
            for j in range(height):
                norm = 0.0
                for i in range(width):
                    distance = abs((i + 0.5) / width - (j + 0.5) / height)
                    weights[at + i] = np.exp(-tension * distance)
                    norm += weights[at + i]
                weights[at + width] = (1 - null) / norm if width else 0.0
                at += width + 1
    return weights, begins


@kernel()
def _expect(  # type: ignore[no-untyped-def]  # compiled
    given_offsets, made_words, made_offsets, numbers, starts, forward, cells, nulls, null_counts,
    priors, begins, null, best, last
):  # fmt: skip
    """One pass over the corpus: add expected counts, or choose the best places when `last`."""
    weights = np.empty(np.diff(given_offsets).max(), np.float64)
    for sentence in range(len(given_offsets) - 1):
        width = given_offsets[sentence + 1] - given_offsets[sentence]
        height = made_offsets[sentence + 1] - made_offsets[sentence]
        prior = begins[width, height]
        # Rows of `numbers` are source words: the given ones, or the made ones.
        given_step, made_step = (height, 1) if forward else (1, width)
        for j in range(height):
            word = made_words[made_offsets[sentence] + j]
            at = starts[sentence] + j * made_step
            scale = priors[prior + width]
            empty = null * nulls[word]
            total = empty
            top = empty
            chosen = -1
            for i in range(width):
                probability = cells[numbers[at + i * given_step], _PROBABILITY]
                weights[i] = priors[prior + i] * (scale * probability)
                total += weights[i]
                if weights[i] > top:
                    top = weights[i]
                    chosen = i
            if last:
                best[made_offsets[sentence] + j] = chosen
            elif total > 0:
                null_counts[word] += empty / total
                for i in range(width):
                    cells[numbers[at + i * given_step], _COUNT] += weights[i] / total
            prior += width + 1


@kernel()
def _maximise(given, given_types, cells):  # type: ignore[no-untyped-def]  # compiled
    totals = np.zeros(given_types, np.float64)
    for number in range(len(cells)):
        totals[given[number]] += cells[number, _COUNT]
    for number in range(len(cells)):
        total = totals[given[number]]
        cells[number, _PROBABILITY] = cells[number, _COUNT] / total if total > 0 else 0.0
        cells[number, _COUNT] = 0.0


def index_links(source: Any, target: Any) -> Links:
    """Number the link types of a corpus, those of one source word in a row."""
    return Links(
        *_index(
            source.words, source.offsets, np.argsort(source.words, kind="stable"),
            target.words, target.offsets, len(target.vocabulary),
        )
    )  # fmt: skip


def expectation_maximisation(
    given: Any,
    other: Any,
    links: Links,
    *,
    forward: bool,
    iterations: int,
    tension: float,
    null: float,
) -> Any:
    """Return for every made word the place of its best given word in the sentence, or -1.

    `forward`: the given side is the source.
    """
    best = np.full(len(other.words), -1, np.int32)
    if not len(links.numbers):
        return best
    # Uniform to begin with: the first expectation then counts co-occurrence.
    cells = np.zeros((len(links.sources), 2), np.float32)
    cells[:, _PROBABILITY] = 1.0
    nulls = np.ones(len(other.vocabulary), np.float64)
    priors, begins = _priors(given.offsets, other.offsets, tension, null)
    for turn in range(iterations + 1):
        null_counts = np.zeros_like(nulls)
        _expect(
            given.offsets, other.words, other.offsets, links.numbers, links.starts, forward, cells,
            nulls, null_counts, priors, begins, null, best, turn == iterations,
        )  # fmt: skip
        if turn < iterations:
            _maximise(links.sources if forward else links.targets, len(given.vocabulary), cells)
            nulls = null_counts / max(null_counts.sum(), 1e-30)
    return best
