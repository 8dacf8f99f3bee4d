"""The rows and forms of a language with its variants, as texts are compared with them.

Texts are compared without the marks that say nothing and without case, spaces as one, and with the
touches of the language undone. What is looked up once is remembered.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import NamedTuple

from recombine.errors import GrammarError, raise_all
from recombine.grammar.check.language_check import line_problems
from recombine.grammar.compiled import (
    CompiledConstituent,
    CompiledLanguage,
    Construction,
    OneOf,
    PartField,
)
from recombine.grammar.inflection import Forms
from recombine.grammar.model import Glue, TableCell, features_of, slots_of
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.realise.spelling import SpelledText, undoings
from recombine.grammar.variants.files import Variants
from recombine.grammar.variants.senses import find_senses


class RowTrie:
    """The rows of a field as texts are matched: rows that begin alike share their beginning."""

    __slots__ = ("_following", "ends", "parts", "silent", "texts")

    def __init__(self) -> None:
        self.ends = False
        self.parts: list[tuple[PartField, RowTrie]] = []
        self.texts: dict[str, list[tuple[str, RowTrie]]] = {}  # by their first letter
        self.silent: list[RowTrie] = []  # what follows a text that may be nothing
        self._following: dict[PartField | tuple[str, ...], RowTrie] = {}

    def after(self, symbol: PartField | tuple[str, ...]) -> RowTrie:
        """What follows a part, or one of some texts."""
        found = self._following.get(symbol)
        if found is None:
            found = self._following[symbol] = RowTrie()
            if isinstance(symbol, PartField):
                self.parts.append((symbol, found))
            else:
                for text in symbol:
                    if text:
                        self.texts.setdefault(text[0], []).append((text, found))
                    else:
                        self.silent.append(found)
        return found


class LineUse(NamedTuple):
    """How the lines of a field use their parts."""

    keys: tuple[int, ...]  # whose features choose what is said
    repeated: tuple[int, ...]  # asked twice, so that both must be one sense of a word
    always: frozenset[int]  # said, whichever line is chosen


class WordingTable:
    """All that one language can say, and how texts are compared with it."""

    def __init__(self, own: CompiledLanguage, variants: Variants) -> None:
        problems: list[GrammarError] = []
        every = find_senses(own, variants, problems)
        lexicon, code = every.lexicon, own.language.code
        problems += line_problems(own.inventory, variants.lines, code, lexicon.tables)
        raise_all(problems)
        self.variants = variants
        self.contrasts: Mapping[tuple[str, str], tuple[Forms, ...]] = every.contrasts
        self.compiled = CompiledLanguage(own.inventory, own.language, lexicon, variants.lines)
        self.inventory = own.inventory
        self.join = own.language.join
        self._picking = every.features
        self._undoings = undoings(own.language, self._plain)
        # Every text asks the same of the table again.
        self.cleaned = cache(self.clean)
        self.strings = cache(self._strings)
        self.trie = cache(self._trie)
        self.use = cache(self._use)
        self.sense_forms = cache(self._sense_forms)
        self.any_form = cache(self._any_form)
        self.placements = cache(self._placements)

    @cached_property
    def realiser(self) -> Realiser:
        """Spells what is drawn, with the sounds of the synonyms too."""
        return Realiser(self.compiled)

    # Texts.

    def _plain(self, text: str) -> str:
        text = unicodedata.normalize("NFKC", text).casefold()
        ignored = self.variants.ignored
        if "’" not in ignored:
            text = text.replace("’", "'")
        return "".join(letter for letter in text if letter not in ignored)

    def clean(self, text: str) -> str:
        """A text without the marks and spaces that say nothing."""
        text = self.join.join(self._plain(text).split())
        if self.join:  # *Qu'est - ce que*: a tokeniser's marks
            text = text.replace(" - ", "-")
        return text.rstrip("".join(self.variants.final)).rstrip()

    def spelled(self, cleaned: str) -> SpelledText:
        """A cleaned text with its touches undone."""
        return SpelledText(cleaned, self._undoings)

    # What a text is matched with.

    def _strings(self, code: int, field: str, senses: int) -> dict[str, tuple[str, ...]]:
        """The cleaned forms of a word's field in some senses (as bits), by their first letter."""
        texts = dict.fromkeys(
            self.cleaned(text)
            for number, sense in enumerate(self.senses(code))
            if senses >> number & 1
            for text in sense.get(field, ())
        )
        letters: dict[str, list[str]] = {}
        for text in texts:
            letters.setdefault(text[:1], []).append(text)
        return {letter: tuple(more) for letter, more in letters.items()}

    def senses(self, code: int) -> list[Forms]:
        """The forms of every sense of a word."""
        senses = self.compiled.senses[code - self.inventory.first_word]
        return [sense.forms for sense in senses]

    def _trie(self, constituent: CompiledConstituent, field: str) -> RowTrie:
        """The rows of a field of a constituent."""
        trie = RowTrie()
        expansion = self.compiled.expansion(constituent, field)
        for row in expansion.rows if expansion is not None else ():
            node = trie
            for symbol in row.symbols:
                if isinstance(symbol, PartField):
                    node = node.after(symbol)
                elif not isinstance(symbol, Glue):
                    texts = symbol.texts if isinstance(symbol, OneOf) else (symbol,)
                    cleaned = tuple(dict.fromkeys(map(self.cleaned, texts)))
                    node = node.after(cleaned) if any(cleaned) else node
            node.ends = True
        return trie

    def _use(self, construction: Construction, field: str) -> LineUse | None:
        """How the lines of a field use their parts; None where there is no line."""
        lines = self.compiled.lines(construction, field)
        bodies = [pieces for line in lines for pieces in line.variants]
        if not bodies:
            return None
        slots = construction.slots
        asked = [list(slots_of(body)) for body in bodies]
        keys = {feature.slot for body in bodies for feature in features_of(body)}
        repeated = {slot for body in asked for slot in body if body.count(slot) > 1}
        always = set.intersection(*map(set, asked))
        return LineUse(
            tuple(sorted(slots[slot] for slot in keys if slot in slots)),
            tuple(sorted(slots[slot] for slot in repeated if slot in slots)),
            frozenset(slots[slot] for slot in always if slot in slots),
        )

    def _sense_forms(self, code: int, sense: int) -> tuple[str, ...]:
        """Every form of one sense of a word; none where one of them is silent."""
        texts = {
            self.cleaned(text)
            for name, more in self.senses(code)[sense].items()
            if name not in self._picking
            for text in more
        }
        return () if "" in texts else _shortest(texts)

    def _any_form(self, code: int) -> tuple[str, ...]:
        """Every form of a word that could be heard; none where it may go unheard.

        A word may be silent, or only choose a cell of a table (`_receive[VD.gets]`).
        """
        senses = self.senses(code)
        heard = [self.sense_forms(code, index) for index in range(len(senses))]
        picks = any(name in self._picking_tables for forms in senses for name in forms)
        return () if picks or not all(heard) else _shortest(itertools.chain(*heard))

    def _placements(self, code: int) -> tuple[int, ...]:
        """The senses of a word by where they are silent, as bits; none where they agree.

        *nouveau* stands before its noun and *neuf* behind it, each in a field of its own: two
        senses disagree if each is said in a field in which the other is silent.
        """
        bits: dict[frozenset[str], int] = {}
        said: dict[frozenset[str], set[str]] = {}
        for number, sense in enumerate(self.senses(code)):
            silent = {name for name, forms in sense.items() if "" in map(self.cleaned, forms)}
            key = frozenset(silent - self._picking)
            bits[key] = bits.get(key, 0) | 1 << number
            said.setdefault(key, set()).update(sense.keys() - silent - self._picking)
        disagree = any(
            said[first] & second and said[second] & first
            for first, second in itertools.combinations(bits, 2)
        )
        return tuple(bits.values()) if disagree else ()

    def tables_of(self, code: int) -> list[Forms]:
        """The tables of which a feature of a word chooses a cell, so that it may be said there."""
        fields = {name for forms in self.senses(code) for name in forms}
        names = (table for name in fields for table in self._picking_tables.get(name, ()))
        return [self.compiled.tables[name] for name in sorted(set(names))]

    @cached_property
    def _picking_tables(self) -> Mapping[str, frozenset[str]]:
        """The features by which lines of variants choose a cell, with the tables."""
        found: dict[str, set[str]] = {}
        for line in self.variants.lines:
            for piece in itertools.chain(*line.variants):
                if isinstance(piece, TableCell):
                    for feature in features_of((piece,)):
                        found.setdefault(feature.field, set()).add(piece.table)
        return {field: frozenset(tables) for field, tables in found.items()}


def _shortest(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that contain no other: most forms of a verb begin with another."""
    found: list[str] = []
    for text in sorted(set(texts), key=lambda text: (len(text), text)):
        if not any(short in text for short in found):
            found.append(text)
    return tuple(found)
