"""Word alignment: IBM model 1 with a diagonal prior, both directions, intersected.

Brown et al. 1993 for the model; Dyer, Chahuneau & Smith 2013 (fast_align) for the prior that
prefers links near the diagonal, with their constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.registry import require

Ints = npt.NDArray[np.int32]

TENSION = 4.0  # fast_align's initial tension
NULL = 0.08  # and its probability of the empty word
ITERATIONS = 5

Sentences = Sequence[Sequence[str]]


class AlignedSide(NamedTuple):
    """One language of a corpus as numbers: words of all sentences in a row."""

    words: Ints
    offsets: npt.NDArray[np.int64]
    vocabulary: list[str]

    def lengths(self) -> npt.NDArray[np.int64]:
        """Return the number of words per sentence."""
        return np.diff(self.offsets)


class Alignment(NamedTuple):
    """For every source word of the corpus, the place of its partner in the target, or -1."""

    source: AlignedSide
    target: AlignedSide
    partners: Ints

    def of(self, sentence: int) -> Ints:
        """Return the partners of one sentence."""
        return self.partners[self.source.offsets[sentence] : self.source.offsets[sentence + 1]]


def align(sources: Sentences, targets: Sentences, *, iterations: int = ITERATIONS) -> Alignment:
    """Align a corpus; a link stays when each direction chooses it."""
    source, target, forward, backward = align_both(sources, targets, iterations=iterations)
    return Alignment(source, target, _intersect(source, target, forward, backward))


def align_both(
    sources: Sentences, targets: Sentences, *, iterations: int = ITERATIONS
) -> tuple[AlignedSide, AlignedSide, Ints, Ints]:
    """Align a corpus in both directions.

    Returns the sides, for every target word its source place, for every source word its target
    place; -1 where there is none.
    """
    require("numba", extra="parse", feature="the built-in word aligner")
    from recombine.corpus.alignment_kernel import expectation_maximisation, index_links

    source, target = number(sources), number(targets)
    links = index_links(source, target)

    def direction(given: AlignedSide, other: AlignedSide) -> Ints:
        best: Ints = expectation_maximisation(
            given,
            other,
            links,
            forward=given is source,
            iterations=iterations,
            tension=TENSION,
            null=NULL,
        )
        return best

    # The compiled loops run side by side: they hold no lock.
    with ThreadPoolExecutor(2) as pool:
        forward = pool.submit(direction, source, target)
        backward = pool.submit(direction, target, source)
        return source, target, forward.result(), backward.result()


def number(sentences: Iterable[Sequence[str]]) -> AlignedSide:
    """Give every word a number, in order of first appearance."""
    codes: dict[str, int] = {}
    words: list[int] = []
    offsets = [0]
    for sentence in sentences:
        words.extend([codes.setdefault(word, len(codes)) for word in sentence])
        offsets.append(len(words))
    return AlignedSide(np.array(words, np.int32), np.array(offsets, np.int64), list(codes))


def _intersect(source: AlignedSide, target: AlignedSide, forward: Ints, backward: Ints) -> Ints:
    """Return for every source word its target place where both directions agree.

    `forward` chose a source place for every target word, `backward` a target place for every
    source word.
    """
    sentence = np.repeat(np.arange(len(source.offsets) - 1), source.lengths())
    place = np.arange(len(source.words)) - source.offsets[sentence]
    partner = backward.copy()
    linked = partner >= 0
    target_at = target.offsets[sentence[linked]] + partner[linked]
    agrees = forward[target_at] == place[linked]
    partner[np.flatnonzero(linked)[~agrees]] = -1
    return partner
