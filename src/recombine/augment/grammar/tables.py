"""What was seen in which place of which rule: the tables that agreement is learnt from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recombine.augment.grammar.constituents import CLAUSE, HEAD, PHRASE
from recombine.augment.grammar.rules import Derivation, Frame, PairRule, Unit

# Endings alternate in a slot if so many words, and this share of its words, have both.
ALTERNATING, ALTERNATING_SHARE, LONGEST_ENDING = 2, 0.05, 4
# A word seen so often in a slot, with one form, has one.
ONE_FORM = 8
# A word governs as others do if half of what stands beside it is usual beside them, of so many.
GOVERNED, USUAL = 3, 0.02
# Tags of words that govern otherwise begin so, and no ending does.
GOVERNMENT = "~"
# A tag that is a whole word begins so.
WHOLE = "="


# A child fits a place where it is more often than this share of what rival rules let expect.
FITTING = 0.25


class RulePlace(NamedTuple):
    """A slot of a rule."""

    rule: PairRule
    slot: int


class Governed(NamedTuple):
    """A slot of a rule beside a word in another of its slots."""

    rule: PairRule
    word_slot: int
    word: Unit
    slot: int


class RuleTables:
    """Counts over derivations, and the first training pair with each rule and each word."""

    def __init__(self, derivations: Mapping[int, Derivation]) -> None:
        self.rules: Counter[PairRule] = Counter()
        # Words in slots of words; rules in other slots, with modifiers and without.
        self.words: dict[RulePlace, Counter[Unit]] = defaultdict(Counter)
        self.children: dict[RulePlace, Counter[PairRule]] = defaultdict(Counter)
        # The same without modifiers.
        self.bases: dict[RulePlace, Counter[PairRule]] = defaultdict(Counter)
        # The words that the phrases in a slot are about, by the rule of the phrase.
        self.cores: dict[RulePlace, dict[PairRule, Counter[Unit]]] = defaultdict(
            lambda: defaultdict(Counter)
        )
        self.governed: dict[Governed, Counter[PairRule]] = defaultdict(Counter)
        # Which words the phrases in a slot are about, beside a word and (None) beside any.
        self.beside: dict[tuple[Frame, int, str | None], Counter[str]] = defaultdict(Counter)
        # Words seen by themselves only: whose places they get, and the training pair with them.
        self.bare: dict[Unit, tuple[Unit, int]] = {}
        self.shown_by: dict[object, int] = {}
        # Places whose phrases have a modified head, by the rule of the phrase; and for every word
        # that modifies a head, the words that stand between it and the head.
        self.with_modified_head: set[tuple[RulePlace, PairRule]] = set()
        self.inner: dict[str, set[str]] = defaultdict(set)
        for number in sorted(derivations):
            for part in derivations[number].walk():
                self._count(part, number)
        self._fits: dict[tuple[RulePlace, PairRule], bool | None] = {}
        self.frames: dict[Frame, list[PairRule]] = defaultdict(list)
        for rule in self.rules:
            self.frames[rule.frame()].append(rule)

    def fits(self, place: RulePlace, child: PairRule) -> bool | None:
        """Whether a child is seen in a place about as often as in those of rival rules.

        None if it is seen with none of them.
        """
        key = place, child
        if key not in self._fits:
            rivals = self.frames[place.rule.frame()]
            seen = [self.children[RulePlace(rule, place.slot)] for rule in rivals]
            together = sum(counts[child] for counts in seen)
            fits: bool | None = None
            if together:
                every = sum(sum(counts.values()) for counts in seen)
                usual = sum(self.children[place].values()) / every
                fits = self.children[place][child] > FITTING * usual * together
            self._fits[key] = fits
        return self._fits[key]

    def _count(self, part: Derivation, number: int) -> None:
        rule = part.rule
        self.rules[rule] += 1
        self.shown_by.setdefault(rule, number)
        words = [(s, c) for s, c in enumerate(part.children) if not isinstance(c, Derivation)]
        frame = rule.frame()
        for slot, child in enumerate(part.children):
            place = RulePlace(rule, slot)
            kind = rule.slots()[slot].kind
            if kind in (PHRASE, HEAD):
                core = child.core() if isinstance(child, Derivation) else child
                self.beside[frame, slot, None][core[0]] += 1
                if isinstance(child, Derivation) or len(words) > 1 or kind == PHRASE:
                    for _, governor in words[:1]:
                        self.beside[frame, slot, governor[0]][core[0]] += 1
            if not isinstance(child, Derivation):
                self.words[place][child] += 1
                self.shown_by.setdefault((place, child), number)
                if kind == HEAD:
                    self.cores[place][_BARE][child] += 1
                continue
            base = child.base() if child.rule.kind in (PHRASE, HEAD) else child
            inside = base.children[-1]
            if isinstance(inside, Derivation) and inside.rule.kind == HEAD:
                self.with_modified_head.add((place, base.rule))
            if rule.kind == HEAD == child.rule.kind and words:
                for word in child.children:
                    if not isinstance(word, Derivation):
                        self.inner[words[0][1][0]].add(word[0])
                        break
            self.children[place][child.rule] += 1
            self.bases[place][base.rule] += 1
            if child.rule.kind in (PHRASE, HEAD):
                for seen in dict.fromkeys((child.rule, base.rule)):
                    self.cores[place][seen][child.core()] += 1
            for word_slot, word in words:
                self.governed[Governed(rule, word_slot, word, slot)][governed_rule(child)] += 1


# Stands for the rule of a head that is a word without modifiers.
_BARE = PairRule(HEAD, (), ())
BARE = _BARE


def with_endings(derivations: Mapping[int, Derivation]) -> None:
    """Tell rules apart by the endings of their words where these alternate (*aimé, aimée*).

    A word with one form that ends like others and does not alternate (*jeune*) is told by the words
    beside it: it stands beside such as take another ending. The words of clauses that have several
    forms by themselves (*croyait, croie*) are told apart as they are: what stands around asks for
    one of them.
    """
    forms: dict[RulePlace, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    parts = [part for number in sorted(derivations) for part in derivations[number].walk()]
    for part in parts:
        for slot, child in enumerate(part.children):
            if not isinstance(child, Derivation):
                forms[RulePlace(part.rule, slot)][child[0]]["".join(child[1])] += 1
    endings = {place: _alternating(words) for place, words in forms.items()}
    tagged = [_endings_of(part, forms, endings) for part in parts]
    beside: dict[RulePlace, dict[str, set[Unit]]] = defaultdict(lambda: defaultdict(set))
    for part, tags in zip(parts, tagged, strict=True):
        for slot, tag in tags:
            if len(forms[RulePlace(part.rule, slot)][_word(part, slot)[0]]) > 1:
                beside[RulePlace(part.rule, slot)][tag].add(part.core())
    constant = set()
    for part, tags in zip(parts, tagged, strict=True):
        for slot, tag in tags:
            place, word = RulePlace(part.rule, slot), _word(part, slot)
            others = {unit for end, units in beside[place].items() if end != tag for unit in units}
            one_form = len(forms[place][word[0]]) == 1
            if one_form and part.core() in others - beside[place][tag]:
                constant.add((place, word))
    for part, tags in zip(parts, tagged, strict=True):
        rule = part.rule
        kept = [
            (slot, tag)
            for slot, tag in tags
            if (RulePlace(rule, slot), _word(part, slot)) not in constant
        ]
        part.rule = rule._replace(endings=tuple(kept))


def has_ending(text: str, ending: str) -> bool:
    """Whether a word has the ending of a rule, or is the word that the rule is about."""
    if ending.startswith(WHOLE):
        return text == ending.removeprefix(WHOLE)
    return text.endswith(ending)


def _word(part: Derivation, slot: int) -> Unit:
    word = part.children[slot]
    assert not isinstance(word, Derivation)
    return word


def _endings_of(
    part: Derivation,
    forms: Mapping[RulePlace, Mapping[str, Mapping[str, int]]],
    endings: Mapping[RulePlace, Sequence[str]],
) -> list[tuple[int, str]]:
    """The endings of a derivation's own words where words alternate there."""
    tags = []
    for slot, child in enumerate(part.children):
        if isinstance(child, Derivation):
            continue
        place = RulePlace(part.rule, slot)
        text, texts = "".join(child[1]), forms[place][child[0]]
        if len(texts) == 1 and texts[text] >= ONE_FORM:
            continue  # *jeune* ends in -e and does not alternate.
        ending = next((end for end in endings[place] if text.endswith(end)), None)
        if ending is not None:
            tags.append((slot, ending))
        elif part.rule.kind == CLAUSE and sum(n >= ONE_FORM for n in texts.values()) > 1:
            tags.append((slot, WHOLE + text))
    return tags


def _alternating(words: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The endings that words of a slot alternate between, longest first; often none."""
    shown: dict[tuple[str, str], set[str]] = defaultdict(set)
    for word, forms in words.items():
        texts = sorted(forms)
        for number, one in enumerate(texts):
            for other in texts[:number]:
                same = 0
                while same < min(len(one), len(other)) and one[same] == other[same]:
                    same += 1
                ends = sorted((one[same:], other[same:]))
                short = max(map(len, ends)) <= LONGEST_ENDING
                if short and same >= min(2, min(len(one), len(other)) - 1) and same:
                    shown[ends[0], ends[1]].add(word)
    fewest = max(ALTERNATING, ALTERNATING_SHARE * len(words))
    kept = {end for ends, by in shown.items() if len(by) >= fewest for end in ends}
    return sorted(kept, key=lambda end: (-len(end), end))


def governed_rule(child: Derivation) -> PairRule:
    """The rule that a word beside it may ask for: a phrase's own, without its modifiers.

    Words before a head are modifiers, and the next one may ask for a joining word (*rond et plat*).
    """
    return child.rule if child.rule.kind == HEAD else child.base().rule


def with_government(derivations: Mapping[int, Derivation]) -> None:
    """Tell rules apart by words that take other children than most do (*half* takes a dative)."""
    beside: dict[tuple[PairRule, int, int], dict[Unit, Counter[PairRule]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    parts = [part for number in sorted(derivations) for part in derivations[number].walk()]
    for part in parts:
        for slot, word in enumerate(part.children):
            if isinstance(word, Derivation):
                continue
            for place, child in enumerate(part.children):
                if isinstance(child, Derivation):
                    beside[part.rule, slot, place][word][governed_rule(child)] += 1
            break
    tags: dict[tuple[PairRule, int, Unit], list[str]] = defaultdict(list)
    for (rule, slot, place), words in beside.items():
        for word, number in _governments(words).items():
            if number:
                tags[rule, slot, word].append(f"{GOVERNMENT}{place + 1}.{number}")
    for part in parts:
        for slot, word in enumerate(part.children):
            if not isinstance(word, Derivation):
                found = tags.get((part.rule, slot, word))
                if found:
                    endings = (*part.rule.endings, *((slot, tag) for tag in found))
                    part.rule = part.rule._replace(endings=endings)
                break


def _governments(words: Mapping[Unit, Counter[PairRule]]) -> dict[Unit, int]:
    """Group words by the children that they take; 0 is the group of the most frequent word."""
    order = sorted(words, key=lambda word: (-sum(words[word].values()), word))
    groups: list[Counter[PairRule]] = []
    group_of = {}
    for word in order:
        best, best_share = 0, -1.0
        for number, group in enumerate(groups):
            frames: Counter[Frame] = Counter()
            kinds: dict[Frame, int] = Counter()
            for rule, count in group.items():
                frames[rule.frame()] += count
                kinds[rule.frame()] += 1
            usual = informative = 0
            for rule, count in words[word].items():
                frame = rule.frame()
                if kinds.get(frame, 0) + (rule not in group) < 2 or not frames[frame]:
                    continue  # There is nothing to choose.
                informative += count
                usual += count * (group[rule] >= USUAL * frames[frame])
            share = usual / informative if informative >= GOVERNED else 1.0
            if share > best_share:
                best, best_share = number, share
        if groups and best_share >= 0.5:
            group_of[word] = best
            groups[best].update(words[word])
        else:
            group_of[word] = len(groups)
            groups.append(Counter(words[word]))
    return group_of
