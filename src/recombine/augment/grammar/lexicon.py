"""The words and stretches of the target that a source word is translated by.

IBM model 1 links words in both directions; the links of both are grown towards each other (Och &
Ney 2003). Of all linked stretches that are likelier with a source word than without, the one that
most of its sentences have is its first translation; the next is looked for where that one is
missing. So *Mann* and *Mannes*, and words that a segmenter cuts (利亚|姆), are found.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from recombine.augment.grammar.words import is_open
from recombine.augment.tokens import Tokens
from recombine.corpus.alignment import align_both

# A target word belongs to a source word if it is so much likelier in its sentences.
LIFT = 2.5
# Stretches of more tokens are no words; a longer one wins that (nearly) all sentences have.
LONGEST, NEARLY_ALL = 6, 0.995
# A translation that fewer of the sentences have is an error; more than so many are not kept.
RARE, MOST = 0.02, 6
SAMPLE = 400
# Translations whose scores are so close say the same.
AS_GOOD = 0.9

Links = list[tuple[int, int]]
Lexicon = dict[str, list[Tokens]]


def word_links(sources: Sequence[Tokens], targets: Sequence[Tokens]) -> list[Links]:
    """Return the links of every sentence, sorted."""
    source, target, forward, backward = align_both(sources, targets)
    rows = []
    for number in range(len(sources)):
        first, last = source.offsets[number : number + 2]
        start, end = target.offsets[number : number + 2]
        rows.append(_grown(forward[start:end].tolist(), backward[first:last].tolist()))
    return rows


def _grown(forward: list[int], backward: list[int]) -> Links:
    """Grow the links that both directions choose by neighbouring ones that one of them chooses."""
    one = {(i, j) for j, i in enumerate(forward) if i >= 0}
    other = {(i, j) for i, j in enumerate(backward) if j >= 0}
    links = one & other
    rest = sorted((one | other) - links)
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    near = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    grows = True
    while grows:
        grows = False
        for i, j in rest:
            if (
                (i, j) not in links
                and (i not in sources or j not in targets)
                and any((i + a, j + b) in links for a, b in near)
            ):
                links.add((i, j))
                sources.add(i)
                targets.add(j)
                grows = True
    for i, j in rest:
        if i not in sources and j not in targets:
            links.add((i, j))
            sources.add(i)
            targets.add(j)
    return sorted(links)


def learn_lexicon(
    sources: Sequence[Tokens],
    targets: Sequence[Tokens],
    links: Sequence[Links],
    symbols: Mapping[str, str],
) -> Lexicon:
    """Return the translations of every open word, the most frequent first."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, sentence in enumerate(sources):
        for place, word in enumerate(sentence):
            if is_open(symbols[word]):
                places[word].append((number, place))
    seen = Counter(word for sentence in targets for word in set(sentence))
    return {
        word: _translations(targets, links, occurrences, seen)
        for word, occurrences in places.items()
    }


def _translations(
    targets: Sequence[Tokens],
    links: Sequence[Links],
    places: list[tuple[int, int]],
    seen: Counter[str],
) -> list[Tokens]:
    count = len(places)
    linked: Counter[str] = Counter()
    together: Counter[str] = Counter()
    for number, place in places:
        sentence = targets[number]
        linked.update({sentence[j] for i, j in links[number] if i == place})
        together.update(set(sentence))
    lift = {word: n / count * len(targets) / seen[word] for word, n in together.items()}
    own = {word for word, often in linked.items() if often >= RARE * count and lift[word] >= LIFT}
    # The aligner finds no partner far from the diagonal: 言っ ends a sentence that *said* begins.
    apart = {
        word
        for word, often in together.items()
        if 2 * often >= count and often / count * len(targets) / seen[word] >= LIFT
    }
    found: list[Tokens] = []
    left = places
    while left and len(found) < MOST:
        stretches = _stretches(targets, links, left[:SAMPLE], own, apart)
        if not stretches:
            break
        frequent = max(stretches.values()) / 4
        kept = sorted(stretch for stretch, often in stretches.items() if often >= frequent)
        scores = {s: stretches[s] * math.log(min(lift[word] for word in s)) for s in kept}
        best = max(kept, key=lambda s: (scores[s], len(s)))
        # Of words that are always together (一株 ... 植物) the longer one has the meaning, as what
        # is frequent is short (Zipf 1935).
        as_good = [s for s in kept if scores[s] >= AS_GOOD * scores[best] and len(s) == len(best)]
        best = max(as_good, key=lambda s: (len("".join(s).strip()), scores[s]))
        enough = NEARLY_ALL * stretches[best]
        longer = [s for s in kept if stretches[s] >= enough and has_part(s, best)]
        best = max(longer, key=lambda s: (len(s), stretches[s]))
        without = [place for place in left if not has_part(targets[place[0]], best)]
        if len(left) - len(without) < max(1, RARE * count):
            break
        found.append(best)
        left = without
    return found


def _stretches(
    targets: Sequence[Tokens],
    links: Sequence[Links],
    places: list[tuple[int, int]],
    own: set[str],
    apart: set[str],
) -> Counter[Tokens]:
    stretches: Counter[Tokens] = Counter()
    for number, place in places:
        sentence = targets[number]
        here: set[Tokens] = {(word,) for word in sentence if word in apart}
        for i, j in links[number]:
            if i != place or sentence[j] not in own:
                continue
            first = j
            while first >= 0 and sentence[first] in own and j - first < LONGEST:
                last = j
                while last < len(sentence) and sentence[last] in own and last - first < LONGEST:
                    here.add(sentence[first : last + 1])
                    last += 1
                first -= 1
        stretches.update(here)
    return stretches


def has_part(whole: Tokens, part: Tokens) -> bool:
    """Whether a row of tokens stands in another."""
    size = len(part)
    if part[0] not in whole:
        return False
    return any(whole[at : at + size] == part for at in range(len(whole) - size + 1))


def find_words(
    source: Tokens,
    target: Tokens,
    links: Links,
    symbols: Mapping[str, str],
    lexicon: Lexicon,
) -> dict[int, tuple[int, int]] | None:
    """Return where in the target every open word of a sentence is, or None if one is nowhere."""
    choices: dict[int, list[tuple[bool, int, int, int]]] = {}
    for place, word in enumerate(source):
        if not is_open(symbols[word]):
            continue
        linked = {j for i, j in links if i == place}
        found = []
        for stretch in lexicon[word]:
            size = len(stretch)
            for first in range(len(target) - size + 1):
                if target[first] == stretch[0] and target[first : first + size] == stretch:
                    apart = linked.isdisjoint(range(first, first + size))
                    found.append((apart, -size, first, first + size))
        if not found:
            return None
        choices[place] = sorted(found)
    taken: set[int] = set()
    where = {}
    for place in sorted(choices, key=lambda place: (len(choices[place]), place)):
        for _, _, first, last in choices[place]:
            if taken.isdisjoint(range(first, last)):
                where[place] = first, last
                taken.update(range(first, last))
                break
        else:
            return None
    return where
