"""The second conjunct of a translated coordination: by alignment, or by a learned marker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recombine.corpus.segment import is_punctuation
from recombine.corpus.token_diff import trim

# An alignment that changes more than this share of the clause found something else.
FARTHEST = 0.6


class TokenSpan(NamedTuple):
    """A stretch of tokens and how many edits separate it from what was looked for."""

    start: int
    end: int
    distance: int


def locate(clause: Sequence[str], sentence: Sequence[str]) -> TokenSpan | None:
    """Find a clause, translated alone, inside a longer translation; None when it is not there.

    Approximate substring search (Myers 1999, bit-parallel edit distance) gives the end, the same
    search backwards the start. Closing punctuation belongs to the sentence, not to the clause.
    """
    pattern = _without_closing(clause)
    if not pattern or not sentence:
        return None
    size = len(pattern)
    for start in range(len(sentence) - size, -1, -1):
        if sentence[start] == pattern[0] and list(sentence[start : start + size]) == pattern:
            return TokenSpan(start, _closing(sentence, start + size), 0)
    distances = end_distances(pattern, sentence, anchored=False)
    distance = min(distances)
    if distance > FARTHEST * size:
        return None
    end = max(place for place, value in enumerate(distances) if value == distance) + 1
    backwards = end_distances(pattern[::-1], list(reversed(sentence[:end])), anchored=True)
    best = min(backwards)
    length = min(
        (abs(place + 1 - size), place + 1) for place, value in enumerate(backwards) if value == best
    )[1]
    return TokenSpan(end - length, _closing(sentence, end), distance)


def learn_marker(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[str, ...]:
    """Learn how the coordination is marked from outputs that share only the second conjunct.

    Their common suffix begins with the marker (", y", ", und"); the most frequent beginning wins
    when it stands in at least three of ten.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    total = 0
    for first, second in pairs:
        window = trim(first, second)
        suffix = first[window.first_end :]
        if len(suffix) < 3 or window.first_end == 0:
            continue
        total += 1
        counts[tuple(suffix[:2]) if is_punctuation(suffix[0]) else (suffix[0],)] += 1
    if not counts:
        return ()
    marker, support = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return marker if support >= 0.3 * total else ()


def split_at_marker(
    sentence: Sequence[str], marker: tuple[str, ...], share: float
) -> TokenSpan | None:
    """Return what follows the marker that stands nearest to the given share of the sentence."""
    size = len(marker)
    if not size:
        return None
    places = [
        place
        for place in range(len(sentence) - size)
        if tuple(sentence[place : place + size]) == marker
    ]
    if not places:
        return None
    best = min(places, key=lambda place: abs(place / len(sentence) - share))
    return TokenSpan(best + size, len(sentence), 0)


def _without_closing(tokens: Sequence[str]) -> list[str]:
    end = len(tokens)
    while end and is_punctuation(tokens[end - 1]):
        end -= 1
    return list(tokens[:end])


def _closing(sentence: Sequence[str], end: int) -> int:
    while end < len(sentence) and is_punctuation(sentence[end]):
        end += 1
    return end


def end_distances(pattern: list[str], text: Sequence[str], *, anchored: bool) -> list[int]:
    """Return, for every end in the text, the distance of the pattern to the best stretch there.

    Anchored: the stretch must begin at the first token of the text.
    """
    masks: dict[str, int] = {}
    for place, token in enumerate(pattern):
        masks[token] = masks.get(token, 0) | 1 << place
    full = (1 << len(pattern)) - 1
    top = 1 << (len(pattern) - 1)
    positive, negative, score = full, 0, len(pattern)
    result = []
    for token in text:
        equal = masks.get(token, 0)
        vertical = equal | negative
        horizontal = (((equal & positive) + positive) ^ positive) | equal
        up = (negative | ~(horizontal | positive)) & full
        down = positive & horizontal
        if up & top:
            score += 1
        elif down & top:
            score -= 1
        up = ((up << 1) | anchored) & full
        down = (down << 1) & full
        positive = (down | ~(vertical | up)) & full
        negative = up & vertical
        result.append(score)
    return result
