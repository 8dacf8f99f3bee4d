"""Write a grammar as files: reading them again gives an equal grammar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from recombine.files import write_text
from recombine.grammar.files.notation import quote
from recombine.grammar.model import (
    ANY_FIELD,
    FORM,
    Abstract,
    Feature,
    Glue,
    GrammarSource,
    Key,
    Language,
    Line,
    LiteralText,
    Piece,
    Ref,
    Rule,
    Same,
    Touch,
)


def write_grammar(source: GrammarSource, folder: Path) -> None:
    """Write every file of a grammar; an edition is written out in full."""
    write_text(folder / "abstract.grammar", format_abstract(source.abstract))
    if source.abstract.words:
        write_text(folder / "abstract.lexicon.tsv", _words(source.abstract))
    if source.abstract.pairs:
        write_text(folder / "abstract.pairs.tsv", _pairs(source.abstract))
    for code, language in source.languages.items():
        write_text(folder / f"{code}.grammar", format_language(language))
        if language.rows:
            write_text(folder / f"{code}.lexicon.tsv", _rows(language))
        if language.paradigms:
            write_text(folder / f"{code}.paradigms.tsv", _paradigms(language))


def format_abstract(abstract: Abstract) -> str:
    """The text of an abstract grammar."""
    lines = [f"%start {' '.join(abstract.start)}"]
    if abstract.edition:
        lines.append(f"%edition {abstract.edition}")
    lines.extend(f"%zipf {exponent!r} : {name}" for name, exponent in abstract.zipf.items())
    for selection in abstract.selections:
        places = " | ".join(
            f"{place.rule}.{place.governor} {place.rule}.{place.dependent}"
            for place in selection.places
        )
        direct = " direct" if selection.direct else ""
        fallback = " else " + " ".join(selection.fallback) if selection.fallback else ""
        lines.append(f"%select {selection.role} : {places}{direct}{fallback}")
    for preference in abstract.preferences:
        label = f"{{{preference.label}}}" if preference.is_tag else preference.label
        lines.append(f"%prefer {preference.kind} {label}")
    lines.append("")
    lines.extend(format_rule(rule) for rule in abstract.rules.values())
    return "\n".join(lines) + "\n"


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


def format_language(language: Language) -> str:
    """The text of a concrete grammar; lines with parameters are written out."""
    lines = [f"%join {quote(language.join)}", f"%root {language.root}"]
    if language.post:
        lines.append(f"%post {' '.join(language.post)}")
    lines.extend(_touch(touch) for touch in language.touches)
    if language.unmarked:
        lines.append(f"%unmarked {' '.join(language.unmarked)}")
    lines.append("")
    lines.extend(format_line(line) for line in language.lines.values())
    return "\n".join(lines) + "\n"


def _touch(touch: Touch) -> str:
    text = f"%touch {'+ ' * touch.attached}{quote(touch.old)} -> {quote(touch.new)}"
    text += " +" * touch.glued
    for side, sounds in (("before", touch.before), ("after", touch.after)):
        if sounds is not None:
            but = " but " + " ".join(map(quote, sounds.but)) if sounds.but else ""
            text += f" {side} {' '.join(map(quote, sounds.like))}{but}"
    return text


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


def _table(header: list[str], rows: Iterable[Mapping[str, str]]) -> str:
    lines = ["\t".join(header)]
    lines.extend("\t".join(row.get(name, "") for name in header) for row in rows)
    return "\n".join(line.rstrip("\t") for line in lines) + "\n"


def _words(abstract: Abstract) -> str:
    return _table(
        ["id", "cat", "weight", "rank", "classes", "gloss"],
        [
            {
                "id": word.id,
                "cat": word.category,
                "weight": "" if word.weight == 1 else repr(word.weight),
                "rank": "" if word.rank is None else repr(word.rank),
                "classes": " ".join(word.classes),
                "gloss": word.gloss,
            }
            for word in abstract.words.values()
        ],
    )


def _pairs(abstract: Abstract) -> str:
    return _table(
        ["role", "governor", "dependent"],
        [
            {"role": role, "governor": governor, "dependent": dependent}
            for (role, governor), dependents in abstract.pairs.items()
            for dependent in dependents
        ],
    )


def _rows(language: Language) -> str:
    fields = list(dict.fromkeys(name for row in language.rows.values() for name in row.cells))
    return _table(
        ["id", "class", *fields],
        [
            {
                "id": row.id,
                "class": row.paradigm,
                **{name: "|".join(v or '""' for v in cell) for name, cell in row.cells.items()},
            }
            for row in language.rows.values()
        ],
    )


def _paradigms(language: Language) -> str:
    fields = list(dict.fromkeys(name for row in language.paradigms for name in row.cells))
    return _table(
        ["class", "ending", *fields],
        [{"class": row.name, "ending": row.ending, **row.cells} for row in language.paradigms],
    )


__all__ = ["format_abstract", "format_language", "format_line", "format_rule", "write_grammar"]
