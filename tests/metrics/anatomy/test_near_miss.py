"""Sentences that do not parse, explained by their words and the gaps between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.metrics.anatomy.near_miss import (
    Spoken,
    changed_gaps,
    near_miss,
    split_words,
    spoken,
)

FORMS = {
    "cat": frozenset({"n"}), "dog": frozenset({"n"}), "mat": frozenset({"n"}),
    "sees": frozenset({"v"}), "saw": frozenset({"v"}), "hears": frozenset({"v"}),
}  # fmt: skip
LETTERS = frozenset("thefon.")
REFERENCE = "The cat on the mat sees the dog."


def split(text):
    """A sentence of this little language as words and gaps."""
    return split_words(text, FORMS, LETTERS, frozenset({"cat", "mat", "sees", "dog"}))


def edits_of(text):
    """The edits from the reference to a text, as pairs of words."""
    wanted, said = split(REFERENCE), split(text)
    forms = [frozenset({"sees", "saw"}) if w == "sees" else frozenset({w}) for w in wanted.words]

    def may_replace(place, word):
        return FORMS[wanted.words[place]] == FORMS[word]

    found = near_miss(wanted, said, forms, may_replace)
    return None if found is None else [
        (one.wanted is not None and wanted.words[one.wanted],
         one.given is not None and said.words[one.given])
        for one in found if one.cost
    ]  # fmt: skip


def test_text_becomes_words_and_gaps():
    """Function words are what stands between known forms; anything else is unknown."""
    assert split(REFERENCE) == Spoken(
        ("cat", "mat", "sees", "dog"), ("the", "onthe", "", "the", ".")
    )
    assert split("The cow sees the dog.") is None
    assert spoken([("the", False), ("cat", True)]) == Spoken(("cat",), ("the", ""))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (REFERENCE, []),
        ("The cat sees the dog.", [("mat", False)]),
        ("The cat on the mat saw the dog.", [("sees", "saw")]),
        ("The cat on the mat hears the dog.", [("sees", "hears")]),
        ("The cat on the mat sees the dog the dog.", [(False, "dog")]),
        ("The cat on the mat the cat sees the dog.", [(False, "cat")]),
        ("The dog sees the cat on the mat.", None),  # words have moved
        ("The cat fff the mat sees the dog.", None),  # a gap that no word explains
    ],
)
def test_edits_explain_what_was_said(text, expected):
    """Words that left, joined or changed, where the function words follow; else nothing."""
    assert edits_of(text) == expected


def test_other_function_words_are_found():
    """Gaps are compared only between the same words."""
    assert changed_gaps(split(REFERENCE), split("The cat of the mat sees the dog.")) == [1]
    assert changed_gaps(split(REFERENCE), split("The cat sees the dog.")) == []


@given(st.lists(st.sampled_from(["cat", "dog", "mat", "sees"]), max_size=6), st.data())
def test_leaving_words_out_is_always_explained(words, data):
    """A row of words with some left out is the whole row less those."""
    kept = [word for word in words if data.draw(st.booleans())]
    wanted, said = (spoken((word, True) for word in row) for row in (words, kept))
    found = near_miss(wanted, said, [frozenset({word}) for word in words], lambda *_: False)
    assert found is not None
    assert sum(one.given is None for one in found) == len(words) - len(kept)
