"""Phrases: what stands where a single word can stand, and what may be added to it.

1. *Free variants* are function words that can be exchanged without any change of the target (a,
   the). With a content word after them they count as one: D.
2. *Heads*: the classes of words whose environments, taken with D where D is there, are like those
   of the most versatile class. "Liam", "the child" and "a book" come out as one; adjectives and
   verbs do not. Such a word with its D is a phrase, written X from here on.
3. *Modifiers* are found by deletion (`deletion.py`) and taken out of all pairs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recombine.augment.classes import Unit
from recombine.augment.links import LinkedPair, LinkedText
from recombine.augment.phrases.deletion import LONGEST_MODIFIER, chosen_modifiers, deletions
from recombine.augment.phrases.slots import (
    FREE,
    HEAD,
    PHRASE,
    HeadPhrase,
    Item,
    Modifier,
    PhraseSlot,
)

LONGEST_PAIR = 30
# Free variants must be exchanged once in so many pairs.
FREE_PAIRS = 1000
# A word of the target stands for articles when it is in so many of the pairs with one of them, and
# so many times as often there as in other pairs.
STANDS_IN = 0.9
STANDS_MORE = 1.5
ROUNDS = 2
# A class is one of heads when its environments are so alike to those of the most versatile one;
# with the same D before it, a third of that is enough (words that are seen in one role only).
HEAD_SIMILARITY = 0.3


@dataclass
class Reduced:
    """A pair with its phrases taken out."""

    pair: LinkedPair
    source: tuple[Item, ...]
    target: tuple[Item, ...]
    phrases: list[HeadPhrase]
    # The places of what is left of the target.
    places: tuple[int, ...] = ()


# A modifier that was taken out: its head, the phrases inside, its places in the target.
_Added = tuple[int, Modifier, tuple[int, ...], tuple[int, ...]]
# What is left of a pair, the D of its words, what was added to which phrase, the phrases left and
# the places of what is left of the target.
_Steps = tuple[
    tuple[Item, ...],
    tuple[Item, ...],
    tuple[str, ...],
    tuple[_Added, ...],
    tuple[int, ...],
    tuple[int, ...],
]


def free_variants(text: LinkedText, support: int) -> frozenset[str]:
    """Return the function words that can be exchanged without any change of the target.

    Where no two pairs differ in such words alone (no target is there twice), the word behind them
    may be another one, if the same words stand behind both and no word of the target stands for
    them: "A boy ran." and "The child ran.". Un and una have other words behind them; el and al
    have *the*.
    """
    # In much text, two words meet by chance in some sentences.
    support = max(support, len(text.pairs) // FREE_PAIRS)
    return _exchanged(text, support) or _exchanged(text, support, next_too=True)


def _exchanged(text: LinkedText, support: int, *, next_too: bool = False) -> frozenset[str]:
    holes: dict[tuple[str, ...], dict[str, set[tuple[str, ...]]]] = defaultdict(dict)
    behind: dict[str, set[str]] = defaultdict(set)
    for pair in text.pairs:
        if len(pair.source) > LONGEST_PAIR:
            continue
        partner = dict(pair.links)
        for i, word in enumerate(pair.source[:-1]):
            if word in text.source_content or (next_too and i + 1 not in partner):
                continue
            hole, target = [*pair.source[:i], "", *pair.source[i + 1 :]], list(pair.target)
            behind[word].add(pair.source[i + 1])
            if next_too:
                hole[i + 1] = target[partner[i + 1]] = ""
            holes[tuple(hole)].setdefault(word, set()).add(tuple(target))
    same: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for words in holes.values():
        for a in words:
            for b in words:
                if a < b:
                    seen[a, b] += 1
                    same[a, b] += words[a] == words[b]

    def different(a: str, b: str) -> bool:
        few = min(len(behind[a]), len(behind[b]))
        return 2 * len(behind[a] & behind[b]) < few or _has_partner(text, {a, b})

    return frozenset(
        word
        for (a, b), count in sorted(seen.items())
        if count >= support and same[a, b] >= 0.9 * count and not (next_too and different(a, b))
        for word in (a, b)
    )


def _has_partner(text: LinkedText, words: set[str]) -> bool:
    """Say whether a word of the target comes with these: *the* with el and al."""
    with_them: Counter[str] = Counter()
    others: Counter[str] = Counter()
    pairs = 0
    for pair in text.pairs:
        if words.isdisjoint(pair.source):
            others.update(set(pair.target))
        else:
            with_them.update(set(pair.target))
            pairs += 1
    rest = len(text.pairs) - pairs
    return bool(rest) and any(
        count >= STANDS_IN * pairs and count / pairs >= STANDS_MORE * others[word] / rest
        for word, count in with_them.items()
    )


def head_classes(
    text: LinkedText, classes: Sequence[Sequence[Unit]], free: frozenset[str]
) -> tuple[dict[int, bool], dict[int, dict[tuple[str, ...], float]]]:
    """Return the classes whose words are heads, whether they take D, and their environments."""
    number_of = {unit: number for number, units in enumerate(classes) for unit in units}
    environments: dict[tuple[int, bool], Counter[tuple[str, ...]]] = defaultdict(Counter)
    for pair in text.pairs:
        if len(pair.source) > LONGEST_PAIR:
            continue
        source = ["^", *(_near(w, text.source_content, free) for w in pair.source), "$"]
        target = ["^", *(_near(w, text.target_content, frozenset()) for w in pair.target), "$"]
        for i, j in pair.links:
            own = number_of.get((pair.source[i], pair.target[j]))
            if own is not None:
                with_free = source[i] == FREE
                left = source[i - 1] if with_free else source[i]
                environments[own, with_free][left, source[i + 2], target[j], target[j + 2]] += 1
    rarity = Counter(e for counts in environments.values() for e in counts)
    total = len(environments)
    vectors = {
        key: {e: math.log1p(n) * math.log(1 + total / rarity[e]) for e, n in counts.items()}
        for key, counts in environments.items()
    }
    first = min(environments, key=lambda key: (-len(environments[key]), key))
    heads: dict[int, bool] = {}
    for (own, with_free), vector in sorted(vectors.items()):
        count = sum(environments[own, with_free].values())
        if count * 2 < sum(environments.get((own, not with_free), Counter()).values()):
            continue
        needed = HEAD_SIMILARITY / (3 if with_free and first[1] else 1)
        if _cosine(vectors[first], vector) >= needed:
            heads[own] = with_free
    return heads, {own: vectors[own, with_free] for own, with_free in heads.items()}


def _unnumbered(items: Sequence[Item]) -> list[str]:
    return [PHRASE if isinstance(item, PhraseSlot) else item for item in items]


def _near(word: str, content: frozenset[str], free: frozenset[str]) -> str:
    if word in free:
        return FREE
    return "C" if word in content else word


def _cosine(a: dict[tuple[str, ...], float], b: dict[tuple[str, ...], float]) -> float:
    dot = sum(value * b[key] for key, value in a.items() if key in b)
    norms = sum(v * v for v in a.values()) * sum(v * v for v in b.values())
    return dot / math.sqrt(norms) if norms else 0.0


class PhraseGrammar:
    """Free variants, heads and modifiers: how phrases are found in a pair and taken out."""

    def __init__(
        self,
        text: LinkedText,
        classes: Sequence[Sequence[Unit]],
        support: int,
        free: frozenset[str] | None = None,
        genders: Mapping[str, int] | None = None,
    ) -> None:
        self.free = free_variants(text, support) if free is None else free
        # Classes of one gender each are not joined across genders.
        self._gender = {n: (genders or {}).get(units[0][0]) for n, units in enumerate(classes)}
        self.genders = len(set((genders or {}).values()))
        self.heads, self._environments = head_classes(text, classes, self.free)
        self._sizes = {own: len(classes[own]) for own in self.heads}
        self.label = {unit: own for own in self.heads for unit in classes[own]}
        self.modifiers: dict[tuple[Item, ...], list[Modifier]] = {}
        # How long modifiers are, and between what: nearly no stretch is one.
        self._ends: set[tuple[int, str, str]] = set()
        self._steps: dict[object, _Steps] = {}
        rows = [self._words(pair) for pair in text.pairs if len(pair.source) <= LONGEST_PAIR]
        self._learn_modifiers(rows, support)
        # Long pairs only tell where the words stand that short ones hardly have.
        seen = Counter(phrase.unit for row in rows for phrase in row.phrases)
        unseen = {unit for unit in self.label if seen[unit] < support}
        self.long = [
            self.reduce(self._words(pair))
            for pair in text.pairs
            if unseen and len(pair.source) > LONGEST_PAIR
            if any((pair.source[i], pair.target[j]) in unseen for i, j in pair.links)
        ]
        # A word without the D that its class takes would get a second one: "an X".
        reduced = map(self.reduce, rows)
        self.reduced = [r for r in reduced if len(r.source) == 1 or not self._lacks_free(r)]

    def sorts(self, small: int) -> dict[int, int]:
        """Join small classes of heads to the large one with D alike that they resemble most."""
        joined = {}
        for own, with_free in self.heads.items():
            large = [
                (_cosine(self._environments[own], self._environments[other]), -other)
                for other, other_free in self.heads.items()
                if other_free == with_free and self._sizes[other] >= small and other != own
                if self._gender[other] == self._gender[own]
            ]
            keep = self._sizes[own] >= small or not large
            joined[own] = own if keep else -max(large)[1]
        return joined

    def _words(self, pair: LinkedPair) -> Reduced:
        """Take single words out: heads that take D become HEAD, the others PHRASE."""
        source: list[Item] = list(pair.source)
        target: list[Item] = list(pair.target)
        phrases: list[HeadPhrase] = []
        for i, j in pair.links:
            unit = (pair.source[i], pair.target[j])
            label = self.label.get(unit)
            if label is None:
                continue
            slot = PhraseSlot(len(phrases))
            phrases.append(HeadPhrase(unit, label, place=(i, j)))
            source[i] = target[j] = slot
        return Reduced(pair, tuple(source), tuple(target), phrases)

    def _close(self, source: list[Item], phrases: Sequence[HeadPhrase]) -> list[Item]:
        """Put D and the head behind it together."""
        closed: list[Item] = []
        for item in source:
            if isinstance(item, PhraseSlot) and closed and closed[-1] in self.free:
                phrases[item.number].free = str(closed.pop())
            closed.append(item)
        return closed

    def _is_open(self, slot: PhraseSlot, phrases: Sequence[HeadPhrase]) -> bool:
        phrase = phrases[slot.number]
        return self.heads[phrase.label] and not phrase.free

    def _symbol(self, item: Item) -> str:
        return PHRASE if isinstance(item, PhraseSlot) else FREE if item in self.free else item

    def _lacks_free(self, row: Reduced) -> bool:
        """Say whether a word stands without the D that its class takes."""
        return any(self.heads[phrase.label] and not phrase.free for phrase in row.phrases)

    def symbols(self, source: Sequence[Item], phrases: Sequence[HeadPhrase]) -> tuple[str, ...]:
        """Return the source with a symbol for each slot and each free variant."""
        return tuple(
            (HEAD if self._is_open(item, phrases) else PHRASE)
            if isinstance(item, PhraseSlot)
            else FREE
            if item in self.free
            else item
            for item in source
        )

    def _learn_modifiers(self, rows: Sequence[Reduced], support: int) -> None:
        """Find what can be deleted; again after the first finds are taken out of all pairs."""
        everywhere: dict[tuple[str, ...], tuple[Item, ...]] = {}
        for _ in range(ROUNDS):
            targets: dict[tuple[str, ...], Counter[tuple[Item, ...]]] = defaultdict(Counter)
            for row in map(self.reduce, rows):
                targets[self.symbols(row.source, row.phrases)][row.target] += 1
            # The usual target of every abstract source.
            usual = {
                symbols: max(made, key=lambda target: (made[target], str(target)))
                for symbols, made in targets.items()
            }
            everywhere = everywhere or usual
            found: Counter[Modifier] = Counter()
            for symbols in sorted(usual, key=lambda symbols: (len(symbols), symbols)):
                found.update(deletions(symbols, usual[symbols], usual))
            for modifiers in self.modifiers.values():
                for modifier in modifiers:
                    found[replace(modifier, support=0)] += modifier.support
            self.modifiers = chosen_modifiers(found, everywhere, support, self.genders > 0)
            self._ends = {(len(key), key[0], key[-1]) for key in map(_unnumbered, self.modifiers)}
            self._steps = {}

    def reduce(self, row: Reduced) -> Reduced:
        """Take modifiers out until nothing changes, the last in the sentence first."""
        key = (row.source, row.target, tuple(self.heads[p.label] for p in row.phrases))
        steps = self._steps.get(key)
        if steps is None:
            steps = self._steps[key] = self._find_steps(row)
        source, target, free, added, slots, left = steps
        phrases = [
            HeadPhrase(phrase.unit, phrase.label, d, place=phrase.place)
            for phrase, d in zip(row.phrases, free, strict=True)
        ]
        for head, modifier, inside, places in added:
            phrases[head].modifiers.append((modifier, [phrases[number] for number in inside]))
            phrases[head].places.append(places)
        return Reduced(row.pair, source, target, [phrases[number] for number in slots], left)

    def _find_steps(self, row: Reduced) -> _Steps:
        phrases = [HeadPhrase(phrase.unit, phrase.label) for phrase in row.phrases]
        source = self._close(list(row.source), phrases)
        target = list(row.target)
        left = list(range(len(target)))
        added: list[_Added] = []
        changed = True
        while changed:
            changed = False
            for place in range(len(source) - 1, -1, -1):
                item = source[place]
                if isinstance(item, PhraseSlot):
                    step = self._take_out(place, source, target, phrases, left)
                    if step:
                        added.append(step)
                        source = self._close(source, phrases)
                        changed = True
                        break
        slots = [item.number for item in source if isinstance(item, PhraseSlot)]
        order = {PhraseSlot(number): PhraseSlot(n) for n, number in enumerate(slots)}
        return (
            tuple(order[i] if isinstance(i, PhraseSlot) else i for i in source),
            tuple(order.get(i, i) if isinstance(i, PhraseSlot) else i for i in target),
            tuple(phrase.free for phrase in phrases),
            tuple(added),
            tuple(slots),
            tuple(left),
        )

    def _take_out(
        self,
        place: int,
        source: list[Item],
        target: list[Item],
        phrases: list[HeadPhrase],
        left: list[int],
    ) -> _Added | None:
        head = source[place]
        assert isinstance(head, PhraseSlot)
        if head not in target:
            return None
        for before in (True, False):
            if before != self._is_open(head, phrases):
                continue
            sizes = range(1, LONGEST_MODIFIER + 1)
            # Where phrases follow their verb in both languages, "that saw X" is more than "that
            # saw" beside X.
            for size in sizes[::-1] if self.genders and not before else sizes:
                i, k = (place - size, place) if before else (place + 1, place + 1 + size)
                if i < 0 or k > len(source):
                    continue
                if (size, self._symbol(source[i]), self._symbol(source[k - 1])) not in self._ends:
                    continue
                part = source[i:k]
                inside = [item for item in part if isinstance(item, PhraseSlot)]
                numbered = {item: PhraseSlot(n) for n, item in enumerate(inside)}
                key = tuple(
                    numbered[item]
                    if isinstance(item, PhraseSlot)
                    else FREE
                    if item in self.free
                    else item
                    for item in part
                )
                if any(self._is_open(slot, phrases) for slot in inside):
                    continue
                if (
                    self.genders
                    and not before
                    and isinstance(part[-1], str)
                    and k < len(source)
                    and isinstance(source[k], PhraseSlot)
                ):
                    # What follows may belong to it: "that saw" before X.
                    continue
                for modifier in self.modifiers.get(key, ()):
                    wanted = [
                        inside[i.number] if isinstance(i, PhraseSlot) else i
                        for i in modifier.target
                    ]
                    at = target.index(head)
                    a = at - len(wanted) if modifier.before[1] else at + 1
                    if (
                        modifier.before[0] == before
                        and a >= 0
                        and target[a : a + len(wanted)] == wanted
                    ):
                        places = tuple(left[a : a + len(wanted)])
                        del target[a : a + len(wanted)], left[a : a + len(wanted)]
                        del source[i:k]
                        return head.number, modifier, tuple(s.number for s in inside), places
        return None
