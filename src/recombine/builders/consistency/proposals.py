"""Proposals for synonym pairs and idioms from a user's own parallel text, by the paper's criteria.

Synonym pairs must share their target term (Dankers et al. 2022, section 4.2); idioms must occur at
least 200 times and be paraphrased in over 80% of the translations (section 4.3). What is proposed
here is a table to read and prune, not a verdict.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from recombine.builders.consistency.wordlists import Idiom
from recombine.corpus.segment import is_punctuation, segment
from recombine.corpus.word_forms import as_keyword, find_keyword
from recombine.errors import DataError
from recombine.files import write_text

FEWEST_HITS = 200
MOST_LITERAL = 0.2
# How strongly a source word must go with its target term (Dice coefficient), and from how often on.
STRONGEST = 0.4
FEWEST_OCCURRENCES = 10
# The largest share of the rarer word's sentences in which the other one stands as well.
MOST_TOGETHER = 0.1


class SynonymProposal(NamedTuple):
    """Two source words whose best target term is the same."""

    first: str
    second: str
    translation: str
    counts: tuple[int, int]
    strength: float


class IdiomProposal(NamedTuple):
    """An idiom with its hits and the share of translations that paraphrase it."""

    idiom: str
    hits: int
    paraphrased: float
    accepted: bool


def propose_synonyms(
    sources: Iterable[str],
    translations: Iterable[str],
    *,
    strongest: float = STRONGEST,
    fewest: int = FEWEST_OCCURRENCES,
) -> list[SynonymProposal]:
    """Return pairs of words with the same target term, the strongest first.

    A word's target term is the one with the highest Dice coefficient over sentence pairs. Forms of
    one word ("boat", "boats") are left out, and so are words that keep company ("Hong", "Kong"):
    synonyms replace each other and seldom meet in one sentence.
    """
    source_counts: Counter[str] = Counter()
    target_counts: Counter[str] = Counter()
    together: dict[str, Counter[str]] = defaultdict(Counter)
    pairs = list(_aligned(sources, translations))
    for source, translation in pairs:
        source_counts.update(source)
        target_counts.update(translation)
    frequent = {word for word, count in source_counts.items() if count >= fewest}
    for source, translation in pairs:
        for word in source & frequent:
            together[word].update(translation)
    best: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for word in sorted(frequent):
        strength, term = max(
            (2 * n / (source_counts[word] + target_counts[term]), term)
            for term, n in together[word].items()
        )
        best[term].append((strength, word))
    where: dict[str, set[int]] = defaultdict(set)
    shared = {word for words in best.values() if len(words) > 1 for _, word in words}
    for place, (source, _) in enumerate(pairs):
        for word in source & shared:
            where[word].add(place)
    found = []
    for term, words in best.items():
        for place, (strength, word) in enumerate(words):
            for other_strength, other in words[:place]:
                # The term is shared, so each word can have at most its part of it.
                joint = strength + other_strength
                meetings = len(where[word] & where[other])
                rarer = min(source_counts[word], source_counts[other])
                if (
                    joint >= strongest
                    and meetings <= MOST_TOGETHER * rarer
                    and not _same_word(word, other)
                ):
                    counts = (source_counts[other], source_counts[word])
                    found.append(SynonymProposal(other, word, term, counts, round(joint, 4)))
    return sorted(found, key=lambda one: (-one.strength, one.first, one.second))


def propose_idioms(
    sources: Sequence[str],
    translations: Sequence[str],
    candidates: Sequence[Idiom],
    *,
    fewest: int = FEWEST_HITS,
    most_literal: float = MOST_LITERAL,
) -> list[IdiomProposal]:
    """Return every candidate with its hits and paraphrases; `accepted` meets both criteria."""
    if len(sources) != len(translations):
        raise DataError(
            f"{len(sources)} sources, but {len(translations)} translations",
            hint="the two texts must be line-aligned",
        )
    proposals = []
    for idiom in candidates:
        pattern = re.compile(rf"(?<!\w){re.escape(idiom.text)}(?!\w)", re.IGNORECASE)
        keywords = [as_keyword(keyword) for keyword in idiom.literal]
        literal = hits = 0
        for source, translation in zip(sources, translations, strict=True):
            if pattern.search(source):
                hits += 1
                literal += find_keyword(segment(translation), keywords, inflected=True) is not None
        paraphrased = 1 - literal / hits if hits else 0.0
        accepted = bool(keywords) and hits >= fewest and paraphrased > 1 - most_literal
        proposals.append(IdiomProposal(idiom.text, hits, round(paraphrased, 4), accepted))
    return sorted(proposals, key=lambda one: (not one.accepted, -one.hits, one.idiom))


def write_synonyms(path: Path | str, proposals: Iterable[SynonymProposal]) -> None:
    """Write proposals as a table for the recipe key `synonyms`; the clauses are left to fill."""
    lines = ["first\tsecond\tsingular\tplural\ttranslation\tstrength"]
    lines += [
        f"{one.first}\t{one.second}\t\t\t{one.translation}\t{one.strength}" for one in proposals
    ]
    write_text(Path(path), "\n".join(lines) + "\n")


def _aligned(
    sources: Iterable[str], translations: Iterable[str]
) -> Iterable[tuple[set[str], set[str]]]:
    try:
        for source, translation in zip(sources, translations, strict=True):
            yield _words(source), _words(translation)
    except ValueError:
        raise DataError("the two texts have different lengths") from None


def _words(text: str) -> set[str]:
    return {token.lower() for token in segment(text) if not is_punctuation(token)}


def _same_word(one: str, other: str) -> bool:
    """Return True for forms of one word: equal but for a short ending."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) and len(longer) - len(shorter) <= 3
