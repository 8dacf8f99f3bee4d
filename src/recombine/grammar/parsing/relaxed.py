"""A grammar without its fine print: for reading what learners and machines say.

A benchmark's grammar says which nouns stand beside things and which verbs have a passive; a wrong
translation keeps none of that and is still a sentence.  Here classes of words are dropped, word
categories that head the same phrases and inflect alike become one (nouns and names), parts that a
language does not say are left out, and rules that have become equal are one rule.

So have some categories: without the classes of adjectives a ladder of them (size before colour, one
category a step, a rule to skip each) reads two adjectives in a dozen ways that say the same.
Categories that a rule only leads on between, and that have the same rules then, become one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from recombine.grammar.grammar import Grammar
from recombine.grammar.model import (
    ANY_FIELD,
    Feature,
    Language,
    Line,
    Pieces,
    Ref,
    Rule,
    RulePart,
    Same,
    Symbol,
    TableCell,
    features_of,
    slots_of,
)


class Relaxed(NamedTuple):
    """The relaxed grammar, and for every rule of the original the rule that stands for it."""

    grammar: Grammar
    names: Mapping[str, str]


def relax(grammar: Grammar, language: str) -> Relaxed:
    """Relax a grammar for parsing one of its languages; weights and other languages are dropped."""
    grammar.concrete(language)  # says which languages there are when this is none of them
    spoken = grammar.source.languages[language]
    merged = _merged_categories(grammar, language)
    lines = _lines_of(spoken)
    spoken_rules = {
        name: _simplified(rule, lines[name], merged)
        for name, rule in grammar.abstract.rules.items()
        if name in lines
    }
    alike = _alike_categories(spoken_rules, lines)
    rules: dict[str, Rule] = {}
    names: dict[str, str] = {}
    seen: dict[object, str] = {}
    for name, rule in spoken_rules.items():
        renamed = _renamed(rule, alike)
        if _leads_on(renamed, lines[name]) and renamed.parts[0].symbol.category == renamed.category:
            continue
        names[name] = seen.setdefault((renamed.category, _shape(renamed, lines[name])), name)
        if names[name] == name:
            rules[name] = renamed
    words = {
        name: dataclasses.replace(word, category=merged.get(word.category, word.category))
        for name, word in grammar.abstract.words.items()
    }
    abstract = dataclasses.replace(
        grammar.abstract, rules=rules, words=words, zipf={}, selections=(), mendings=(), pairs=(),
        preferences=tuple(
            preference
            for preference in grammar.abstract.preferences
            if preference.is_tag or preference.label in rules
        ),
    )  # fmt: skip
    lines_kept = {key: line for key, line in spoken.lines.items() if key[0] in rules}
    only = dataclasses.replace(spoken, lines=lines_kept)
    source = dataclasses.replace(grammar.source, abstract=abstract, languages={language: only})
    return Relaxed(Grammar(source), names)


def _lines_of(language: Language) -> dict[str, list[Line]]:
    lines: dict[str, list[Line]] = {}
    for (rule, _), line in language.lines.items():
        lines.setdefault(rule, []).append(line)
    return lines


def _simplified(rule: Rule, lines: list[Line], merged: Mapping[str, str]) -> Rule:
    """A rule without classes of words, parts that are never said, and weight 0."""
    heard = {slot for line in lines for pieces in line.variants for slot in slots_of(pieces)}
    heard |= {key.slot for line in lines for body in line.variants for key in features_of(body)}
    parts = tuple(
        RulePart(part.slot, _plain(part.symbol, merged), part.head or index == rule.head)
        for index, part in enumerate(rule.parts)
        if part.slot in heard
    )
    return dataclasses.replace(rule, parts=parts, weight=max(rule.weight, 1.0))


def _plain(symbol: Symbol, merged: Mapping[str, str]) -> Symbol:
    return Symbol(merged.get(symbol.category, symbol.category))


def _renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    """A rule with other names of categories; its slots keep theirs, as the lines have them."""
    parts = tuple(part._replace(symbol=_plain(part.symbol, names)) for part in rule.parts)
    return dataclasses.replace(rule, category=names.get(rule.category, rule.category), parts=parts)


def _leads_on(rule: Rule, lines: list[Line]) -> bool:
    """Whether a rule says of one part what the part says, and nothing else of it."""
    if len(rule.parts) != 1 or rule.tags or rule.parts[0].slot.islower():
        return False
    slot = rule.parts[0].slot
    return all(
        line.variants == ((Ref(slot, (line.field,)),),)
        or (line.field == ANY_FIELD and line.variants == ((Ref(slot, (Same(),)),),))
        for line in lines
    )


def _alike_categories(rules: Mapping[str, Rule], lines: Mapping[str, list[Line]]) -> dict[str, str]:
    """Categories with the same rules between which rules lead on -> the first of them.

    Which categories have the same rules is found as the states of an automaton are minimised: all
    are taken for the same, and told apart as long as some rule tells them apart (Hopcroft 1971).
    """
    own: dict[str, list[str]] = {}
    onward: dict[str, set[str]] = {}
    for name, rule in rules.items():
        if _leads_on(rule, lines[name]):
            onward.setdefault(rule.category, set()).add(rule.parts[0].symbol.category)
        else:
            own.setdefault(rule.category, []).append(name)
    reached = {category: _closure(category, onward) for category in (*own, *onward)}
    block = dict.fromkeys(reached, "")
    while True:
        shapes = {name: _shape(_renamed(rule, block), lines[name]) for name, rule in rules.items()}
        told: dict[object, str] = {}
        finer = {
            category: told.setdefault(
                frozenset(
                    shapes[name] for other in reached[category] for name in own.get(other, ())
                ),
                category,
            )
            for category in reached
        }
        if len(told) == len(set(block.values())):
            break
        block = finer
    alike: dict[str, str] = {}
    for category, following in onward.items():
        for other in following:
            if block.get(other) == block[category]:
                first, second = alike.get(category, category), alike.get(other, other)
                alike |= {known: first for known, name in alike.items() if name == second}
                alike |= {category: first, other: first, second: first}
    return alike


def _closure(category: str, onward: Mapping[str, set[str]]) -> list[str]:
    """A category and all that rules lead on to from it."""
    found = [category]
    for known in found:  # grows while we walk
        found += [other for other in onward.get(known, ()) if other not in found]
    return found


def _merged_categories(grammar: Grammar, language: str) -> dict[str, str]:
    """Word categories that head the same phrases with the same fields -> the first of them."""
    concrete = grammar.concrete(language)
    fields: dict[str, set[str]] = {}
    for code, word in enumerate(grammar.inventory.words, start=grammar.inventory.first_word):
        fields.setdefault(word.category, set()).update(concrete.word_forms(code))
    heads: dict[str, list[str]] = {}
    for rule in grammar.abstract.rules.values():
        if rule.head is not None:
            category = rule.parts[rule.head].symbol.category
            # Only words that are said in one form: verbs of different frames stay apart.
            if len(fields.get(category, ())) == 1:
                heads.setdefault(rule.category, []).append(category)
    merged: dict[str, str] = {}
    for members in heads.values():
        first = merged.get(members[0], members[0])
        for other in members:
            if fields[other] == fields[members[0]] and other != first:
                merged[other] = first
    return merged


def _shape(rule: Rule, lines: list[Line]) -> object:
    """What makes two rules of a category the same: parts and lines, slot names apart."""
    places = {part.slot: index for index, part in enumerate(rule.parts)}

    def spelled(pieces: Pieces) -> tuple[object, ...]:
        symbols: list[object] = []
        for piece in pieces:
            if not isinstance(piece, Ref | TableCell):
                symbols.append(piece)
                continue
            keys = tuple(
                (places.get(key.slot), key.field) if isinstance(key, Feature) else key
                for key in piece.keys
            )
            owner = places.get(piece.slot) if isinstance(piece, Ref) else piece.table
            symbols.append((owner, keys))
        return tuple(symbols)

    return (
        tuple((part.symbol, part.head) for part in rule.parts),
        tuple(
            sorted(
                ((line.field, tuple(map(spelled, line.variants))) for line in lines),
                key=repr,
            )
        ),
        # Named slots (lower case) carry the roles: rules with other roles are not the same rule.
        tuple(part.slot for part in rule.parts if part.slot.islower()),
        rule.tags,
    )
