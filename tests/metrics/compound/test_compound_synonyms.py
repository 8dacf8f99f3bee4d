"""Renderings that references use and the lexicon lacks."""

from __future__ import annotations

from recombine.metrics.compound.learning import ReferenceText, learn_synonyms
from recombine.metrics.compound.units import Atom

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
