"""The ways to say a word: its own forms, and those of each synonym.

The forms of one way belong together: *気に入る* takes を where *好きだ* takes が. So a word has a
list of senses, its own first, each a table of forms; a sense whose feature (the particle of a
clause, the form an infinitive takes) has several values is several senses.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.compiled import CompiledLanguage, CompiledLexicon, Sense
from recombine.grammar.inflection import Forms, by_class, inflect
from recombine.grammar.model import FORM, LexiconRow, features_of
from recombine.grammar.variants.files import Variants, widen_paradigms

SPELLING = ("sound", "a_an")  # columns about how a word is spelt beside others


class VariantLexicon(NamedTuple):
    """Every word of one language with all ways to say it."""

    lexicon: CompiledLexicon
    # By word and contrast: what says something else, such as the negated verb.
    contrasts: Mapping[tuple[str, str], tuple[Forms, ...]]
    features: frozenset[str]  # fields that pick others and are not heard


def find_senses(
    own: CompiledLanguage, variants: Variants, problems: list[GrammarError]
) -> VariantLexicon:
    """Inflect every word and synonym; what is wrong with the rows joins `problems`."""
    inventory = own.inventory
    inflector = _Inflector(own, variants, problems)
    rows: dict[str, list[LexiconRow]] = {}
    for row in variants.rows:
        known = row.id in inventory.codes and inventory.codes[row.id] >= inventory.first_word
        if not known and not row.id.startswith("_"):
            problems.append(GrammarError(f"there is no word '{row.id}'", row.where))
        rows.setdefault(row.id, []).append(row)
    tables = {name: dict(forms) for name, forms in own.tables.items()}
    for name, found in rows.items():
        if name.startswith("_"):
            table = tables.setdefault(name, {})
            for row in found:
                for column, cell in row.cells.items():
                    table[column] = (*table.get(column, ()), *cell)
    senses: list[tuple[Sense, ...]] = []
    contrasts: dict[tuple[str, str], tuple[Forms, ...]] = {}
    prefixes = {name: f"{name}." for name in variants.contrasts}
    for word in inventory.words:
        every = list(inflector.senses(word.id, rows.get(word.id, ())))
        plain = tuple(prefixes.values())
        senses.append(
            tuple(
                Sense(
                    {k: v for k, v in sense.forms.items() if not k.startswith(plain)}, sense.drawn
                )
                for sense in every
            )
            if plain
            else tuple(every)
        )
        for contrast, prefix in prefixes.items():
            others = [inflector.contrasted(sense.forms, prefix) for sense in every]
            contrasts[word.id, contrast] = tuple(forms for forms in others if forms)
    return VariantLexicon(CompiledLexicon(senses, tables), contrasts, inflector.features)


class _Inflector:
    """Makes the forms of words and synonyms by the paradigms of a language and its variants."""

    def __init__(
        self, own: CompiledLanguage, variants: Variants, problems: list[GrammarError]
    ) -> None:
        self.rows = own.language.rows
        self.problems = problems
        self.also = variants.also
        paradigms = widen_paradigms(own.language.paradigms, variants.paradigms)
        self.classes = by_class(paradigms)
        for name in dict.fromkeys(name for pair in variants.also for name in pair[:2]):
            if name not in self.classes:
                known = ", ".join(sorted(self.classes)) or "none"
                problems.append(
                    GrammarError(
                        f"%also: no paradigm '{name}'", own.language.where, f"known: {known}"
                    )
                )
        # What a synonym does not have from its word: its forms, and how they sound.
        self.inflected = {name for paradigm in paradigms for name in paradigm.cells} | {
            FORM,
            *SPELLING,
        }
        self.features = frozenset(
            name for fields in own.features.values() for name in fields
        ) | frozenset(
            feature.field
            for line in variants.lines
            for pieces in line.variants
            for feature in features_of(pieces)
        )

    def senses(self, word: str, more: Sequence[LexiconRow]) -> Iterator[Sense]:
        """Every way to say a word; those that are drawn come first."""
        own = self.rows.get(word)
        base: Forms = {}
        drawn: list[Sense] = []
        heard: list[Sense] = []
        if own is not None:
            row = _added(own, more)
            base = inflect(row, self.classes, self.problems)
            for extra in more:
                if FORM not in extra.cells:
                    for name, cell in extra.cells.items():
                        base[name] = tuple(dict.fromkeys((*base.get(name, ()), *cell)))
            drawn.append(Sense(base))
            for name, other, is_drawn in self.also:
                if name == row.paradigm and other in self.classes:
                    forms = self._as(row, base, other)
                    (drawn if is_drawn else heard).append(Sense(forms, is_drawn))
        for extra in more:
            if FORM in extra.cells:
                forms = inflect(extra, self.classes, self.problems)
                left = self.inflected | set(forms)
                kept = {name: cell for name, cell in base.items() if name not in left}
                (drawn if extra.drawn else heard).append(Sense({**kept, **forms}, extra.drawn))
        for sense in (*drawn, *heard):
            yield from self._split(sense)

    def _as(self, row: LexiconRow, base: Forms, paradigm: str) -> Forms:
        """The forms of a word by another class; what that class does not say stays."""
        made = {name for class_row in self.classes[paradigm] for name in class_row.cells}
        cells = {name: cell for name, cell in base.items() if name not in made}
        return inflect(LexiconRow(row.id, cells, paradigm, row.where), self.classes, self.problems)

    def _split(self, sense: Sense) -> Iterator[Sense]:
        forms = sense.forms
        several = [name for name in forms if name in self.features and len(forms[name]) > 1]
        for values in itertools.product(*(forms[name] for name in several)):
            chosen = {name: (value,) for name, value in zip(several, values, strict=True)}
            yield Sense({**forms, **chosen}, sense.drawn)

    def contrasted(self, forms: Forms, prefix: str) -> Forms:
        """The forms of a word in a contrast; none where the files say none."""
        cells = {k.removeprefix(prefix): v for k, v in forms.items() if k.startswith(prefix)}
        if not cells:
            return {}
        return {**{k: v for k, v in forms.items() if k not in self.inflected}, **cells}


def _added(own: LexiconRow, more: Sequence[LexiconRow]) -> LexiconRow:
    """A word's own row, with the class that variants may give it."""
    classes = (row.paradigm for row in more if row.paradigm and FORM not in row.cells)
    return dataclasses.replace(own, paradigm=next(classes, own.paradigm))
