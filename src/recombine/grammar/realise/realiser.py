"""Trees to sentences: text, tokens, character offsets of every constituent, accepted variants.

A tree is spelled out into pieces of text (walk.py), or a template of its structure is filled
(templates.py). The pieces are joined, and the spelling of the whole is put right; the offsets
follow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.realise.spelling import apply_edits, finishes, shift
from recombine.grammar.realise.templates import SentenceTemplate, Templates
from recombine.grammar.realise.walk import Choices, Walk, Walker
from recombine.grammar.tree import Tree

MAX_VARIANTS = 64  # of one sentence; alternatives multiply
MAX_REALISED = 100  # the readings of one sentence are said one after the other


class Span(NamedTuple):
    """Character offsets in the text."""

    start: int
    end: int


class RealisedToken(NamedTuple):
    """One piece of a sentence: a literal or a word form, and the node it belongs to."""

    text: str
    start: int
    end: int
    node: int


class Realisation:
    """A tree said in one language; tokens and spans are worked out where they are asked for."""

    def __init__(self, text: str, walk: Walk, bounds: Sequence[tuple[int, int]]) -> None:
        self.text = text
        self._walk = walk
        self._bounds = bounds  # of the pieces; empty where one was dropped

    @cached_property
    def tokens(self) -> tuple[RealisedToken, ...]:
        """The pieces of the text from left to right."""
        return tuple(
            [
                RealisedToken(self.text[start:end], start, end, piece.node)
                for piece, (start, end) in zip(self._walk.pieces, self._bounds, strict=True)
                if end > start
            ]
        )

    @cached_property
    def spans(self) -> dict[int, tuple[Span, ...]]:
        """For every node that is heard its stretches of text, in order; several if apart."""
        nodes = dict.fromkeys(stretch.node for stretch in self._walk.stretches)
        return {node: spans for node in nodes if (spans := self.stretches(node))}

    def stretches(self, node: int) -> tuple[Span, ...]:
        """The stretches of text of one node; none if it is silent."""
        spans: list[Span] = []
        stretches = self._walk.stretches
        for index in range(bisect_left(stretches, (node,)), len(stretches)):
            other, first, last = stretches[index]
            if other != node:
                break
            inside = [(start, end) for start, end in self._bounds[first:last] if end > start]
            if inside:
                spans.append(Span(inside[0][0], inside[-1][1]))
        return tuple(spans)

    def span(self, node: int) -> Span | None:
        """The stretch from the first to the last character of a node; None if it is silent."""
        stretches = self.stretches(node)
        return Span(stretches[0].start, stretches[-1].end) if stretches else None

    def piece(self, node: int) -> str:
        """The text of a node; stretches that stand apart are joined with a space."""
        return " ".join(self.text[start:end] for start, end in self.stretches(node))


class Realiser:
    """Says trees in one language."""

    def __init__(self, compiled: CompiledLanguage) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self.join = compiled.language.join
        self.root = compiled.language.root
        self._finishes = finishes(
            compiled.language, _first_words(compiled, "sound"), _first_words(compiled, "a_an")
        )
        self._templates = Templates(compiled)
        self._form_counts: dict[int, int] = {}
        self._realised: dict[tuple[int, tuple[str, ...]], tuple[SentenceTemplate, Realisation]] = {}

    def text(self, tree: Tree) -> str:
        """The canonical text of a tree."""
        return self.fill(tree.codes)

    def fill(self, codes: Sequence[int]) -> str:
        """The canonical text of a preorder sequence of codes."""
        return self.finished(self._templates.of(codes).filled(codes))

    def form_slots(self, codes: Sequence[int]) -> tuple[tuple[int, Sequence[str]], ...]:
        """For the words of a sentence in order: their node and their column of forms."""
        return self._templates.of(codes).slots

    def own_form(self, codes: Sequence[int], node: int) -> str | None:
        """The form that tells a word of a sentence from others, or None where it is silent.

        A verb may bring a particle, an auxiliary or the word that opens its clause (*weist ... zu*,
        *cherche à*). Others bring them too: its own is the piece of which the language has most.
        """
        columns = [column for place, column in self.form_slots(codes) if place == node]
        if not columns:
            return None
        return max(reversed(columns), key=self._count_forms)[codes[node]]

    def _count_forms(self, column: Sequence[str]) -> int:
        """How many forms stand in a column; columns live as long as this realiser."""
        count = self._form_counts.get(id(column))
        if count is None:
            count = self._form_counts[id(column)] = len(set(column))
        return count

    def realise(self, tree: Tree) -> Realisation:
        """The text with tokens and offsets; trees whose words are said alike share it."""
        codes = tree.codes
        template = self._templates.of(codes)
        forms = tuple([column[codes[node]] for node, column in template.slots])
        key = (id(template), forms)
        known = self._realised.get(key)
        if known is None:
            if len(self._realised) >= MAX_REALISED:
                self._realised.clear()
            # The template is kept too, so that no other has its id.
            known = self._realised[key] = (template, self._realise(template, forms))
        return known[1]

    def _realise(self, template: SentenceTemplate, forms: tuple[str, ...]) -> Realisation:
        text = template.layout % forms
        words = iter(forms)
        gap, length = len(self.join), 0
        bounds: list[tuple[int, int]] = []
        for literal, _, field, glued in template.walk.pieces:
            start = length if glued else length + gap
            length = start + len(literal if field is None else next(words))
            bounds.append((start, length))
        for finish in self._finishes:
            edits = finish(text)
            if edits:
                text = apply_edits(text, edits)
                bounds = [
                    (shift(start, edits, is_end=False), shift(end, edits, is_end=True))
                    for start, end in bounds
                ]
        return Realisation(text, template.walk, bounds)

    def finished(self, text: str) -> str:
        """A text with touches, capital and commas put right."""
        for finish in self._finishes:
            edits = finish(text)
            if edits:
                text = apply_edits(text, edits)
        return text

    def variants(self, tree: Tree) -> tuple[str, ...]:
        """All accepted texts, the canonical one first (at most MAX_VARIANTS)."""
        choices = Choices()
        walker = Walker(self.compiled, tree.codes, choices)
        texts = {self.written(walker.walk()): None}
        while len(texts) < MAX_VARIANTS and choices.advance():
            texts[self.written(walker.walk())] = None
        return tuple(texts)

    def written(self, spelled: Walk) -> str:
        """The finished text of pieces."""
        return self.finished(self.joined(spelled))

    def joined(self, spelled: Walk) -> str:
        """The pieces, with the join between those that are not glued."""
        return "".join([p.text if p.glued else self.join + p.text for p in spelled.pieces])


def _first_words(compiled: CompiledLanguage, column: str) -> dict[str, str]:
    """The first words of all forms of the words that fill a column, with what it says."""
    return {
        form.split(" ")[0]: sense.forms[column][0]
        for senses in compiled.senses
        for sense in senses
        if column in sense.forms
        for name, variants in sense.forms.items()
        if name != column
        for form in variants
    }
