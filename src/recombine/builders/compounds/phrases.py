"""Phrases and sentence templates from dependency trees.

A template is a sentence with a slot: a noun phrase that another noun phrase may replace. The phrase
is the whole subtree of its noun, so nothing of it is left behind (the published test has leftovers
such as "the chair on the floor of shoes"). Verb and preposition stay in place: they are the head.
Relations are data: the defaults know Universal Dependencies and the ClearNLP labels of spaCy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from recombine.builders.compounds.filter import Pair
from recombine.corpus.spans import Subtrees

# Parsers disagree on the lemma of a pronoun; a phrase needs a determiner anyway.
PRONOUN_LEMMAS = frozenset({"-pron-", "it", "one", "that", "there", "this", "what", "which", "who"})


@dataclass(frozen=True, kw_only=True)
class Slot:
    """Where a category of compounds goes: the relation of the noun, and the role of its head.

    `head` is "" for phrases without one (subjects), else the role of the word right before the
    phrase: its governor ("saw every dog"), or a `case` word inside the subtree (UD prepositions).
    """

    relations: tuple[str, ...] = ()
    head: str = ""


class Phrase(NamedTuple):
    """A noun phrase in a sentence: tokens `start` to `end`, its noun, its head (or -1)."""

    sentence: int
    start: int
    end: int
    noun: int
    head: int


def find_phrases(pair: Pair, number: int, slot: Slot, longest: int) -> Iterator[Phrase]:
    """Yield the noun phrases of a sentence that fill a slot of this kind."""
    if frozenset(slot.relations).isdisjoint(pair.relations):
        return
    trees: Subtrees | None = None
    for noun, relation in enumerate(pair.relations):
        if relation not in slot.relations or pair.lemmas[noun].lower() in PRONOUN_LEMMAS:
            continue
        # A singular noun keeps the verb's agreement when another singular replaces it.
        if not pair.is_singular(noun) or not pair.tokens[noun].isalpha():
            continue
        trees = trees or Subtrees(pair.heads)
        span = trees.span(noun)
        if span is None:
            continue
        start, end = span
        head = -1
        if slot.head:
            if pair.relations[start] == "case" and pair.heads[start] == noun:
                head, start = start, start + 1
            else:
                head = pair.heads[noun]
            if head != start - 1 or not pair.tokens[head].isalpha():
                continue
        if (
            noun < start
            or not 2 <= end - start <= longest
            or not _has_determiner(pair, start, noun)
        ):
            continue
        if not _is_coordinated(pair, noun) and not _is_possessor(pair, end):
            yield Phrase(number, start, end, noun, head)


def _has_determiner(pair: Pair, start: int, noun: int) -> bool:
    return pair.relations[start] == "det" and pair.heads[start] == noun


def _is_coordinated(pair: Pair, noun: int) -> bool:
    """Two nouns make a plural: the verb would not agree with the one that replaces them."""
    return "conj" in pair.relations and any(
        head == noun and relation == "conj"
        for head, relation in zip(pair.heads, pair.relations, strict=True)
    )


def _is_possessor(pair: Pair, end: int) -> bool:
    """Parsers cut the mark of a possessor off its phrase now and then."""
    return end < len(pair.tokens) and pair.tokens[end][0] in "'\u2019"
