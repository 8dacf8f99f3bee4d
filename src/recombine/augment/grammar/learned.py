"""Everything learnt from pairs: word classes, constituents, rules and what agrees with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from recombine.augment.grammar.agreement import RuleAgreement
from recombine.augment.grammar.bare_words import add_bare_words
from recombine.augment.grammar.closing import Closing
from recombine.augment.grammar.constituents import (
    CLAUSE,
    HEAD,
    PHRASE,
    SENTENCE,
    Constituents,
    Node,
    find_constituents,
    reassigned,
)
from recombine.augment.grammar.derivations import best_attachment, frequent, slot_kind
from recombine.augment.grammar.lexicon import learn_lexicon, word_links
from recombine.augment.grammar.rules import Derivation, PairRule, RuleSlot, Unit
from recombine.augment.grammar.tables import (
    BARE,
    RulePlace,
    RuleTables,
    with_endings,
    with_government,
)
from recombine.augment.grammar.words import OPEN, word_classes
from recombine.augment.tokens import Tokens

# A sentence has so many derivations at the most, and a constituent inside so many.
MOST_DERIVATIONS, MOST_INSIDE = 8, 4


class LearnedGrammar(NamedTuple):
    """What was learnt from aligned sentences."""

    symbols: Mapping[str, str]
    constituents: Constituents
    # By number of the training pair.
    derivations: Mapping[int, Derivation]
    tables: RuleTables
    agreement: RuleAgreement
    closing: Closing

    @classmethod
    def learn(cls, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> LearnedGrammar:
        """Learn from aligned sentences, and from nothing else."""
        symbols = word_classes(sources)
        constituents = find_constituents(sources, symbols)
        symbols = reassigned(sources, symbols, constituents)
        constituents = find_constituents(sources, symbols)
        links = word_links(sources, targets)
        lexicon = learn_lexicon(sources, targets, links, symbols)
        derivations, closing = best_attachment(
            sources, targets, links, symbols, lexicon, constituents
        )
        with_endings(derivations)
        with_government(derivations)
        derivations = frequent(derivations)
        tables = RuleTables(derivations)
        added = add_bare_words(tables, sources, targets)
        symbols = {**symbols, **{word: symbols[model] for word, model in added.items()}}
        return cls(symbols, constituents, derivations, tables, RuleAgreement(tables), closing)

    def renumbered(self, numbers: Sequence[int]) -> LearnedGrammar:
        """Return the grammar with training pairs known by other numbers."""
        tables = self.tables
        tables.shown_by = {key: numbers[n] for key, n in tables.shown_by.items()}
        tables.bare = {unit: (model, numbers[n]) for unit, (model, n) in tables.bare.items()}
        return self._replace(derivations={numbers[n]: d for n, d in self.derivations.items()})

    def texts(self, derivation: Derivation) -> tuple[list[str], list[str]]:
        """The tokens of both sides of a derivation, as they are written."""
        source, target = derivation.texts()
        return source, self.closing.texts(target)

    def derive(self, source: Tokens) -> list[Derivation]:
        """Return the derivations of a source sentence, each with its own target."""
        if any(word not in self.symbols for word in source):
            return []
        nodes = self.constituents.parse(tuple(self.symbols[word] for word in source))
        parser = _SourceReader(self, source)
        return list(islice(parser.fillings(None, SENTENCE, nodes), MOST_DERIVATIONS))


class _SourceReader:
    """Finds the rules of a sentence whose constituents are known."""

    def __init__(self, grammar: LearnedGrammar, source: Tokens) -> None:
        self.grammar, self.source = grammar, source

    def fillings(
        self, rules: Sequence[PairRule] | None, kind: str, nodes: Sequence[Node]
    ) -> Iterator[Derivation]:
        """Yield derivations of a row of constituents by rules with this source."""
        constituents = self.grammar.constituents
        parts: list[str | RuleSlot] = []
        filled: list[Node] = []
        for node in nodes:
            slot = slot_kind(node, constituents)
            if slot in (OPEN, PHRASE, HEAD, CLAUSE):
                parts.append(RuleSlot(slot))
                filled.append(node)
            else:
                parts.append(self.source[node.first])
        tables = self.grammar.tables
        known = tables.frames.get((kind, tuple(parts)), [])
        for rule in sorted(known, key=lambda rule: -tables.rules[rule]):
            if rules is None or rule in rules:
                yield from self._filled(rule, filled)

    def _filled(self, rule: PairRule, nodes: Sequence[Node]) -> Iterator[Derivation]:
        slots = rule.slots()
        agreement = self.grammar.agreement
        words: dict[int, list[Unit]] = {}
        for number, slot in enumerate(slots):
            if slot.kind == OPEN:
                word = self.source[nodes[number].first]
                words[number] = [
                    unit for unit in agreement.words(RulePlace(rule, number)) if unit[0] == word
                ]
                if not words[number]:
                    return
        for chosen in product(*words.values()):
            units = dict(zip(words, chosen, strict=True))
            choices: list[list[Derivation | Unit]] = []
            for number in range(len(slots)):
                if number in units:
                    choices.append([units[number]])
                    continue
                inside = self._inside(RulePlace(rule, number), nodes[number], units)
                choices.append(list(islice(inside, MOST_INSIDE)))
                if not choices[-1]:
                    break
            else:
                for children in product(*choices):
                    yield Derivation(rule, children)

    def _inside(
        self, place: RulePlace, node: Node, words: Mapping[int, Unit]
    ) -> Iterator[Derivation | Unit]:
        """Yield what a constituent may be in a place beside words."""
        agreement, tables = self.grammar.agreement, self.grammar.tables
        kind = place.rule.slots()[place.slot].kind
        governor = next(iter(words.values()))[0] if words else None
        if kind == HEAD and not node.children:
            for unit in agreement.fillers(place, BARE, governor):
                if unit[0] == self.source[node.first]:
                    yield unit
            return
        children = node.children or (Node(OPEN_CLASS, node.first, node.last),)
        seen = list(tables.children[place])
        if kind == PHRASE:  # A modifier may be new here; what it modifies is not.
            seen += [
                rule
                for rule in tables.rules
                if rule.kind == PHRASE and rule.head() is not None and rule not in seen
            ]
        for inside in self.fillings(seen, kind, children):
            base = inside.base()
            if kind == CLAUSE:
                if agreement.governs(place, words, inside.rule):
                    yield inside
                continue
            core = inside.core()
            rule = base.rule if kind == PHRASE else inside.rule
            if kind == PHRASE and not tables.bases[place][rule]:
                continue
            if agreement.governs(place, words, rule) and agreement.fits(
                place, rule, core, governor
            ):
                yield inside


# The symbol of a word inside a phrase of one word.
OPEN_CLASS = "\x01_"
