"""What a change of one noun drags along: agreement, learned from a system's own output.

The published rule needs hand-written articles per language (het/de, dat/die). Here the pairs teach
it: a change such as el/la recurs with many different nouns in many different sentences, and which
of the two forms appears depends on the class of the noun, that is, on the words it keeps company
with (its article). A change that depends on anything else (a verb translated now this way, now that
way; a word that gets lost after some nouns of either gender) is never forgiven; nor is one that
turns up only beside one particular source word, unless it is an inflection of one stem.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from recombine.corpus.segment import is_punctuation
from recombine.corpus.token_diff import Segment, differing, trim

Form = tuple[str, ...]

# A noun seen in fewer pairs than this cannot show which words are its own.
_FEWEST_SIGHTINGS = 3
_LONGEST_FORM = 3  # tokens: "a la" against "al"; longer changes are no agreement
_LONGEST_ARTICLE = 4  # letters of an article, or of a preposition with its article


class Change(NamedTuple):
    """One stretch that differs; `is_noun` marks the rendering of the swapped noun itself."""

    segment: Segment
    is_noun: bool


@dataclass(eq=False, slots=True)
class SwapPair:
    """Two outputs whose sources differ in one noun."""

    template: str
    frame: str  # the source with the noun taken out
    nouns: tuple[str, str]
    outputs: tuple[tuple[str, ...], tuple[str, ...]]
    role: str = ""
    changes: list[Change] | None = None  # found while learning, needed again while measuring
    window: Segment = field(init=False)

    def __post_init__(self) -> None:
        self.window = trim(*self.outputs)


class MeasuredChange(NamedTuple):
    """How far the difference of a pair reaches once agreement is forgiven.

    `width` spans the first to the last change that is not forgiven, on the longer side; `outside`
    counts changed tokens beyond the noun; `elsewhere` says that the noun's own words stand
    unchanged while other words changed.
    """

    width: int
    outside: int
    elsewhere: bool
    window: Segment


@dataclass
class _Sightings:
    """Where one alternation was seen."""

    swaps: Counter[tuple[str, str]] = field(default_factory=Counter)
    frames: Counter[str] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    sides: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    shared: frozenset[str] | None = None  # source words that stand in every frame

    def add(self, pair: SwapPair, flipped: int) -> None:
        self.swaps[pair.nouns] += 1
        self.templates[pair.template] += 1
        for side, noun in enumerate(pair.nouns):
            self.sides[noun][side ^ flipped] += 1
        self.frames[pair.frame] += 1
        if self.shared is None or self.shared:
            words = frozenset(pair.frame.split())
            self.shared = words if self.shared is None else self.shared & words

    def has_two_nouns_a_side(self) -> bool:
        """A single noun on one side is that noun's own word, not agreement."""
        return all(sum(counts[side] > 0 for counts in self.sides.values()) > 1 for side in (0, 1))

    def purity(self, classes: Mapping[str, Hashable]) -> tuple[float, int]:
        """Return how far the class of the noun decides the form, and on how many sightings."""
        counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
        for noun, sides in self.sides.items():
            if noun in classes:
                for side in (0, 1):
                    counts[classes[noun]][side] += sides[side]
        repeated = [sides for sides in counts.values() if sum(sides) > 1]
        total = sum(map(sum, repeated))
        return (sum(map(max, repeated)) / total if total else 0.0), total


@dataclass
class Alternations:
    """The agreement changes of one system, and which words belong to which noun.

    `support`: how many other noun swaps and how many other sentences must show an alternation;
    the pair being judged never counts, nor does any pair with the same swap or the same sentence
    around it. With `hold_out = "template"` no pair of the same template counts either.
    """

    support: int = 5
    purity: float = 0.9
    hold_out: str = "swap"
    own_words: dict[str, frozenset[str]] = field(default_factory=dict)
    company: dict[str, frozenset[str]] = field(default_factory=dict)
    _evidence: dict[tuple[Form, Form], _Sightings] = field(default_factory=dict)
    _constants: dict[str, frozenset[str]] = field(default_factory=dict)
    _verdicts: dict[tuple[Form, Form], bool] = field(default_factory=dict)
    _forms_of: dict[tuple[str, str, frozenset[str], str], Counter[str]] = field(
        default_factory=dict
    )

    def learn(
        self, pairs: Sequence[SwapPair], isolated: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Learn the nouns' own words, then the changes that go with them."""
        self.own_words, self.company = _words_of_nouns(pairs, isolated or {})
        for pair in pairs:
            words = frozenset(pair.frame.split())
            self._constants[pair.template] = self._constants.get(pair.template, words) & words
        for pair in pairs:
            for first, second in self._forms(pair):
                ordered, flipped = _canonical(first, second)
                self._evidence.setdefault(ordered, _Sightings()).add(pair, flipped)
        self._learn_inflection(pairs)

    def is_learned(self, first: Form, second: Form, pair: SwapPair | None = None) -> bool:
        """Return True when this change is agreement by the evidence of other pairs."""
        ordered, _ = _canonical(first, second)
        evidence = self._evidence.get(ordered)
        if evidence is None:
            return False
        swaps, frames = len(evidence.swaps), len(evidence.frames)
        if pair is not None:
            swaps -= pair.nouns in evidence.swaps
            frames -= pair.frame in evidence.frames
            if self.hold_out == "template":
                own = evidence.templates.get(pair.template, 0)
                if evidence.templates.total() - own < self.support:
                    return False
        if swaps < self.support or frames < self.support:
            return False
        return self._depends_on_noun(ordered, evidence)

    def measure(self, pair: SwapPair) -> MeasuredChange:
        """Measure the difference of a pair, agreement forgiven."""
        first, second = pair.outputs
        rest = []
        changes = self._changes(pair)
        for change, following in zip(changes, [*changes[1:], None], strict=False):
            if not change.is_noun:
                one = first[change.segment.first_start : change.segment.first_end]
                other = second[change.segment.second_start : change.segment.second_end]
                if self.is_learned(one, other, pair) or self._agrees(one, other, pair):
                    continue
                if _touches(change, following) and (
                    _is_elision(one, other) or _is_fusion(one, other)
                ):
                    continue
            rest.append(change)
        window = pair.window
        if not rest:
            # Only agreement differs ("el artista", "la artista"): as local as a change can be.
            return MeasuredChange(0, 0, False, window)
        start, end = rest[0].segment, rest[-1].segment
        width = max(end.first_end - start.first_start, end.second_end - start.second_start)
        outside = max(
            sum(
                change.segment.first_end - change.segment.first_start
                for change in rest
                if not change.is_noun
            ),
            sum(
                change.segment.second_end - change.segment.second_start
                for change in rest
                if not change.is_noun
            ),
        )
        elsewhere = not any(change.is_noun for change in rest) and self._stands_still(pair, rest)
        return MeasuredChange(width, outside, elsewhere, window)

    def table(self) -> list[tuple[str, str, int]]:
        """Return the learned alternations with the number of noun swaps behind each."""
        rows = [
            (" ".join(first) or "-", " ".join(second) or "-", len(evidence.swaps))
            for (first, second), evidence in self._evidence.items()
            if self.is_learned(first, second)
        ]
        return sorted(rows, key=lambda row: (-row[2], row))

    def noun_width(self) -> int | None:
        """Return how many tokens a noun takes (95th percentile), None when nothing was learned."""
        sizes = sorted(len(words) for words in self.own_words.values() if words)
        return sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))] if sizes else None

    def _learn_inflection(self, pairs: Sequence[SwapPair]) -> None:
        """Count which inflected forms stand with which class of noun, per template and role."""
        inflected = {
            form[0]
            for forms in self._evidence
            if len(forms[0]) == len(forms[1]) == 1 and _is_inflection(*forms, shortest=2)
            for form in forms
        }
        for pair in pairs:
            for side, noun in enumerate(pair.nouns):
                for token in inflected.intersection(pair.outputs[side]):
                    key = (pair.template, pair.role, self.company.get(noun, frozenset()), token)
                    self._forms_of.setdefault(key, Counter())[noun] += 1

    def _agrees(self, first: Form, second: Form, pair: SwapPair) -> bool:
        """Return True for a verb that follows a noun whose number is its own.

        "The boys admire" is "la canalla admira" where other plurals have "admiren": one noun is no
        alternation, but every other noun of its class ("la noia admira") has the same form.
        """
        if len(first) != 1 or len(second) != 1 or not _is_inflection(first, second, shortest=2):
            return False
        forms = (first[0], second[0])
        for side, noun in enumerate(pair.nouns):
            company = self.company.get(noun)
            if not company:
                return False
            key = (pair.template, pair.role, company)
            counts = [self._forms_of.get((*key, form), Counter()) for form in forms]
            # The noun itself is no witness.
            own, other = (counts[place].total() - counts[place][noun] for place in (side, 1 - side))
            if own < self.support or own < self.purity * (own + other):
                return False
        return True

    def _depends_on_noun(self, forms: tuple[Form, Form], evidence: _Sightings) -> bool:
        verdict = self._verdicts.get(forms)
        if verdict is None:
            by_class, known_classes = evidence.purity(self.company)
            by_noun, sightings = evidence.purity({noun: noun for noun in evidence.sides})
            constants = frozenset[str]().union(
                *(self._constants.get(template, frozenset()) for template in evidence.templates)
            )
            tied = bool((evidence.shared or frozenset()) - constants)
            # Elision follows the sound of the noun; everything else its class, and only an
            # inflection may be tied to one source word (that of the verb it inflects).
            if _is_elision(*forms):
                pure = by_noun >= self.purity and sightings >= self.support
            else:
                pure = by_class >= self.purity and known_classes >= self.support
                pure = pure and (not tied or _is_inflection(*forms))
            verdict = pure and evidence.has_two_nouns_a_side()
            self._verdicts[forms] = verdict
        return verdict

    def _stands_still(self, pair: SwapPair, rest: Sequence[Change]) -> bool:
        """Return True when a noun's own word stands, unchanged, outside everything that changed."""
        for side, noun in enumerate(pair.nouns):
            words = self.own_words.get(noun, frozenset())
            changed = {
                place
                for change in rest
                for place in range(change.segment[2 * side], change.segment[2 * side + 1])
            }
            if any(
                token in words and place not in changed
                for place, token in enumerate(pair.outputs[side])
            ):
                return True
        return False

    def _forms(self, pair: SwapPair) -> Iterable[tuple[Form, Form]]:
        first, second = pair.outputs
        for change in self._changes(pair):
            if change.is_noun:
                continue
            one = first[change.segment.first_start : change.segment.first_end]
            other = second[change.segment.second_start : change.segment.second_end]
            if len(one) <= _LONGEST_FORM and len(other) <= _LONGEST_FORM:
                yield one, other

    def _changes(self, pair: SwapPair) -> list[Change]:
        if pair.changes is None:
            pair.changes = self._find_changes(pair)
        return pair.changes

    def _find_changes(self, pair: SwapPair) -> list[Change]:
        first, second = pair.outputs
        own = [self.own_words.get(noun, frozenset()) for noun in pair.nouns]
        changes: list[Change] = []
        for segment in differing(first, second, pair.window):
            left = [p for p in range(segment[0], segment[1]) if first[p] in own[0]]
            right = [p for p in range(segment[2], segment[3]) if second[p] in own[1]]
            if left and right:
                noun = Segment(left[0], left[-1] + 1, right[0], right[-1] + 1)
                before = Segment(segment[0], noun[0], segment[2], noun[2])
                after = Segment(noun[1], segment[1], noun[3], segment[3])
                changes += [Change(part, False) for part in _single(before)]
                changes.append(Change(noun, True))
                changes += [Change(part, False) for part in _single(after)]
            else:
                changes += [Change(part, False) for part in _single(segment)]
        return changes


def _single(segment: Segment) -> list[Segment]:
    """Cut a segment of equal length on both sides into single tokens; drop an empty one."""
    left, right = segment[1] - segment[0], segment[3] - segment[2]
    if left == right:
        return [
            Segment(segment[0] + i, segment[0] + i + 1, segment[2] + i, segment[2] + i + 1)
            for i in range(left)
        ]
    return [segment]


def _canonical(first: Form, second: Form) -> tuple[tuple[Form, Form], int]:
    return ((first, second), 0) if first <= second else ((second, first), 1)


def _is_inflection(first: Form, second: Form, *, shortest: int = 3) -> bool:
    """Return True when the two forms share a stem: at least half of the longer, accents aside."""
    one, other = (_without_accents(" ".join(form)) for form in (first, second))
    stem = 0
    while stem < min(len(one), len(other)) and one[stem] == other[stem]:
        stem += 1
    return stem >= shortest and 2 * stem >= max(len(one), len(other))


@lru_cache(maxsize=1 << 14)
def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _is_elision(first: Form, second: Form) -> bool:
    """Return True for "d'" against "de": a clitic that lost its vowel."""
    one, other = " ".join(first), " ".join(second)
    if not one.endswith(("'", "\u2019")):
        one, other = other, one
    return one.endswith(("'", "\u2019")) and other.startswith(one[:-1])


def _is_fusion(first: Form, second: Form) -> bool:
    """Return True for "dels" against "de les": a preposition that took its article in."""
    fused, apart = sorted((first, second), key=len)
    if len(fused) != 1 or len(apart) != 2:
        return False
    (one,), (preposition, article) = fused, apart
    short = max(len(one), len(article)) <= _LONGEST_ARTICLE and len(preposition) <= len(one)
    return short and _without_accents(one)[0] == _without_accents(preposition)[0]


def _touches(change: Change, following: Change | None) -> bool:
    """Whether a change stands right before that of the noun, on both sides."""
    return (
        following is not None
        and following.is_noun
        and change.segment.first_end == following.segment.first_start
        and change.segment.second_end == following.segment.second_start
    )


def _words_of_nouns(
    pairs: Sequence[SwapPair], isolated: Mapping[str, Sequence[str]]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the words that render each noun, and the words it keeps company with.

    A noun's own words are frequent in its windows and rare in those of others. Articles are
    frequent with many nouns and so belong to none: they are the company that shows its class. The
    threshold (two nouns, or one in twenty) leaves room for two nouns that share a translation.
    """
    sightings: Counter[str] = Counter()
    words: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        window = pair.window
        for side, noun in enumerate(pair.nouns):
            sightings[noun] += 1
            tokens = pair.outputs[side][window[2 * side] : window[2 * side + 1]]
            words[noun].update(set(tokens))
    frequent = {
        noun: {word for word, count in words[noun].items() if 2 * count >= sightings[noun]}
        for noun in sightings
        if sightings[noun] >= _FEWEST_SIGHTINGS
    }
    phrases = {noun: set(tokens) for noun, tokens in isolated.items()}
    learned, alone = _rare(frequent), _rare(phrases)
    # What many nouns have when they stand alone is nobody's own, however rare in the pairs.
    shared = {word for noun, found in phrases.items() for word in found - alone[noun]}
    own = {
        noun: frozenset((learned.get(noun, set()) - shared) | alone.get(noun, set()))
        for noun in {**learned, **alone}
    }
    company = {
        noun: frozenset({**frequent, **phrases}[noun]) - own[noun]
        for noun in {**frequent, **phrases}
    }
    return own, company


def _rare(words: Mapping[str, set[str]]) -> dict[str, set[str]]:
    nouns_of = Counter(word for tokens in words.values() for word in tokens)
    limit = max(2.0, 0.05 * len(words))
    return {
        noun: {word for word in tokens if nouns_of[word] <= limit and not is_punctuation(word)}
        for noun, tokens in words.items()
    }
