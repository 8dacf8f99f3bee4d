"""What references teach about order, fillers and heads."""

from __future__ import annotations

import pytest

from recombine.metrics.compound.learning import (
    ENOUGH,
    ReferenceText,
    category,
    learn,
    learn_synonyms,
)
from recombine.metrics.compound.units import Atom

EVERY = Atom("every", "DET", ("e",), True)
DOG = Atom("dog", "N", ("d",), True)
NEAR = Atom("near", "P", ("n",), True)


def knowledge(*units, atoms=(EVERY, DOG), trusted=True):
    """Learn from these texts, all of the same compound."""
    texts = [
        ReferenceText(atoms, one, "g", str(number), trusted) for number, one in enumerate(units)
    ]
    return learn(
        texts,
        heads=("P",),
        filler_share=0.1,
        order_share=0.95,
        optional_share=0.1,
        synonym_roles=(),
    )


def test_fillers_are_what_often_stands_between():
    """A unit in one text of many is no filler, nor is punctuation."""
    learned = knowledge(*["efd"] * 9, "exd", *["e,d"] * 5)
    assert learned.allowed((EVERY, DOG)) == {"f"}


def test_an_order_kept_by_all_must_be_kept():
    """Mixed orders bind nobody."""
    assert ("DET", "N") in knowledge(*["ed"] * ENOUGH).before[frozenset()]
    mixed = knowledge(*["ed", "de"] * ENOUGH)
    assert mixed.before[frozenset()] == frozenset()


def test_little_evidence_teaches_nothing():
    """Below the threshold neither order nor bareness is concluded."""
    learned = knowledge("ed", "ed")
    assert learned.before[frozenset()] == frozenset()
    assert learned.never_bare == frozenset()


def test_a_rendering_that_is_always_followed_by_something_is_never_bare():
    """The classifier after a determiner, learned without knowing what a classifier is."""
    learned = knowledge(*["efd"] * ENOUGH)
    assert learned.never_bare == {("every", "DET", "e")}


def test_a_head_that_references_do_without_is_optional():
    """The verb may absorb a preposition."""
    atoms = (NEAR, EVERY, DOG)
    learned = knowledge(*["ned"] * 18, *["ed"] * 4, atoms=atoms)
    assert learned.optional == {("near", "P")}
    assert not knowledge(*["ned"] * 18, *["ed"] * 4, atoms=atoms, trusted=False).optional


@pytest.mark.parametrize(
    ("having", "of", "is_filler"), [(2, 20, True), (1, 20, False), (2, 21, False), (1, 5, False)]
)
def test_a_tenth_and_two_make_a_filler(having, of, is_filler):
    """Both are asked for."""
    learned = knowledge(*["efd"] * having, *["ed"] * (of - having))
    assert learned.allowed((EVERY, DOG)) == ({"f"} if is_filler else set())


@pytest.mark.parametrize(
    ("kept", "turned", "fixed"), [(19, 1, True), (18, 2, False), (20, 0, True), (19, 0, False)]
)
def test_an_order_is_fixed_by_nineteen_of_twenty(kept, turned, fixed):
    """Of fewer than twenty nothing is said."""
    learned = knowledge(*["ed"] * kept, *["de"] * turned)
    assert learned.before[frozenset()] == ({("DET", "N")} if fixed else set())


@pytest.mark.parametrize(
    ("bare", "of", "never"), [(1, 100, True), (1, 99, False), (0, 20, True), (0, 19, False)]
)
def test_one_in_a_hundred_may_be_bare(bare, of, never):
    """Of at least twenty."""
    learned = knowledge(*["efd"] * (of - bare), *["ed"] * bare)
    assert bool(learned.never_bare) is never


@pytest.mark.parametrize(
    ("absent", "of", "optional"), [(2, 20, True), (1, 20, False), (2, 21, False), (9, 19, False)]
)
def test_a_tenth_of_twenty_make_a_head_optional(absent, of, optional):
    """Its renderings are looked for anywhere in the text."""
    learned = knowledge(*["edn"] * (of - absent), *["ed"] * absent, atoms=(NEAR, EVERY, DOG))
    assert bool(learned.optional) is optional


def test_atoms_that_are_not_asked_for_have_no_part_in_the_order():
    """A word without renderings, and a head; what stands between still belongs to the others."""
    silent = Atom("the", "DET", (), False)
    learned = knowledge(*["dfg"] * ENOUGH, atoms=(silent, DOG))
    assert learned.before == {frozenset(): frozenset()}
    learned = knowledge(*["nedx"] * ENOUGH, atoms=(NEAR, EVERY, DOG))
    assert learned.before == {frozenset({"P"}): frozenset({("DET", "N")})}
    assert set(learned.fillers) == {("every", "DET"), ("dog", "N")}


def test_the_category_is_the_set_of_heads():
    """Noun phrases have none."""
    assert category((EVERY, DOG), ("P", "V")) == frozenset()
    assert category((NEAR, DOG), ("P", "V")) == {"P"}


# --- renderings that references use and the lexicon lacks

DOCTOR = Atom("doctor", "N", ("AB",), True)
OTHER = Atom("cat", "N", ("K",), True)


def texts(*units, atom=DOCTOR, groups=None):
    """Return one text per string, each with a context and a group of its own."""
    groups = groups or range(len(units))
    return [
        ReferenceText((atom,), one, f"{atom.text}{group}", f"context {number}")
        for number, (one, group) in enumerate(zip(units, groups, strict=True))
    ]


BACKGROUND = texts(*(f"xK{chr(97 + n)}" for n in range(20)), atom=OTHER) * 10


def test_a_common_word_where_the_lexicon_fails_is_learned():
    """Both references without the listed rendering share another word."""
    found = learn_synonyms([*texts("xABy", "pQr", "sQt"), *BACKGROUND], ["N"])
    assert found["doctor", "N"] == ("Q",)


def test_one_compound_is_not_enough():
    """Five contexts of one compound share their words anyway."""
    data = [*texts("xABy", "pQr", "sQt", groups=[0, 1, 1]), *BACKGROUND]
    assert learn_synonyms(data, ["N"]) == {}


def test_frequent_words_are_not_learned():
    """A word that stands everywhere says nothing."""
    assert learn_synonyms([*texts("xABy", "px", "sx"), *BACKGROUND], ["N"]) == {}


def test_a_word_beside_the_listed_rendering_stands_for_something_else():
    """It is sixty times as frequent where that is missing, or nothing is learned."""
    without = [f"{chr(300 + n)}Q{chr(400 + n)}" for n in range(10)]
    for hits, learned in ((40, {}), (80, {("doctor", "N"): ("Q",)})):
        data = texts("xABQ", *["xABy"] * (hits - 1), *without)
        assert learn_synonyms([*data, *BACKGROUND], ["N"]) == learned


def test_outputs_teach_only_pieces_of_known_renderings():
    """A system's outputs may share an error."""
    data = [*texts("xABy", "pQAr", "sQAt"), *BACKGROUND]
    assert learn_synonyms(data, ["N"], trusted=False) == {("doctor", "N"): ("A",)}


def test_words_that_may_be_left_out_need_no_synonyms():
    """Nobody asks for a rendering of them."""
    data = [*texts("xABy", "pQr", "sQt"), *BACKGROUND]
    assert learn_synonyms(data, ["N"])
    assert learn_synonyms(data, ["N"], without={("doctor", "N")}) == {}


def test_phrases_are_left_alone():
    """A fixed phrase must be kept whole."""
    phrase = Atom("he liked", "MOD", ("AB",), True)
    assert learn_synonyms([*texts("A", "A", atom=phrase), *BACKGROUND], ["MOD"]) == {}
