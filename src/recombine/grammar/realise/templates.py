"""The fast way to a text: one template per structure, filled with word forms.

Sentences of one structure differ only in their words, so the walk through the grammar (the plain
one is in realiser.py) is done once per structure and a sentence costs one string formatting. Words
share a template if they have the same features and are silent in the same fields (`_word_groups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from recombine.grammar.compiled import (
    MAX_PIECES,
    CompiledConstituent,
    CompiledLanguage,
    OneOf,
    PartField,
    RowSymbol,
    joined_symbols,
)
from recombine.grammar.model import Glue
from recombine.grammar.realise.spelling import Finish, apply_edits
from recombine.grammar.tree import child_positions

MAX_TEMPLATES = 200_000  # kept structures per language; the cache starts again beyond that

# A text, True for a `+`, None for a join, a field of a part, or a field of a node.
_Item = str | Literal[True] | PartField | tuple[int, str] | None


class _Template(NamedTuple):
    layout: str
    slots: tuple[tuple[int, Sequence[str]], ...]


class Templates:
    """Says trees in one language, fast."""

    def __init__(self, compiled: CompiledLanguage, finishes: Sequence[Finish]) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self.join = compiled.language.join
        self.root = compiled.language.root
        self._finishes = finishes
        self._columns: dict[str, list[str]] = {}
        self._groups = self._word_groups()
        self._templates: dict[tuple[int, ...], _Template] = {}
        self._plans: dict[tuple[CompiledConstituent | None, str], list[_Item]] = {}

    def fill(self, codes: tuple[int, ...]) -> str:
        """The canonical text of a preorder sequence of codes."""
        groups = self._groups
        key = tuple([groups[code] for code in codes])
        template = self._templates.get(key)
        if template is None:
            template = self._template(codes, key)
        text = template.layout % tuple([column[codes[node]] for node, column in template.slots])
        for finish in self._finishes:
            edits = finish(text)
            if edits:
                text = apply_edits(text, edits)
        return text

    def form_slots(self, codes: Sequence[int]) -> tuple[tuple[int, Sequence[str]], ...]:
        """For the words of a sentence in order: their node and their column of forms."""
        key = tuple([self._groups[code] for code in codes])
        template = self._templates.get(key)
        return (template or self._template(codes, key)).slots

    def _template(self, codes: Sequence[int], key: tuple[int, ...]) -> _Template:
        """Spell out a structure once, words left open."""
        compiled, first_word = self.compiled, self.inventory.first_word
        children = child_positions(codes, self.inventory.arity)
        constituents = compiled.constituents(codes, children)
        columns, plans = self._columns, self._plans
        parts: list[str] = []
        slots: list[tuple[int, Sequence[str]]] = []
        join = self.join.replace("%", "%%")
        joined, strong, phrases = False, True, 0
        # Texts, fields of nodes, None for a join and True for a `+`; the next one is last.
        stack: list[_Item] = [(0, self.root)]
        while stack:
            item = stack.pop()
            if item is None:
                joined = True
                continue
            if item is True:
                strong = True
                continue
            if isinstance(item, str):
                text = item
            else:
                node, name = item
                code = codes[node]
                if code < first_word:
                    phrases += 1
                    if phrases > MAX_PIECES:
                        raise compiled.too_long()
                    below, constituent = children[node], constituents[node]
                    plan = plans.get((constituent, name))
                    if plan is None:
                        row = compiled.rows(codes, constituent, name)[0]
                        plan = plans[constituent, name] = _plan(row.symbols)
                    for step in plan:
                        stack.append(
                            (below[step[0]], step[1]) if isinstance(step, PartField) else step
                        )
                    continue
                column = columns.get(name) or self._column(name)
                if not column[code]:
                    if name not in compiled.word_forms(code):
                        raise compiled.unsayable(codes, code, name)
                    continue
                slots.append((node, column))
                text = "%s"
            if text:
                if joined and not strong:
                    parts.append(join)
                parts.append(text)
                joined = strong = False
        template = _Template("".join(parts), tuple(slots))
        if len(self._templates) >= MAX_TEMPLATES:
            self._templates.clear()
        self._templates[key] = template
        return template

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


def _plan(symbols: tuple[RowSymbol, ...]) -> list[_Item]:
    """A row, ready to be pushed on a stack: its last symbol first, and parts for nodes."""
    plan: list[_Item] = []
    for symbol in joined_symbols(symbols)[::-1]:
        if isinstance(symbol, OneOf):
            symbol = symbol.texts[0]
        if isinstance(symbol, str):
            plan.append(symbol.replace("%", "%%"))
        elif isinstance(symbol, Glue):
            plan += [True] * symbol.strong
        else:
            plan.append(symbol)
    return plan
