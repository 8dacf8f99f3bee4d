"""Rows for people: parallel samples, and what a native speaker should read once."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from recombine.errors import GrammarError
from recombine.grammar.coverage import looks_complete, unsaid
from recombine.grammar.grammar import Grammar
from recombine.grammar.pattern import Pattern
from recombine.grammar.realise.realiser import Realisation
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.tree import Tree

_TRIES = 24  # trees drawn per construction, of which the shortest is shown


def sample_rows(
    grammar: Grammar,
    count: int,
    *,
    languages: Sequence[str] = (),
    seed: int = 0,
    stream: str = "sample",
    patterns: Sequence[str] = (),
    constraints: Constraints | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield {"tree": ..., code: text, ...}; `patterns` are required of every tree."""
    wanted = constraints or Constraints()
    if patterns:
        wanted = dataclasses.replace(wanted, require=(*wanted.require, *patterns))
    codes = tuple(languages) or grammar.languages
    for tree, texts in grammar.sentences(
        count, codes, seed=seed, stream=stream, constraints=_possible(grammar, wanted)
    ):
        yield {"tree": str(tree), **dict(zip(codes, texts, strict=True))}


def _possible(grammar: Grammar, wanted: Constraints) -> Constraints:
    """The constraints, with what they require let in where it has weight 0.

    Such rules and words are left to splits; who asks for them wants to see them. First those that
    the patterns name, then all, and every start category in turn.
    """
    inventory = grammar.inventory
    named = {
        inventory.labels[code]: 1.0
        for pattern in wanted.require
        for code in sorted(Pattern.parse(pattern).named_codes(inventory))
        if (inventory.word(code) if inventory.is_word(code) else inventory.rule(code)).weight == 0
    }
    asleep = {rule.name: 1e-3 for rule in inventory.rules if rule.weight == 0}
    first: GrammarError | None = None
    starts = (wanted.start,) if wanted.start else (None, *grammar.abstract.start[1:])
    for weights in ({}, named, {**asleep, **named}):
        for start in starts:
            tried = dataclasses.replace(wanted, weights={**weights, **wanted.weights}, start=start)
            try:
                grammar.sampler(tried)
            except GrammarError as error:
                first = first or error
            else:
                return tried
    assert first is not None
    raise first


def review_rows(grammar: Grammar, languages: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield every word form and every construction once.

    Form rows: kind "form", id, category, gloss, language, field, text. Construction rows: kind
    "construction", rule, tags, tree and one text per language, on the shortest of a few trees
    that have the rule. What an unfinished language does not say is empty.
    """
    codes = tuple(languages) or grammar.languages
    unfinished = unsaid_in(grammar, codes)
    inventory = grammar.inventory
    for language in codes:
        concrete = grammar.concrete(language)
        for code, field in grammar.parser(language).cfg.word_fields():
            word = inventory.word(code)
            forms = concrete.word_forms(code).get(field)
            if forms is not None:
                yield {
                    "kind": "form",
                    "id": word.id,
                    "category": word.category,
                    "gloss": word.gloss or word.id,
                    "language": language,
                    "field": field,
                    "text": " | ".join(forms),
                }
    for rule in inventory.rules:
        tree = example_tree(grammar, rule.name, unfinished)
        if tree is not None:
            texts = {language: said(grammar, tree, language) for language in codes}
            yield {
                "kind": "construction",
                "rule": rule.name,
                "tags": " ".join(rule.tags),
                "tree": str(tree),
                **{language: one.text if one else "" for language, one in texts.items()},
            }


def unsaid_in(grammar: Grammar, languages: Sequence[str]) -> frozenset[str]:
    """The words and rules that one of these languages does not say."""
    compiled = [grammar.concrete(language) for language in languages]
    return unsaid(language for language in compiled if not looks_complete(language))


def said(grammar: Grammar, tree: Tree, language: str) -> Realisation | None:
    """A tree in a language; None where an unfinished language does not say it."""
    try:
        return grammar.realise(tree, language)
    except GrammarError:
        return None


def example_tree(grammar: Grammar, rule: str, avoid: Collection[str] = ()) -> Tree | None:
    """A short tree that has a rule; rules of weight 0 are let in where they are needed.

    It has none of the words and rules to `avoid`, if there is such a tree.
    """
    awake = {r.name: 1e-3 for r in grammar.inventory.rules if r.weight == 0}
    attempts: list[dict[str, float]] = [{rule: 1.0} if rule in awake else {}, {**awake, rule: 1.0}]
    if avoid:
        without = dict.fromkeys(sorted(set(avoid) - {rule}), 0.0)
        attempts = [*({**weights, **without} for weights in attempts), *attempts]
    for weights in attempts:
        for start in grammar.abstract.start:
            wanted = Constraints(require=(rule,), start=start, weights=weights, select=True)
            try:
                trees = list(grammar.sample(_TRIES, stream="review", constraints=wanted))
            except GrammarError:
                continue
            return min(trees, key=len)
    return None
