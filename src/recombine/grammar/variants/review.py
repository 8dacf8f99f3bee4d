"""Variants for people: some of a sentence, and each once for a native speaker to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recombine.grammar.grammar import Grammar
from recombine.grammar.review import example_tree
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings, wordings_of

SHOWN = 3  # variants of a sampled sentence


def shown_variants(
    grammar: Grammar, wordings: Wordings, tree: Tree, seed: int, count: int = SHOWN
) -> tuple[str, ...]:
    """Some other wordings of a tree; the same for the same tree and seed."""
    return wordings.sample(tree, count, seed, stream=str(tree))


def variant_rows(
    grammar: Grammar, place: str | Path, languages: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield every synonym and every line of variants once.

    Synonym rows: kind "synonym", id, language, the word itself and the synonyms in all their
    forms. Line rows: kind "variant", rule, field, language, an example as the language says it and
    as the line does.
    """
    for language in tuple(languages) or grammar.languages:
        wordings = wordings_of(grammar, place, language)
        for word, senses in zip(grammar.inventory.words, wordings.compiled.senses, strict=True):
            for sense in senses[1:]:
                texts = dict.fromkeys(t for more in sense.forms.values() for t in more if t)
                own = next(iter(senses[0].forms.values()), ("",))[0]
                yield {
                    "kind": "synonym",
                    "id": word.id,
                    "language": language,
                    "own": own,
                    "text": " | ".join(texts),
                }
        trees: dict[str, Tree | None] = {}
        for line in wordings.variants.lines:
            rule = line.chain[-1]
            if rule not in trees:
                trees[rule] = example_tree(grammar, rule)
            tree = trees[rule]
            yield {
                "kind": "variant",
                "rule": "/".join(line.chain),
                "field": line.field,
                "language": language,
                "own": grammar.text(tree, language) if tree is not None else "",
                "text": wordings.example(tree, line) if tree is not None else "",
            }
