"""Put back what was taken out: articles, particles and forms that agree.

What stands before a noun depends on the noun, on the article of the source, and on the noun's role:
the slot of a frame, with one word or with any. All three make a table: rows are nouns, columns are
roles with an article. A cell that training shows is taken as it is; another one is filled as nouns
of the same row class fill it, or as they fill columns that agree with it. A form that agrees is
told by gender and article of one noun: the head of a modifier, or the noun before or behind it.
Where the table says nothing, or two things, no sentence is made.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.augment.agreement.genders import row_classes
from recombine.augment.analogy.paradigms import Endings
from recombine.augment.classes import Unit
from recombine.augment.tokens import Tokens

# A cell says something when this share of what was seen there is the same.
SURE = 0.9
# Pairs that are enough to know the role of a slot with one word by itself.
KNOWN_ROLE = 3
# Columns that agree so often are of one case.
SAME_CASE = 0.97
# What stands for the head of a modifier, where slots of frames have numbers.
HEAD = -1
HEAD_WAY = "head"

Role = tuple[str, tuple[str, ...], int]


class HeadToken(str):
    """A noun in a target: its unit, the source's article, and its role once it has one."""

    unit: Unit
    sort: int
    free: str = ""
    role: Role = ("", (), 0)

    @classmethod
    def of(cls, unit: Unit, sort: int) -> HeadToken:
        """Make the token of a unit."""
        made = cls(unit[1])
        made.unit, made.sort = unit, sort
        return made


class WrapperToken(str):
    """The place before a noun and its adjectives."""

    head: HeadToken

    @classmethod
    def of(cls, head: HeadToken) -> WrapperToken:
        """Make the place before a noun."""
        made = cls("")
        made.head = head
        return made


class FormToken(str):
    """A word of a frame or modifier, and the nouns that may tell its form."""

    nouns: dict[int, HeadToken]
    before: tuple[str, ...]
    near: dict[str, int]

    @classmethod
    def of(cls, word: str, nouns: dict[int, HeadToken]) -> FormToken:
        """Make a word of a frame; `nouns` may be filled later."""
        made = cls(word)
        made.nouns = nouns
        return made


@dataclass
class SeenNoun:
    """A noun of a training pair."""

    unit: Unit
    free: str
    role: Role
    wrapper: Tokens
    form: str


@dataclass
class SeenForm:
    """A word of a training pair that may agree, and the nouns around it by slot."""

    token: str
    form: str
    nouns: dict[int, SeenNoun]
    # What stands before it in its frame, and the nearest nouns before and behind it by slot.
    before: tuple[str, ...]
    near: dict[str, int]


@dataclass
class Observations:
    """All nouns and words that may agree of the training pairs."""

    nouns: list[SeenNoun] = field(default_factory=list)
    forms: list[SeenForm] = field(default_factory=list)


class TargetInflector:
    """Tables of forms, and text made of abstract targets with them."""

    def __init__(
        self,
        seen: Observations,
        kinds: Mapping[Unit, Hashable],
        gender: Mapping[str, int],
        particles: frozenset[str],
    ) -> None:
        self._particles = particles
        self._gender = dict(gender)
        rows: dict[Unit, Counter[tuple[Any, Any]]] = defaultdict(Counter)
        lexical: dict[tuple[Role, str], Counter[tuple[Unit, Tokens]]] = defaultdict(Counter)
        for one in seen.nouns:
            rows[one.unit][(_slot(one.role), one.free), one.wrapper] += 1
            lexical[one.role, one.free][one.unit, one.wrapper] += 1
        self.rows = dict(rows)
        self.class_of, self.classes = row_classes(rows, kinds)
        self._by_kind: dict[Hashable, Counter[int]] = defaultdict(Counter)
        for unit, number in self.class_of.items():
            self._by_kind[kinds.get(unit)][number] += 1
        self._kinds = kinds
        self._lexical = {
            key: _by_class(counts, self.class_of)
            for key, counts in lexical.items()
            if counts.total() >= KNOWN_ROLE
        }
        self._cases: dict[Hashable, list[Hashable]] = {}
        self._wrappers: dict[tuple[Unit, int, str, Role], Tokens | None] = {}
        self._learn_forms(seen)

    # --- what stands before a noun

    def wrapper(self, head: HeadToken) -> Tokens | None:
        """Return the words before a noun in its role, or None where nothing is sure."""
        key = head.unit, head.sort, head.free, head.role
        if key not in self._wrappers:
            self._wrappers[key] = self._find_wrapper(*key)
        return self._wrappers[key]

    def _find_wrapper(self, unit: Unit, sort: int, free: str, role: Role) -> Any:
        number = self.class_of.get(unit)
        if number is None:
            # A word that was never seen in a sentence goes with its kind.
            votes = self._by_kind.get(self._kinds.get(unit, sort)) or self._by_kind.get(sort)
            if not votes:
                return None
            number = max(votes, key=lambda own: (votes[own], -own))
        lexical = self._lexical.get((role, free))
        if lexical is not None and (found := _sure(lexical.get(number))) is not None:
            return found
        column = _slot(role), free
        own = Counter(
            {value: n for (c, value), n in self.rows.get(unit, Counter()).items() if c == column}
        )
        if (found := _sure(own)) is not None:
            return found
        if lexical is None:
            found = _sure(self.classes[number].columns.get(column))
            if found is not None:
                return found
        return self._by_case(number, column, lexical)

    def _by_case(self, number: int, column: Any, lexical: Mapping[int, Counter[Any]] | None) -> Any:
        """Look in other columns that agree with this one in all classes that both show."""
        own = lexical
        if own is None:
            own = {
                n: counts
                for n, c in enumerate(self.classes)
                if (counts := c.columns.get(column)) and counts.total() > 0
            }
        told: Counter[Tokens] = Counter()
        every = {c for c in self.classes[number].columns if c[1] == column[1]}
        for other in sorted(every, key=str):
            same = both = 0
            for n, counts in own.items():
                theirs = self.classes[n].columns.get(other)
                if theirs and (known := _sure(theirs)) is not None:
                    both += counts.total()
                    same += counts[known]
            if both and same >= SAME_CASE * both:
                found = _sure(self.classes[number].columns.get(other))
                if found is not None:
                    told[found] += both
        return _sure(told)

    def marked(self, frame: str, slot: int, sort: int | None = None) -> bool:
        """Say whether a slot mostly has a particle before its noun, for all nouns or a sort's."""
        with_particle = total = 0
        for unit, cells in self.rows.items():
            if sort is None or self._kinds.get(unit) == sort:
                for ((place, _), wrapper), count in cells.items():
                    if place == (frame, slot):
                        total += count
                        with_particle += count * any(w in self._particles for w in wrapper)
        return 2 * with_particle > total

    # --- forms that agree

    def _learn_forms(self, seen: Observations) -> None:
        several: dict[str, set[str]] = defaultdict(set)
        for one in seen.nouns:
            several[one.unit[1]].add(one.form)
        for word in seen.forms:
            several[word.token].add(word.form)
        self._agrees = {token for token, forms in several.items() if len(forms) > 1}
        self._ends = {form[-3:] for token in self._agrees for form in several[token]}
        genders = Counter(
            own for noun in seen.nouns if (own := self._gender.get(noun.unit[0])) is not None
        )
        self._usual_gender: int | None = max(
            genders, key=lambda own: (genders[own], -own), default=None
        )
        # Which noun tells the forms of a word behind such words.
        told: dict[tuple[str, ...], dict[str, dict[Hashable, Counter[str]]]] = {}
        for word in seen.forms:
            if word.token in self._agrees:
                for way, slot in word.near.items():
                    gender = self._gender.get(word.nouns[slot].unit[0])
                    if gender is not None:
                        table = told.setdefault(word.before, {}).setdefault(way, {})
                        key = word.token, gender, word.nouns[slot].wrapper
                        table.setdefault(key, Counter())[word.form] += 1
        self._teller = {
            before: max(ways, key=lambda way: (_purity(ways[way]), way))
            for before, ways in told.items()
        }
        cells: dict[str, Counter[tuple[Any, str]]] = defaultdict(Counter)
        unknown: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for one in seen.nouns:
            self._count(cells, one.unit[1], one, one.form)
        for word in seen.forms:
            told_by = self._told_by(word.before, word.near)
            teller = None if told_by is None else word.nouns.get(told_by)
            if teller is None:
                continue
            self._count(cells, word.token, teller, word.form)
            if teller.unit[0] not in self._gender and word.token in self._agrees:
                unknown[teller.unit[0]][word.token, word.form] += 1
        self._cells = {token: _table(counts) for token, counts in cells.items()}
        # Nouns without an article (names) have the gender of the forms that agree with them.
        for noun, forms in sorted(unknown.items()):
            votes: Counter[int] = Counter()
            for (token, form), count in forms.items():
                for cell, values in self._cells.get(token, {}).items():
                    if isinstance(cell, int) and values[form] >= SURE * values.total():
                        votes[cell] += count
            if votes and max(votes.values()) >= SURE * votes.total():
                self._gender[noun] = max(votes, key=lambda own: (votes[own], -own))
        self._endings: dict[tuple[Hashable, Hashable], Endings] = {}
        self._made: dict[tuple[str, Hashable, Tokens], str | None] = {}

    def _told_by(self, before: tuple[str, ...], near: Mapping[str, int]) -> int | None:
        """Return the slot whose noun tells a form."""
        way = self._teller.get(before)
        if way is None:
            return near.get(HEAD_WAY, near.get("before"))
        return near.get(way)

    def _count(
        self,
        cells: dict[str, Counter[tuple[Any, str]]],
        token: str,
        noun: SeenNoun,
        form: str,
    ) -> None:
        gender = self._gender.get(noun.unit[0])
        if gender is not None:
            cells[token][(gender, noun.wrapper), form] += 1
            cells[token][gender, form] += 1

    def gender(self, head: HeadToken) -> int | None:
        """Return the gender of a noun; one never seen in a sentence has that of its sort."""
        known = self._gender.get(head.unit[0])
        if known is None and head.unit not in self.class_of:
            known = _sure(
                Counter(
                    self._gender[unit[0]]
                    for unit, kind in self._kinds.items()
                    if kind == head.sort and unit[0] in self._gender
                )
            )
            if known is not None:
                self._gender[head.unit[0]] = known
        return known

    def form(self, token: str, gender: int | None, wrapper: Tokens) -> str | None:
        """Return the form of a word beside a noun, or None where nothing is sure."""
        key = token, gender, wrapper
        if key not in self._made:
            self._made[key] = self._find_form(token, gender, wrapper)
        return self._made[key]

    def _find_form(self, token: str, gender: int | None, wrapper: Tokens) -> Any:
        table = self._cells.get(token)
        if table is None:
            return token
        if gender is None:
            every: Counter[str] = Counter()
            for key, values in table.items():
                if isinstance(key, int):
                    every.update(values)
            return _sure(every)
        for key in ((gender, wrapper), gender):
            if key in table:
                found = _sure(table[key])
                if found is not None:
                    return found
        # By analogy from a cell that it has: what other words have there and here.
        for wanted in ((gender, wrapper), gender):
            for known in sorted(
                (k for k in table if isinstance(k, int) == (wanted == gender)), key=str
            ):
                form = _sure(table[known])
                made = form and self._rule(known, wanted).apply(form)
                if made:
                    return made
        return None

    def _rule(self, known: Hashable, wanted: Hashable) -> Endings:
        key = known, wanted
        if key not in self._endings:
            pairs = []
            for table in self._cells.values():
                if known in table and wanted in table:
                    one, other = _sure(table[known]), _sure(table[wanted])
                    if one is not None and other is not None:
                        pairs.append((one, other))
            self._endings[key] = Endings(sorted(set(pairs)), 3)
        return self._endings[key]

    # --- text

    def inflect(self, tokens: Sequence[str]) -> list[str] | None:
        """Return the words of a target, or None where a form is not known."""
        made: list[str] = []
        for token in tokens:
            if isinstance(token, WrapperToken):
                wrapper = self.wrapper(token.head)
                if wrapper is None:
                    return None
                made += wrapper
                continue
            form: str | None = token
            if isinstance(token, HeadToken):
                wrapper = self.wrapper(token)
                form = (
                    None if wrapper is None else self.form(str(token), self.gender(token), wrapper)
                )
            elif isinstance(token, FormToken) and token in self._cells:
                slot = self._told_by(token.before, token.near)
                teller = None if slot is None else token.nouns.get(slot)
                gender, wrapper = None, ()
                if teller is not None:
                    gender, wrapper = self.gender(teller), self.wrapper(teller) or ()
                else:
                    # Nothing to agree with: as with most nouns.
                    gender = self._usual_gender
                form = self.form(str(token), gender, wrapper)
                if token not in self._agrees and (form is None or token[-3:] not in self._ends):
                    form = str(token)
            if form is None:
                return None
            made.append(form)
        return made


def surroundings(
    items: Sequence[object], head: bool
) -> list[tuple[tuple[str, ...], dict[str, int]]]:
    """Return for every item of a frame the two before it, and the nearest slots on each side.

    Slots are numbers here, words texts; in a modifier (`head`) the noun it is added to is one more.
    """
    rows = []
    for n in range(len(items)):
        before = [str(i) if isinstance(i, str) else "X" for i in items[max(0, n - 2) : n]]
        if "X" in before:
            before = before[len(before) - before[::-1].index("X") - 1 :]
        near = {HEAD_WAY: HEAD} if head else {}
        for way, part in (("before", items[:n][::-1]), ("behind", items[n + 1 :])):
            slot = next((i for i in part if isinstance(i, int)), None)
            if slot is not None:
                near[way] = slot
        rows.append((tuple(before), near))
    return rows


def _slot(role: Role) -> tuple[str, int]:
    return role[0], role[2]


def _sure(counts: Counter[Any] | None) -> Any:
    if not counts or counts.total() <= 0:
        return None
    best = max(counts, key=lambda value: (counts[value], str(value)))
    return best if counts[best] >= SURE * counts.total() else None


def _by_class(
    counts: Counter[tuple[Unit, Tokens]], class_of: Mapping[Any, int]
) -> dict[int, Counter[Tokens]]:
    made: dict[int, Counter[Tokens]] = defaultdict(Counter)
    for (unit, wrapper), count in counts.items():
        made[class_of[unit]][wrapper] += count
    return dict(made)


def _table(counts: Counter[tuple[Hashable, str]]) -> dict[Hashable, Counter[str]]:
    made: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for (key, form), count in counts.items():
        made[key][form] += count
    return dict(made)


def _purity(table: Mapping[Hashable, Counter[str]]) -> float:
    total = sum(row.total() for row in table.values())
    return round(sum(max(row.values()) for row in table.values()) / total, 2)
