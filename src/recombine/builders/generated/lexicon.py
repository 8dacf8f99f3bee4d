"""Lexicon: the words of source sentences, their forms and lemmas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recombine.grammar import Grammar
from recombine.grammar.model import LiteralText

MARKS = ".?!,。？"


class Lexicon:
    """Words of one language: by the text where spaces part them, else by the grammar."""

    def __init__(self, grammar: Grammar, language: str) -> None:
        self.inventory = grammar.inventory
        self._concrete = grammar.concrete(language)
        self._grammar = grammar
        self._language = language
        self.spaced = " " in self._concrete.language.join
        own = self._concrete.language
        self._elided = tuple(touch.new for touch in own.touches if touch.glued)
        self._capitals = bool({"capitalise", "sentence_case"} & set(own.post))
        # Whether words are what stands between spaces.
        self.plain = self.spaced and not self._elided and not self._capitals
        self._uncapitalised: dict[str, str] | None = None
        self._lemmas: dict[str, set[str]] | None = None

    def words(self, text: str, codes: Sequence[int]) -> list[str]:
        """The words of a sentence without its punctuation."""
        if self.spaced:
            return self._words_of(text)
        slots = self._grammar.realiser(self._language).form_slots(codes)
        return [column[codes[node]] for node, column in slots]

    def tokens(self, sources: Iterable[str]) -> set[str]:
        """The distinct word forms of some sentences; what has no analysis is one word."""
        found: set[str] = set()
        if self.spaced:
            if self.plain:
                for source in sources:
                    found.update(source.split(" "))
                return {word.strip(MARKS) for word in found} - {""}
            return {word for source in sources for word in self._words_of(source)}
        parse = self._grammar.parser(self._language).parse
        for source in set(sources):
            tree = parse(source).tree
            found.update([source] if tree is None else self.words(source, tree.codes))
        return found

    def lemmas(self, tokens: Iterable[str]) -> set[str]:
        """Their lemmas; a word outside the lexicon is its own."""
        return {lemma for token in tokens for lemma in self._lemmas_of(token)}

    def strange(self, tokens: Iterable[str], known: set[str]) -> list[str]:
        """The lemmas of tokens that can be no known lemma: a homograph is known as either."""
        found = (self._lemmas_of(token) for token in tokens)
        return sorted({lemma for lemmas in found if not lemmas & known for lemma in lemmas})

    def _lemmas_of(self, token: str) -> set[str]:
        if self._lemmas is None:
            self._lemmas = {}
            for code in range(self.inventory.first_word, len(self.inventory.labels)):
                for form in self._forms(code):
                    self._lemmas.setdefault(form, set()).add(self.citation(code))
        return self._lemmas.get(token, {token})

    def forms_of(self, words: Iterable[str]) -> set[str]:
        """All forms of some words; of a form of several words (frunció el ceño), each of them."""
        return {form for word in words for form in self._forms(self.inventory.code(word))}

    def citation(self, code: int) -> str:
        """The form under which a word is listed; its id where the language has no such form."""
        forms = self._concrete.word_forms(code)
        return forms["form"][0] if "form" in forms else self.inventory.labels[code]

    def _forms(self, code: int) -> Iterable[str]:
        forms = (form for every in self._concrete.word_forms(code).values() for form in every)
        if not self.spaced:
            return forms
        return (word for form in forms for part in form.split() for word in self._parted(part))

    def _words_of(self, text: str) -> list[str]:
        """The words of a text: *qu'Emma* is two, and the capital of the first word is none."""
        words = words_of(text)
        if not self.plain:
            words = [word for part in words for word in self._parted(part)]
            if self._capitals and words:
                words[0] = self._without_capital(words[0])
        return words

    def _parted(self, word: str) -> list[str]:
        """A word and what elision has joined to it: *d'un* is *d'* and *un*."""
        for start in self._elided:
            if word.lower().startswith(start) and len(word) > len(start):
                return [word[: len(start)], *self._parted(word[len(start) :])]
        return [word]

    def _without_capital(self, word: str) -> str:
        """The word as the grammar writes it inside a sentence."""
        if self._uncapitalised is None:
            language = self._concrete.language
            texts = [
                piece.text
                for line in language.lines.values()
                for pieces in line.variants
                for piece in pieces
                if isinstance(piece, LiteralText)
            ]
            every = [*self._concrete.forms, *self._concrete.tables.values()]
            texts.extend(text for forms in every for cell in forms.values() for text in cell)
            words = {word for text in texts for part in text.split() for word in self._parted(part)}
            words.update(self._elided)
            self._uncapitalised = {
                word[:1].upper() + word[1:]: word for word in words if word[:1].islower()
            }
        return self._uncapitalised.get(word, word)


def words_of(sentence: str) -> list[str]:
    """The words between spaces without their punctuation."""
    return [word for part in sentence.split(" ") if (word := part.strip(MARKS))]
