"""A language widened by its variants: for reading what the variants of some other meaning say.

Variants are lines and senses of one compiled language, so the parser reads them as it reads
everything: a chain of rules is one rule with the slots of all, and a synonym is a sense of its own.
So are contrasts, such as a verb negated, which are not the same word: `Widened` tells which these
are. The grammar is relaxed first (parsing/relaxed.py): what is read here is wrong.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage, CompiledLexicon, Sense
from recombine.grammar.grammar import Grammar
from recombine.grammar.inflection import Forms
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import (
    ANY_FIELD,
    Language,
    Line,
    LiteralText,
    Piece,
    Pieces,
    Ref,
    Rule,
    RulePart,
    Touch,
    Word,
)
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.variants.wordings import Wordings


class Widened(NamedTuple):
    """The widened language and what its codes stand for.

    `contrasts` has the words that say something else than the word they are called by. `chains` has
    the rules that a rule stands for. `inner` has rule -> slot -> the slot of the word on which it
    really depends, for slots of a phrase that is not the head: in `act/past_to/inf_tr` the object
    is that of the infinitive.
    """

    language: CompiledLanguage
    contrasts: Mapping[int, str]
    chains: Mapping[str, tuple[str, ...]]
    inner: Mapping[str, Mapping[str, str]]


def widen(grammar: Grammar, language: str, wordings: Wordings) -> Widened:
    """Widen one language of a grammar for parsing it, which must be that of the wordings."""
    relaxed, names = relax(_merged(grammar, wordings.variants.alike), language)
    spoken = relaxed.source.languages[language]
    rules: dict[str, Rule] = dict(relaxed.abstract.rules)
    own = {
        key: dataclasses.replace(
            line, variants=tuple(_cleaned(pieces, wordings) for pieces in line.variants)
        )
        for key, line in spoken.lines.items()
    }
    added = _Additions(rules, names, wordings)
    for variant in wordings.variants.lines:
        added.add(variant)
    doubles = set(_doubles(rules, added.lines, added.chains))
    lines = [line for line in added.lines if line.rule not in doubles]
    # What `rule.* =` says of a field that has lines of its own too is one more way to say it.
    lines += [line for (_, field), line in own.items() if field == ANY_FIELD]
    abstract = dataclasses.replace(
        relaxed.abstract, rules={name: r for name, r in rules.items() if name not in doubles}
    )
    words: list[Word] = []
    senses: list[tuple[Sense, ...]] = []
    contrasts: dict[int, str] = {}
    for word in relaxed.abstract.words.values():
        for contrast, forms in _senses(word.id, wordings):
            if contrast:
                contrasts[len(abstract.rules) + len(words)] = contrast
            words.append(word)
            senses.append((Sense(forms),))
    tables = {
        name: {field: tuple(map(wordings.cleaned, texts)) for field, texts in forms.items()}
        for name, forms in wordings.compiled.tables.items()
    }
    widened = dataclasses.replace(
        spoken,
        lines=own,
        post=("a_an",) if "a_an" in spoken.post else (),
        touches=tuple(_cleaned_touches(spoken, wordings)),
    )
    compiled = CompiledLanguage(
        Inventory(abstract, words), widened, CompiledLexicon(senses, tables), lines
    )
    return Widened(compiled, contrasts, added.chains, added.inner)


def _cleaned_touches(language: Language, wordings: Wordings) -> Iterator[Touch]:
    for touch in language.touches:
        old, new = wordings.cleaned(touch.old), wordings.cleaned(touch.new)
        if old and new:
            yield dataclasses.replace(touch, old=old, new=new)


def _merged(grammar: Grammar, alike: Mapping[str, str]) -> Grammar:
    """The grammar with categories that are alike made one; rules that only led across them go."""

    def name(category: str) -> str:
        starred = (alike[key] for key in alike if key[-1:] == "*" and category.startswith(key[:-1]))
        return alike.get(category) or next(starred, category)

    rules: dict[str, Rule] = {}
    for rule in grammar.abstract.rules.values():
        parts = tuple(
            part._replace(symbol=part.symbol._replace(category=name(part.symbol.category)))
            for part in rule.parts
        )
        if len(parts) != 1 or parts[0].symbol.category != name(rule.category):
            rules[rule.name] = dataclasses.replace(rule, category=name(rule.category), parts=parts)
    abstract = dataclasses.replace(
        grammar.abstract, rules=rules, selections=(), mendings=(), pairs=()
    )
    return Grammar(dataclasses.replace(grammar.source, abstract=abstract))


def _senses(word: str, wordings: Wordings) -> Iterator[tuple[str, Forms]]:
    """A word's senses, with their contrast; those that say one field only, as nouns do, are one."""
    senses = wordings.senses(wordings.inventory.code(word))
    for contrast in ("", *wordings.variants.contrasts):
        found = wordings.contrasts.get((word, contrast), ()) if contrast else senses
        merged: dict[int, dict[str, list[str]]] = {}
        for number, forms in enumerate(found):
            into = merged.setdefault(0 if len(forms) == 1 else number, {})
            for name, texts in forms.items():
                into.setdefault(name, []).extend(map(wordings.cleaned, texts))
        for by_field in merged.values():
            yield contrast, {name: tuple(dict.fromkeys(texts)) for name, texts in by_field.items()}


class _Additions:
    """What variants add to the rules and lines of a relaxed grammar."""

    def __init__(
        self, rules: dict[str, Rule], names: Mapping[str, str], wordings: Wordings
    ) -> None:
        self.rules = rules
        self.lines: list[Line] = []
        self.chains: dict[str, tuple[str, ...]] = {}
        self.inner: dict[str, Mapping[str, str]] = {}
        self._names = names
        self._wordings = wordings
        self._heard: set[object] = set()

    def add(self, line: Line) -> None:
        """Add a line of variants, with a rule for its chain.

        What is heard already with the same roles, a passive said as an active, is not added again.
        """
        rules, chain = self.rules, line.chain
        if any(self._names.get(name) != name for name in chain):
            return  # the rule that stands for this one has these lines too
        parts: list[RulePart] = []
        for above, name in itertools.pairwise((None, *chain)):
            for part in rules[name or ""].parts:
                if all(part.slot != other.slot for other in parts):
                    parts.append(part)
            if above is not None:
                slot = _slot_of(rules, above, name or "")
                if slot is None:
                    return
                parts = [part for part in parts if part.slot != slot]
        bodies: list[Pieces] = []
        for pieces in line.variants:
            body = _cleaned(pieces, self._wordings)
            roles = _in_roles(body, chain, parts, self._wordings)
            meaning = (rules[chain[0]].category, line.field, roles)
            if meaning not in self._heard:
                self._heard.add(meaning)
                bodies.append(body)
        if not bodies:
            return
        name = "/".join(chain)  # as it is written
        if len(chain) > 1 and name not in self.chains:
            head = _head_slot(rules, chain)
            self.chains[name] = chain
            if slots := _inner_slots(rules, chain):
                self.inner[name] = slots
            rules[name] = dataclasses.replace(
                rules[chain[0]],
                name=name,
                parts=tuple(part._replace(head=part.slot == head) for part in parts),
                tags=tuple(dict.fromkeys(tag for member in chain for tag in rules[member].tags)),
            )
        self.lines.append(Line(name, line.field, tuple(bodies)))


def _slot_of(rules: Mapping[str, Rule], above: str, below: str) -> str | None:
    """The slot of a rule that another fills, directly or through rules of one part."""
    wanted = {rules[below].category}
    while True:
        more = {
            rule.category
            for rule in rules.values()
            if len(rule.parts) == 1 and rule.parts[0].symbol.category in wanted
        }
        if more <= wanted:
            break
        wanted |= more
    return next((p.slot for p in rules[above].parts if p.symbol.category in wanted), None)


def _head_slot(rules: Mapping[str, Rule], chain: tuple[str, ...]) -> str | None:
    """The slot of the head: of the lowest rule on the way of heads."""
    for name, below in itertools.zip_longest(chain, chain[1:]):
        rule = rules[name]
        head = rule.parts[rule.head].slot if rule.head is not None else None
        if below is None or head != _slot_of(rules, name, below):
            return head
    return None


def _in_roles(
    body: Sequence[Piece],
    chain: tuple[str, ...],
    parts: list[RulePart],
    wordings: Wordings,
) -> tuple[object, ...]:
    """A body with roles and categories in the place of slots."""
    roles = wordings.variants.roles
    called = {}
    for part in parts:
        found = (roles[rule, part.slot] for rule in chain if (rule, part.slot) in roles)
        named = part.slot.islower()
        called[part.slot] = next(found, part.slot) if named else part.symbol.category
    return tuple(
        piece._replace(slot=called.get(piece.slot, piece.slot)) if isinstance(piece, Ref) else piece
        for piece in body
    )


def _inner_slots(rules: Mapping[str, Rule], chain: tuple[str, ...]) -> dict[str, str]:
    """The slots of a chain that depend on the head of a lower rule which is not the chain's."""
    found: dict[str, str] = {}
    for above, name in itertools.pairwise(chain):
        rule, upper = rules[name], rules[above]
        head = upper.parts[upper.head].slot if upper.head is not None else None
        if (found or head != _slot_of(rules, above, name)) and rule.head is not None:
            own = rule.parts[rule.head].slot
            found |= {part.slot: own for part in rule.parts if part.slot != own}
    return found


def _doubles(
    rules: Mapping[str, Rule], lines: Sequence[Line], chains: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """Chains that say the same as a chain before them, such as two orders of the same objects."""
    bodies: dict[str, set[tuple[str, Pieces]]] = {}
    for line in lines:
        bodies.setdefault(line.rule, set()).update((line.field, body) for body in line.variants)
    seen: dict[object, str] = {}
    for name in chains:
        key = (rules[name].category, frozenset(rules[name].parts), frozenset(bodies[name]))
        if seen.setdefault(key, name) != name:
            yield name


def _cleaned(pieces: Pieces, wordings: Wordings) -> Pieces:
    return tuple(
        LiteralText(wordings.cleaned(piece.text)) if isinstance(piece, LiteralText) else piece
        for piece in pieces
    )
