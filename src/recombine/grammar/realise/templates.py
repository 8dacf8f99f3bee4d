"""The fast way to a text: one template per structure, filled with word forms.

Sentences of one structure differ only in their words, so a tree is spelled out once per structure,
and a sentence costs one string formatting. Offsets take the plain way (walk.py), once per structure
too. Words share a template if they have the same features and are silent in the same fields
(`_word_groups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from recombine.grammar.compiled import MAX_PIECES, CompiledLanguage, OneOf, PartField
from recombine.grammar.model import Glue
from recombine.grammar.realise.walk import Walk, Walker
from recombine.grammar.tree import child_positions

MAX_TEMPLATES = 200_000  # kept structures per language; the cache starts again beyond that


# A word's node and its column: the form of every code in the field that is said there.
Slot = tuple[int, Sequence[str]]


class SentenceTemplate:
    """What all sentences of one structure share."""

    def __init__(
        self, compiled: CompiledLanguage, codes: Sequence[int], layout: str, slots: tuple[Slot, ...]
    ) -> None:
        self._compiled = compiled
        self._codes = codes
        self.layout = layout
        self.slots = slots

    @cached_property
    def walk(self) -> Walk:
        """Its pieces with the words of the first sentence, and its stretches by node."""
        pieces, stretches = Walker(self._compiled, self._codes).walk()
        return Walk(pieces, sorted(set(stretches)))

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
        """Spell out a structure once, words left open: the walk of walk.py without its offsets."""
        compiled, columns, first_word = self.compiled, self._columns, self.inventory.first_word
        children = child_positions(codes, self.inventory.arity)
        constituents = compiled.constituents(codes, children)
        parts: list[str] = []
        slots: list[Slot] = []
        joined, strong, phrases = False, True, 0
        # A text, glue, None for a join, or a node with the field that it is asked for.
        stack: list[str | Glue | tuple[int, str] | None] = [(0, compiled.language.root)]
        while stack:
            item = stack.pop()
            if item is None:
                joined = True
                continue
            if isinstance(item, Glue):
                strong = strong or item.strong
                continue
            if isinstance(item, str):
                text = item.replace("%", "%%")
            else:
                node, field = item
                code = codes[node]
                if code < first_word:
                    phrases += 1
                    if phrases > MAX_PIECES:
                        raise compiled.too_long()
                    below = children[node]
                    for symbol in compiled.rows(codes, constituents[node], field)[0].joined[::-1]:
                        if isinstance(symbol, PartField):
                            stack.append((below[symbol[0]], symbol[1]))
                        else:
                            stack.append(symbol.texts[0] if isinstance(symbol, OneOf) else symbol)
                    continue
                column = columns.get(field) or self._column(field)
                if not column[code]:
                    if field not in compiled.word_forms(code):
                        raise compiled.unsayable(codes, code, field)
                    continue
                slots.append((node, column))
                text = "%s"
            if text:
                if joined and not strong:
                    parts.append(self._join)
                parts.append(text)
                joined = strong = False
        return SentenceTemplate(compiled, codes, "".join(parts), tuple(slots))

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
