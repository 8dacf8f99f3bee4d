"""Choosing atoms by frequency and consistency."""

from __future__ import annotations

from collections import Counter

import pytest

from builders.test_templates import pair
from recombine.builders.atom_choice import (
    Candidates,
    Role,
    Usage,
    choose,
    singular_determiners,
    spread,
)
from recombine.builders.compose import ChosenAtom
from recombine.errors import DataError

LINKS = {"dog": {"hund": 50}, "thing": {f"x{n}y{n}": 5 for n in range(10)}, "cat": {"katze": 9}}
FREQUENCIES = {"dog": 100, "thing": 80, "cat": 10}


def chosen(role=None, **options):
    """Choose nouns among three."""
    candidates = Candidates()
    candidates.counts["N"] = Counter({"dog": 50, "thing": 50, "cat": 9})
    return choose(
        "N",
        role or Role(count=1, **options),
        candidates,
        LINKS,
        FREQUENCIES,
        floor=20,
        clusters=3,
    )


def test_inconsistent_and_rare_words_are_left_out():
    """One rendering that covers all links, and often enough."""
    assert [atom.text for atom in chosen()] == ["dog"]
    assert chosen()[0].accepted == ("hund",)


def test_unchecked_words_fill_up():
    """Without renderings, as the published test has them."""
    atoms = chosen(Role(count=2, unchecked=True))
    assert [(atom.text, bool(atom.accepted)) for atom in atoms] == [("dog", True), ("thing", False)]


def test_named_words_are_taken():
    """Whatever their frequency."""
    assert [atom.text for atom in chosen(Role(count=1, words=("cat",)))] == ["cat"]


def test_too_few_is_an_error():
    """With the number found."""
    with pytest.raises(DataError, match="1 of 2 atoms"):
        chosen(Role(count=2))


def test_atoms_are_spread_over_frequency():
    """From the most to the least frequent in even logarithmic steps."""
    atoms = [ChosenAtom(str(n), "N", (), 10**n, 1.0) for n in range(1, 6)]
    assert [atom.frequency for atom in spread(atoms, 3)] == [10**5, 10**3, 10]
    assert spread(atoms, 0) == []


def test_usage_says_what_a_word_is():
    """Role in most uses, names, spelling, articles and what they may precede."""
    sentences = [
        pair("this old Dog saw Rome .", "det amod nsubj root dobj punct", "3 3 4 0 4 4"),
        pair("every old dog saw it .", "det amod nsubj root dobj punct", "3 3 4 0 4 4"),
        pair("an old dog saw Rome .", "det amod nsubj root dobj punct", "3 3 4 0 4 4"),
    ]
    news = pair("the new dog saw Rome .", "det amod nsubj root dobj punct", "3 3 4 0 4 4")
    usage = Usage([*sentences, *[news] * 9, *[sentences[2]] * 20], ["dobj"])
    assert usage.fits("dog", "N", ())
    assert not usage.fits("old", "N", ())
    assert usage.fits("old", "ADJ", ["amod"])
    assert usage.fits("saw", "V", ())
    assert not usage.fits("rome", "N", ())
    assert usage.surface("rome") == "Rome"
    assert usage.is_singular("dog", ["this", "every"])
    assert not usage.is_singular("rome", ["this", "every"])
    assert usage.may_precede("an", ["old"])
    assert not usage.may_precede("an", ["new"])


def test_plural_determiners_do_not_fit():
    """Learned from the nouns they go with."""
    singular = pair("this dog ran .", "det nsubj root punct", "2 3 0 3")
    plural = pair("these dogs ran .", "det nsubj root punct", "2 3 0 3", "these dog run .")
    assert singular_determiners([singular, plural], ["det"]) == {"this"}
