"""Invent a form for every noun, name and verb of a grammar, and prove that no real one is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from recombine.errors import ConfigError, GrammarError
from recombine.grammar.grammar import Grammar
from recombine.grammar.inflection import Forms
from recombine.grammar.model import FORM
from recombine.grammar.nonce.donors import UNTOUCHED, Donor, Donors
from recombine.grammar.nonce.letters import Letters, Script, WordLists
from recombine.grammar.nonce.proof import NonceProof, Rows, prove
from recombine.grammar.sampling.random_stream import WORDS, Stream

TRIES = 2_000  # for one word
FEW_VALUES = 8  # shown in a message


class Nonce(NamedTuple):
    """What was invented: forms by language and word, words kept as they are, what was looked at."""

    forms: Mapping[str, Rows]
    proof: Mapping[str, NonceProof]
    kept: tuple[str, ...]
    lists: Mapping[str, tuple[str, ...]]  # the word lists of each language that were there

    @property
    def missing(self) -> tuple[str, ...]:
        """The languages without any word list."""
        return tuple(language for language, names in self.lists.items() if not names)


def invent(grammar: Grammar, seed: int, categories: Sequence[str] = ()) -> Nonce:
    """Invent a form for every word of the categories (default: nouns, names and verbs)."""
    inventory = grammar.inventory
    asked = tuple(categories) or tuple(c for c in inventory.words_of if c[0] in "NV")
    for category in asked:
        if category not in inventory.words_of:
            known = ", ".join(inventory.words_of)
            raise ConfigError(f"no words of the category '{category}'", hint=f"known: {known}")
    codes = [code for category in asked for code in inventory.words_of[category]]
    concretes = [grammar.concrete(language) for language in grammar.languages]
    # A word that one language says without a form of its own stays as it is.
    replaced = [
        code
        for code in codes
        if all(concrete.word_forms(code).get(FORM, ("",))[0] for concrete in concretes)
    ]
    forms: dict[str, Rows] = {}
    proof: dict[str, NonceProof] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for language in grammar.languages:
        inventor = _Inventor(grammar, language, replaced, seed)
        lists[language] = inventor.lists.names
        forms[language] = inventor.rows()
        proof[language] = prove(inventor.concrete, inventor.donors, forms[language])
        hint = (
            "a word that is said in several parts needs a regular word beside it that has"
            " the same fields; or choose other --categories"
        )
        if proof[language].real:
            texts = ", ".join(f"'{text}'" for text in proof[language].real[:FEW_VALUES])
            raise GrammarError(
                f"{language}: references would still hold real words: {texts}", hint=hint
            )
        if proof[language].silent:
            texts = ", ".join(f"'{word}'" for word in proof[language].silent[:FEW_VALUES])
            raise GrammarError(
                f"{language}: references would not have a word that their source has: {texts}",
                hint=hint,
            )
    kept = tuple(inventory.labels[code] for code in codes if code not in set(replaced))
    return Nonce(forms, proof, kept, lists)


class _Inventor:
    """Invents the words of one language."""

    def __init__(self, grammar: Grammar, language: str, codes: Sequence[int], seed: int) -> None:
        self.grammar = grammar
        self.language = language
        self.inventory = grammar.inventory
        self.concrete = grammar.concrete(language)
        self.codes = codes
        every = (
            text for forms in self.concrete.forms for texts in forms.values() for text in texts
        )
        self.taken = {text.lower() for text in every}
        script = Script(self.taken)
        self.lists = WordLists(language, script)
        categories = dict.fromkeys(self.inventory.category(code) for code in codes)
        self.donors = Donors(self.concrete, script, categories)
        rows = Stream(seed, f"nonce.{language}").rows()
        numbers = (number for _, row in rows for number in islice(row, WORDS))
        self.letters = Letters(script, self.taken, self.donors.endings, numbers)
        self.invented: dict[str, str] = {}  # old form -> invented form

    def rows(self) -> dict[str, dict[str, str]]:
        """Per word: every field it had, with invented forms."""
        rows: dict[str, dict[str, str]] = {}
        for code in self.codes:
            forms, category = self.concrete.word_forms(code), self.inventory.category(code)
            donors = self.donors.like(category, forms)
            old = forms[FORM][0]
            if old not in self.invented:
                self.invented[old] = self._new(donors[self.letters.below(len(donors))], old)
            new = self.invented[old]
            donor = self.donors.ending(new, category, donors)
            rows[self.inventory.labels[code]] = self._row(category, forms, donor, new)
        return rows

    def _row(self, category: str, forms: Forms, donor: Donor, new: str) -> dict[str, str]:
        """A word's cells: what is made of its form is made of the new one, the rest stays.

        What is neither, such as the noun in a verb of several words, goes: there the invented word
        is said as its donor is, with all that stands beside it.
        """
        row = {FORM: new}
        functions = self.donors.functions(category, forms)
        own = set(forms) - set(UNTOUCHED) - set(functions)
        is_whole = (
            own <= set(donor.changes)
            and not functions.keys() & donor.changes.keys()
            # *zu* is in *zuzuweisen*, and beside what is made of *kaufen*.
            and all(text or not donor.functions.get(field) for field, text in functions.items())
        )
        keys = self.concrete.features.get(category, ())
        for field, texts in forms.items():
            if field == "a_an":
                row[field] = "an" if new[0].lower() in "aeiou" else "a"
            elif field == "sound":
                row[field] = new
            elif field in donor.changes and (not is_whole or field not in functions):
                row[field] = donor.changes[field].of(new)
            elif field in functions and (is_whole or field in keys):
                row[field] = "|".join(text or '""' for text in texts)
            elif field != FORM:
                row[field] = donor.functions.get(field, "") or '""'
        return row

    def _new(self, donor: Donor, old: str) -> str:
        made = self.invented.values()
        for _ in range(TRIES):
            word = self.letters.word(donor.tail, len(old))
            if old[:1].isupper():
                word = word[:1].upper() + word[1:]
            low = word.lower()
            overlaps = not self.concrete.language.join and any(
                low in other.lower() or other.lower() in low for other in made
            )
            if overlaps or self.lists.has(low):
                continue
            if self.taken.isdisjoint((low, *self.donors.inflections(low))):
                self.taken.add(low)
                return word
        raise GrammarError(
            f"{self.language}: no new word that ends in '{donor.tail}' after {TRIES} tries",
            hint="the grammar has more words than its syllables allow; choose fewer --categories",
        )
