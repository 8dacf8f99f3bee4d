"""Choosing atoms by frequency and consistency."""

from __future__ import annotations

import pytest

from builders.compounds.test_phrases import pair
from recombine.builders.compounds.atoms import (
    AtomPool,
    Candidate,
    ChosenAtom,
    Role,
    choose,
    require_atoms,
    shortage,
    spread,
)
from recombine.builders.compounds.renderings import RenderingRules
from recombine.corpus.alignment import align
from recombine.errors import DataError

CANDIDATES = [
    Candidate("dog", 100, {"hund": 50}),
    Candidate("thing", 80, {f"x{n}y{n}": 5 for n in range(10)}),
]


def chosen(role=None, candidates=CANDIDATES, **options):
    """Choose nouns among two."""
    return choose("N", role or Role(count=1, **options), candidates, RenderingRules(3))


def test_inconsistent_words_are_left_out():
    """One rendering that covers all links."""
    assert [atom.text for atom in chosen()] == ["dog"]
    assert chosen()[0].accepted == ("hund",)


def test_unchecked_words_fill_up():
    """Without renderings, as the published test has them."""
    atoms = chosen(Role(count=2, unchecked=True))
    assert [(atom.text, bool(atom.accepted)) for atom in atoms] == [("dog", True), ("thing", False)]


def test_a_word_without_one_main_rendering_stays_unchecked():
    """Three articles of one case system are no consistent translation."""
    article = Candidate("the", 900, {"die": 50, "der": 40, "den": 10})
    role = Role(count=1, unchecked=True, coverage=0.6)
    assert chosen(role, [article])[0].accepted == ()
    assert chosen(Role(count=1, coverage=0.6), [article])[0].accepted == ("die", "der", "den")


def test_atoms_of_other_categories_come_last():
    """Each category has its own, where there are enough."""
    dogs = [Candidate("dog", 100, {"hund": 50}), Candidate("cat", 90, {"katze": 50})]
    found = choose("N", Role(count=1), dogs, RenderingRules(3), taken={"dog"})
    assert [atom.text for atom in found] == ["cat"]
    assert len(choose("N", Role(count=2), dogs, RenderingRules(3), taken={"dog"})) == 2


def short(role, wanted, candidates, *, floor=30, found=0):
    """What is said of a role of which too few were found."""
    return shortage("NP", role, wanted, found, candidates, RenderingRules(1), floor=floor)


def test_roles_that_are_short_are_told_at_once_with_what_would_do():
    """The coverage or the floor at which there are enough, and else how many there can be."""
    loose = [Candidate(word, 100, {"a": 6, "b": 4}) for word in ("dog", "cat")]
    rare = [Candidate(word, 20, {word: 10}) for word in ("big", "red")]
    found = [
        short("N", Role(count=2, coverage=0.7), loose, found=1),
        short("ADJ", Role(count=2, coverage=0.7), rare),
        short("V", Role(count=20), rare, found=3),
        short("MOD", Role(count=2), []),
    ]
    assert [one.settings for one in found] == [
        {"roles.N.coverage": 0.6}, {"floor": 20}, {"roles.V.count": 4}, {},
    ]  # fmt: skip
    with pytest.raises(
        DataError, match=r"NP role N: 1 of the 2 .*; NP role ADJ: 0 of the 2 "
    ) as caught:
        require_atoms(found)
    hint = "-o roles.N.coverage=0.6 -o floor=20 -o roles.V.count=4; no setting gives any MOD"
    assert hint in (caught.value.hint or "")
    require_atoms([])


def test_atoms_are_spread_over_frequency():
    """From the most to the least frequent in even logarithmic steps."""
    atoms = [ChosenAtom(str(n), "N", (), 10**n, 1.0) for n in range(1, 6)]
    assert [atom.frequency for atom in spread(atoms, 3)] == [10**5, 10**3, 10]
    assert spread(atoms, 0) == []


def test_the_pool_offers_typical_words_and_named_ones():
    """Above the floor, or named by the recipe."""
    sentences = [
        pair("a dog saw it .", "det nsubj root dobj punct", "2 3 0 3 3"),
        pair("a cat saw him .", "det nsubj root dobj punct", "2 3 0 3 3"),
    ] * 9
    tokens = [one.tokens for one in sentences]
    pool = AtomPool(sentences, align(tokens, tokens), {}, {"V": ("dobj",)}, floor=5)

    def words(wanted, **options):
        return [one.text for one in pool.candidates("N", wanted, chosen={}, **options)]

    assert words(Role(count=1)) == ["cat", "dog"]
    assert words(Role(count=1, words=("it", "unseen"))) == ["it"]
