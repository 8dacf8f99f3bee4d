"""Source sentences with more than one translation: no fault of a grammar, but worth knowing.

Whether a grammar has such sentences depends on the pair of languages: German keeps an English
attachment ambiguity that Japanese has to resolve, and a language without articles is ambiguous for
one with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.grammar import Grammar
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.tree import Tree

DRAWN = 2_000  # trees looked at by note_conflicts: a second for the shipped grammars


class Conflict(NamedTuple):
    """One source sentence and the different targets of its trees."""

    source: str
    targets: tuple[str, ...]
    trees: tuple[Tree, ...]


def check_conflicts(
    trees: Iterable[Tree], realiser: Callable[[str], Realiser], source: str, target: str
) -> list[Conflict]:
    """Return the source sentences that were drawn with more than one target."""
    say_source, say_target = realiser(source).fill, realiser(target).fill
    by_source: dict[str, dict[str, Tree]] = {}
    for tree in trees:
        by_target = by_source.setdefault(say_source(tree.codes), {})
        by_target.setdefault(say_target(tree.codes), tree)
    return [
        Conflict(text, tuple(by_target), tuple(by_target.values()))
        for text, by_target in by_source.items()
        if len(by_target) > 1
    ]


def note_conflicts(grammar: Grammar, count: int = DRAWN, seed: int = 0) -> list[str]:
    """Say for every pair of languages whose sources are ambiguous how often, with an example.

    These are notes and no problems: a benchmark in the other direction does not mind.
    """
    try:
        trees = list(grammar.sample(count, seed=seed, stream="conflicts"))
    except GrammarError:
        return []  # a grammar whose sentences are all left to splits: check_grammar judges that
    notes: list[str] = []
    for source, target in itertools.permutations(grammar.languages, 2):
        conflicts = check_conflicts(trees, grammar.realiser, source, target)
        if conflicts:
            example = min(conflicts, key=lambda conflict: len(conflict.source))
            several = " | ".join(example.targets)
            notes.append(
                f"{source}-{target}: of {count} sentences drawn, {len(conflicts)} in {source} have"
                f" more than one translation, such as: {example.source} -> {several}"
            )
    return notes
