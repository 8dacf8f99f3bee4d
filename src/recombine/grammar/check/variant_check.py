"""What is wrong with the variants of a language: notation, names, and what can never hold.

A line that names a field which nobody asks for is never heard, and neither is a cell of a row; a
line that leaves out a slot says less than what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from recombine.errors import GrammarError
from recombine.grammar.check.language_check import line_problems
from recombine.grammar.compiled import CompiledLanguage, CompiledLexicon, field_name
from recombine.grammar.model import ANY_FIELD, FORM, Feature, Line, Ref, Same, features_of, slots_of
from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.variants.files import Variants, scan_variants
from recombine.grammar.variants.senses import SPELLING, find_senses


def check_variants(
    folder: Path, own: CompiledLanguage, edition: str | None = None
) -> list[GrammarError]:
    """Every problem of the variants of a language that has no problem itself."""
    language = own.language
    variants, problems = scan_variants(folder, language.code, language.params, edition)
    every = find_senses(own, variants, problems)
    tables = every.lexicon.tables
    problems += line_problems(own.inventory, variants.lines, language.code, tables)
    if problems or not (variants.lines or variants.rows or variants.paradigms):
        return problems
    # One form a cell is enough to see what is asked for.
    tables = {
        name: {field: texts[:1] for field, texts in forms.items()} for name, forms in tables.items()
    }
    lexicon = CompiledLexicon(every.lexicon.senses, tables)
    widened = CompiledLanguage(own.inventory, own.language, lexicon, variants.lines)
    asked = _asked_fields(widened, variants)
    problems += _lost_slots(own, variants)
    problems += _unasked_lines(own, variants, asked)
    problems += _unasked_cells(own, variants, asked, every.features)
    return problems


def _asked_fields(widened: CompiledLanguage, variants: Variants) -> Mapping[str, set[str]]:
    """Per category: the fields that lines ask for; "*" where a chain may ask for any."""
    asked: dict[str, set[str]] = {}
    for category, field in ContextFreeGrammar(widened).asked_fields():
        asked.setdefault(category, set()).add(field)
    for line in variants.lines:
        if not line.below:
            continue
        parts = {
            part.slot: part.symbol.category
            for name in reversed(line.chain)
            for part in widened.inventory.rule(widened.inventory.code(name)).parts
        }
        for pieces in line.variants:
            for piece in pieces:
                if isinstance(piece, Ref):
                    is_open = any(isinstance(key, Feature | Same) for key in piece.keys)
                    name = ANY_FIELD if is_open else field_name(piece, ANY_FIELD)
                    asked.setdefault(parts[piece.slot], set()).add(name)
    return asked


def _name(line: Line) -> str:
    left = "/".join(line.chain)
    return left if line.field == FORM else f"{left}.{line.field}"


def _lost_slots(own: CompiledLanguage, variants: Variants) -> Iterator[GrammarError]:
    """Lines of variants that leave out what the language's own line says."""
    for line in variants.lines:
        if line.below or not line.drawn:
            continue
        own_line = own.line(own.inventory.code(line.rule), line.field)
        if own_line is None:
            continue
        always = set.intersection(*(set(slots_of(pieces)) for pieces in own_line.variants))
        always -= _closed_slots(own, line.rule)
        for pieces in line.variants:
            named = {*slots_of(pieces), *(feature.slot for feature in features_of(pieces))}
            if lost := sorted(always - named):
                yield GrammarError(
                    f"the variant of '{_name(line)}' leaves out '{lost[0]}'",
                    line.where,
                    "say it, or move the line to a file CODE.heard.grammar, which is never drawn",
                )
                break


def _closed_slots(own: CompiledLanguage, rule: str) -> set[str]:
    """Slots for words of a closed class, such as articles, which people may leave out."""
    inventory = own.inventory
    return {
        part.slot
        for part in inventory.rule(inventory.code(rule)).parts
        if inventory.is_lexical(part.symbol)
        and all("closed" in inventory.word(code).classes for code in inventory.choices(part.symbol))
    }


def _unasked_lines(
    own: CompiledLanguage, variants: Variants, asked: Mapping[str, set[str]]
) -> Iterator[GrammarError]:
    """Lines none of whose copies (of parameters and `%each`) is about a field asked for."""
    copies: dict[object, list[Line]] = {}
    for line in variants.lines:
        place = (line.where.path, line.where.line) if line.where is not None else line
        copies.setdefault(place, []).append(line)
    for lines in copies.values():
        askable: set[str] = set()
        for line in lines:
            fields = asked.get(own.inventory.category(own.inventory.code(line.rule)), set())
            if line.field in (*fields, ANY_FIELD) or ANY_FIELD in fields:
                break
            askable |= fields
        else:
            names = ", ".join(sorted(askable)) or "none"
            message = f"no line uses the field '{_name(lines[0])}'"
            yield GrammarError(message, lines[0].where, f"fields that lines use: {names}")


def _unasked_cells(
    own: CompiledLanguage,
    variants: Variants,
    asked: Mapping[str, set[str]],
    features: frozenset[str],
) -> Iterator[GrammarError]:
    """Columns of rows and of classes that no line asks of any word."""
    reported: set[str] = set()
    bases = {
        cell.partition(":")[0]
        for paradigm in (*own.language.paradigms, *variants.paradigms)
        for cell in paradigm.cells.values()
        if ":" in cell
    }
    words = [category for category in own.inventory.words_of if category in asked]
    fields = set().union(*(asked[category] for category in words))
    useful = {*fields, *features, *SPELLING, *bases, FORM}
    # A table of forms is filled whole: beside `rec.past` stands `rec.form`.
    families = {name.partition(".")[0] for name in useful if "." in name}
    prefixes = tuple(f"{contrast}." for contrast in variants.contrasts)
    tables = [
        *((row.id, row.cells, row.where) for row in variants.rows if not row.id.startswith("_")),
        *((paradigm.name, paradigm.cells, paradigm.where) for paradigm in variants.paradigms),
    ]
    for label, cells, where in tables:
        for column in cells:
            prefix = next((prefix for prefix in prefixes if column.startswith(prefix)), "")
            name = column.removeprefix(prefix)
            # A cell without text says that the word may go unheard.
            if name in useful or name.partition(".")[0] in families or not any(cells[column]):
                continue
            if ANY_FIELD in fields or column in reported:
                continue
            reported.add(column)
            yield GrammarError(
                f"'{label}': no line uses the column '{column}'",
                where,
                f"columns that lines use: {', '.join(sorted(fields)) or 'none'}",
            )
