"""The fast way to a text: one template per structure, filled with word forms.

Sentences of one structure differ only in their words, so a tree is spelled out (walk.py) once per
structure, and a sentence costs one string formatting, or one pass over its pieces where offsets
are asked for. Words share a template if they have the same features and are silent in the same
fields (`_word_groups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.realise.walk import SpelledPiece, Stretch, Walker

MAX_TEMPLATES = 200_000  # kept structures per language; the cache starts again beyond that


class SentenceTemplate(NamedTuple):
    """What all sentences of one structure share."""

    layout: str
    slots: tuple[tuple[int, Sequence[str]], ...]  # per word: its node, and every word's form there
    pieces: list[SpelledPiece]  # with the words of the first sentence
    stretches: list[Stretch]  # by node, from left to right

    def filled(self, codes: Sequence[int]) -> str:
        """The text with the words of a tree."""
        return self.layout % tuple([column[codes[node]] for node, column in self.slots])


class Templates:
    """The templates of one language."""

    def __init__(self, compiled: CompiledLanguage) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self._join = compiled.language.join.replace("%", "%%")
        self._columns: dict[str, list[str]] = {}
        self._groups = self._word_groups()
        self._templates: dict[tuple[int, ...], SentenceTemplate] = {}

    def of(self, codes: Sequence[int]) -> SentenceTemplate:
        """The template of a preorder sequence of codes."""
        groups = self._groups
        key = tuple([groups[code] for code in codes])
        found = self._templates.get(key)
        if found is None:
            if len(self._templates) >= MAX_TEMPLATES:
                self._templates.clear()
            found = self._templates[key] = self._new(codes)
        return found

    def _new(self, codes: Sequence[int]) -> SentenceTemplate:
        """Spell out a structure once, words left open."""
        pieces, stretches = Walker(self.compiled, codes).walk()
        parts: list[str] = []
        slots: list[tuple[int, Sequence[str]]] = []
        for text, node, field, glued in pieces:
            if not glued:
                parts.append(self._join)
            if field is None:
                parts.append(text.replace("%", "%%"))
            else:
                parts.append("%s")
                slots.append((node, self._columns.get(field) or self._column(field)))
        return SentenceTemplate("".join(parts), tuple(slots), pieces, sorted(set(stretches)))

    def _column(self, name: str) -> list[str]:
        """The forms of every code under a name; nothing where a word has none."""
        blank = [""] * self.inventory.first_word
        column = blank + [forms.get(name, ("",))[0] for forms in self.compiled.forms]
        self._columns[name] = column
        return column

    def _word_groups(self) -> list[int]:
        """Number words that share a template: same category, features, and silent fields."""
        groups = list(range(self.inventory.first_word))
        known: dict[object, int] = {}
        every = sorted({name for forms in self.compiled.forms for name in forms})
        for code, forms in enumerate(self.compiled.forms, start=self.inventory.first_word):
            category = self.inventory.category(code)
            features = tuple(forms.get(name) for name in self.compiled.features.get(category, ()))
            silent = tuple(name for name in every if forms.get(name, ("",))[0] == "")
            key = (category, features, silent)
            groups.append(known.setdefault(key, self.inventory.first_word + len(known)))
        return groups
