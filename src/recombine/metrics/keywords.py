"""Words that betray a word-for-word rendering: where the lists come from, and how they match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from recombine.errors import DataError, Where
from recombine.files import read_lines
from recombine.metrics.base import Scored
from recombine.metrics.segment import is_punctuation, segment

Keyword = tuple[str, ...]

# Two forms of one word share at least this many letters, and this share of the longer form. One
# letter less will do where an ending is added (blauw, blauwe): words that were cut at four letters
# are mostly others (German Weile and weil, Lager and Lage, Marke and Markt).
_SHORTEST_STEM = 5
_STEM_SHARE = 0.75


def as_keyword(text: str) -> Keyword:
    """Return a keyword as lower-case tokens."""
    return tuple(token.lower() for token in segment(text))


def is_form_of(token: str, keyword: str) -> bool:
    """Return True for the same word, or another ending on the same stem."""
    if token == keyword:
        return True
    stem = 0
    while stem < min(len(token), len(keyword)) and token[stem] == keyword[stem]:
        stem += 1
    shortest = _SHORTEST_STEM - (stem == len(keyword))
    return stem >= shortest and stem >= _STEM_SHARE * max(len(token), len(keyword))


def find_keyword(
    tokens: Sequence[str],
    keywords: Iterable[Keyword],
    *,
    inflected: bool,
    lemmas: Mapping[str, str] | None = None,
) -> Keyword | None:
    """Return the first keyword that stands in the sentence as whole words, or None."""
    words = [_lemma(token.lower(), lemmas) for token in tokens]
    for keyword in keywords:
        wanted = [_lemma(token, lemmas) for token in keyword]
        size = len(wanted)
        for start in range(len(words) - size + 1):
            if all(
                words[start + i] == wanted[i] or (inflected and is_form_of(words[start + i], word))
                for i, word in enumerate(wanted)
            ):
                return keyword
    return None


def own_translations(items: Iterable[Scored]) -> dict[str, tuple[Keyword, ...]]:
    """Return how the system renders bare words, from the probes that hold one.

    The published keyword lists were elicited with "This is a N ."; the words of the frame occur in
    the translations of many words and so betray none.
    """
    found: dict[str, dict[str, None]] = {}
    for item in items:
        for focus in item.example.focus:
            if focus.role == "word":
                tokens = (token.lower() for token in segment(item.hypothesis))
                found.setdefault(focus.text.lower(), {}).update(
                    dict.fromkeys(token for token in tokens if not is_punctuation(token))
                )
    spread = Counter(token for tokens in found.values() for token in tokens)
    limit = max(2.0, 0.1 * len(found))
    return {
        word: tuple((token,) for token in tokens if spread[token] <= limit)
        for word, tokens in found.items()
    }


def read_dictionary(path: Path) -> dict[str, tuple[Keyword, ...]]:
    """Read a bilingual word list: source word, tab, translations separated by semicolons."""
    entries: dict[str, tuple[Keyword, ...]] = {}
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        word, tab, translations = line.partition("\t")
        if not tab:
            raise DataError("no tab between word and translations", Where(str(path), number))
        keywords = tuple(as_keyword(part) for part in translations.split(";") if part.strip())
        key = word.strip().lower()
        entries[key] = (*entries.get(key, ()), *keywords)
    return entries


def read_lemmas(path: Path) -> dict[str, str]:
    """Read a lemma list of the target language: form, tab, lemma."""
    lemmas: dict[str, str] = {}
    for number, line in read_lines(path):
        form, tab, lemma = line.partition("\t")
        if line.strip() and not tab:
            raise DataError("no tab between form and lemma", Where(str(path), number))
        if tab:
            lemmas[form.strip().lower()] = lemma.strip().lower()
    return lemmas


def _lemma(token: str, lemmas: Mapping[str, str] | None) -> str:
    return lemmas.get(token, token) if lemmas else token
