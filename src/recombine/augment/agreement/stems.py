"""Forms that agree: rojo and roja are one word, and so are ayudado and ayudada.

Two forms of one source word that begin alike may differ by agreement with a noun, or by something
that the source says (cambió, cambiado). They differ by agreement when the noun beside them tells
which it is: by its gender, or by its gender and article. This is judged for a change of ending
(o : a) over all words that show it. Forms that agree are written as the most frequent of them, and
the inflector puts the right one back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping
from typing import NamedTuple

from recombine.augment.agreement.articles import Articles, BareText, counted
from recombine.augment.analogy.paradigms import common
from recombine.augment.links import LinkedPair
from recombine.augment.tokens import Tokens

# Forms of one word have this share of their letters in common, at the beginning.
COMMON = 0.5
# The noun must tell the form in this share of the cases, and this share of those that the more
# frequent form alone would not.
PURITY = 0.9
GAIN = 0.5
FEWEST_WORDS = 3
# What stands before two forms in the source is the same in this share of the cases.
SAME_PLACES = 0.3

Form = tuple[str, str]


class StemmedText(NamedTuple):
    """Bare pairs with one form of words that agree; by pair the forms that stood there."""

    bare: BareText
    surface: dict[int, Tokens]
    forms: dict[Form, str]


def gap_of(
    pair: LinkedPair, gaps: Container[int], place: tuple[int, int], articles: Articles
) -> int:
    """Return where something was taken out for a noun: before it, or before its adjectives."""
    i, j = place
    while j not in gaps and i and pair.source[i - 1] not in articles.source:
        if (i - 1, j - 1) not in pair.links:
            return place[1]
        i, j = i - 1, j - 1
    return j if i and pair.source[i - 1] in articles.source else place[1]


def merge_forms(bare: BareText, gender: Mapping[str, int], articles: Articles) -> StemmedText:
    """Write forms that agree with a noun as one; `gender` is by source word."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    left: dict[Form, Counter[str]] = defaultdict(Counter)
    for pair in bare.text.pairs:
        for i, j in pair.links:
            form = pair.source[i], pair.target[j]
            seen[form[0]][form[1]] += 1
            before = pair.source[i - 1] if i else "^"
            left[form]["C" if before in bare.text.source_content else before] += 1
    changes: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for word, forms in sorted(seen.items()):
        known = sorted(form for form, count in forms.items() if count > 1)
        for n, one in enumerate(known):
            for other in known[n + 1 :]:
                kept = common(one, other)
                alike = kept > 2 and kept >= COMMON * max(len(one), len(other))
                if alike and _overlap(left[word, one], left[word, other]) >= SAME_PLACES:
                    change = one[kept:], other[kept:]
                    changes[min(change), max(change)].append((word, one, other))
    agreeing = _agreeing(bare, gender, changes, articles)
    canonical: dict[Form, str] = {}
    for change, rows in sorted(changes.items()):
        if change in agreeing:
            for word, one, other in rows:
                a = canonical.get((word, one), one)
                b = canonical.get((word, other), other)
                best = max(a, b, key=lambda form: (seen[word][form], form))
                for old in (a, b):
                    for own in [f for f in seen[word] if canonical.get((word, f), f) == old]:
                        canonical[word, own] = best
    pairs, surface = [], {}
    for pair in bare.text.pairs:
        surface[pair.number] = pair.target
        pair = _with_rare_forms(pair, seen, agreeing, canonical)
        target = list(pair.target)
        for i, j in pair.links:
            target[j] = canonical.get((pair.source[i], target[j]), target[j])
        pairs.append(pair._replace(target=tuple(target)))
    return StemmedText(bare._replace(text=counted(pairs)), surface, canonical)


def _with_rare_forms(
    pair: LinkedPair,
    seen: Mapping[str, Counter[str]],
    agreeing: set[tuple[str, str]],
    canonical: dict[Form, str],
) -> LinkedPair:
    """Link words to forms too rare for a link that differ from a known one by agreement."""
    linked, made = {i for i, _ in pair.links}, {j for _, j in pair.links}
    new = []
    for i, word in enumerate(pair.source):
        if i in linked or word not in seen:
            continue
        for j, form in enumerate(pair.target):
            if j in made:
                continue
            known = canonical.get((word, form))
            if known is None:
                for other in seen[word]:
                    kept = common(form, other)
                    change = form[kept:], other[kept:]
                    alike = kept > 2 and kept >= COMMON * max(len(form), len(other))
                    if alike and (form == other or (min(change), max(change)) in agreeing):
                        known = canonical.setdefault((word, other), other)
                        break
            if known is not None:
                canonical[word, form] = known
                made.add(j)
                new.append((i, j))
                break
    return pair._replace(links=tuple(sorted([*pair.links, *new]))) if new else pair


def put_back(stemmed: StemmedText, units: Container[Form], articles: Articles) -> StemmedText:
    """Put what was taken out before other words than nouns back."""
    pairs, gaps, surface = [], {}, {}
    for pair in stemmed.bare.text.pairs:
        gap = stemmed.bare.gaps[pair.number]
        kept = set()
        for i, j in pair.links:
            if (pair.source[i], pair.target[j]) in units:
                kept.add(gap_of(pair, gap, (i, j), articles))
        back = {j: words for j, words in gap.items() if j not in kept}
        old = stemmed.surface[pair.number]
        if not back:
            pairs.append(pair)
            gaps[pair.number], surface[pair.number] = gap, old
            continue
        target: list[str] = []
        forms: list[str] = []
        place: dict[int, int] = {}
        for j, token in enumerate(pair.target):
            target += back.get(j, ())
            forms += back.get(j, ())
            place[j] = len(target)
            target.append(token)
            forms.append(old[j])
        links = tuple((i, place[j]) for i, j in pair.links)
        pairs.append(pair._replace(target=tuple(target), links=links))
        gaps[pair.number] = {place[j]: words for j, words in gap.items() if j in kept}
        surface[pair.number] = tuple(forms)
    return stemmed._replace(bare=BareText(counted(pairs), gaps), surface=surface)


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    return sum(min(n / one.total(), other[key] / other.total()) for key, n in one.items())


def _agreeing(
    bare: BareText,
    gender: Mapping[str, int],
    changes: Mapping[tuple[str, str], list[tuple[str, str, str]]],
    articles: Articles,
) -> set[tuple[str, str]]:
    """Return the changes of ending that the noun beside a word tells."""
    change_of: dict[Form, list[tuple[tuple[str, str], str]]] = defaultdict(list)
    for change, rows in changes.items():
        if len({word for word, _, _ in rows}) >= FEWEST_WORDS:
            for word, one, other in rows:
                kept = common(one, other)
                for form in (one, other):
                    change_of[word, form].append((change, form[kept:]))
    told: dict[tuple[tuple[str, str], int], dict[object, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for pair in bare.text.pairs:
        nouns = [(i, j) for i, j in pair.links if pair.source[i] in gender]
        if not nouns:
            continue
        gaps = bare.gaps[pair.number]
        for i, j in pair.links:
            for change, ending in change_of.get((pair.source[i], pair.target[j]), ()):
                for way, noun in enumerate(_controllers(nouns, i, j)):
                    if noun:
                        own = gender[pair.source[noun[0]]]
                        wrapper = gaps.get(gap_of(pair, gaps, noun, articles), ())
                        told[change, way][own, wrapper][ending] += 1
    agreeing = set()
    for (change, _), table in told.items():
        total = sum(row.total() for row in table.values())
        endings: Counter[str] = Counter()
        for row in table.values():
            endings.update(row)
        pure = sum(max(row.values()) for row in table.values()) / total
        usual = max(endings.values()) / total
        if pure >= PURITY and pure - usual >= GAIN * (1 - usual):
            agreeing.add(change)
    return agreeing


def _controllers(
    nouns: list[tuple[int, int]], i: int, j: int
) -> tuple[tuple[int, int] | None, ...]:
    """Return the nouns that may tell a form: itself, the nearest on each side, the first."""
    own = (i, j) if (i, j) in nouns else None
    before = max((n for n in nouns if n[1] < j), key=lambda n: n[1], default=None)
    after = min((n for n in nouns if n[1] > j), key=lambda n: n[1], default=None)
    first = min(nouns, key=lambda n: n[1])
    return own, before, after, first
