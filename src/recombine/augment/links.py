"""Which words are each other's translation: links that say something.

The aligner (corpus/alignment.py) links every word it can. Articles and particles are linked to
whatever is near, and such a link says nothing. One is kept when the target word is `lift` times as
likely in a sentence with the source word as in any sentence, and is the source word's partner in at
least `share` of its occurrences. Words that are mostly linked are content words; the others are the
function words that hold sentences together. No list of words is involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recombine.augment.tokens import Tokens
from recombine.corpus.alignment import align


class LinkedPair(NamedTuple):
    """A pair as tokens; `links` are (place in source, place in target), in source order."""

    number: int
    source: Tokens
    target: Tokens
    links: tuple[tuple[int, int], ...]


class LinkedText(NamedTuple):
    """The linked pairs, and the words of each language that mostly have a partner."""

    pairs: list[LinkedPair]
    source_content: frozenset[str]
    target_content: frozenset[str]


def link(
    sources: Sequence[Tokens], targets: Sequence[Tokens], lift: float, share: float
) -> LinkedText:
    """Align the sentences and keep the links that say something."""
    alignment = align(sources, targets)
    source, target = alignment.source, alignment.target
    sentence = np.repeat(np.arange(len(sources)), source.lengths())
    linked = np.flatnonzero(alignment.partners >= 0)
    made = target.words[target.offsets[sentence[linked]] + alignment.partners[linked]]
    width = len(target.vocabulary)
    key = source.words[linked].astype(np.int64) * width + made
    kinds, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    given, other = kinds // width, kinds % width

    source_in, target_in = (
        _sentences_with(source.words, sentence, len(source.vocabulary)),
        (
            _sentences_with(
                target.words, np.repeat(np.arange(len(targets)), target.lengths()), width
            )
        ),
    )
    together = np.array(
        [
            len(np.intersect1d(source_in[a], target_in[b], assume_unique=True))
            for a, b in zip(given.tolist(), other.tolist(), strict=True)
        ]
    )
    sizes_source = np.array([len(places) for places in source_in])
    sizes_target = np.array([len(places) for places in target_in])
    likelier = together / sizes_source[given] / (sizes_target[other] / len(sources))
    total = np.bincount(source.words, minlength=len(source.vocabulary))
    good = (likelier >= lift) & (counts >= share * total[given])

    keep = linked[good[inverse]]
    partners = np.full(len(source.words), -1, np.int64)
    partners[keep] = alignment.partners[keep]
    pairs = []
    for number, (a, b) in enumerate(zip(sources, targets, strict=True)):
        own = partners[source.offsets[number] : source.offsets[number + 1]].tolist()
        pairs.append(LinkedPair(number, a, b, tuple((i, j) for i, j in enumerate(own) if j >= 0)))
    source_links = Counter(pair.source[i] for pair in pairs for i, _ in pair.links)
    target_links = Counter(pair.target[j] for pair in pairs for _, j in pair.links)
    return LinkedText(pairs, _content(sources, source_links), _content(targets, target_links))


def _sentences_with(words: np.ndarray, sentence: np.ndarray, size: int) -> list[np.ndarray]:
    """Return for every word the sentences it is in."""
    pairs = np.unique(words.astype(np.int64) << 32 | sentence)
    word, place = pairs >> 32, pairs & 0xFFFFFFFF
    return np.split(place, np.searchsorted(word, np.arange(1, size)))


def _content(sentences: Sequence[Tokens], links: Counter[str]) -> frozenset[str]:
    total = Counter(token for sentence in sentences for token in sentence)
    return frozenset(token for token, count in total.items() if 2 * links[token] >= count)
