"""Counting words and phrases in a corpus, alone and together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from recombine.corpus.cooccurrence import CorpusCounts


def counted(sources, *groups):
    """Counts of groups of texts, each also as one phrase."""
    return CorpusCounts(sources, map(" ".join, groups), groups)


def test_occurrences_are_counted_as_words():
    """Phrases too, whatever the case; 'cat' is not in 'category'."""
    counts = counted(["Every dog he liked ran.", "A dog category."], ("dog", "he liked", "cat"))
    assert counts.occurrences == {"dog": 2, "he liked": 1}


def test_a_phrase_that_ends_the_sentence_is_counted_once():
    """Also where longer phrases begin with the same word."""
    groups = [("the", "cat"), ("the", "cat", "that", "sat")]
    counts = counted(["they saw the cat"], *groups)
    assert counts.occurrences == {"the": 1, "cat": 1, "the cat": 1}


def naive(sources, texts, pairs):
    """Count windows of five words one by one."""
    windows, having, both = 0, Counter(), Counter()
    for source in sources:
        words = source.split()
        for start in range(max(1, len(words) - 4)):
            window = words[start : start + 5]
            windows += 1
            spans = [
                (text, place)
                for text in texts
                for place in range(len(window))
                if window[place : place + len(text.split())] == text.split()
            ]
            having.update(text for text, _ in spans)
            both.update(
                tuple(sorted((one, other))) for (one, _), (other, _) in combinations(spans, 2)
            )
    return windows, having, Counter({pair: n for pair, n in both.items() if pair in pairs})


WORDS = st.sampled_from("abcd")
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@given(
    st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=4),
    st.lists(PHRASES, min_size=1, max_size=4, unique=True),
)
def test_windows_are_those_of_a_plain_count(sources, atoms):
    """All windows of five words, looked at one by one, give the same counts."""
    counts = counted(sources, atoms)
    texts = {*atoms, " ".join(atoms)}
    pairs = set(combinations(sorted(atoms), 2))
    windows, having, both = naive(sources, texts, pairs)
    assert counts.windows == windows
    assert +counts.windows_with == having
    assert +counts.windows_with_both == both


def test_words_that_meet_are_associated():
    """More often together than chance: positive; never together: negative."""
    corpus = ["a b x x x x x x"] * 5 + ["x x x c x x x x x x"] * 5
    counts = counted(corpus, ("a", "b"), ("a", "c"))
    assert counts.association(["a", "b"]) > 0 > counts.association(["a", "c"])
    assert counts.association(["a", "nowhere"]) is None
