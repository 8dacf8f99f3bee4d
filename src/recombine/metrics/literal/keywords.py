"""Words that betray a word-for-word rendering: where the lists come from, and how they match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from recombine.corpus.segment import is_punctuation, segment
from recombine.corpus.word_forms import Keyword, as_keyword
from recombine.files import read_table
from recombine.metrics.base import Scored


def own_translations(items: Iterable[Scored]) -> dict[str, tuple[Keyword, ...]]:
    """Return how the system renders bare words, from the probes that hold one.

    The published keyword lists were elicited with "This is a N ."; the words of the frame occur in
    the translations of many words and so betray none.
    """
    renderings: dict[str, dict[str, None]] = {}
    for item in items:
        for focus in item.example.focus:
            if focus.role == "word":
                tokens = (token.lower() for token in segment(item.hypothesis))
                renderings.setdefault(focus.text.lower(), {}).update(
                    dict.fromkeys(token for token in tokens if not is_punctuation(token))
                )
    spread = Counter(token for tokens in renderings.values() for token in tokens)
    limit = max(2.0, 0.1 * len(renderings))
    return {
        word: tuple((token,) for token in tokens if spread[token] <= limit)
        for word, tokens in renderings.items()
    }


def without_phrases(tokens: Sequence[str], phrases: Iterable[Keyword]) -> list[str]:
    """Return a sentence without the words of these phrases, wherever they stand as a whole."""
    words = [token.lower() for token in tokens]
    gone: set[int] = set()
    for phrase in filter(None, phrases):
        size = len(phrase)
        for start in range(len(words) - size + 1):
            if tuple(words[start : start + size]) == phrase:
                gone.update(range(start, start + size))
    return [token for place, token in enumerate(tokens) if place not in gone]


def read_dictionary(path: Path) -> dict[str, tuple[Keyword, ...]]:
    """Read a bilingual word list: source word, tab, translations separated by semicolons."""
    entries: dict[str, tuple[Keyword, ...]] = {}
    for row in read_table(path, columns=("word", "translations")):
        key = row["word"].lower()
        entries[key] = (*entries.get(key, ()), *map(as_keyword, row.parts("translations")))
    return entries


def read_lemmas(path: Path) -> dict[str, str]:
    """Read a lemma list of the target language: form, tab, lemma."""
    rows = read_table(path, columns=("form", "lemma"), comments=False)
    return {row["form"].lower(): row["lemma"].lower() for row in rows}
