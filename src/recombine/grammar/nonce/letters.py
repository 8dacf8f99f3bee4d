"""Forms that no word has: made of the language's own syllables, in its script.

Kana and Han are scripts without spaces in which any few letters could be a word; there invented
words are drawn of letters. Elsewhere they are two syllables, each of a beginning and a vowel that
the language's own words have, as often as they have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from recombine.errors import MissingExtra
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
_KATAKANA = list("カキクケコサシスセソタチツテトナニヌネノマミムメモラリルレロバビブベボ")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_VOWELS = "aeiouyаеёиоуыэюяαεηιουω"


class Script:
    """How the words of a language are written."""

    def __init__(self, words: Iterable[str]) -> None:
        letters = "".join(sorted(words))
        self.is_kana = bool(_KANA.search(letters))
        self.is_han = not self.is_kana and bool(_HAN.search(letters))


class Letters:
    """Draws beginnings of words; `numbers` are the random ones that decide."""

    def __init__(
        self, script: Script, words: Collection[str], endings: str, numbers: Iterator[int]
    ) -> None:
        self.script = script
        self._words = words
        self._endings = endings
        self._numbers = numbers

    def below(self, size: int) -> int:
        """A number below another."""
        return next(self._numbers) % size

    def word(self, tail: str, length: int) -> str:
        """A word with this end; of Han about as long as another."""
        if self.script.is_kana:
            return "".join(self._pick(_KATAKANA) for _ in range(2 if tail else 3)) + tail
        if self.script.is_han:
            size = max(2, min(3, length - len(tail)))
            return "".join(self._pick(self._han) for _ in range(size)) + tail
        begins, vowels = self._syllables
        short = [begin for begin in begins if len(begin) == 1]
        word = self._pick(begins) + self._pick(vowels) + self._pick(short) + self._pick(vowels)
        letters = unicodedata.normalize("NFD", tail)
        # A y before a vowel is a consonant: apoyar makes predayar, not predamyar.
        if tail and letters[0] in _VOWELS and not (letters[0] == "y" and letters[1:2] in _VOWELS):
            word += self._pick(short)
        return word + tail

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[self.below(len(choices))]

    @cached_property
    def _han(self) -> list[str]:
        """Characters to make words of: none that is a word or an ending by itself (了, 的, 个)."""
        alone = {word for word in self._words if len(word) == 1}
        letters = {letter for word in self._words for letter in word if _HAN.match(letter)}
        return sorted(letters - alone - set(self._endings))

    @cached_property
    def _syllables(self) -> tuple[list[str], list[str]]:
        """Beginnings of words before their first vowel, and single vowels, as often as they are."""
        begins: list[str] = []
        vowels: list[str] = []
        for word in sorted(self._words):
            match = re.match(rf"([^\W\d_]*?)([{_VOWELS}])", word)
            if match and 0 < len(match[1]) <= 2 and not match[1].endswith("q"):
                begins.append(match[1])
                vowels.append(match[2])
        common = {begin for begin, count in Counter(begins).items() if count >= 3}
        begins = [begin for begin in begins if begin in common] or ["b", "d", "k", "m", "t"]
        return begins, [vowel for vowel in vowels if vowel != "y"] or list("aeiou")


class WordLists:
    """The word lists of a language that this machine has."""

    def __init__(self, language: str, script: Script) -> None:
        self.names: tuple[str, ...] = ()
        self.has: Callable[[str], bool] = lambda _: False
        if script.is_kana:
            self._open_sudachi()
            return
        listed = WORD_LISTS.get(language.partition("-")[0], ())
        files = [DICTIONARIES / name for name in listed if (DICTIONARIES / name).is_file()]
        self.names = tuple(path.name for path in files)
        words = {
            unicodedata.normalize("NFC", line.strip()).lower()
            for path in files
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        }
        self.has = words.__contains__

    def _open_sudachi(self) -> None:
        """Whether a text is one word of Sudachi's dictionary, where that is installed."""
        try:
            module = require("sudachipy", extra="ja", feature="looking up Japanese words")
            analyse = module.Dictionary().create().tokenize
        except (MissingExtra, ImportError, OSError):  # no package, or no dictionary beside it
            return
        self.names = ("Sudachi",)

        def has(text: str) -> bool:
            words = analyse(text)
            return len(words) == 1 and not words[0].is_oov()

        self.has = has
