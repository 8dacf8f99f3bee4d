"""Are two tokens forms of one word, in a language without a list of endings?

Two words are forms of one where they share a long enough beginning; a list of lemmas decides where
there is one. Keywords are looked for as whole words, of any number of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recombine.corpus.segment import segment

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
        lemmas_of_keyword = [_lemma(token, lemmas) for token in keyword]
        size = len(lemmas_of_keyword)
        for start in range(len(words) - size + 1):
            if all(
                words[start + i] == lemmas_of_keyword[i]
                or (inflected and is_form_of(words[start + i], word))
                for i, word in enumerate(lemmas_of_keyword)
            ):
                return keyword
    return None


def _lemma(token: str, lemmas: Mapping[str, str] | None) -> str:
    return lemmas.get(token, token) if lemmas else token
