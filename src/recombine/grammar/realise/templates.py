"""The fast way to a text: one template per structure, filled with word forms.

Sentences of one structure differ only in their words, so the walk through the grammar (the plain
one is in realiser.py) is done once per structure and a sentence costs one string formatting. Words
share a template if they have the same features and are silent in the same fields (`_word_groups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from recombine.grammar.model import Glue, LiteralText, Ref, TableCell
from recombine.grammar.realise.language import MAX_PIECES, Concrete
from recombine.grammar.realise.spelling import Finish, apply_edits
from recombine.grammar.tree import child_positions

MAX_TEMPLATES = 200_000  # kept structures per language; the cache starts again beyond that

_Item = str | Literal[True] | tuple[int, str] | None
_TEXT, _FIELD, _KEYED, _LOOKUP = range(4)


class _Template(NamedTuple):
    layout: str
    slots: tuple[tuple[int, Sequence[str]], ...]


class Templates:
    """Says trees in one language, fast."""

    def __init__(self, concrete: Concrete, finishes: Sequence[Finish]) -> None:
        self.concrete = concrete
        self.inventory = concrete.inventory
        self.join = concrete.language.join
        self.root = concrete.language.root
        self._finishes = finishes
        self._columns: dict[str, list[str]] = {}
        self._groups = self._word_groups()
        self._templates: dict[tuple[int, ...], _Template] = {}
        self._plans: dict[tuple[int, str], list[tuple[int, Any, Any]]] = {}

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
        concrete, first_word = self.concrete, self.inventory.first_word
        children = child_positions(codes, self.inventory.arity)
        plans, columns = self._plans, self._columns
        parts: list[str] = []
        slots: list[tuple[int, Sequence[str]]] = []
        join = self.join.replace("%", "%%")
        joined, strong, phrases = False, True, 0
        # Literals, (node, field), None for a join and True for a `+`; the next one is last.
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
                        raise concrete.too_long()
                    below = children[node]
                    for kind, target, value in plans.get((code, name)) or self._plan(code, name):
                        if kind == _TEXT:
                            stack.append(value)
                        elif kind == _FIELD:
                            stack.append((below[target], value))
                        else:
                            chosen = concrete.field_name(value, codes, children, node)
                            if kind == _KEYED:
                                stack.append((below[target], chosen))
                            else:
                                stack.append(_literal(concrete.cell(target, chosen)[0]))
                    continue
                column = columns.get(name) or self._column(name)
                if not column[code]:
                    if name not in concrete.word_forms(code):
                        raise concrete.missing(code, name)
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

    def _plan(self, code: int, name: str) -> list[tuple[int, Any, Any]]:
        """A rule's line, ready to be pushed on a stack: last piece first."""
        variants = self.concrete.line(code, name)
        if variants is None:
            raise self.concrete.missing(code, name)
        body = variants[0]
        plan: list[tuple[int, Any, Any]] = []
        for index, piece in enumerate(body):
            if isinstance(piece, Glue):
                if piece.strong:
                    plan.append((_TEXT, None, True))
                continue
            if isinstance(piece, LiteralText):
                plan.append((_TEXT, None, _literal(piece.text)))
            else:
                plan.append(self._planned(code, piece))
            if index + 1 < len(body) and not isinstance(body[index + 1], Glue):
                plan.append((_TEXT, None, None))
        plan.reverse()
        self._plans[code, name] = plan
        return plan

    def _planned(self, code: int, piece: Ref | TableCell) -> tuple[int, Any, Any]:
        fixed = [key for key in piece.keys if isinstance(key, str)]
        is_fixed = len(fixed) == len(piece.keys)
        if isinstance(piece, TableCell):
            if is_fixed:
                cell = self.concrete.cell(piece.table, ".".join(fixed))[0]
                return (_TEXT, None, _literal(cell))
            return (_LOOKUP, piece.table, piece.keys)
        slot = self.inventory.rule(code).slot(piece.slot)
        if slot is None:
            raise self.concrete.missing(code, piece.slot)
        return (_FIELD, slot, ".".join(fixed)) if is_fixed else (_KEYED, slot, piece.keys)

    def _column(self, name: str) -> list[str]:
        """The forms of every code under a name; nothing where a word has none."""
        blank = [""] * self.inventory.first_word
        column = blank + [forms.get(name, ("",))[0] for forms in self.concrete.forms]
        self._columns[name] = column
        return column

    def _word_groups(self) -> list[int]:
        """Number words that share a template: same category, features, and silent fields."""
        groups = list(range(self.inventory.first_word))
        known: dict[object, int] = {}
        every = sorted({name for forms in self.concrete.forms for name in forms})
        for code, forms in enumerate(self.concrete.forms, start=self.inventory.first_word):
            category = self.inventory.category(code)
            features = tuple(forms.get(name) for name in self.concrete.features.get(category, ()))
            silent = tuple(name for name in every if forms.get(name, ("",))[0] == "")
            key = (category, features, silent)
            groups.append(known.setdefault(key, self.inventory.first_word + len(known)))
        return groups


def _literal(text: str) -> str:
    """A text as it stands in a layout."""
    return text.replace("%", "%%")
