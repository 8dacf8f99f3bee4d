"""How the words of a language inflect: which cells are made of a form, and whose changes to take.

A lexicon is a table of strings, so what belongs to a word is read off its cells. A cell is a
*function* cell if the word has it in common with others that have nothing else in common: a feature
(gender), a particle, a separable prefix, an auxiliary. Every other cell is the word's own, and
`change_of` says how it is made of the form. Words all of whose changes are common are regular: they
lend their ending and their changes to what is invented.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.inflection import Forms
from recombine.grammar.model import FORM, LiteralText
from recombine.grammar.nonce.letters import Script

FEW = 3  # words that have a text beside their form, so that it is no part of one of them
ROOT = 5  # letters at the end that words of one root have in common: geben, zurückgeben
FEWEST = 2  # letters of a form that a cell made of it has, but of short forms: *ver*, *vio*
_HIRAGANA = re.compile(r"[\u3041-\u3096]{0,2}\Z")
UNTOUCHED = (FORM, "a_an", "sound")  # columns that are made anew


class FormChange(NamedTuple):
    """How a cell is made of a form: an ending comes off, texts are put before and behind it."""

    strip: str
    add: str
    before: str = ""

    def of(self, form: str) -> str:
        """The cell of a form."""
        return self.before + (form.removesuffix(self.strip) if self.strip else form) + self.add


class Donor(NamedTuple):
    """A word: how it ends, which cells are made of its form and how, and its function cells."""

    tail: str
    changes: Mapping[str, FormChange]
    functions: Mapping[str, str]

    @property
    def is_one_word(self) -> bool:
        """Whether no part of it stands apart, but for what a change puts before its form."""
        texts = (self.tail, *(text for change in self.changes.values() for text in change[:2]))
        return not any(" " in text for text in texts)

    def fits(self, form: str) -> bool:
        """Whether a form ends so that every change can be made of it."""
        return all(form.endswith(change.strip) for change in self.changes.values())


def change_of(form: str, cell: str) -> FormChange | None:
    """What makes a cell of a form; None where no word of the cell has its beginning.

    >>> change_of("aimer", "a aimé")
    FormChange(strip='er', add='é', before='a ')
    """
    starts = [0, *(place + 1 for place, letter in enumerate(cell) if letter == " ")]
    same, start = max((_common(form, cell[at:]), -at) for at in starts)
    return FormChange(form[same:], cell[same - start :], cell[:-start]) if same else None


def _common(one: str, other: str) -> int:
    """How many letters two strings have in common at their beginning."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _roots(forms: Collection[str]) -> int:
    """How many roots forms have: *geben* and *zurückgeben* end alike, and have one.

    >>> _roots({"geben", "zurückgeben", "zu essen geben", "nehmen"})
    2
    """
    return len({form[-ROOT:] for form in forms})


class Donors:
    """The words of one language by the way they inflect, for the categories of some words."""

    def __init__(
        self, compiled: CompiledLanguage, script: Script, categories: Collection[str]
    ) -> None:
        self.compiled = compiled
        self.script = script
        self.every: dict[str, list[Donor]] = {}  # by category, the irregular ones too
        self.regular: dict[str, list[Donor]] = {}
        for category in categories:
            self._sort(category)

    def _sort(self, category: str) -> None:
        words = self.compiled.inventory.words_of[category]
        rows = [forms for code in words if FORM in (forms := self.compiled.word_forms(code))]
        every = [self._donor(category, forms) for forms in rows]
        counts = Counter(pair for donor in every for pair in donor.changes.items())
        # A change is common if a tenth of the words have it, or a few at least.
        floor = max(2, len(rows) // 10)
        covered = [
            len({*donor.functions, *donor.changes, *UNTOUCHED}.intersection(forms))
            for donor, forms in zip(every, rows, strict=True)
        ]
        # A cell that no word has by a change (*geredet*) is asked of none.
        most = max(covered, default=0)
        whole = [
            donor
            for donor, forms, many in zip(every, rows, covered, strict=True)
            if " " not in forms[FORM][0] and many == most
        ]
        regular = [
            donor for donor in whole if all(counts[pair] >= floor for pair in donor.changes.items())
        ]
        self.every[category] = every
        self.regular[category] = regular or whole or every

    def _donor(self, category: str, forms: Forms) -> Donor:
        form, functions = forms[FORM][0], self.functions(category, forms)
        changes = {
            field: change
            for field, variants in forms.items()
            if field not in UNTOUCHED
            and field not in functions
            and (change := change_of(form, variants[0])) is not None
            and self._is_made_of(form, change)
            and not self.own_pieces(category, field, change.before)
        }
        return Donor(self._tail(form, changes.values()), changes, functions)

    def _is_made_of(self, form: str, change: FormChange) -> bool:
        """Whether a change keeps so much of a form that the cell is no stem of its own.

        *brachte* has a letter of *beibringen*, and is not made of it.
        """
        kept = len(form) - len(change.strip)
        short = self.script.is_kana or self.script.is_han or len(form) < 2 * FEWEST
        return short or kept >= FEWEST

    def _tail(self, form: str, changes: Collection[FormChange]) -> str:
        """The end of a word that an invented one keeps: what its changes look at."""
        if " " in form:
            return form[form.rindex(" ") :]
        needed = max((len(change.strip) for change in changes), default=0)
        if self.script.is_kana:
            kana = _HIRAGANA.search(form)
            return form[len(form) - max(needed, len(kana[0]) if kana and changes else 0) :]
        if self.script.is_han:
            return form[len(form) - needed :]  # 送给, 送了: what is given is given with 给
        return form[-max(needed + 1, 2) :].lower()  # one letter more: sacar, saque is not -ar, -e

    def like(self, category: str, forms: Forms) -> list[Donor]:
        """The regular words that are said as a word is; else such as agree as it does."""
        functions = self.functions(category, forms)
        fields = set(forms) - set(UNTOUCHED)
        regular = self.regular[category]
        whole = [
            donor for donor in regular if fields <= {*donor.changes, *donor.functions}
        ] or regular
        whole = [donor for donor in whole if donor.is_one_word] or whole
        alike = [donor for donor in whole if donor.functions == functions]
        if not alike:  # a kind of few words, such as states among events
            alike = [
                donor
                for donor in self.every[category]
                if donor.functions == functions
                and set(donor.changes) == fields - set(functions)
                and donor.is_one_word
            ]
        keys = self.compiled.features.get(category, ())
        agreeing = [
            donor
            for donor in whole
            if all(
                key not in donor.functions or donor.functions[key] == functions.get(key)
                for key in keys
            )
        ]
        return alike or agreeing or whole

    def ending(self, form: str, category: str, like: Sequence[Donor]) -> Donor:
        """Whose changes a form takes: another category's word may have lent it its ending."""
        fields = set(like[0].changes)
        others = [donor for many in self.every.values() for donor in many if donor.is_one_word]
        here = [donor for donor in self.every[category] if donor.is_one_word]
        for donors in ([*like, *self.regular[category]], here, others):
            if self.script.is_han:  # 给 ends as 送给 does, whose 送了 says more
                donors = sorted(donors, key=lambda one: -len(one.tail))
            for donor in donors:
                if form.endswith(donor.tail) and fields <= set(donor.changes) and donor.fits(form):
                    # How it ends is the other word's; what is made so, and what is beside it, is
                    # that of its own kind.
                    changes = {field: donor.changes[field] for field in like[0].changes}
                    return Donor(donor.tail, changes, like[0].functions)
        alike = [donor for donor in like if set(donor.changes) == fields]
        return next((donor for donor in alike if donor.fits(form)), like[0])

    def inflections(self, word: str) -> Iterator[str]:
        """Every form that a word could have by the changes of regular words."""
        for change in self._regular_changes:
            if word.endswith(change.strip):
                yield change.of(word)

    @cached_property
    def _regular_changes(self) -> list[FormChange]:
        every = (donor.changes.values() for donors in self.regular.values() for donor in donors)
        return list(dict.fromkeys(change for changes in every for change in changes))

    @cached_property
    def endings(self) -> str:
        """What is no beginning of a word: function words, and what changes put behind a form."""
        every = (donor.changes.values() for donors in self.every.values() for donor in donors)
        return "".join([*self.literals, *(change.add for changes in every for change in changes)])

    def functions(self, category: str, forms: Forms) -> dict[str, str]:
        """The function cells of a word."""
        return {
            field: variants[0]
            for field, variants in forms.items()
            if field not in UNTOUCHED and self.is_function(category, field, variants[0])
        }

    def is_function(self, category: str, field: str, text: str) -> bool:
        """Whether a cell is no part of the word: a feature, or function words alone."""
        if field in self.compiled.features.get(category, ()):
            return True
        return not self.own_pieces(category, field, text)

    def own_pieces(self, category: str, field: str, text: str) -> list[str]:
        """The parts of a text that are the word's own.

        Function words are said by the language's own lines too, or by several words that have
        nothing else in common.
        """
        if field == FORM:
            return text.split()
        return [
            piece
            for piece in text.split()
            if piece not in self.literals
            and _roots(self._shared.get((category, field, piece), ())) < FEW
        ]

    @cached_property
    def literals(self) -> set[str]:
        """What the language's own lines and tables say."""
        lines = self.compiled.language.lines.values()
        pieces = [piece for line in lines for variant in line.variants for piece in variant]
        tables = self.compiled.tables.values()
        cells = {text for table in tables for cell in table.values() for text in cell}
        return {piece.text for piece in pieces if isinstance(piece, LiteralText)} | cells

    @cached_property
    def _shared(self) -> dict[tuple[str, str, str], set[str]]:
        """Per category, field and piece of text: the forms of the words that have it there."""
        shared: dict[tuple[str, str, str], set[str]] = {}
        for category, codes in self.compiled.inventory.words_of.items():
            for forms in map(self.compiled.word_forms, codes):
                for field, variants in forms.items():
                    for piece in variants[0].split():
                        key = category, field, piece
                        shared.setdefault(key, set()).add(forms.get(FORM, ("",))[0])
        return shared
