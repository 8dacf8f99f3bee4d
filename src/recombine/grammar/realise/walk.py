"""Spell out a tree by the table of a language: the pieces of its text, and whose they are.

The root is asked for its field; a row answers with texts and with fields of its parts, which are
asked in turn, until only pieces of text are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recombine.grammar.compiled import (
    MAX_PIECES,
    CompiledLanguage,
    OneOf,
    PartField,
    RowSymbol,
)
from recombine.grammar.model import Glue
from recombine.grammar.tree import child_positions


class SpelledPiece(NamedTuple):
    """A literal or a word form of a sentence."""

    text: str
    node: int
    field: str | None  # the field of a word form; None for a literal
    glued: bool  # to the piece before


class Stretch(NamedTuple):
    """The pieces of a node that stand together: from the first to the one before the last."""

    node: int
    first: int
    last: int


class Walk(NamedTuple):
    """A tree spelled out, and how many ways there were at each choice on the way."""

    pieces: list[SpelledPiece]
    stretches: list[Stretch]
    radix: list[int]


class _Began(NamedTuple):
    """A constituent whose first piece has this number."""

    at: int


def walk(compiled: CompiledLanguage, codes: Sequence[int], choices: Sequence[int] = ()) -> Walk:
    """Spell out a tree; `choices` picks alternatives, the canonical one beyond its end."""
    inventory = compiled.inventory
    children = child_positions(codes, inventory.arity)
    constituents = compiled.constituents(codes, children)
    pieces: list[SpelledPiece] = []
    stretches: list[Stretch] = []
    radix: list[int] = []
    joined, strong = False, True  # separators since the last piece; nothing before the first
    # A text, a field of a part, glue, None for a join, or where a constituent began; and the
    # node it belongs to.
    stack: list[tuple[int, RowSymbol | _Began | None]] = [
        (0, PartField(-1, compiled.language.root))
    ]
    while stack:
        node, item = stack.pop()
        field: str | None = None
        if item is None:
            joined = True
            continue
        if isinstance(item, Glue):
            strong = strong or item.strong
            continue
        if isinstance(item, _Began):
            stretches.append(Stretch(node, item.at, len(pieces)))
            continue
        if isinstance(item, PartField):
            if item.part >= 0:
                node = children[node][item.part]
            code, field = codes[node], item.field
            if code < inventory.first_word:
                rows = compiled.rows(codes, constituents[node], field)
                if len(pieces) > MAX_PIECES or len(stack) > MAX_PIECES:
                    raise compiled.too_long()
                stack.append((node, _Began(len(pieces))))
                row = rows[_choose(len(rows), choices, radix)]
                stack.extend([(node, symbol) for symbol in row.joined[::-1]])
                continue
            forms = compiled.word_forms(code).get(field)
            if forms is None:
                raise compiled.unsayable(codes, code, field)
            text = forms[_choose(len(forms), choices, radix)]
            if text:
                stretches.append(Stretch(node, len(pieces), len(pieces) + 1))
        elif isinstance(item, OneOf):
            text = item.texts[_choose(len(item.texts), choices, radix)]
        else:
            text = item
        if text:
            pieces.append(SpelledPiece(text, node, field, strong or not joined))
            joined = strong = False
    return Walk(pieces, stretches, radix)


def _choose(ways: int, choices: Sequence[int], radix: list[int]) -> int:
    position = len(radix)
    radix.append(ways)
    return choices[position] if position < len(choices) else 0
