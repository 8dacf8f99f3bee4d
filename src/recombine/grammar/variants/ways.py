"""A way: one line for a field of a rule, with what matching asks of it worked out beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from recombine.grammar.model import Feature, Key, LiteralText, Ref, Same, TableCell
from recombine.grammar.variants.files import AnyOrder, Body, OneOf


class Way(NamedTuple):
    """One line for a field of a rule; `chain` are the rules that must be below it."""

    chain: tuple[str, ...]
    body: Body
    drawn: bool
    several: tuple[str, ...]  # slots whose sense matters: asked more than once, or for a feature
    said: frozenset[str]  # slots that are said, whatever is chosen
    pieces: tuple[LinePiece, ...]


# The kinds of pieces of a line.
TEXT, CHOICE, ORDER, CELL, SLOT = range(5)


class LinePiece(NamedTuple):
    """A piece of a body as it is matched."""

    kind: int
    text: str = ""  # the cleaned text, or the name of the table or slot
    name: str | None = None  # the field that is asked for; None where the keys must be looked up
    keys: tuple[Key, ...] = ()
    parts: tuple[tuple[LinePiece, ...], ...] = ()


def way_of(
    chain: tuple[str, ...], body: Body, clean: Callable[[str], str], drawn: bool = True
) -> Way:
    """Work out a line; `clean` is what texts are cleaned with before they are compared."""
    asked = Counter(asked_slots(body))
    asked.update(
        key.slot for cell in table_cells(body) for key in cell.keys if isinstance(key, Feature)
    )
    several = tuple(slot for slot, times in asked.items() if times > 1)
    return Way(chain, body, drawn, several, frozenset(_said(body)), _pieces(body, clean))


def _pieces(body: Body, clean: Callable[[str], str]) -> tuple[LinePiece, ...]:
    return tuple(_piece(piece, clean) for piece in body)


def _piece(
    piece: LiteralText | Ref | TableCell | AnyOrder | OneOf, clean: Callable[[str], str]
) -> LinePiece:
    if isinstance(piece, LiteralText):
        return LinePiece(TEXT, clean(piece.text))
    if isinstance(piece, OneOf):
        return LinePiece(CHOICE, parts=tuple(_pieces(part, clean) for part in piece.options))
    if isinstance(piece, AnyOrder):
        return LinePiece(ORDER, parts=tuple(_pieces(part, clean) for part in piece.parts))
    plain = all(isinstance(key, str) for key in piece.keys)
    name = ".".join(map(str, piece.keys)) if plain else None
    if isinstance(piece, TableCell):
        return LinePiece(CELL, piece.table, name, piece.keys)
    return LinePiece(SLOT, piece.slot, name, piece.keys)


def bound(body: Body, field: str) -> Body:
    """A body with the field that was asked for in the place of `*`."""

    def bind(
        piece: LiteralText | Ref | TableCell | AnyOrder | OneOf,
    ) -> LiteralText | Ref | TableCell | AnyOrder | OneOf:
        if isinstance(piece, AnyOrder):
            return AnyOrder(tuple(bound(part, field) for part in piece.parts))
        if isinstance(piece, OneOf):
            return OneOf(tuple(bound(part, field) for part in piece.options))
        if isinstance(piece, LiteralText):
            return piece
        return piece._replace(keys=tuple(field if isinstance(k, Same) else k for k in piece.keys))

    return tuple(bind(piece) for piece in body)


def plain_pieces(body: Body) -> Iterator[LiteralText | Ref | TableCell]:
    """The pieces of a body with those of its choices and orders."""
    for piece in body:
        if isinstance(piece, AnyOrder | OneOf):
            for part in piece.parts if isinstance(piece, AnyOrder) else piece.options:
                yield from plain_pieces(part)
        else:
            yield piece


def asked_slots(body: Body) -> Iterator[str]:
    """The slots that a body names, once for each time."""
    for piece in plain_pieces(body):
        if isinstance(piece, Ref):
            yield piece.slot
        if isinstance(piece, Ref | TableCell):
            yield from (key.slot for key in piece.keys if isinstance(key, Feature))


def table_cells(body: Body) -> Iterator[TableCell]:
    """The cells of tables that a body names."""
    return (piece for piece in plain_pieces(body) if isinstance(piece, TableCell))


def _said(body: Body) -> set[str]:
    """The slots that a body says whatever is chosen."""
    found: set[str] = set()
    for piece in body:
        if isinstance(piece, Ref):
            found.add(piece.slot)
        elif isinstance(piece, AnyOrder):
            found.update(*map(_said, piece.parts))
        elif isinstance(piece, OneOf):
            found |= set.intersection(*map(_said, piece.options))
    return found
