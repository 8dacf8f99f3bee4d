"""Rules and lines of a grammar as they are written: reading them again gives the same."""

from __future__ import annotations

from recombine.grammar.files.notation import quote
from recombine.grammar.model import (
    ANY_FIELD,
    FORM,
    Feature,
    Glue,
    Key,
    Line,
    LiteralText,
    Piece,
    Ref,
    Rule,
    Same,
)


def format_rule(rule: Rule) -> str:
    """A rule as it is written."""
    parts: list[str] = []
    for part in rule.parts:
        name = "" if part.slot == part.symbol.category else f"{part.slot}:"
        parts.append(f"{'*' if part.head else ''}{name}{part.symbol}")
    text = f"{rule.name} : {rule.category} -> {' '.join(parts)}".rstrip()
    if rule.weight != 1:
        text += f" [{_number(rule.weight)}]"
    if rule.tags:
        text += f" {{{' '.join(rule.tags)}}}"
    return text


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and value < 1e15 else repr(value)


def format_line(line: Line) -> str:
    """A line as it is written, without parameters."""
    name = line.rule if line.field == FORM else f"{line.rule}.{line.field}"
    bodies = " | ".join(" ".join(_piece(piece) for piece in body) for body in line.variants)
    return f"{name if line.field != ANY_FIELD else line.rule + '.*'} = {bodies}"


def _piece(piece: Piece) -> str:
    if isinstance(piece, LiteralText):
        return quote(piece.text)
    if isinstance(piece, Glue):
        return "+"
    name = piece.slot if isinstance(piece, Ref) else piece.table
    if piece.keys == (FORM,):
        return name
    dotted = ""
    keys = list(piece.keys)
    while keys and not isinstance(keys[0], Feature):
        key = keys.pop(0)
        dotted += ".*" if isinstance(key, Same) else f".{key}"
    brackets = f"[{', '.join(_key(key) for key in keys)}]" if keys else ""
    return name + dotted + brackets


def _key(key: Key) -> str:
    if isinstance(key, Feature):
        return f"{key.slot}.{key.field}"
    return str(key)
