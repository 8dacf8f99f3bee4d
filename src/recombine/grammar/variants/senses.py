"""The ways to say a word: its own forms, and those of each synonym.

The forms of one way belong together: *気に入る* takes を where *好きだ* takes が.  So a word has a
list of senses, its own first, each a table of forms; a sense whose feature (the particle of a
clause, the form an infinitive takes) has several values is several senses.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from recombine.errors import GrammarError, raise_all
from recombine.grammar.model import FORM, Feature, LexiconRow, Paradigm, Ref, TableCell
from recombine.grammar.realise.language import Concrete, Forms, by_class, inflect
from recombine.grammar.variants.files import Variants, widen_paradigms
from recombine.grammar.variants.ways import plain_pieces


@dataclass(frozen=True)
class Senses:
    """Every word of one language with all ways to say it."""

    same: Mapping[str, tuple[Forms, ...]]
    # By word and contrast: what says something else, such as the negated verb.
    contrasts: Mapping[tuple[str, str], tuple[Forms, ...]]
    tables: Mapping[str, Forms]
    features: frozenset[str] = field(default=frozenset())
    # By word: how many of its senses are drawn, the first ones; the others are only heard.
    drawn: Mapping[str, int] = field(default_factory=dict)


def find_senses(concrete: Concrete, variants: Variants) -> Senses:
    """Inflect every word and synonym; raises all problems with the rows."""
    problems: list[GrammarError] = []
    language, inventory = concrete.language, concrete.inventory
    paradigms = widen_paradigms(language.paradigms, variants.paradigms)
    classes = by_class(paradigms)
    inflected = {name for one in paradigms for name in one.cells} | {FORM}
    features = _feature_names(concrete, variants)
    rows: dict[str, list[LexiconRow]] = {}
    heard = {id(row) for row in variants.rows[variants.drawn_rows :]}
    for row in variants.rows:
        known = row.id in inventory.codes and inventory.codes[row.id] >= inventory.first_word
        if not known and not row.id.startswith("_"):
            problems.append(GrammarError(f"there is no word '{row.id}'", row.where))
        rows.setdefault(row.id, []).append(row)
    tables = {name: dict(forms) for name, forms in concrete.tables.items()}
    for name, found in rows.items():
        if name.startswith("_"):
            table = tables.setdefault(name, {})
            for row in found:
                for column, cell in row.cells.items():
                    table[column] = (*table.get(column, ()), *cell)
    same: dict[str, tuple[Forms, ...]] = {}
    contrasts: dict[tuple[str, str], tuple[Forms, ...]] = {}
    drawn: dict[str, int] = {}
    for word in inventory.words:
        own = language.rows.get(word.id)
        more = rows.get(word.id, ())
        every: list[Forms] = []
        first = 0
        if own is not None:
            every.append(_own_forms(own, more, classes, problems))
            first = 1
        for row in more:
            if FORM in row.cells:
                forms = inflect(row, classes, problems)
                base = every[0] if own is not None else {}
                kept = {k: v for k, v in base.items() if k not in forms and k not in inflected}
                every.append({**kept, **forms})
                first += id(row) not in heard
        drawn[word.id] = sum(len(_split(forms, features)) for forms in every[:first])
        split = [one for forms in every for one in _split(forms, features)]
        prefixes = tuple(f"{name}." for name in variants.contrasts)
        same[word.id] = tuple(
            {k: v for k, v in forms.items() if not k.startswith(prefixes)} if prefixes else forms
            for forms in split
        )
        for contrast, prefix in zip(variants.contrasts, prefixes, strict=True):
            others = [_contrasted(forms, prefix, inflected) for forms in split]
            contrasts[word.id, contrast] = tuple(one for one in others if one)
    raise_all(problems)
    return Senses(same, contrasts, tables, features, drawn)


def _own_forms(
    own: LexiconRow,
    more: list[LexiconRow] | tuple[()],
    classes: Mapping[str, list[Paradigm]],
    problems: list[GrammarError],
) -> Forms:
    added = [row for row in more if FORM not in row.cells]
    paradigm = next((row.paradigm for row in added if row.paradigm), own.paradigm)
    row = LexiconRow(own.id, own.cells, paradigm, own.where)
    forms = inflect(row, classes, problems)
    for one in added:
        for name, cell in one.cells.items():
            forms[name] = tuple(dict.fromkeys((*forms.get(name, ()), *cell)))
    return forms


def _split(forms: Forms, features: frozenset[str]) -> list[Forms]:
    several = [name for name in forms if name in features and len(forms[name]) > 1]
    return [
        {**forms, **{name: (value,) for name, value in zip(several, values, strict=True)}}
        for values in itertools.product(*(forms[name] for name in several))
    ]


def _contrasted(forms: Forms, prefix: str, inflected: set[str]) -> Forms:
    said = {k.removeprefix(prefix): v for k, v in forms.items() if k.startswith(prefix)}
    if not said:
        return {}
    return {**{k: v for k, v in forms.items() if k not in inflected}, **said}


def _feature_names(concrete: Concrete, variants: Variants) -> frozenset[str]:
    found = {name for fields in concrete.features.values() for name in fields}
    for line in variants.lines:
        for piece in plain_pieces(line.body):
            if isinstance(piece, Ref | TableCell):
                found.update(key.field for key in piece.keys if isinstance(key, Feature))
    return frozenset(found)
