"""What is wrong with one language: lines, rows, features, missing forms, endless analyses."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from recombine.errors import GrammarError, Where, did_you_mean
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import (
    Feature,
    Language,
    Line,
    LiteralText,
    Pieces,
    Ref,
    TableCell,
    features_of,
    slots_of,
)
from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.parsing.missing_forms import FEW, LISTED, place_of_lines


def check_language(
    inventory: Inventory, language: Language, partial: bool
) -> Iterator[GrammarError]:
    """Every problem of a language; a `partial` one need not say every word and rule."""
    yield from line_problems(inventory, language.lines.values(), language.code)
    words = inventory.abstract.words
    for row in language.rows.values():
        if not row.id.startswith("_") and row.id not in words:
            yield GrammarError(
                f"{language.code}: '{row.id}' is not in the abstract lexicon",
                row.where,
                did_you_mean(row.id, words),
            )
    compiled = CompiledLanguage(inventory, language)
    yield from compiled.problems
    yield from _check_features(compiled, partial)
    try:
        cfg = ContextFreeGrammar(compiled)
    except GrammarError as error:
        yield error
        return
    yield from cfg.missing.problems(partial)
    yield from _check_circles(cfg)


def line_problems(
    inventory: Inventory, lines: Iterable[Line], language: str, tables: Container[str] | None = None
) -> Iterator[GrammarError]:
    """Lines, variants too, that name a rule, a slot or one of these tables that there is not."""
    rules = inventory.abstract.rules
    for line in lines:
        unknown = next((name for name in line.chain if name not in rules), None)
        if unknown is not None:
            hint = did_you_mean(unknown, rules)
            yield GrammarError(f"{language}: there is no rule '{unknown}'", line.where, hint)
            continue
        slots = dict.fromkeys(part.slot for name in line.chain for part in rules[name].parts)
        for pieces in line.variants:
            for slot in (*slots_of(pieces), *(feature.slot for feature in features_of(pieces))):
                if slot not in slots:
                    yield GrammarError(
                        f"rule '{'/'.join(line.chain)}' has no slot '{slot}'",
                        _point_at(line.where, slot),
                        did_you_mean(slot, slots, f"it has: {', '.join(slots) or 'none'}"),
                    )
            asked = [piece.table for piece in pieces if isinstance(piece, TableCell)]
            for table in asked:
                if tables is not None and table not in tables:
                    yield GrammarError(f"there is no table '{table}'", line.where)


def _point_at(where: Where | None, name: str) -> Where | None:
    """The place of a name on the right side of a line."""
    if where is None or where.text is None:
        return where
    match = re.search(rf"(?<![\w'\"]){re.escape(name)}(?!\w)", where.text[where.text.find("=") :])
    if match is None:
        return where
    column = where.text.find("=") + match.start() + 1
    return where._replace(column=column, width=len(name))


def _check_features(compiled: CompiledLanguage, partial: bool) -> Iterator[GrammarError]:
    """A field that is used as a key must be one string, of all that a language says."""
    inventory, language = compiled.inventory, compiled.language
    with_lines = {rule for rule, _ in language.lines}
    with_cells = {
        name for name, row in language.rows.items() if row.paradigm or any(row.cells.values())
    }
    for category, fields in compiled.features.items():
        for field in fields:
            for code in inventory.rules_of.get(category, ()):
                name = inventory.labels[code]
                own = compiled.line(code, field)
                where, to = place_of_lines(compiled, code)
                if own is None and partial and name not in with_lines:
                    continue
                if own is None:
                    yield GrammarError(
                        f"{language.code}: no line '{name}.{field}', which is used as a feature",
                        where,
                        f'add{to}: {name}.{field} = "..." or {name}.{field} = slot.{field}',
                    )
                elif len(own.variants) > 1 or not _is_feature(own.variants[0]):
                    yield GrammarError(
                        f"{language.code}: '{name}.{field}' is used as a feature and must be one"
                        " literal, one slot.feature or one cell of a _table",
                        own.where if own.field == field else where,
                    )
            lacking = [
                code
                for code in inventory.words_of.get(category, ())
                if field not in compiled.word_forms(code)
                and inventory.labels[code] in (with_cells if partial else language.rows)
            ]
            names = [inventory.labels[code] for code in lacking]
            if len(names) > FEW:
                left = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
                yield GrammarError(
                    f"{language.code}: {len(names)} words of {category} have no '{field}', which is"
                    f" used as a feature: {', '.join(names[:LISTED])}{left}",
                    language.rows[names[0]].where,
                    f"fill the column '{field}'",
                )
                continue
            for name in names:
                yield GrammarError(
                    f"'{name}' has no '{field}', which is used as a feature",
                    language.rows[name].where,
                    f"fill the column '{field}'",
                )


def _is_feature(pieces: Pieces) -> bool:
    (piece, *more) = pieces
    plain = isinstance(piece, Ref) and not any(isinstance(key, Feature) for key in piece.keys)
    return not more and (plain or isinstance(piece, LiteralText | TableCell))


def _check_circles(cfg: ContextFreeGrammar) -> Iterator[GrammarError]:
    """Rules that can repeat without changing the sentence: it would have endless analyses."""
    below: dict[int, dict[int, int]] = {}
    for production in cfg.productions:
        for index, symbol in enumerate(production.right):
            rest = production.right[:index] + production.right[index + 1 :]
            if not cfg.is_terminal[symbol] and all(cfg.nullable[s] for s in rest):
                below.setdefault(production.left, {})[symbol] = production.instance
    reported: set[int] = set()
    for start in below:
        seen: set[int] = set()
        queue = list(below[start])
        while queue:
            symbol = queue.pop()
            if symbol == start:
                instance = next(iter(below[start].values()))
                rule = cfg.inventory.rule(cfg.instances[instance].rule)
                if cfg.instances[instance].rule not in reported:
                    reported.add(cfg.instances[instance].rule)
                    yield GrammarError(
                        f"{cfg.compiled.language.code}: rule '{rule.name}' can repeat"
                        " without changing the sentence: it has endlessly many analyses",
                        rule.where,
                        "let every turn of the circle add a word",
                    )
                break
            if symbol not in seen:
                seen.add(symbol)
                queue.extend(below.get(symbol, ()))
