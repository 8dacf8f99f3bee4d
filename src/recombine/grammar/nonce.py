"""Invented words for a grammar: a benchmark of them is one that no model can have seen.

Every noun, name and verb gets an invented form in each language, in that language's script. Forms
are made of beginnings and vowels of the language's own words and end as a regular word of the same
category and gender does (the *donor*), whose endings they then take: *dowalk, dowalked*; モネる,
モネった. Senses that shared a form share the invented one. None is a word of the lexicons of the
grammar, nor of the word lists that the machine carries; the certificate says which these were.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import ConfigError, GrammarError, MissingExtra
from recombine.files import write_text
from recombine.grammar.files.folder import find_grammar, shipped_grammars
from recombine.grammar.grammar import Grammar
from recombine.grammar.model import FORM, LiteralText
from recombine.grammar.sampling.random_stream import WORDS, Stream
from recombine.grammar.variants.files import FOLDER
from recombine.registry import require

DICTIONARIES = Path("/usr/share/dict")
# The lists that Debian's packages wamerican, wspanish ... put there.
WORD_LISTS = {
    "en": ("american-english", "british-english"),
    "es": ("spanish",),
    "de": ("ngerman", "german"),
    "fr": ("french",),
    "it": ("italian",),
    "nl": ("dutch",),
    "pt": ("portuguese", "brazilian"),
}
TRIES = 2_000  # for one word
FEW_VALUES = 8  # shown in a message
FEW = 3  # words that have a text beside their form, so that it is no part of one of them
UNTOUCHED = (FORM, "a_an", "sound")  # columns that are made anew
_KATAKANA = list("カキクケコサシスセソタチツテトナニヌネノマミムメモラリルレロバビブベボ")
_HIRAGANA = re.compile(r"[\u3041-\u3096]{0,2}\Z")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_VOWELS = "aeiouyаеёиоуыэюяαεηιουω"

Suffix = tuple[str, str]  # what is taken off the form, and what is added


class Donor(NamedTuple):
    """A word: how it ends, which fields are made of its form and how, and what the others say."""

    tail: str
    suffixes: Mapping[str, Suffix]
    constants: Mapping[str, str]


class NonceProof(NamedTuple):
    """How many texts the invented words of a language can say, and which of them are real."""

    texts: int
    real: tuple[str, ...]


class Nonce(NamedTuple):
    """What was invented: forms by language and word, words kept as they are, what was looked at."""

    forms: Mapping[str, Mapping[str, Mapping[str, str]]]
    proof: Mapping[str, NonceProof]
    kept: tuple[str, ...]
    lists: Mapping[str, tuple[str, ...]]  # the word lists of each language that were there
    missing: tuple[str, ...]  # languages without any


def invent(grammar: Grammar, seed: int, categories: Sequence[str] = ()) -> Nonce:
    """Invent a form for every word of the categories (default: nouns, names and verbs)."""
    inventory = grammar.inventory
    wanted = tuple(categories) or tuple(c for c in inventory.words_of if c[0] in "NV")
    for category in wanted:
        if category not in inventory.words_of:
            known = ", ".join(inventory.words_of)
            raise ConfigError(f"no words of the category '{category}'", hint=f"known: {known}")
    codes = [code for category in wanted for code in inventory.words_of[category]]
    concretes = {language: grammar.concrete(language) for language in grammar.languages}
    said = [
        code
        for code in codes
        if all(one.word_forms(code).get(FORM, ("",))[0] for one in concretes.values())
    ]
    forms: dict[str, dict[str, dict[str, str]]] = {}
    proof: dict[str, NonceProof] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for language in grammar.languages:
        inventor = _Inventor(grammar, language, said, seed)
        lists[language] = inventor.lists
        forms[language] = inventor.rows()
        proof[language] = inventor.prove(forms[language])
        if proof[language].real:
            texts = ", ".join(f"'{text}'" for text in proof[language].real[:FEW_VALUES])
            raise GrammarError(
                f"{language}: references would still hold real words: {texts}",
                hint="a word that is said in several parts needs a regular word beside it that has"
                " the same fields; or choose other --categories",
            )
    kept = tuple(inventory.labels[code] for code in codes if code not in set(said))
    return Nonce(
        forms, proof, kept, lists, tuple(code for code, found in lists.items() if not found)
    )


def write_nonce(name: str, seed: int, folder: Path, categories: Sequence[str] = ()) -> Nonce:
    """Write a grammar of invented words: a folder that extends the grammar, with a glossary."""
    if folder.exists():
        raise ConfigError(f"{folder} exists", hint="choose another --out, or remove it")
    grammar = Grammar.load(name)
    nonce = invent(grammar, seed, categories)
    place = find_grammar(name).resolve()
    base = name if name in shipped_grammars() else f'"{place.as_posix()}"'
    if base != name and place.parent == folder.resolve().parent:
        base = f'"../{place.name}"'
    write_text(folder / "abstract.grammar", f"%extends {base}\n")
    # Synonyms of the real words are no way to say the invented ones.
    write_text(folder / FOLDER / "abstract.grammar", "%alone\n")
    for language, rows in nonce.forms.items():
        fields = list(dict.fromkeys(field for row in rows.values() for field in row))
        lines = ["\t".join(["id", "class", *fields])]
        for word, row in rows.items():  # "": the endings are written out, so no class is left
            lines.append("\t".join([word, '""', *(row.get(field, "") for field in fields)]))
        write_text(folder / f"{language}.nonce.lexicon.tsv", "\n".join(lines) + "\n")
    write_text(folder / "glossary.csv", _glossary(grammar, nonce))
    certificate: dict[str, Any] = {
        "grammar": grammar.name,
        "seed": seed,
        "invented": {language: len(rows) for language, rows in nonce.forms.items()},
        "kept": list(nonce.kept),
        # Of every text that an invented word can say in a sentence: none is a form of a word of
        # the grammar that was replaced.
        "texts_compared": {language: proof.texts for language, proof in nonce.proof.items()},
        "real_forms_found": {language: len(proof.real) for language, proof in nonce.proof.items()},
        "none_is_in": {
            language: ["the lexicons of the grammar", *found]
            for language, found in nonce.lists.items()
        },
        "no_word_list_for": list(nonce.missing),
    }
    text = json.dumps(certificate, ensure_ascii=False, indent=2)
    write_text(folder / "nonce.json", text + "\n")
    return nonce


def _glossary(grammar: Grammar, nonce: Nonce) -> str:
    """One row a word: its category and its invented form in each language, for prompts."""
    languages = list(nonce.forms)
    words = list(next(iter(nonce.forms.values()), {}))
    rows = [",".join(["category", *languages])]
    seen: dict[str, None] = {}
    for word in words:
        category = grammar.abstract.words[word].category
        row = ",".join([category, *(nonce.forms[one][word][FORM] for one in languages)])
        if row not in seen:
            seen[row] = None
            rows.append(row)
    return "\n".join(rows) + "\n"


class _Inventor:
    """Invents the words of one language."""

    def __init__(self, grammar: Grammar, language: str, codes: Sequence[int], seed: int) -> None:
        self.grammar = grammar
        self.language = language
        self.codes = codes
        self.concrete = grammar.concrete(language)
        rows = Stream(seed, f"nonce.{language}").rows()
        self._numbers = (number for _, row in rows for number in islice(row, WORDS))
        self.taken: set[str] = {
            form.lower()
            for forms in self.concrete.forms
            for variants in forms.values()
            for form in variants
        }
        letters = "".join(sorted(self.taken))
        self.is_kana = bool(_KANA.search(letters))
        self.is_han = not self.is_kana and bool(_HAN.search(letters))
        self.lists: tuple[str, ...] = ()
        self._is_real = self._word_list()
        self.every: dict[str, list[Donor]] = {}  # by category, the irregular ones too
        self.light: set[str] = set()  # categories whose words are all said with a light verb
        self.donors = self._donors()
        self.invented: dict[str, str] = {}  # old form -> invented form
        self.made: list[str] = []

    def rows(self) -> dict[str, dict[str, str]]:
        """Per word: every field it had, with invented forms."""
        found: dict[str, dict[str, str]] = {}
        for code in self.codes:
            forms = self.concrete.word_forms(code)
            category = self.grammar.inventory.category(code)
            donors = self._alike(category, forms)
            old = forms[FORM][0]
            if old not in self.invented:
                self.invented[old] = self._new(donors[self._below(len(donors))], old)
            new = self.invented[old]
            donor = self._donor_of(new, category, [*donors, *self.donors[category]])
            found[self.grammar.inventory.labels[code]] = self._row(category, forms, donor, new)
        return found

    def prove(self, rows: Mapping[str, Mapping[str, str]]) -> NonceProof:
        """Compare all that the invented words can say with the forms that they replace."""
        inventory = self.grammar.inventory
        real: set[str] = set()
        for code in self.codes:
            category, forms = inventory.category(code), self.concrete.word_forms(code)
            real.update(
                piece.lower()
                for field, variants in forms.items()
                if not self._is_function(category, field, variants[0])
                for text in variants
                for piece in self._own_pieces(category, text)
            )
        texts = [
            (piece, text)
            for word, row in rows.items()
            for code in [inventory.code(word)]
            for field in self.asked.get(code, ())
            if not self._is_function(inventory.category(code), field, row.get(field, ""))
            for text in row.get(field, "").split("|")
            for piece in self._own_pieces(inventory.category(code), text)
        ]
        found = dict.fromkeys(text for piece, text in texts if piece.lower() in real)
        return NonceProof(len(texts), tuple(found))

    def _own_pieces(self, category: str, text: str) -> list[str]:
        """The parts of a text that are the word's own: beside a light verb (*iddia etti*), one."""
        pieces = text.split()
        return pieces[:-1] if len(pieces) > 1 and category in self.light else pieces

    def _is_function(self, category: str, field: str, text: str) -> bool:
        """Whether a cell is no part of the word: a feature, or a function word such as a prefix.

        Such a text is said by the language's own lines too, or by several words that have nothing
        else in common; a feature only chooses what others say.
        """
        if not text or field in self.concrete.features.get(category, ()):
            return True
        return field != FORM and (
            text in self.literals or len(self.shared.get((category, field, text), ())) >= FEW
        )

    @cached_property
    def asked(self) -> dict[int, dict[str, None]]:
        """Per word: the fields that sentences say."""
        found: dict[int, dict[str, None]] = {}
        for code, field in self.grammar.parser(self.language).cfg.word_fields():
            found.setdefault(code, {})[field] = None
        return found

    @cached_property
    def literals(self) -> set[str]:
        """What the language's own lines and tables say."""
        lines = self.concrete.language.lines.values()
        pieces = [piece for line in lines for variant in line.variants for piece in variant]
        cells = [
            text
            for table in self.concrete.tables.values()
            for cell in table.values()
            for text in cell
        ]
        return {piece.text for piece in pieces if isinstance(piece, LiteralText)} | set(cells)

    @cached_property
    def shared(self) -> dict[tuple[str, str, str], set[str]]:
        """Per category, field and text: the forms of the words that have it there."""
        found: dict[tuple[str, str, str], set[str]] = {}
        for category in self.grammar.inventory.words_of:
            for code in self.grammar.inventory.words_of[category]:
                forms = self.concrete.word_forms(code)
                for field, variants in forms.items():
                    key = (category, field, variants[0])
                    found.setdefault(key, set()).add(forms.get(FORM, ("",))[0])
        return found

    def _alike(self, category: str, forms: Mapping[str, tuple[str, ...]]) -> list[Donor]:
        """The regular words that are said as a word is; else such as agree as it does."""
        every = self.donors[category]
        own = {
            field: variants[0]
            for field, variants in forms.items()
            if field not in UNTOUCHED and self._is_function(category, field, variants[0])
        }
        keys = self.concrete.features.get(category, ())
        fields = set(forms) - set(UNTOUCHED)
        whole = [one for one in every if fields <= {*one.suffixes, *one.constants}] or every
        alike = [one for one in whole if one.constants == own]
        if not alike:  # a kind of few words, such as states among events
            made = fields - set(own)
            alike = [
                one
                for one in self.every[category]
                if one.constants == own and set(one.suffixes) == made and _is_one_word(one)
            ]
        agreeing = [
            one
            for one in whole
            if all(one.constants.get(key, own.get(key)) == own.get(key) for key in keys)
        ]
        return alike or agreeing or whole

    def _donor_of(self, new: str, category: str, donors: Sequence[Donor]) -> Donor:
        """Whose endings a form takes: another category's word may have lent it its own."""
        others = [one for many in self.every.values() for one in many if _is_one_word(one)]
        here = [one for one in self.every[category] if _is_one_word(one)]
        fields = set(donors[0].suffixes)
        for candidates in (donors, here, others):
            if self.is_han:  # 给 ends as 送给 does, whose 送了 says more
                candidates = sorted(candidates, key=lambda one: -len(one.tail))
            for donor in candidates:
                if new.endswith(donor.tail) and fields <= set(donor.suffixes) and _fits(donor, new):
                    # How it ends is the other word's; what is made so, and what is beside it, is
                    # that of its own kind.
                    suffixes = {field: donor.suffixes[field] for field in donors[0].suffixes}
                    return Donor(donor.tail, suffixes, donors[0].constants)
        alike = [donor for donor in donors if set(donor.suffixes) == fields]
        return next((donor for donor in alike if _fits(donor, new)), donors[0])

    def _row(
        self, category: str, forms: Mapping[str, tuple[str, ...]], donor: Donor, new: str
    ) -> dict[str, str]:
        """A word's cells: what is made of its form is made of the new one, the rest stays.

        What is neither, such as the noun in a verb of several words, goes: there the invented word
        is said as its donor is, with all that stands beside it.
        """
        row = {FORM: new}
        touched = {field for field in forms if field not in UNTOUCHED}
        functions = {f for f in touched if self._is_function(category, f, forms[f][0])}
        keys = self.concrete.features.get(category, ())
        is_whole = touched - functions <= set(donor.suffixes) and not (
            functions & set(donor.suffixes)
        )
        for field, variants in forms.items():
            if field == "a_an":
                row[field] = "an" if new[0].lower() in "aeiou" else "a"
            elif field == "sound":
                row[field] = new
            elif field in donor.suffixes and (not is_whole or field not in functions):
                strip, add = donor.suffixes[field]
                row[field] = (new.removesuffix(strip) if strip else new) + add
            elif field in functions and (is_whole or field in keys):
                row[field] = "|".join(variant or '""' for variant in variants)
            elif field != FORM:
                row[field] = donor.constants.get(field, "") or '""'
        return row

    def _new(self, donor: Donor, old: str) -> str:
        for _ in range(TRIES):
            word = self._make(donor.tail, old)
            if old[:1].isupper():
                word = word[:1].upper() + word[1:]
            low = word.lower()
            overlaps = not self.concrete.language.join and any(
                low in other or other in low for other in self.made
            )
            if overlaps or self._is_real(low):
                continue
            if self.taken.isdisjoint((low, *self._inflections(low))):
                self.taken.add(low)
                self.made.append(low)
                return word
        raise GrammarError(
            f"{self.language}: no new word that ends in '{donor.tail}' after {TRIES} tries",
            hint="the grammar has more words than its syllables allow; choose fewer --categories",
        )

    @cached_property
    def _suffixes(self) -> list[Suffix]:
        """Every way in which a regular word makes a form."""
        every = (one.suffixes.values() for donors in self.donors.values() for one in donors)
        return list(dict.fromkeys(suffix for suffixes in every for suffix in suffixes))

    def _inflections(self, word: str) -> Iterator[str]:
        """Every form that a word could have: none may be a real word's."""
        for strip, add in self._suffixes:
            if word.endswith(strip):
                yield word.removesuffix(strip) + add

    def _below(self, size: int) -> int:
        return next(self._numbers) % size

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[self._below(len(choices))]

    def _make(self, tail: str, old: str) -> str:
        if self.is_kana:
            return "".join(self._pick(_KATAKANA) for _ in range(2 if tail else 3)) + tail
        if self.is_han:
            size = max(2, min(3, len(old) - len(tail)))
            return "".join(self._pick(self._letters) for _ in range(size)) + tail
        begins, vowels = self._syllables
        short = [begin for begin in begins if len(begin) == 1]
        word = self._pick(begins) + self._pick(vowels) + self._pick(short) + self._pick(vowels)
        letters = unicodedata.normalize("NFD", tail)
        # A y before a vowel is a consonant: apoyar makes predayar, not predamyar.
        if tail and letters[0] in _VOWELS and not (letters[0] == "y" and letters[1:2] in _VOWELS):
            word += self._pick(short)
        return word + tail

    @cached_property
    def _letters(self) -> list[str]:
        """Characters to make words of: none that is a word or an ending by itself (了, 的, 个)."""
        said = {piece for text in self.literals for piece in text}
        said |= {word for word in self.taken if len(word) == 1}
        every = [one for many in self.every.values() for one in many]
        said |= {add for one in every for _, add in one.suffixes.values()}
        letters = {letter for word in self.taken for letter in word if _HAN.match(letter)}
        return sorted(letters - set("".join(said)))

    @cached_property
    def _syllables(self) -> tuple[list[str], list[str]]:
        """Beginnings of words before their first vowel, and single vowels, as often as they are."""
        begins: list[str] = []
        vowels: list[str] = []
        for word in sorted(self.taken):
            match = re.match(rf"([^\W\d_]*?)([{_VOWELS}])", word)
            if match and 0 < len(match[1]) <= 2 and not match[1].endswith("q"):
                begins.append(match[1])
                vowels.append(match[2])
        common = {begin for begin, count in Counter(begins).items() if count >= 3}
        begins = [begin for begin in begins if begin in common] or ["b", "d", "k", "m", "t"]
        return begins, [vowel for vowel in vowels if vowel != "y"] or list("aeiou")

    def _donors(self) -> dict[str, list[Donor]]:
        """Per category: words whose every suffix is common, with how they end."""
        inventory = self.grammar.inventory
        found: dict[str, list[Donor]] = {}
        for category in dict.fromkeys(inventory.category(code) for code in self.codes):
            words = [self.concrete.word_forms(c) for c in inventory.words_of[category]]
            words = [forms for forms in words if FORM in forms]
            constants = [
                {
                    field: variants[0]
                    for field, variants in forms.items()
                    if field not in UNTOUCHED and self._is_function(category, field, variants[0])
                }
                for forms in words
            ]
            suffixes = [
                {
                    field: suffix
                    for field, variants in forms.items()
                    if field not in UNTOUCHED
                    and field not in fixed
                    and (suffix := _suffix(forms[FORM][0], variants[0])) is not None
                }
                for forms, fixed in zip(words, constants, strict=True)
            ]
            counts = Counter((field, s) for one in suffixes for field, s in one.items())
            # A suffix is regular if a tenth of the words have it, or a few at least.
            floor = max(2, len(words) // 10)
            self.every[category] = []
            regular: list[Donor] = []
            for forms, fixed, made in zip(words, constants, suffixes, strict=True):
                donor = Donor(self._tail(forms[FORM][0], made), made, fixed)
                self.every[category].append(donor)
                if (
                    " " not in forms[FORM][0]
                    and {*forms} <= {*fixed, *made, *UNTOUCHED}
                    and all(counts[field, suffix] >= floor for field, suffix in made.items())
                ):
                    regular.append(donor)
            found[category] = regular or self.every[category]
            if not regular and any(" " in forms[FORM][0] for forms in words):
                self.light.add(category)
        return found

    def _tail(self, form: str, suffixes: Mapping[str, Suffix]) -> str:
        """The end of a regular word that an invented one keeps: what its suffixes look at."""
        if " " in form:  # a light verb stays
            return form[form.rindex(" ") :]
        needed = max((len(strip) for strip, _ in suffixes.values()), default=0)
        if self.is_kana:
            kana = _HIRAGANA.search(form)
            return form[len(form) - max(needed, len(kana[0]) if kana and suffixes else 0) :]
        if self.is_han:
            return form[len(form) - needed :]  # 送给, 送了: what is given is given with 给
        return form[-max(needed + 1, 2) :].lower()  # one letter more: sacar, saque is not -ar, -e

    def _word_list(self) -> Callable[[str], bool]:
        if self.is_kana:
            return self._sudachi()
        names = WORD_LISTS.get(self.language.partition("-")[0], ())
        files = [DICTIONARIES / name for name in names if (DICTIONARIES / name).is_file()]
        self.lists = tuple(path.name for path in files)
        words = {
            unicodedata.normalize("NFC", line.strip()).lower()
            for path in files
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        }
        return words.__contains__

    def _sudachi(self) -> Callable[[str], bool]:
        """Whether a text is one word of Sudachi's dictionary, where that is installed."""
        try:
            module = require("sudachipy", extra="ja", feature="looking up Japanese words")
            analyse = module.Dictionary().create().tokenize
        except (MissingExtra, ImportError, OSError):  # no package, or no dictionary beside it
            return lambda _: False
        self.lists = ("Sudachi",)

        def is_real(text: str) -> bool:
            found = analyse(text)
            return len(found) == 1 and not found[0].is_oov()

        return is_real


def _fits(donor: Donor, new: str) -> bool:
    return all(new.endswith(strip) for strip, _ in donor.suffixes.values())


def _is_one_word(donor: Donor) -> bool:
    return " " not in "".join(
        (donor.tail, *(text for pair in donor.suffixes.values() for text in pair))
    )


def _suffix(form: str, other: str) -> Suffix | None:
    """What makes another form of a form; None where they have no stem in common."""
    same = 0
    while same < min(len(form), len(other)) and form[same] == other[same]:
        same += 1
    return (form[same:], other[same:]) if same else None
