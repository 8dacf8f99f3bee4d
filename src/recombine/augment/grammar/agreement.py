"""Which word and which rule may fill a slot: seen there, or implied by where else it was seen.

Case, gender, measure words and government are not known; they show as restrictions on slots. Three
questions are asked of training, each answered by the words that are like the one in question:

- *implied*: of the words that are seen where this one is seen, are nearly all seen here, too?
- *contradicted*: rules of one source compete (*der, den, dem* for *the*). Do the words that are
  seen where this one is seen take another of them here?
- *open*: does a slot take whatever a class of words has (objects of *found*), or a few words only?
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.augment.grammar.constituents import HEAD, PHRASE
from recombine.augment.grammar.rules import PairRule, Unit
from recombine.augment.grammar.tables import (
    BARE,
    GOVERNMENT,
    Governed,
    RulePlace,
    RuleTables,
    has_ending,
)
from recombine.augment.grammar.words import damped, leader_clusters, with_strays

# All set by reading pairs drawn of SGET (build 1) into German, Japanese and French, as its grammar
# judges them; not yet on what is held out of train.
# A place follows from another if this share of the words there are seen in both, of so many words
# that could be expected in both at least `EXPECTED` times.
FOLLOWS, WORDS, EXPECTED, NEVER = 0.8, 4, 3.0, 10
# A rule is contradicted if words like this one take it less than this share of what is usual.
UNUSUAL, ENOUGH = 0.1, 5.0
# A slot is open to a class if it has this share of the different words that could be expected.
OPENNESS, CLASS_LIKENESS, CLASS_SEEN = 0.75, 0.7, 3

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]


class Implications:
    """Places that follow from other places, learnt from the items that are in them."""

    def __init__(self, table: Mapping[Any, Mapping[Any, int]]) -> None:
        self.items: dict[Any, int] = {}
        for counts in table.values():
            for item in counts:
                self.items.setdefault(item, len(self.items))
        self.places = {place: number for number, place in enumerate(table)}
        seen = np.zeros((len(self.items), len(self.places)), np.float32)
        for place, number in self.places.items():
            for item, count in table[place].items():
                seen[self.items[item], number] = count
        total = max(1.0, float(seen.sum()))
        self.seen = seen > 0
        could = np.outer(seen.sum(1), seen.sum(0)) / total >= EXPECTED
        there = self.seen.astype(np.float32)
        # [from, to]: words of `from` that could be in `to`, and those that are.
        self._could = there.T @ could.astype(np.float32)
        self._are = there.T @ (there * could)
        self._support: dict[Any, Floats] = {}

    def allowed(self, place: Any) -> Flags:
        """Return for every item whether it is in a place, or follows to be."""
        number = self.places.get(place)
        if number is None:
            return np.zeros(len(self.items), bool)
        could, are = self._could[:, number], self._are[:, number]
        never = (could >= NEVER) & (are < UNUSUAL * could)
        follows = (self.support(place) >= FOLLOWS) & ~self.seen[:, never].any(1)
        return np.asarray(self.seen[:, number] | follows)

    def support(self, place: Any) -> Floats:
        """Return for every item how surely it may be in a place: the best share of its places."""
        known = self._support.get(place)
        if known is None:
            known = np.zeros(len(self.items), np.float32)
            number = self.places.get(place)
            if number is not None:
                could, are = self._could[:, number], self._are[:, number]
                from_ = np.flatnonzero((could >= WORDS) & (are > 0))
                share = are[from_] / could[from_]
                known = (self.seen[:, from_] * share).max(1, initial=0.0).astype(np.float32)
            self._support[place] = known
        return known


class RuleAgreement:
    """Answers of the tables, worked out once for each place."""

    def __init__(self, tables: RuleTables) -> None:
        self.tables = tables
        units: dict[Unit, int] = {}
        for by_rule in tables.cores.values():
            for counts in by_rule.values():
                for unit in counts:
                    units.setdefault(unit, len(units))
        self.units = list(units)
        self._number = units
        self._word_of = [unit[0] for unit in self.units]
        self._cores = {
            place: {rule: self._vector(counts) for rule, counts in by_rule.items()}
            for place, by_rule in tables.cores.items()
        }
        self._all_cores = {place: self._summed(by_rule) for place, by_rule in self._cores.items()}
        self._heads = self._head_places()
        self._head_items = np.zeros((len(units), len(self._heads)), bool)
        for place, number in self._heads.items():
            self._head_items[:, number] = self._all_or_words(place) > 0
        # *enfant* without a space, behind *l'*, is the word that has one behind *un*.
        self._spelled = [(unit[0], "".join(unit[1]).strip()) for unit in self.units]
        self._implied_heads = Implications({place: self._spellings(place) for place in self._heads})
        self._words = Implications(tables.words)
        self._word_list = list(self._words.items)
        self._government = self._governments()
        self._government_items = self._government.items
        self._evidence = self._places_as_evidence()
        self._classes = self._word_classes()
        self._cache: dict[Hashable, Any] = {}

    # --- what is in a place -----------------------------------------------------------------

    def _vector(self, counts: Mapping[Unit, int]) -> Floats:
        vector = np.zeros(len(self._number), np.float32)
        for unit, count in counts.items():
            vector[self._number[unit]] = count
        return vector

    def _summed(self, by_rule: Mapping[PairRule, Floats]) -> Floats:
        # A modified phrase counts once under its modifier and once under its base.
        total = np.zeros(len(self._number), np.float32)
        for rule, vector in by_rule.items():
            if rule.head() is None:
                total += vector
        return total

    def _head_places(self) -> dict[RulePlace, int]:
        """The places of heads: in rules of phrases that have no phrase inside as head."""
        places = [
            RulePlace(rule, rule.core())
            for rule in self.tables.rules
            if rule.kind == PHRASE and rule.head() is None
        ]
        return {place: number for number, place in enumerate(places)}

    def _spellings(self, place: RulePlace) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        for number, count in enumerate(self._all_or_words(place)):
            if count:
                counts[self._spelled[number]] += int(count)
        return counts

    def _spaced(self, number: int) -> bool:
        return self.units[number][1][0].startswith(" ")

    def _all_or_words(self, place: RulePlace) -> Floats:
        found = self._all_cores.get(place)
        if found is not None and place.rule.slots()[place.slot].kind == HEAD:
            return found
        words = {
            unit: count
            for unit, count in self.tables.words.get(place, Counter()).items()
            if unit in self._number
        }
        return self._vector(words)

    def words(self, place: RulePlace) -> list[Unit]:
        """The words that may fill a slot of words."""
        key = "words", place
        found: list[Unit] | None = self._cache.get(key)
        if found is None:
            rule, slot = place
            allowed = self._words.allowed(place)
            mine = self._words.support(place)
            for rival in self.tables.frames[rule.frame()]:
                if rival != rule:
                    allowed &= mine > self._words.support(RulePlace(rival, slot))
            found = [self._word_list[n] for n in np.flatnonzero(allowed).tolist()]
            found += [unit for unit in self.tables.words[place] if unit not in set(found)]
            ending = dict(rule.endings).get(slot)
            if ending is not None and not ending.startswith(GOVERNMENT):
                found = [unit for unit in found if has_ending("".join(unit[1]), ending)]
            # A word that is seen here with another translation, or in another rule with the same
            # source, has that one.
            seen = {
                unit[0]
                for rival in self.tables.frames[rule.frame()]
                for unit in self.tables.words.get(RulePlace(rival, slot), ())
            }
            here = self.tables.words[place]
            found = sorted(unit for unit in found if here[unit] or unit[0] not in seen)
            found += self._bare_like(found)
            self._cache[key] = found
        return found

    def _bare_like(self, units: Iterable[Unit]) -> list[Unit]:
        """Words seen by themselves only whose models are among these."""
        there = set(units)
        return [
            unit
            for unit, (model, _) in self.tables.bare.items()
            if model in there and unit not in there
        ]

    # --- agreement --------------------------------------------------------------------------

    def cores(self, place: RulePlace, child: PairRule) -> Flags:
        """Return which words a phrase with this rule may be about in this place."""
        key = "cores", place, child
        found: Flags | None = self._cache.get(key)
        if found is None:
            head = RulePlace(child, child.core())
            allowed = np.zeros(len(self.units), bool)
            if child is BARE or child == BARE:
                allowed[:] = self._head_allowed(place)
            else:
                allowed[:] = self._head_allowed(head)
            rivals = self._rivals(place, child)
            found = allowed & ~self._contradicted(rivals) & ~self._variant_contradicted(place)
            self._cache[key] = found
        return found

    def _head_allowed(self, head: RulePlace) -> Flags:
        if head not in self._heads:
            return np.ones(len(self.units), bool)
        key = "head", head
        found: Flags | None = self._cache.get(key)
        if found is None:
            found = np.zeros(len(self.units), bool)
            allowed = self._implied_heads.allowed(head)
            items = self._implied_heads.items
            here = {self._spaced(n) for n in np.flatnonzero(self._all_or_words(head)).tolist()}
            for number, spelled in enumerate(self._spelled):
                if spelled in items and self._spaced(number) in here:
                    found[number] = allowed[items[spelled]]
            # A word seen here with another translation has that one (*Patient*, not *Patienten*).
            seen = self._all_or_words(head)
            words = {self._word_of[n] for n in np.flatnonzero(seen).tolist()}
            for n in np.flatnonzero(found & (seen == 0)).tolist():
                if self._word_of[n] in words:
                    found[n] = False
            self._cache[key] = found
        return found

    def _rivals(self, place: RulePlace, child: PairRule) -> tuple[Floats, Floats]:
        """Counts of words with a rule in a place, and with all rules of its source."""
        here = self._cores.get(place, {})
        zero = np.zeros(len(self.units), np.float32)
        mine = here.get(child, zero)
        every = zero.copy()
        for rule, vector in here.items():
            if rule.frame() == child.frame():
                every += vector
        return mine, every

    def _variant_contradicted(self, place: RulePlace) -> Flags:
        """Rules with the source of this one compete for the words in this slot (*aimé, aimée*)."""
        key = "variant", place
        found: Flags | None = self._cache.get(key)
        if found is None:
            rivals = self.tables.frames[place.rule.frame()]
            zero = np.zeros(len(self.units), np.float32)
            every = zero.copy()
            for rule in rivals:
                every += self._all_cores.get(RulePlace(rule, place.slot), zero)
            found = self._contradicted((self._all_cores.get(place, zero), every))
            self._cache[key] = found
        return found

    def _contradicted(self, rivals: tuple[Floats, Floats]) -> Flags:
        mine, every = rivals
        if not every.any() or mine.sum() >= every.sum():
            return np.zeros(len(self.units), bool)
        usual = mine.sum() / every.sum()
        own = (mine == 0) & (every * usual >= EXPECTED)
        evidence = self._evidence
        here, all_ = mine @ evidence, every @ evidence
        against = (all_ * usual >= ENOUGH) & (here < UNUSUAL * usual * all_)
        return np.asarray((own | evidence[:, against].any(1)) & (mine == 0))

    def _places_as_evidence(self) -> Floats:
        """[word, place]: where words are seen, of places and rules that have rivals."""
        columns = [self._head_items.astype(np.float32)]
        for place, vector in self._all_cores.items():
            rivals = self.tables.frames[place.rule.frame()]
            if len(rivals) > 1 and sum(place.rule.frame() == rule.frame() for rule in rivals) > 1:
                columns.append((vector > 0).astype(np.float32)[:, None])
        # *der* says nothing of gender, *der* behind *helped* does.
        for by_rule in self._cores.values():
            for rule, vector in by_rule.items():
                seen = vector > 0
                if len(self.tables.frames[rule.frame()]) > 1 and seen.sum() >= WORDS:
                    columns.append(seen.astype(np.float32)[:, None])
        return np.concatenate(columns, axis=1) if columns else np.zeros((0, 0), np.float32)

    # --- government -------------------------------------------------------------------------

    def _governments(self) -> Implications:
        table: dict[Any, Counter[Unit]] = defaultdict(Counter)
        for governed, rules in self.tables.governed.items():
            for rule, count in rules.items():
                table[governed.rule, governed.word_slot, governed.slot, rule][governed.word] += (
                    count
                )
        return Implications(table)

    def governs(self, place: RulePlace, words: Mapping[int, Unit], child: PairRule) -> bool:
        """Whether all words of a rule may stand beside this child (*half* takes a dative)."""
        for slot, word in words.items():
            counts = self.tables.governed.get(Governed(place.rule, slot, word, place.slot))
            if counts and counts[child]:
                continue
            key = place.rule, slot, place.slot, child
            allowed = self._cache.get(("governs", key))
            if allowed is None:
                allowed = self._government.allowed(key)
                self._cache["governs", key] = allowed
            number = self._government_items.get(word)
            if number is not None and allowed[number]:
                continue
            if counts:
                return False
            here = self.tables.children[place]
            rivals = sum(n for rule, n in here.items() if rule.frame() == child.frame())
            if here[child] < 0.5 * rivals:
                return False
        return True

    # --- selection --------------------------------------------------------------------------

    def _word_classes(self) -> dict[str, int]:
        """Classes of the words that phrases are about, by the frames they are seen in."""
        contexts: dict[str, Counter[Hashable]] = defaultdict(Counter)
        for place, vector in self._all_cores.items():
            for number in np.flatnonzero(vector).tolist():
                frame = place.rule.frame(), place.slot
                contexts[self._word_of[number]][frame] += int(vector[number])
        counts = {word: sum(seen.values()) for word, seen in contexts.items()}
        order = sorted(contexts, key=lambda word: (-counts[word], word))
        vectors = {word: damped(seen) for word, seen in contexts.items()}
        clusters = with_strays(leader_clusters(order, vectors, counts, CLASS_LIKENESS), vectors)
        self._often = counts
        return {word: number for number, words in enumerate(clusters) for word in words}

    def selects(self, place: RulePlace, governor: str | None) -> Flags:
        """Return which words a phrase in this slot may be about beside a word."""
        key = "selects", place.rule.frame(), place.slot, governor
        found: Flags | None = self._cache.get(key)
        if found is None:
            found = self._selected(self.tables.beside.get(key[1:], Counter()))
            if governor is not None:
                found = found & self.selects(place, None) | self._seen_words(
                    self.tables.beside.get(key[1:], Counter())
                )
            self._cache[key] = found
        return found

    def _seen_words(self, counts: Mapping[str, int]) -> Flags:
        return np.array([word in counts for word in self._word_of], bool)

    def _selected(self, counts: Mapping[str, int]) -> Flags:
        tokens: Counter[int] = Counter()
        kinds: Counter[int] = Counter()
        for word, count in counts.items():
            tokens[self._classes[word]] += count
            kinds[self._classes[word]] += 1
        open_ = set()
        total = sum(tokens.values())
        for number, often in tokens.items():
            usual = total * self._share_of(number)
            if (
                often >= CLASS_SEEN
                and often >= UNUSUAL * usual
                and kinds[number] >= OPENNESS * self._expected(number, often)
            ):
                open_.add(number)
        return np.array(
            [word in counts or self._classes[word] in open_ for word in self._word_of], bool
        )

    def _share_of(self, number: int) -> float:
        """How much of the text is of a class."""
        key = "share", number
        found: float | None = self._cache.get(key)
        if found is None:
            often = sum(self._often[w] for w, c in self._classes.items() if c == number)
            found = self._cache[key] = often / max(1, sum(self._often.values()))
        return found

    def _expected(self, number: int, tokens: int) -> float:
        """How many different words of a class so many tokens have, on average."""
        key = "expected", number, tokens
        found: float | None = self._cache.get(key)
        if found is None:
            often = [self._often[w] for w, c in self._classes.items() if c == number]
            total = sum(often)
            found = sum(1 - (1 - n / total) ** tokens for n in often)
            self._cache[key] = found
        return found

    # --- together ---------------------------------------------------------------------------

    def fillers(self, place: RulePlace, child: PairRule, governor: str | None) -> Sequence[Unit]:
        """Return the words that a phrase with a rule may be about in a slot beside a word."""
        key = "fillers", place, child, governor
        found: list[Unit] | None = self._cache.get(key)
        if found is None:
            allowed = self.cores(place, child) & self.selects(place, governor)
            found = [self.units[number] for number in np.flatnonzero(allowed).tolist()]
            found += self._bare_like(found)
            self._cache[key] = found
        return found

    def fits(self, place: RulePlace, child: PairRule, unit: Unit, governor: str | None) -> bool:
        """Whether a phrase with a rule may be about a word in a slot beside a word."""
        model, _ = self.tables.bare.get(unit, (unit, 0))
        number = self._number.get(model)
        if number is None:
            return False
        return bool(self.cores(place, child)[number] and self.selects(place, governor)[number])
