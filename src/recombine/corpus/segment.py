"""Tokens of a translation in any language, from Unicode classes alone.

Spaced scripts give words, with an elided clitic on its own ("l'" + "home") and every punctuation
mark apart; scripts written without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) give one token per
grapheme. No language code and no target-language rule is involved.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

from recombine.errors import DataError
from recombine.registry import require

# Letters of scripts that put no space between words.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)


def _mark_class() -> str:
    """Return the combining marks as character ranges; Python's word class leaves them out."""
    ranges: list[tuple[int, int]] = []
    for code in range(0x300, 0x1E95B):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1] = (ranges[-1][0], code)
            else:
                ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _token() -> re.Pattern[str]:
    """Return what a token is, made when a text needs it: it takes as long as a small command."""
    marks = _mark_class()
    word = rf"(?:(?![{_UNSPACED}])[\w{marks}])"
    return re.compile(
        rf"[{_UNSPACED}][{marks}]*"  # one grapheme of an unspaced script
        rf"|{word}+(?:['\u2019](?={word}))?"  # a word, or a clitic with its apostrophe
        rf"|[^\s][{marks}]*"  # any other visible character
    )


_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]")
# The same where no character is a combining mark or of an unspaced script, at half the cost.
_FIRST_MARK = "\u0300"
_LATIN_TOKEN = re.compile(r"\w+(?:'(?=\w))?|\S")
_PUNCTUATION = frozenset("PSZ")
# Words with their hyphens and apostrophes whole, and single marks: text that no parser has cut.
PLAIN_TOKEN = re.compile(r"\w+(?:[-'\u2019]\w+)*|[^\w\s]")


@lru_cache(maxsize=1 << 17)
def segment(text: str) -> tuple[str, ...]:
    """Return the tokens of a sentence, NFC, the first word in lower case.

    A sentence-initial capital says where a word stands, not which word it is.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    tokens = (_LATIN_TOKEN if max(text, default="") < _FIRST_MARK else _token()).findall(text)
    for place, token in enumerate(tokens):
        if not is_punctuation(token):
            tokens[place] = token.lower()
            break
    return tuple(sys.intern(token) for token in tokens)


@lru_cache(maxsize=1 << 14)
def is_punctuation(token: str) -> bool:
    """Return True when no character of the token is a letter, mark or digit."""
    return all(unicodedata.category(character)[0] in _PUNCTUATION for character in token)


def is_unspaced(text: str) -> bool:
    """Return True when most of a text is in scripts that put no space between words."""
    return not text.isascii() and 2 * len(_UNSPACED_LETTER.sub("", text)) < len(text)


def jieba() -> Callable[[str], list[str]]:
    """Return jieba's segmenter of Chinese: words of its dictionary, each with the space before it.

    Its own way to load the dictionary would write a cache into the machine's temporary folder, and
    trust whatever lies there.
    """
    module = require("jieba", extra="zh", feature="words of Chinese")
    tokenizer = module.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def segment(text: str) -> list[str]:
        words: list[str] = []
        space = ""
        for word in tokenizer.cut(text, HMM=False):
            if word.isspace():
                space += word
            else:
                words.append(space + word)
                space = ""
        return words

    return segment


def sudachi() -> Callable[[str], list[str]]:
    """Return Sudachi's segmenter of Japanese: the surfaces of the morphemes."""
    module = require("sudachipy", extra="ja", feature="Sudachi segmentation")
    try:
        tokenizer = module.Dictionary().create()
    except ModuleNotFoundError as error:
        raise DataError(
            f"Sudachi has no dictionary: {error}", hint="pip install 'recombine[ja]'"
        ) from error
    return lambda text: [morpheme.surface() for morpheme in tokenizer.tokenize(text)]
