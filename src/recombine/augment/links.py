"""Which words are each other's translation: links that say something.

The aligner (corpus/alignment.py) links every word it can. Articles and particles are linked to
whatever is near, and such a link says nothing. One is kept when the target word is `lift` times as
likely in a sentence with the source word as in any sentence, and is the source word's partner in at
least `share` of its occurrences. Rare synonyms of frequent words (kid, child) lose their partner to
the frequent one; such a word gets the target word that half of its sentences have. A word without a
link in one sentence gets one of its partners of others, where just one is free. Words that are
mostly linked are content words; the others are the function words that hold sentences together. No
list of words is involved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.augment.tokens import Tokens
from recombine.corpus.alignment import AlignedSide, align

Ints = npt.NDArray[Any]


# Target words so near to a partner may belong to it, if this share of them is there.
REACH = 3
OWN_SHARE = 0.8
# Words of more sentences than this are no rare words: the aligner knows them.
RARE = 20


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
    sources: Sequence[Tokens],
    targets: Sequence[Tokens],
    lift: float,
    share: float,
    *,
    rare: bool = False,
) -> LinkedText:
    """Align the sentences and keep the links that say something.

    With `rare`, the only target word that is in the very same sentences as a source word is its
    partner, whatever the aligner says: of *paid a penny* it links *penny* to 支払った.
    """
    alignment = align(sources, targets)
    source, target = alignment.source, alignment.target
    meetings = _Meetings(source, target)
    sentence = np.repeat(np.arange(len(sources)), source.lengths())
    linked = np.flatnonzero(alignment.partners >= 0)
    made = target.words[target.offsets[sentence[linked]] + alignment.partners[linked]]
    width = len(target.vocabulary)
    kinds, inverse, counts = np.unique(
        source.words[linked].astype(np.int64) * width + made,
        return_inverse=True,
        return_counts=True,
    )
    given, other = kinds // width, kinds % width
    likelier = np.array([meetings.lift(int(a), int(b)) for a, b in zip(given, other, strict=True)])
    total = np.bincount(source.words, minlength=len(source.vocabulary))
    good = (likelier >= lift) & (counts >= share * total[given])
    keep = linked[good[inverse]]
    partners = np.full(len(source.words), -1, np.int64)
    partners[keep] = alignment.partners[keep]
    if rare:
        meetings.link_companions(source, target, partners)
        keep = np.flatnonzero(partners >= 0)

    lonely = 2 * np.bincount(source.words[keep], minlength=len(total)) < total
    usual: dict[int, set[int]] = {
        int(word): {partner}
        for word in np.flatnonzero(lonely & (total > 1))
        if (partner := meetings.usual_partner(int(word), lift)) is not None
    }
    for word, partner in zip(given[good].tolist(), other[good].tolist(), strict=True):
        if not lonely[word]:
            usual.setdefault(word, set()).add(partner)
    pairs = []
    for number, (a, b) in enumerate(zip(sources, targets, strict=True)):
        first, last = source.offsets[number], source.offsets[number + 1]
        own = partners[first:last].tolist()
        words = source.words[first:last].tolist()
        if any(partner < 0 and word in usual for partner, word in zip(own, words, strict=True)):
            there = target.words[target.offsets[number] : target.offsets[number + 1]].tolist()
            for i, word in enumerate(words):
                if own[i] < 0 and word in usual:
                    free = [j for j, t in enumerate(there) if t in usual[word] and j not in own]
                    if len(free) == 1:
                        own[i] = free[0]
        pairs.append(LinkedPair(number, a, b, tuple((i, j) for i, j in enumerate(own) if j >= 0)))
    pairs = _joined(pairs)
    source_links = Counter(pair.source[i] for pair in pairs for i, _ in pair.links)
    target_links = Counter(pair.target[j] for pair in pairs for _, j in pair.links)
    made = [pair.target for pair in pairs]
    return LinkedText(pairs, _content(sources, source_links), _content(made, target_links))


def _joined(pairs: list[LinkedPair]) -> list[LinkedPair]:
    """Join target words that only occur with one source word to its partner: チェス盤 is one."""
    seen = Counter(word for pair in pairs for word in pair.target)
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        linked = {j for _, j in pair.links}
        for i, j in pair.links:
            for k in range(max(0, j - REACH), min(len(pair.target), j + REACH + 1)):
                if k not in linked:
                    met[pair.source[i]][pair.target[k]] += 1
    own = {
        word: {near for near, count in others.items() if count >= OWN_SHARE * seen[near]}
        for word, others in met.items()
    }
    joined = []
    for pair in pairs:
        linked = {j for _, j in pair.links}
        spans = {}
        for i, j in pair.links:
            places = [
                k
                for k in range(max(0, j - REACH), min(len(pair.target), j + REACH + 1))
                if k not in linked and pair.target[k] in own.get(pair.source[i], ())
            ]
            first, last = min([j, *places]), max([j, *places])
            if last > first and not any(k in linked for k in range(first, last + 1) if k != j):
                spans[j] = first, last
        joined.append(_with_joined(pair, spans) if spans else pair)
    return joined


def _with_joined(pair: LinkedPair, spans: dict[int, tuple[int, int]]) -> LinkedPair:
    target: list[str] = []
    place: dict[int, int] = {}
    inside = {k: j for j, (first, last) in spans.items() for k in range(first, last + 1)}
    k = 0
    while k < len(pair.target):
        j = inside.get(k)
        last = spans[j][1] if j is not None else k
        for old in range(k, last + 1):
            place[old] = len(target)
        target.append("".join(pair.target[k : last + 1]))
        k = last + 1
    return pair._replace(target=tuple(target), links=tuple((i, place[j]) for i, j in pair.links))


class _Meetings:
    """In which sentences words are, and how much likelier one makes another."""

    def __init__(self, source: AlignedSide, target: AlignedSide) -> None:
        self.count = len(source.offsets) - 1
        self.target = target
        self.source_in = _sentences_with(source)
        self.target_in = [len(places) for places in _sentences_with(target)]
        self._target_sets = _sentences_with(target)

    def lift(self, word: int, partner: int) -> float:
        """P(partner | word) / P(partner), over sentences."""
        own = self.source_in[word]
        together = len(np.intersect1d(own, self._target_sets[partner], assume_unique=True))
        return together / len(own) * self.count / self.target_in[partner]

    def link_companions(self, source: AlignedSide, target: AlignedSide, partners: Ints) -> None:
        """Link words that are in the very same sentences, once in each, to each other."""
        companions: dict[bytes, list[int]] = defaultdict(list)
        for word, places in enumerate(self._target_sets):
            companions[places.tobytes()].append(word)
        alone = {
            word: made[0]
            for word, places in enumerate(self.source_in)
            if len(places) <= RARE and len(made := companions.get(places.tobytes(), [])) == 1
        }
        for word, partner in alone.items():
            for number in self.source_in[word].tolist():
                first, last = source.offsets[number], source.offsets[number + 1]
                there = target.words[target.offsets[number] : target.offsets[number + 1]]
                own = first + np.flatnonzero(source.words[first:last] == word)
                other = np.flatnonzero(there == partner)
                if len(own) == len(other) == 1:
                    partners[first:last][partners[first:last] == other[0]] = -1
                    partners[own[0]] = other[0]

    def usual_partner(self, word: int, lift: float) -> int | None:
        """Return the target word that most sentences with the word have, if it says something."""
        own = self.source_in[word]
        met = Counter(
            partner
            for number in own[:500].tolist()
            for partner in set(
                self.target.words[
                    self.target.offsets[number] : self.target.offsets[number + 1]
                ].tolist()
            )
        )
        looked = min(len(own), 500)
        best = max(
            (
                (count / looked * self.count / self.target_in[partner], -partner)
                for partner, count in met.items()
                if 2 * count >= looked
            ),
            default=(0.0, 0),
        )
        return -best[1] if best[0] >= lift else None


def _sentences_with(side: AlignedSide) -> list[Ints]:
    """Return for every word the sentences it is in."""
    sentence = np.repeat(np.arange(len(side.offsets) - 1), side.lengths())
    pairs = np.unique(side.words.astype(np.int64) << 32 | sentence)
    starts = np.searchsorted(pairs >> 32, np.arange(1, len(side.vocabulary)))
    return np.split(pairs & 0xFFFFFFFF, starts)


def _content(sentences: Sequence[Tokens], links: Counter[str]) -> frozenset[str]:
    total = Counter(token for sentence in sentences for token in sentence)
    return frozenset(token for token, count in total.items() if 2 * links[token] >= count)
