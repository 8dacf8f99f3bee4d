"""Examples and probes of the consistency tests, and what a group must satisfy."""

from __future__ import annotations

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.consistency.examples import (
    clause_probes,
    group_example,
    group_tags,
    idiom_example,
    phrase_probes,
    repeat_probes,
    slot_focus,
    synonym_examples,
    synonym_focus,
    word_probes,
)
from recombine.builders.consistency.proof import group_faults
from recombine.builders.consistency.synthetic import TemplateSentence
from recombine.builders.consistency.wordlists import Idiom, SynonymPair

SENTENCE = TemplateSentence(
    "The man sees the king .",
    "t1",
    "synthetic",
    reference="De man ziet de koning .",
    slots={"np": (4, 7), "vp": (17, 21), "clause": (17, 21)},
)


def test_idiom_example() -> None:
    """The idiom is found whatever its case; the keywords carry what betrays it."""
    idiom = Idiom("by heart", ("heart",), "", ("hart",))
    example = idiom_example("By heart , he said .", idiom, {"data": "natural"}, "Uit het hoofd .")
    assert [(one.role, one.text) for one in example.focus] == [
        ("idiom", "by heart"),
        ("keyword", "heart"),
    ]
    assert (example.focus[0].start, example.focus[0].end) == (0, 8)
    assert example.focus[1].accepted == ("hart",)


def test_synonym_examples() -> None:
    """Base and variant share the group and differ in the term."""
    pair = SynonymPair("boat", "ship", "that owns a boat", "that own a boat", ("boot",))
    base, variant = synonym_examples(SENTENCE, pair, "g")
    assert base.source == "The man sees the king that owns a boat ."
    assert variant.source == "The man sees the king that owns a ship ."
    assert (base.group, variant.role) == ("g", "synonym")
    assert variant.source[variant.focus[0].start : variant.focus[0].end] == "ship"


def test_group_members() -> None:
    """The base has no condition; a coordination has no reference of its own."""
    assert "condition" not in group_tags("np-vp/x", "base", "synthetic", "t1")
    assert group_tags("np-vp/x", "np", "synthetic", "t1")["condition"] == "np"
    alone = group_example(SENTENCE, "np", "np-vp/x", SENTENCE.source, ())
    joined = group_example(SENTENCE, "s3", "conj/x", "A , and the man sees the king .", ())
    assert alone.references == ("De man ziet de koning .",)
    assert joined.references == ()
    assert slot_focus(SENTENCE, "vp", "vp").text == "king"


def test_phrases_and_clauses() -> None:
    """A noun alone names its form; a clause alone is a sentence, once."""
    (phrase,) = phrase_probes([("kings", "The kings .", "De koningen .")])
    assert (phrase.focus[0].text, phrase.role) == ("kings", "phrase")
    assert phrase.references == ("De koningen .",)
    assert [one.source for one in clause_probes(["he runs .", "he runs .", "I go ."])] == [
        "He runs .",
        "I go .",
    ]


def test_words_stand_alone_and_in_a_frame() -> None:
    """Every term and keyword once, bare and in the frame of the paper."""
    probes = list(word_probes([SynonymPair("boat", "ship")], [Idiom("by heart", ("heart",))]))
    assert [one.source for one in probes] == [
        "boat", "This is a boat .", "ship", "This is a ship .", "heart", "This is a heart .",
    ]  # fmt: skip
    assert len({one.id for one in probes}) == 6


def test_repeats_are_different_sentences() -> None:
    """A seeded subset in order, no sentence twice."""
    sources = [f"s {i}" for i in range(10)] * 2
    probes = [one.source for one in repeat_probes(sources, 4, np.random.default_rng(1))]
    assert len(set(probes)) == 4
    assert probes == sorted(probes)


def member(role: str, source: str, clause: str = "") -> Example:
    """Return one member of a group."""
    focus = (Focus(text=clause, role="clause"),) if clause else ()
    return Example.make(source=source, group="g", role=role, focus=focus)


def test_good_groups() -> None:
    """One token differs, the conjunct is shared, the synonym changes something."""
    assert list(group_faults({"base": member("base", "a b c"), "np": member("np", "a x c")})) == []
    triple = {role: member(role, f"{role} , and d", "d") for role in ("base", "s1p", "s3")}
    assert list(group_faults(triple)) == []


def test_bad_groups() -> None:
    """Every rule has its message."""
    assert list(group_faults({"np": member("np", "a")})) == ["it has no base"]
    longer = {"base": member("base", "a b"), "vp": member("vp", "a b c")}
    assert "exactly one token" in next(group_faults(longer))
    two = {"base": member("base", "a , and d", "d"), "s3": member("s3", "b , and e", "e")}
    assert "second conjunct" in next(group_faults(two))
    same = {"base": member("base", "a"), "synonym": member("synonym", "a")}
    assert "same sentence" in next(group_faults(same))


def test_a_focus_is_where_its_term_stands() -> None:
    """Whatever the case, plurals by their stem; what is nowhere has no place."""
    pair = SynonymPair("boat", "ship", renderings=("boot",))
    places = {
        "Two Boats sink .": (4, 8),
        "\u0130stanbul has a boat .": (15, 19),
        "Nothing here .": (None, None),
    }
    for source, place in places.items():
        focus = synonym_focus(source, "boat", pair)
        assert (focus.start, focus.end) == place
    example = idiom_example("Nothing here .", Idiom("by heart", ("heart",)), {})
    assert (example.focus[0].start, example.focus[0].end) == (None, None)
