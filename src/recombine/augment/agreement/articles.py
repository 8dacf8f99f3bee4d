"""Articles that correspond: a and the are un and el, una and la, and al is a with el in it.

Where the target has articles too, those of the source are no free variants: the target changes
with them. But it changes in few ways only, always right before the same noun: el/un, la/una. These
few are the target's articles. One word against two (al : a un) is a contraction, and the word
beside the article in it (a) is a particle that goes with the noun. Articles and particles before
nouns are then taken out of the target, as if it had none; what stood before each noun is kept
(`gaps`), and inflector.py learns to put it back. No list of words is involved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recombine.augment.classes import Unit
from recombine.augment.links import LinkedPair, LinkedText
from recombine.augment.tokens import Tokens

LONGEST_PAIR = 30
# Words that are in so many of the sentences may be articles.
FREQUENT = 0.02
# Of the exchanges of two articles, those of single words must be so many, and each kind of
# exchange so many of them.
SINGLE = 0.6
KIND = 0.01
# Two articles must be exchanged once in so many pairs.
EXCHANGES = 2000
# Behind articles so many words are seen for each kind of exchange.
FOLLOWED = 3

Exchange = tuple[Tokens, Tokens]


@dataclass(frozen=True)
class Articles:
    """Articles of both languages, the target's contractions, and particles before articles."""

    source: frozenset[str]
    target: frozenset[str]
    contracted: dict[str, str]

    @property
    def particles(self) -> frozenset[str]:
        """The words that contractions have before the article."""
        return frozenset(self.contracted.values())


class BareText(NamedTuple):
    """Pairs without the articles of the target; by pair and place what was taken out before it."""

    text: LinkedText
    gaps: dict[int, dict[int, Tokens]]


def find_articles(pairs: Sequence[LinkedPair], support: int) -> Articles | None:
    """Find source words whose exchange changes the target in few ways, and these ways."""
    short = [pair for pair in pairs if len(pair.source) <= LONGEST_PAIR]
    seen = Counter(word for pair in short for word in set(pair.source[:-1]))
    frequent = {word for word, count in seen.items() if count >= FREQUENT * len(short)}
    kinds: dict[tuple[str, str], Counter[Exchange]] = defaultdict(Counter)
    followed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (_, after), words in _holes(short, frequent).items():
        for a, made in words.items():
            for b, other in words.items():
                if a < b:
                    kinds[a, b][_difference(made, other)] += 1
                    followed[a, b].add(after[0])
    needed = max(3 * support, len(pairs) // EXCHANGES)
    source: set[str] = set()
    target: set[str] = set()
    contracted: dict[str, str] = {}
    for two, found in sorted(kinds.items(), key=lambda row: (-row[1].total(), row[0])):
        total = found.total()
        usual = {kind: n for kind, n in found.items() if n >= max(support, KIND * total)}
        single = {kind: n for kind, n in usual.items() if len(kind[0]) == len(kind[1]) == 1}
        if total < needed or len(single) < 2 or sum(single.values()) < SINGLE * total:
            continue
        # Many words follow an article, and few ways to say it are exchanged.
        if len(followed[two]) < FOLLOWED * len(usual):
            continue
        # The two words that are exchanged most often, and others that are exchanged with them.
        if source and not source & set(two):
            continue
        source.update(two)
        target.update(word for kind in single for side in kind for word in side)
        for kind in usual:
            for one, several in (kind, kind[::-1]):
                if len(one) == 1 and len(several) == 2:
                    contracted[one[0]] = several[0]
    target -= contracted.keys()
    return Articles(frozenset(source), frozenset(target), contracted) if source else None


def _holes(
    pairs: Sequence[LinkedPair], frequent: set[str]
) -> dict[tuple[Tokens, Tokens], dict[str, Tokens]]:
    holes: dict[tuple[Tokens, Tokens], dict[str, Tokens]] = defaultdict(dict)
    for pair in pairs:
        for i, word in enumerate(pair.source[:-1]):
            if word in frequent:
                holes[pair.source[:i], pair.source[i + 1 :]].setdefault(word, pair.target)
    return holes


def _difference(one: Tokens, other: Tokens) -> Exchange:
    """Return what two rows of words have between their common beginning and end."""
    first, most = 0, min(len(one), len(other))
    while first < most and one[first] == other[first]:
        first += 1
    last = 0
    while last < most - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return one[first : len(one) - last], other[first : len(other) - last]


def take_out(text: LinkedText, articles: Articles) -> BareText:
    """Take articles out of the targets, with the particles before them."""
    known = articles.target | articles.contracted.keys()
    content = text.source_content - articles.source
    pairs, gaps = [], {}
    for pair in text.pairs:
        pair = _apart(pair, articles)
        source_of = {j: i for i, j in pair.links if pair.source[i] not in articles.source}
        gone = set()
        for j, token in enumerate(pair.target[:-1]):
            after = source_of.get(j + 1)
            if token not in known or after is None or pair.target[j + 1] in known:
                continue
            # An article belongs to a word that has one in the source, over adjectives.
            i = after - 1
            while i >= 0 and pair.source[i] in content:
                i -= 1
            if i < 0 or pair.source[i] not in articles.source:
                continue
            # Words between the two are behind the article in the target as well.
            if any(i < a < after and b < j for a, b in pair.links):
                continue
            gone.add(j)
            if j and token in articles.target and pair.target[j - 1] in articles.particles:
                gone.add(j - 1)
        pairs_links = [(i, j) for i, j in pair.links if j in source_of]
        made, gap = _without(pair._replace(links=tuple(pairs_links)), gone)
        pairs.append(made)
        gaps[pair.number] = gap
    return BareText(counted(pairs), gaps)


def _apart(pair: LinkedPair, articles: Articles) -> LinkedPair:
    """Cut articles off words that they were joined to because they are mostly beside them."""
    cut = {
        j: article
        for j, token in enumerate(pair.target)
        for article in (*articles.target, *articles.contracted)
        if token.startswith(article + " ")
    }
    if not cut:
        return pair
    target: list[str] = []
    place: dict[int, int] = {}
    for j, token in enumerate(pair.target):
        if j in cut:
            target.append(cut[j])
            token = token[len(cut[j]) :]
        place[j] = len(target)
        target.append(token)
    return pair._replace(target=tuple(target), links=tuple((i, place[j]) for i, j in pair.links))


def take_out_particles(
    bare: BareText, particles: frozenset[str], names: Container[Unit]
) -> BareText:
    """Take the particles before words without an article out as well."""
    pairs, gaps = [], {}
    for pair in bare.text.pairs:
        gone = {
            j - 1
            for i, j in pair.links
            if j and pair.target[j - 1] in particles and (pair.source[i], pair.target[j]) in names
        }
        made, gap = _without(pair, gone)
        pairs.append(made)
        moved = {g - sum(j < g for j in gone): what for g, what in bare.gaps[pair.number].items()}
        gaps[pair.number] = {**gap, **moved}
    return BareText(counted(pairs), gaps)


def _without(pair: LinkedPair, gone: set[int]) -> tuple[LinkedPair, dict[int, Tokens]]:
    """Return the pair without some words of the target, and these by the place behind them."""
    if not gone:
        return pair, {}
    place: dict[int, int] = {}
    target: list[str] = []
    gap: dict[int, Tokens] = {}
    for j, token in enumerate(pair.target):
        if j in gone:
            gap[len(target)] = (*gap.get(len(target), ()), token)
        else:
            place[j] = len(target)
            target.append(token)
    links = tuple((i, place[j]) for i, j in pair.links if j in place)
    return pair._replace(target=tuple(target), links=links), gap


def counted(pairs: list[LinkedPair]) -> LinkedText:
    """Return the pairs with the words of each language that mostly have a partner."""
    content = []
    for side in (0, 1):
        total = Counter(word for pair in pairs for word in (pair.source, pair.target)[side])
        linked = Counter(
            (pair.source, pair.target)[side][ends[side]] for pair in pairs for ends in pair.links
        )
        content.append(frozenset(w for w, n in total.items() if 2 * linked[w] >= n))
    return LinkedText(pairs, content[0], content[1])
