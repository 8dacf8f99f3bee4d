"""The judge: does a hypothesis say what the source means, something else, or nothing we understand?

What was meant is a tree of the benchmark's grammar, read off the source.  First the hypothesis is
held against all wordings of that tree (grammar/variants/wordings.py), which takes no analysis.
Otherwise it is read with the widened grammar, and its readings are compared with what was meant,
word by word: who does what to whom, what hangs where, when, and whether at all.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from recombine.grammar import Grammar
from recombine.grammar.model import FORM, LiteralText
from recombine.grammar.parsing.analysis import Budget
from recombine.grammar.parsing.parser import Parser
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.tree import Tree
from recombine.grammar.variants.widened import Widened, widen
from recombine.grammar.variants.wordings import Wordings, wordings_of
from recombine.metrics.anatomy.dependencies import (
    SHOWN_BY,
    Finding,
    Said,
    Unit,
    closeness,
    compare,
    match,
    nominal_categories,
    units_of,
)
from recombine.metrics.meaning.slips import agreement_slip, in_order
from recombine.metrics.meaning.unread import OwnForms, UnreadTexts

MOST_READINGS = 24  # of a source or a hypothesis that are looked at
MOST_COMPARED = 6  # of these that are compared with what was meant, the closest
MOST_OTHERS = 8  # readings of a right hypothesis among which another meaning is looked for
MOST_LETTERS = 400  # of a hypothesis that is read; three times the longest sentence of SGET
# A reading is worth so many chart items and alternatives, about half a second of work.
BUDGET = Budget(items=60_000, alternatives=20_000)
# A hypothesis that is right already is searched for another meaning only where that is cheap.
SMALL_BUDGET = Budget(items=6_000, alternatives=4_000)

SAME, DIFFERENT, OUTSIDE = "same", "different", "outside"
NO_SENTENCE = "its words make no sentence that the grammar and its variants know"
# What differs, in the words of a reader, by the classes of anatomy/dependencies.py.
ASPECTS = {
    "recursion level skipped": "depth",
    "recursion level added": "depth",
    "subject and object swapped": "role",
    "role changed": "role",
    "modifier attached elsewhere": "attachment",
    "wrong function word": "attachment",
    "other structure": "structure",
}
_STRUCTURE = ("role", "attachment")  # what another reading of the same words can differ in


class Meaning(NamedTuple):
    """Who does what to whom: words that depend on words, and what holds of each of them."""

    units: list[Unit]
    tags: list[frozenset[str]]  # per unit: of the rules it is the head of
    markers: list[str]  # per unit: the function words of its phrase
    contrasted: list[tuple[str, ...]]  # per unit: the contrasts that its rules make
    depths: Mapping[str, int]
    question: str  # what is asked for, or nothing


class MeaningVerdict(NamedTuple):
    """What a hypothesis says, and why."""

    kind: str
    findings: tuple[Finding, ...] = ()
    meant: Meaning | None = None
    said: Meaning | None = None
    note: str = ""
    unknown: str = ""  # a word of the hypothesis that no text of the language has
    unsaid: tuple[str, ...] = ()  # what was meant, and of which the hypothesis has no known form

    @property
    def explanation(self) -> str:
        """The verdict in words."""
        if self.findings:
            return "; ".join(f"{finding.kind}: {finding.text}" for finding in self.findings[:4])
        return self.note


class MeaningJudge:
    """Judges hypotheses of one pair of languages by one grammar and its variants."""

    def __init__(self, grammar: Grammar, place: str, source: str, target: str) -> None:
        self.grammar = grammar
        self.place = place
        self.source = source
        self.target = target
        self.wordings: Wordings = wordings_of(grammar, place, target)
        # Every sentence asks the same words and rules again.
        self.identity = cache(self._identity)
        self.marker = cache(self._marker)
        self.aside = cache(self._aside)

    @cached_property
    def _loose_source(self) -> Grammar:
        return relax(self.grammar, self.source).grammar

    @cached_property
    def _source_wordings(self) -> Wordings:
        return wordings_of(self.grammar, self.place, self.source)

    @cached_property
    def _widened(self) -> Widened:
        return widen(self.grammar, self.target, self.wordings)

    @cached_property
    def _reader(self) -> Parser:
        # From the right: where verbs end clauses that is a fifth of the work, elsewhere the same.
        return Parser(self._widened.language, BUDGET, backwards=True)

    @cached_property
    def _unread_texts(self) -> UnreadTexts:
        cutter = self._reader.cutter
        return UnreadTexts(self.grammar, self.wordings, cutter, self.source, self.target)

    def warm_up(self) -> None:
        """Make the reader of hypotheses, which takes seconds."""
        assert self._reader

    def meant(self, source: str, references: Sequence[str]) -> list[Tree]:
        """What a source means: the readings that are said as a reference, or the first reading."""
        grammar = self.grammar
        readings = list(grammar.parse(source, self.source).trees(MOST_READINGS))
        fitting = [tree for tree in readings if grammar.text(tree, self.target) in references]
        if not fitting:  # a source with more readings than are looked at: from the other side
            fitting = [
                tree
                for text in references
                for tree in grammar.parse(text, self.target).trees(MOST_READINGS)
                if grammar.text(tree, self.source) == source
            ]
        if fitting or readings:
            return fitting or readings[:1]
        # A source that the grammar does not draw, such as two adjectives of one kind.
        loose = self._loose_source.parse(source, self.source).tree
        if loose is not None:
            codes = grammar.inventory.codes
            return [Tree(grammar.inventory, tuple(codes[label] for label in loose.labels()))]
        # A source that somebody else wrote.
        read = (grammar.parse(text, self.target).tree for text in references)
        return [tree for tree in read if tree is not None][:1]

    def judge(self, meant: Sequence[Tree], hypothesis: str) -> MeaningVerdict:
        """Say whether a hypothesis says what was meant."""
        wanted = [self.meaning(tree) for tree in meant]
        if (
            len(hypothesis) > 4 * MOST_LETTERS
            or len(self.wordings.clean(hypothesis)) > MOST_LETTERS
        ):
            note = f"longer than {MOST_LETTERS} letters"
            return MeaningVerdict(OUTSIDE, (), wanted[0], None, note)
        if any(self.wordings.accepts(tree, hypothesis) for tree in meant):
            return self._same(hypothesis, wanted)
        for tree, one in zip(meant, wanted, strict=True):
            canonical = self.grammar.text(tree, self.target)
            ordered = in_order(self.wordings, one.units, canonical, hypothesis)
            if ordered and self.wordings.accepts(tree, ordered):
                return MeaningVerdict(SAME, (), one, one)
        if self._open_in_the_source(meant, hypothesis):
            return MeaningVerdict(SAME, (), wanted[0], wanted[0])
        readings = self.readings(hypothesis, wanted[0])
        if not readings:
            return self._unread(meant, wanted[0], hypothesis)
        compared = [
            (
                len(differences),
                -closeness(intended.units, reading.units),
                number,
                differences,
                intended,
            )
            for intended in wanted
            for number, reading in enumerate(readings)
            for differences in [self.differences(intended, reading)]
        ]
        _, _, number, differences, intended = min(compared, key=lambda row: row[:3])
        if differences:
            given = readings[number]
            if self._said_alike(meant, intended, differences) and not _tags_apart(intended, given):
                return MeaningVerdict(SAME, (), intended, given, "the source has one word for both")
            return MeaningVerdict(DIFFERENT, tuple(differences), intended, readings[number])
        if self._said_by_the_grammar(hypothesis, wanted):
            return MeaningVerdict(SAME, (), intended, intended)
        if apart := _tags_apart(intended, readings[number]):
            return MeaningVerdict(DIFFERENT, apart, intended, readings[number])
        # The right words in the right places, read with less care than the grammar has: an object
        # without its preposition, or agreement that does not hold.
        note = "the right words in their roles, but not as the grammar or its variants say it"
        return MeaningVerdict(OUTSIDE, (), intended, None, note)

    def _unread(self, meant: Sequence[Tree], wanted: Meaning, hypothesis: str) -> MeaningVerdict:
        """The verdict on a hypothesis without any reading."""
        unread = self._unread_texts
        if note := unread.no_translation(hypothesis):
            return MeaningVerdict(DIFFERENT, (), wanted, None, note)
        nouns = nominal_categories(wanted.units)
        slips = (agreement_slip(self.wordings, tree, nouns, hypothesis) for tree in meant)
        if slip := next(filter(None, slips), ""):
            return MeaningVerdict(OUTSIDE, (), wanted, None, f"agreement: {slip}")
        unknown = unread.unknown_words(hypothesis)
        unsaid = unread.unsaid(meant[0], hypothesis)
        # Where nothing says where a word ends, what is unknown may be any number of them.
        counted = self.wordings.join or not unknown
        if counted and len(unsaid) > 2 * len(unknown):
            findings = tuple(Finding("word not said", "word", (word,)) for word in unsaid)
            return MeaningVerdict(DIFFERENT, findings, wanted, None)
        if not unknown:
            return MeaningVerdict(OUTSIDE, (), wanted, None, NO_SENTENCE)
        note = f"not understood from “{unknown[0]}” on"
        word = unknown[0] if self.wordings.join else ""  # nothing says where a word ends
        return MeaningVerdict(OUTSIDE, (), wanted, None, note, word, unsaid if word else ())

    def _said_by_the_grammar(self, hypothesis: str, wanted: Sequence[Meaning]) -> bool:
        """Whether the grammar itself says a hypothesis of a tree that means what is wanted.

        An active for a passive, or another tense below a past: what holds is said otherwise.
        """
        read = self.grammar.parser(self.target).parse(hypothesis, SMALL_BUDGET)
        return any(
            not self.differences(intended, reading) and not _tags_apart(intended, reading)
            for reading in map(self.meaning, read.trees(MOST_OTHERS))
            for intended in wanted
        )

    def _open_in_the_source(self, meant: Sequence[Tree], hypothesis: str) -> bool:
        """Whether a hypothesis differs in words alone that the source language says alike.

        Japanese has no articles, and one word for *rabbit* and *bunny*: either is right.
        """
        asked = {self._said_and_hung(tree) for tree in meant}
        read = self.grammar.parser(self.target).parse(hypothesis, SMALL_BUDGET)
        return any(self._said_and_hung(tree) in asked for tree in read.trees(MOST_READINGS))

    def _said_alike(
        self, meant: Sequence[Tree], wanted: Meaning, differences: Sequence[Finding]
    ) -> bool:
        """Whether all differences are words that the source's own words say, too."""
        words = [f.arguments[2:] for f in differences if f.arguments[0].startswith("wrong word")]
        return len(words) == len(differences) and all(
            self._one_word_in_the_source(meant, wanted, said, lost) for said, lost in words
        )

    def _one_word_in_the_source(
        self, meant: Sequence[Tree], wanted: Meaning, said: str, lost: str
    ) -> bool:
        """Whether the source's word for one is a word for the other, too: lent for *prêté*.

        The word must be said in the source with a form that belongs to nothing else that is meant,
        and that is no part of what was meant: *donné* is in *donné à manger*, which is fed.
        """
        source = self.grammar.text(meant[0], self.source).casefold()
        others = [unit.label for unit in wanted.units if unit.label != lost]
        taken = {form for label in others for form in self._source_forms(label)}
        longer = [form for form in self._source_forms(lost) if form in source]
        return said not in others and any(
            form in source
            and form not in taken
            and not any(form != whole and form in whole for whole in longer)
            for form in self._source_forms(said)
        )

    def _source_forms(self, label: str) -> list[str]:
        """The forms of a word in the source language; *a* is no word for *rendu*."""
        return self._own_source_forms.of(self.grammar.inventory.code(label))

    @cached_property
    def _own_source_forms(self) -> OwnForms:
        return OwnForms(self._source_wordings)

    def _said_and_hung(self, tree: Tree) -> tuple[str, tuple[tuple[str, int], ...]]:
        """What the source language says, and what depends on what, whatever the words."""
        hung = tuple((unit.slot, unit.head) for unit in self._units(tree))
        return self.grammar.text(tree, self.source), hung

    def _same(self, hypothesis: str, wanted: Sequence[Meaning]) -> MeaningVerdict:
        """The verdict on a wording of what was meant, with another way to take its words."""
        for reading in self.readings(hypothesis, wanted[0], MOST_OTHERS, SMALL_BUDGET):
            differences = [self.differences(intended, reading) for intended in wanted]
            if all(differences) and all(
                finding.kind in _STRUCTURE for apart in differences for finding in apart
            ):
                other = "; ".join(
                    f"{finding.kind}: {finding.text}" for finding in differences[0][:2]
                )
                note = f"ambiguous, and one reading fits; another: {other}"
                return MeaningVerdict(SAME, (), wanted[0], wanted[0], note)
        return MeaningVerdict(SAME, (), wanted[0], wanted[0])

    def readings(
        self, text: str, wanted: Meaning, most: int = MOST_READINGS, budget: Budget = BUDGET
    ) -> list[Meaning]:
        """How a text can be read, the closest to what is wanted first.

        Where a string is several words, it is the one that is wanted.
        """
        cleaned = self.wordings.clean(text)
        if not cleaned:
            return []
        known = {unit.word for unit in wanted.units}
        labels = self._reader.inventory.labels

        def unlikely(code: int) -> tuple[bool, bool]:
            return self.identity(labels[code]) not in known, code in self._widened.contrasts

        def choose(words: tuple[int, ...]) -> int:
            return words[0] if len(words) == 1 else min(words, key=unlikely)

        distinct: dict[object, tuple[Tree, list[Unit]]] = {}
        for tree in self._reader.parse(cleaned, budget).trees(most, choose):
            units = self._units(tree)
            said = (
                (unit.word, unit.contrast, unit.slot, unit.head, *self.aside(unit.frame))
                for unit in units
            )
            key = (self._question(tree), *said)
            distinct.setdefault(key, (tree, units))
        close = sorted(distinct.values(), key=lambda pair: -closeness(wanted.units, pair[1]))
        return [self.meaning(tree, units) for tree, units in close[:MOST_COMPARED]]

    def meaning(self, tree: Tree, units: list[Unit] | None = None) -> Meaning:
        """The meaning of a tree of the grammar, or of the widened grammar."""
        inventory = tree.inventory
        units = self._units(tree) if units is None else units
        tags = [
            frozenset(tag for node in unit.nodes for tag in inventory.tags(tree.codes[node]))
            for unit in units
        ]
        markers = ["".join(map(self.marker, self._rules(unit.frame))) for unit in units]
        every = dict.fromkeys(tag for code in tree.codes for tag in inventory.tags(code))
        depths = {tag: tree.depth(tag) for tag in every}
        contrasted = [self._contrasted(unit.frame) for unit in units]
        return Meaning(units, tags, markers, contrasted, depths, self._question(tree))

    def _contrasted(self, frame: tuple[str, ...]) -> tuple[str, ...]:
        """The contrasts (``%contrast polarity : negated {neg}``) that the rules of a frame make."""
        declared, rules = self.wordings.variants.contrasted, self.grammar.abstract.rules
        if not declared:
            return ()
        names = (
            declared[key]
            for rule in self._rules(frame)
            if rule in rules
            for key in (rule, *(f"{{{tag}}}" for tag in rules[rule].tags))
            if key in declared
        )
        return tuple(sorted(names))

    def _question(self, tree: Tree) -> str:
        """What a tree asks for, or nothing."""
        (top, *_) = self._rules((tree.label,))
        return self.wordings.variants.questions.get(top, "")

    def _units(self, tree: Tree) -> list[Unit]:
        """Who does what to whom, in roles that hold in every voice."""
        units = units_of(tree, self.identity, {})
        if tree.inventory is not self.grammar.inventory:
            units = [self._contrast(tree, unit) for unit in self._rehung(tree, units)]
        roles = self.wordings.variants.roles
        for index, unit in enumerate(units):
            if unit.named and unit.head >= 0:
                rules = self._rules(units[unit.head].frame)
                role = next((roles[r, unit.slot] for r in rules if (r, unit.slot) in roles), "")
                if role:
                    units[index] = dataclasses.replace(unit, slot=role)
        return units

    def _contrast(self, tree: Tree, unit: Unit) -> Unit:
        """A unit with the contrast that its word makes, such as negation."""
        contrast = self._widened.contrasts.get(tree.codes[unit.node])
        return dataclasses.replace(unit, contrast=contrast) if contrast else unit

    def _aside(self, frame: tuple[str, ...]) -> tuple[object, ...]:
        """What the rules of a frame say beside words and roles."""
        rules = self._rules(frame)
        marker = "".join(self.marker(rule) for rule in rules)
        tags = frozenset(tag for rule in rules for tag in self.grammar.abstract.rules[rule].tags)
        return marker, tags, self._contrasted(frame)

    def _rules(self, frame: tuple[str, ...]) -> tuple[str, ...]:
        """The rules of the original grammar in a frame of the widened one."""
        chains = self._widened.chains
        return tuple([name for rule in frame for name in chains.get(rule, (rule,))])

    def _rehung(self, tree: Tree, units: list[Unit]) -> list[Unit]:
        """Units of a chain of rules, each on the word on which it really depends."""
        tops = {unit.top: index for index, unit in enumerate(units)}
        heads: dict[int, int] = {}  # unit -> the unit it depends on
        for node, code in enumerate(tree.codes):
            inner = self._widened.inner.get(tree.inventory.labels[code])
            if inner is None:
                continue
            parts = tree.inventory.rule(code).parts
            places = {
                part.slot: child for part, child in zip(parts, tree.positions[node], strict=True)
            }
            for slot, own in inner.items():
                if places.get(slot) in tops and places.get(own) in tops:
                    heads[tops[places[slot]]] = tops[places[own]]
        for index, head in heads.items():
            units[index] = dataclasses.replace(units[index], head=head)
        return units

    def differences(self, wanted: Meaning, given: Meaning) -> list[Finding]:
        """What two meanings do not have in common, in the words of a reader."""
        depths = {tag: (n, given.depths.get(tag, 0)) for tag, n in wanted.depths.items() if n >= 2}
        said = tuple(
            [Said("", marker) for marker in meaning.markers] for meaning in (wanted, given)
        )
        compared = compare(wanted.units, given.units, (said[0], said[1]), depths, lambda *_: False)
        findings = [
            Finding(ASPECTS.get(difference.kind, "word"), SHOWN_BY, tuple(difference.row))
            for difference in compared
            if difference.kind != "modifiers reordered"
        ]
        for index, other in match(wanted.units, given.units).items():
            label, contrast = wanted.units[index].label, given.units[other].contrast
            if contrast != wanted.units[index].contrast:
                findings.append(Finding(contrast or wanted.units[index].contrast, "word", (label,)))
            elif wanted.contrasted[index] != given.contrasted[other]:
                apart = set(wanted.contrasted[index]) ^ set(given.contrasted[other])
                kind = min(apart or wanted.contrasted[index])
                findings.append(Finding(kind, "word", (label,)))
            elif ("present" in wanted.tags[index]) != ("present" in given.tags[other]):
                now = "present" if "present" in given.tags[other] else "past"
                findings.append(Finding("tense", "in", (label, now)))
        if wanted.question != given.question:
            asked = [meaning.question or "a statement" for meaning in (given, wanted)]
            findings.append(Finding("question", "for", (asked[0], asked[1])))
        return findings

    def _identity(self, label: str) -> Hashable | None:
        """What a word is: words that the target language says alike are one; None if unsaid."""
        senses = self.wordings.senses(self.grammar.inventory.code(label))
        forms = senses[0].values() if senses else ()
        return frozenset(text for texts in forms for text in texts if text) or None

    def _marker(self, rule: str) -> str:
        """The function words of a rule in the language's own line."""
        line = self.grammar.concrete(self.target).language.lines.get((rule, FORM))
        pieces = line.variants[0] if line is not None else ()
        return "".join(piece.text for piece in pieces if isinstance(piece, LiteralText))


def _tags_apart(wanted: Meaning, given: Meaning) -> tuple[Finding, ...]:
    """The rule tags, such as {neg}, that one of two meanings has and the other has not."""
    counts = [Counter(tag for tags in meaning.tags for tag in tags) for meaning in (wanted, given)]
    added, dropped = counts[1] - counts[0], counts[0] - counts[1]
    return (
        *(Finding(tag, "word", ("added",)) for tag in sorted(added)),
        *(Finding(tag, "word", ("dropped",)) for tag in sorted(dropped)),
    )
