"""Examples of the consistency tests."""

from __future__ import annotations

from recombine.builders.consistency.examples import (
    group_example,
    group_tags,
    idiom_example,
    slot_focus,
    synonym_examples,
)
from recombine.builders.consistency.synthetic import TestSentence
from recombine.builders.consistency.wordlists import Idiom, SynonymPair

SENTENCE = TestSentence(
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
