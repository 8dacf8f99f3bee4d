"""Source sentences with two meanings that the target language tells apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.grammar import Grammar
from recombine.grammar.realise import Realiser
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
    """Return the source sentences that were drawn with more than one target.

    Whether a grammar has such sentences depends on the pair of languages: German keeps an
    English attachment ambiguity that Japanese has to resolve.
    """
    say_source, say_target = realiser(source).fill, realiser(target).fill
    found: dict[str, dict[str, Tree]] = {}
    for tree in trees:
        found.setdefault(say_source(tree.codes), {}).setdefault(say_target(tree.codes), tree)
    return [
        Conflict(text, tuple(targets), tuple(targets.values()))
        for text, targets in found.items()
        if len(targets) > 1
    ]


def note_conflicts(grammar: Grammar, count: int = DRAWN, seed: int = 0) -> list[str]:
    """Say for every pair of languages whose sources are ambiguous how often, with an example.

    These are notes and no problems: a language without articles is ambiguous for one with them,
    and a benchmark in the other direction does not mind.
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
