"""Texts become strings of units, whatever the script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metrics.compounds import compound
from recombine.benchmark import Example, Focus
from recombine.corpus.segment import segment
from recombine.metrics.compound.units import Units, find_all, is_mark


def test_words_and_characters_are_units():
    """A word of a spaced script is one unit; a character of an unspaced one is one unit."""
    units = Units()
    assert len(units.encode("Der Hund bellt.")) == 4
    assert len(units.encode("小狗 叫了。")) == 5


def test_a_word_is_not_found_inside_another():
    """Substring search would find 'arm' in 'warm'; units do not."""
    units = Units()
    assert find_all(units.encode("es ist warm"), [units.encode("arm")]) == []


def test_an_empty_rendering_makes_an_atom_optional():
    """The published lexicon says 'never missing' with an empty alternative."""
    units = Units()
    example = compound(["every", "dog"])
    focus = example.focus[1]
    relaxed = type(focus)(text="dog", role="N", accepted=("hund", ""))
    every, dog = units.atoms(
        type(example).make(source="every dog", focus=(example.focus[0], relaxed))
    )
    assert every.required
    assert not dog.required
    assert dog.accepted


@given(st.text(max_size=40))
def test_decoding_gives_the_tokens_back(text):
    """No text is lost or confused with another."""
    units = Units()
    encoded = units.encode(text)
    assert [units.decode(unit) for unit in encoded] == list(segment(text.lower()))


def test_marks_are_punctuation_and_symbols():
    """Full-width punctuation counts like ASCII."""
    assert all(map(is_mark, ".,!?，。！$"))
    assert not any(map(is_mark, "a1的"))


def test_a_rendering_inside_a_longer_one_is_not_found():
    """It would cut the word in two."""
    assert find_all("xABy", ("A", "AB")) == [(1, 3)]
    assert find_all("AxAB", ("A", "AB")) == [(0, 1), (2, 4)]


def test_closed_compounds_are_cut_where_a_rendering_ends():
    """A noun's rendering may end a longer word, whose rest is another atom's rendering or new."""
    units = Units()
    focus = [
        Focus(text="constitutional", role="ADJ", accepted=("verfassungsrechtlich",)),
        Focus(text="process", role="N", accepted=("prozess",)),
        Focus(text="take", role="V", accepted=("nehmen",)),
    ]
    assert len(units.encode("Verfassungsprozess")) == 1
    units.open_compounds([Example.make(source="x", focus=focus)])
    assert units.encode("Verfassungsprozess") == units.encode("verfassungsrechtlich prozess")
    assert units.decode(units.encode("Friedensprozess")) == "friedens prozess"
    for word in ("prozess", "unternehmen", "abprozess", "prozesse"):
        assert len(units.encode(word)) == 1, word


def test_what_precedes_a_noun_in_a_rendering_of_an_adjective_is_a_rendering():
    """*economic* was linked to "Wirtschaftskrise", so "Wirtschaftspolitik" says it too."""
    units = Units()
    focus = [
        Focus(text="economic", role="ADJ", accepted=("ökonomische", "wirtschaftskrise")),
        Focus(text="policy", role="N", accepted=("politik", "wirtschaftspolitik")),
        Focus(text="crisis", role="N", accepted=("krise",)),
    ]
    example = Example.make(source="x", focus=focus)
    units.open_compounds([example])
    economic, policy, _ = units.atoms(example)
    assert [units.decode(one) for one in economic.accepted] == ["ökonomische", "wirtschafts"]
    assert units.decode(units.encode("Wirtschaftskrise")) == "wirtschafts krise"
    assert units.encode("politik") in policy.accepted
