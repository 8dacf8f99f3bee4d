"""Source sentences with two meanings that the target language tells apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from recombine.grammar.realise import Realiser
from recombine.grammar.tree import Tree


class Conflict(NamedTuple):
    """One source sentence and the different targets of its trees."""

    source: str
    targets: tuple[str, ...]
    trees: tuple[Tree, ...]


def check_conflicts(
    trees: Iterable[Tree], realiser: Callable[[str], Realiser], source: str, target: str
) -> list[Conflict]:
    """Return the source sentences that were drawn with more than one target.

    Whether a grammar has such sentences depends on the pair of languages: Japanese keeps an
    English attachment ambiguity that German has to resolve.
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
