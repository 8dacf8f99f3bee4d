"""Word classes: which words of a language can be exchanged, and which hold sentences together.

Words are clustered by their neighbours on both sides (leader clustering by cosine, the most
frequent word first). A small cluster of frequent words is closed (*the a*, *in on beside*, *that*)
and stays as it is in rules; all other words are open, and a rule has a slot for them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from recombine.augment.tokens import Tokens

# Set by reading what was drawn of SGET (build 1) into German, Japanese and French, not yet on what
# is held out of train. The cosine that finds
# closed words must be strict, that of open classes need not be.
STRICT, LOOSE = 0.7, 0.55
# A class of fewer words is closed, if they are in this share of the sentences.
SMALL_CLASS, CLOSED_SHARE = 4, 0.01
# The most frequent words tell the others apart before any class is known.
MARKERS = 40
# Rarer words do not found a class.
FOUNDER = 5
BEGIN, END, OPEN = "<", ">", "_"
# Names of classes begin so, and no word does.
CLASS = "\x01"

Vector = Mapping[Hashable, float]


def cosine(first: Vector, second: Vector) -> float:
    """The cosine of two sparse vectors."""
    if len(first) > len(second):
        first, second = second, first
    dot = sum(value * second[key] for key, value in first.items() if key in second)
    return dot / (_norm(first) * _norm(second) + 1e-12) if dot else 0.0


def _norm(vector: Vector) -> float:
    return math.sqrt(sum(value * value for value in vector.values()))


def damped(counts: Mapping[Any, int]) -> dict[Hashable, float]:
    """Square roots of counts, so that no frequent context decides alone."""
    return {key: math.sqrt(count) for key, count in counts.items()}


def leader_clusters(
    words: Iterable[str], contexts: Mapping[str, Vector], counts: Mapping[str, int], least: float
) -> list[list[str]]:
    """Cluster words in the given order: each joins the nearest cluster, or founds one."""
    centres: list[dict[Hashable, float]] = []
    norms: list[float] = []
    clusters: list[list[str]] = []
    for word in words:
        context = contexts[word]
        norm = _norm(context) + 1e-12
        best, nearest = 0.0, -1
        for number, centre in enumerate(centres):
            dot = sum(value * centre[key] for key, value in context.items() if key in centre)
            if dot / (norm * norms[number]) > best:
                best, nearest = dot / (norm * norms[number]), number
        if nearest < 0 or (counts[word] >= FOUNDER and best < least):
            centres.append(dict(context))
            norms.append(norm)
            clusters.append([word])
            continue
        clusters[nearest].append(word)
        if counts[word] >= FOUNDER:
            centre = centres[nearest]
            for key, value in context.items():
                centre[key] = centre.get(key, 0.0) + value
            norms[nearest] = _norm(centre)
    return clusters


def word_classes(sentences: Sequence[Tokens]) -> dict[str, str]:
    """Return the symbol of every word: itself where it is closed, else the name of its class."""
    counts = Counter(word for sentence in sentences for word in sentence)
    markers = {word for word, _ in counts.most_common(MARKERS)}
    symbols = {word: word if word in markers else OPEN for word in counts}
    closed: set[str] = set()
    ranked: list[str] = []
    for _ in range(2):
        contexts = _neighbours(sentences, symbols)
        ranked = sorted(contexts, key=lambda word: (-counts[word], word))
        symbols, closed = dict.fromkeys(counts, OPEN), set()
        for number, words in enumerate(leader_clusters(ranked, contexts, counts, STRICT)):
            often = sum(counts[word] for word in words) >= CLOSED_SHARE * len(sentences)
            if len(words) < SMALL_CLASS and often:
                closed.update(words)
            for word in words:
                small = len(words) < SMALL_CLASS
                symbols[word] = word if word in closed else OPEN if small else f"{CLASS}{number}"
    ranked = [word for word in ranked if word not in closed]
    for _ in range(2):
        contexts = _neighbours(sentences, symbols)
        classes = with_strays(leader_clusters(ranked, contexts, counts, LOOSE), contexts)
        # A word that is seen by itself only has no context, and no class.
        symbols = {word: word if word in closed else f"{CLASS}?" for word in counts}
        for number, words in enumerate(classes):
            symbols |= dict.fromkeys(words, f"{CLASS}{number}")
    return symbols


def is_open(symbol: str) -> bool:
    """Whether a symbol is that of a class of open words."""
    return symbol.startswith(CLASS)


def with_strays(clusters: list[list[str]], contexts: Mapping[str, Vector]) -> list[list[str]]:
    """Return the large clusters; words of the small ones join the nearest of them."""
    large = [words for words in clusters if len(words) >= SMALL_CLASS]
    if not large:
        return clusters
    centres = []
    for words in large:
        centre: Counter[Hashable] = Counter()
        for word in words:
            for key, value in contexts[word].items():
                centre[key] += value  # type: ignore[assignment]
        centres.append(centre)
    for words in clusters:
        if len(words) < SMALL_CLASS:
            for word in words:
                alike = [cosine(contexts[word], centre) for centre in centres]
                large[alike.index(max(alike))].append(word)
    return large


def _neighbours(
    sentences: Sequence[Tokens], symbols: Mapping[str, str]
) -> dict[str, dict[Hashable, float]]:
    contexts: dict[str, Counter[Hashable]] = defaultdict(Counter)
    for sentence in sentences:
        if len(sentence) < 3:
            continue  # a word by itself, with a full stop or without
        row = [BEGIN, *(symbols[word] for word in sentence), END]
        for place, word in enumerate(sentence):
            contexts[word][row[place], row[place + 2]] += 1
    return {word: damped(counts) for word, counts in contexts.items()}
