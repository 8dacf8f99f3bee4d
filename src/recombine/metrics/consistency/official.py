"""The published scoring rules, decision by decision, for comparison with published figures.

Dankers, Bruni & Hupkes (2022), section 4 and the released evaluate.py of each test. What depended
on the order of a Python set there (the candidate list of the synonym crop) has a fixed order here.
"""

from __future__ import annotations

from collections.abc import Sequence

from recombine.corpus.token_diff import is_one_edit

# Plain substring replacements in this order, as in the released systematicity/evaluate.py.
FOLDS = ((" het ", " de "), ("Het ", "De "), (" dat ", " die "))
# Dankers et al. 2022, released systematicity/evaluate.py: everything after the first " en ", or,
# when fewer than five tokens stand before it (the comment there says three), after the second.
CONJUNCTION = " en "
SHORTEST_FIRST = 5


def fold_articles(sentence: str, folds: Sequence[tuple[str, str]] = FOLDS) -> str:
    """Return the sentence with het/de and dat/die made equal."""
    for old, new in folds:
        sentence = sentence.replace(old, new)
    return sentence


def is_consistent_swap(base: str, variant: str, *, role: str) -> bool:
    """Return True when the outputs of a minimal pair differ by exactly one word edit.

    The released code folds a VP variant twice, which matters for " dat dat " alone.
    """
    variant = fold_articles(variant)
    if role == "vp":
        variant = fold_articles(variant)
    return is_one_edit(fold_articles(base).split(), variant.split())


def split_at_conjunction(sentence: str, conjunction: str = CONJUNCTION) -> str | None:
    """Return the second conjunct as the published code finds it; None without conjunction."""
    parts = sentence.split(conjunction)
    if len(parts) == 1:
        return None
    skip = 2 if len(parts[0].split()) < SHORTEST_FIRST else 1
    return conjunction.join(parts[skip:])


def crop_synonym(sentence: str, candidates: Sequence[str]) -> str:
    """Return the word that renders the synonym, or the whole sentence when none does.

    Multiword candidates are joined by underscores first; a candidate may be any substring of the
    lower-cased word. The fallback is the omission rule: both omit, whole sentences must be equal;
    one omits, a word never equals a sentence.
    """
    joined = []
    for candidate in candidates:
        sentence = sentence.replace(candidate, candidate.replace(" ", "_"))
        joined.append(candidate.replace(" ", "_"))
    words = sentence.split()
    for candidate in joined:
        for word in words:
            if candidate in word.lower():
                return word
    return sentence
