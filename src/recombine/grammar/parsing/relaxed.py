"""A grammar without its fine print: for reading what learners and machines say.

A benchmark's grammar says which nouns stand beside things and which verbs have a passive; a wrong
translation keeps none of that and is still a sentence.  Here classes of words are dropped, word
categories that head the same phrases and inflect alike become one (nouns and names), parts that a
language does not say are left out, and rules that have become equal are one rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recombine.grammar.grammar import Grammar
from recombine.grammar.model import (
    Feature,
    Line,
    LiteralText,
    Pieces,
    Ref,
    Rule,
    RulePart,
    Symbol,
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
    rules: dict[str, Rule] = {}
    names: dict[str, str] = {}
    seen: dict[object, str] = {}
    for name, rule in grammar.abstract.rules.items():
        lines = [line for (owner, _), line in spoken.lines.items() if owner == name]
        if not lines:
            continue
        heard = {slot for line in lines for slot in _slots(line.variants)}
        parts = tuple(
            RulePart(part.slot, _plain(part.symbol, merged), part.head or index == rule.head)
            for index, part in enumerate(rule.parts)
            if part.slot in heard
        )
        simpler = dataclasses.replace(rule, parts=parts, weight=max(rule.weight, 1.0))
        key = _shape(simpler, lines)
        names[name] = seen.setdefault(key, name)
        if names[name] == name:
            rules[name] = simpler
    words = {
        name: dataclasses.replace(word, category=merged.get(word.category, word.category))
        for name, word in grammar.abstract.words.items()
    }
    abstract = dataclasses.replace(
        grammar.abstract, rules=rules, words=words, zipf={}, selections=(), mendings=(), pairs=(),
        preferences=tuple(
            one for one in grammar.abstract.preferences if one.is_tag or one.label in rules
        ),
    )  # fmt: skip
    lines_kept = {key: line for key, line in spoken.lines.items() if key[0] in rules}
    only = dataclasses.replace(spoken, lines=lines_kept)
    source = dataclasses.replace(grammar.source, abstract=abstract, languages={language: only})
    return Relaxed(Grammar(source), names)


def _plain(symbol: Symbol, merged: Mapping[str, str]) -> Symbol:
    return Symbol(merged.get(symbol.category, symbol.category))


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


def _slots(variants: tuple[Pieces, ...]) -> Iterator[str]:
    for pieces in variants:
        for piece in pieces:
            if isinstance(piece, Ref):
                yield piece.slot
            for key in getattr(piece, "keys", ()):
                if isinstance(key, Feature):
                    yield key.slot


def _shape(rule: Rule, lines: list[Line]) -> object:
    """What makes two rules the same: category, parts and lines, slot names apart."""
    places = {part.slot: index for index, part in enumerate(rule.parts)}

    def spelled(pieces: Pieces) -> tuple[object, ...]:
        found: list[object] = []
        for piece in pieces:
            if isinstance(piece, LiteralText):
                found.append(piece.text)
            elif isinstance(piece, Ref):
                keys = tuple(
                    (places.get(key.slot), key.field) if isinstance(key, Feature) else key
                    for key in piece.keys
                )
                found.append((places.get(piece.slot), keys))
            else:
                found.append(piece)
        return tuple(found)

    return (
        rule.category,
        tuple((part.symbol, part.head) for part in rule.parts),
        tuple(
            sorted(
                ((line.field, tuple(spelled(one) for one in line.variants)) for line in lines),
                key=repr,
            )
        ),
        # Named slots (lower case) carry the roles: rules with other roles are not the same rule.
        tuple(part.slot for part in rule.parts if part.slot.islower()),
        rule.tags,
    )
