"""Renderings of words and phrases from word alignments, and how consistent they are.

An atom must have few translations, or no rule can say whether it was translated (Li et al. 2021,
section 3.2). Inflected forms of one word count as one: forms that share most of their letters are
one cluster. No target-language knowledge is needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recombine.corpus.alignment import Alignment
from recombine.corpus.segment import is_punctuation

# A form seen less often than this share of the links is an accident of the aligner.
RAREST_FORM = 0.005
# Endings longer than this make another word; stems shorter than this are no stems.
LONGEST_ENDING = 2
SHORTEST_STEM = 4
COPIED = 0.1
# So much oftener than by chance must a word of a small group be linked.
LIFT = 5.0


class Renderings(NamedTuple):
    """The accepted forms of a word, and the share of its links that all, or one group, cover."""

    forms: tuple[str, ...]
    coverage: float
    links: int
    largest: float = 0.0


def links_of_words(alignment: Alignment) -> dict[str, Counter[str]]:
    """Return source word -> how often each target word is linked to it."""
    linked = alignment.partners >= 0
    sentence = np.repeat(np.arange(len(alignment.source.offsets) - 1), alignment.source.lengths())[
        linked
    ]
    target_at = alignment.target.offsets[sentence] + alignment.partners[linked]
    pairs = alignment.source.words[linked].astype(np.int64) * len(alignment.target.vocabulary)
    keys, counts = np.unique(pairs + alignment.target.words[target_at], return_counts=True)
    links: dict[str, Counter[str]] = {}
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        word = alignment.source.vocabulary[key // len(alignment.target.vocabulary)]
        other = alignment.target.vocabulary[key % len(alignment.target.vocabulary)]
        if not is_punctuation(other):
            links.setdefault(word, Counter())[other] = count
    return links


def rates_of_links(links: Mapping[str, Counter[str]]) -> dict[str, float]:
    """Return the share of all links that every target word has."""
    total: Counter[str] = Counter()
    for partners in links.values():
        total.update(partners)
    every = total.total()
    return {word: count / every for word, count in total.items()}


def phrase_rendering(
    target: Sequence[str], partners: Sequence[int], start: int, end: int
) -> str | None:
    """Return the stretch of the target that a phrase's words are linked to, if it is one stretch.

    A stretch may be one word longer than the phrase; a longer one holds something else.
    """
    places = [int(place) for place in partners[start:end] if place >= 0]
    if not places:
        return None
    first, last = min(places), max(places)
    if last - first + 1 > end - start + 1:
        return None
    words = target[first : last + 1]
    return None if any(is_punctuation(word) for word in words) else " ".join(words)


@dataclass(frozen=True)
class RenderingRules:
    """Which of the words that a word is linked to are renderings of it.

    Those of its `clusters` largest groups of forms always. With a `share` also every other word
    that has this share of its links and is linked to it far more often than to any word (`rates`:
    the share of all links that a target word has): *see* is also betrachten, halten and Auge.
    From the sorted `vocabulary` come forms of the same stems that no link showed: a rare adjective
    is not linked in every gender.
    """

    clusters: int
    vocabulary: Sequence[str] = ()
    share: float = 0.0
    rates: Mapping[str, float] = field(default_factory=dict)

    def of(self, links: Mapping[str, int], source: str = "") -> Renderings:
        """Keep the forms of the largest clusters, and say how much of all links they cover.

        The source word itself is a rendering only when it is common: else it is an untranslated
        line.
        """
        if links.get(source, 0) < COPIED * sum(links.values()):
            links = {form: count for form, count in links.items() if form != source}
        total = sum(links.values())
        groups: list[tuple[str, Counter[str]]] = []
        for form in sorted(links, key=lambda form: (-links[form], form)):
            home = next((group for leader, group in groups if same_word(leader, form)), None)
            if home is None:
                home = Counter()
                groups.append((form, home))
            home[form] = links[form]
        groups.sort(key=lambda group: -group[1].total())
        kept = [group for _, group in groups[: self.clusters]]
        covered = sum(group.total() for group in kept)
        forms = [
            form
            for group in kept
            for form, count in group.most_common()
            if count >= max(2, RAREST_FORM * total)
        ]
        if not total:
            return Renderings((), 0.0, 0)
        if self.share:
            forms += [
                form
                for _, group in groups[self.clusters :]
                for form, count in group.most_common()
                if count >= 2
                and group.total() >= self.share * total
                and count >= LIFT * self.rates.get(form, 0.0) * total
            ]
        accepted = tuple(dict.fromkeys((*forms, *inflected(forms, self.vocabulary))))
        return Renderings(accepted, covered / total, total, kept[0].total() / total)


def inflected(forms: Sequence[str], vocabulary: Sequence[str]) -> Iterator[str]:
    """Yield the words of a sorted vocabulary that are one of these forms and a short ending."""
    stems = [form for form in forms if len(form) >= SHORTEST_STEM]
    for stem in stems:
        if any(stem != shorter and stem.startswith(shorter) for shorter in stems):
            continue
        at = bisect_left(vocabulary, stem)
        while at < len(vocabulary) and vocabulary[at].startswith(stem):
            if len(vocabulary[at]) <= len(stem) + LONGEST_ENDING:
                yield vocabulary[at]
            at += 1


def same_word(word: str, other: str) -> bool:
    """Return True for forms with a common beginning of at least 3 letters and 60% of the longer."""
    shared = 0
    for left, right in zip(word, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= max(3, 0.6 * max(len(word), len(other)))
