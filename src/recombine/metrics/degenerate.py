"""Is this a translation at all? Early checkpoints babble, copy or fall silent."""

from __future__ import annotations

from collections import Counter

from recombine.metrics.segment import is_punctuation, segment

# Tokens of the output per token of the source; characters of unspaced scripts need more room.
SHORTEST, LONGEST = 0.3, 4.0
# The share of one single word, and the share of source words that came through unchanged.
MOST_REPEATED, MOST_COPIED = 0.5, 0.7


def degeneracy(source: str, hypothesis: str) -> str | None:
    """Return why an output is no translation: empty, short, long, repetitive or a copy."""
    words = [token.lower() for token in segment(hypothesis) if not is_punctuation(token)]
    if not words:
        return "empty"
    given = [token.lower() for token in segment(source) if not is_punctuation(token)]
    ratio = len(words) / max(1, len(given))
    if ratio < SHORTEST:
        return "short"
    if ratio > LONGEST:
        return "long"
    if len(words) >= 4 and Counter(words).most_common(1)[0][1] > MOST_REPEATED * len(words):
        return "repetitive"
    if len(given) >= 4 and sum((Counter(words) & Counter(given)).values()) > MOST_COPIED * len(
        given
    ):
        return "copy"
    return None
