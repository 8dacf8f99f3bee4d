"""What a text without any reading still tells: which of its words nobody knows, and what it lacks.

A text that cannot be read may be right.  It is surely no translation where it is of the source
language, or has no word of the target language; and it has left something out where it lacks forms
of more words than its unknown words could stand for.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from recombine.grammar import Grammar
from recombine.grammar.model import FORM, LiteralText
from recombine.grammar.parsing.lattice import Cutter
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings

# Languages written without spaces: a word of theirs cannot be told from its neighbour.
UNSPACED = frozenset({"ja", "zh"})
# So many words, of which the target language has none, are no translation.
FEWEST_WORDS = 3
FEW = 12  # words with one form in common; more have it beside what is their own
STEM = 4  # letters that a form has in common with another of its word
SHOWN_LETTERS = 8  # of a text that is not understood, where nothing says where its word ends
_WORD = re.compile(r"[^\W\d_]+")


class OwnForms:
    """The forms of words that are theirs: an auxiliary is a form of very many verbs."""

    def __init__(self, wordings: Wordings) -> None:
        self.wordings = wordings

    def of(self, code: int) -> list[str]:
        """The forms of a word that few others have; none where it may go unheard."""
        return [form for form in sorted(self._forms(code)) if self._sharing[form] <= FEW]

    def _forms(self, code: int) -> set[str]:
        """All forms of a word, and what tables say for it."""
        wordings = self.wordings
        senses = wordings.senses(code)
        if not all(any(forms.get(FORM, ())) for forms in senses):
            return set()
        cells = [cell for forms in senses for cell in forms.values()]
        cells += [cell for name in wordings.tables_of(code) for cell in name.values()]
        return {wordings.cleaned(text) for cell in cells for text in cell if text}

    @cached_property
    def _sharing(self) -> Counter[str]:
        inventory = self.wordings.inventory
        codes = range(inventory.first_word, inventory.first_word + len(inventory.words))
        return Counter(form for code in codes for form in self._forms(code))


class UnreadTexts:
    """Tells about texts of one language that have no reading."""

    def __init__(
        self, grammar: Grammar, wordings: Wordings, cutter: Cutter, source: str, target: str
    ) -> None:
        self.grammar = grammar
        self.wordings = wordings
        self.own_forms = OwnForms(wordings)
        self.cutter = cutter
        self.source = source
        self.target = target

    def no_translation(self, hypothesis: str) -> str:
        """Why a text is surely no translation; empty where it may be one.

        A sentence of the source language, or not one word (of a language without spaces: letter)
        that the target language has and the source language has not. Names tell nothing.
        """
        said = self.wordings.clean(hypothesis).casefold()
        words = list(said) if self.target in UNSPACED else _WORD.findall(said)
        enough = len(words) >= FEWEST_WORDS  # "Emma döste" has one word, which nobody listed
        if enough and self._target_words and self._target_words.isdisjoint(words):
            return "no word of the target language"
        if self.source != self.target and self.grammar.parse(hypothesis, self.source).ok:
            return "it is still in the source language"
        return ""

    @cached_property
    def _target_words(self) -> frozenset[str]:
        """What only the target language says, as it is said: words, or letters without spaces."""
        said: dict[str, set[str]] = {}
        inventory = self.grammar.inventory
        for language in (self.target, self.source):
            concrete = self.grammar.concrete(language)
            codes = range(inventory.first_word, inventory.first_word + len(inventory.words))
            texts = {
                text
                for code in codes
                for forms in concrete.word_forms(code).values()
                for text in forms
                if text
            }
            lines = list(concrete.language.lines.values())
            lines += self.wordings.variants.lines if language == self.target else ()
            texts |= {
                piece.text
                for line in lines
                for variant in line.variants
                for piece in variant
                if isinstance(piece, LiteralText)
            }
            letters = self.target in UNSPACED
            said[language] = {
                word
                for text in texts
                for word in (text if letters else _WORD.findall(text.casefold()))
            }
        if self.source == self.target:
            return frozenset()
        return frozenset(said[self.target] - said[self.source])

    def unknown_words(self, hypothesis: str) -> list[str]:
        """The words that no text of the language has; without spaces, where the first begins."""
        join, unknown = self.wordings.join, []
        rest = self.wordings.clean(hypothesis)
        while rest:
            lattice = self.cutter.cut(rest)
            if lattice.complete:
                break
            stopped = lattice.furthest
            if not join:
                return [rest[stopped:][:SHOWN_LETTERS]]
            word, _, rest = rest[rest.rfind(join, 0, stopped + 1) + 1 :].partition(join)
            unknown.append(word)
        return unknown

    def unsaid(self, meant: Tree, hypothesis: str) -> tuple[str, ...]:
        """The words of a tree of which a text has no form, but for articles and their like."""
        inventory, cleaned = meant.inventory, self.wordings.clean(hypothesis)
        text = self.wordings.spelled(cleaned)

        def is_said(form: str) -> bool:
            if not self.wordings.join or " " in form:
                return text.has(form)
            # *tenu* is not in *détenu*; *esperó* may be another form of *esperaba*.
            rest = r"\w*" if len(form) > STEM else ""
            return bool(re.search(rf"(?<!\w){re.escape(form[:STEM])}{rest}(?!\w)", cleaned))

        own = {
            inventory.labels[code]: self.own_forms.of(code)
            for code in meant.codes
            if inventory.is_word(code) and "closed" not in inventory.word(code).classes
        }
        return tuple(word for word, forms in own.items() if forms and not any(map(is_said, forms)))
