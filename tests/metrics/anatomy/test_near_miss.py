"""Sentences that do not parse, explained by their words and the gaps between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.metrics.anatomy.dependencies import Unit
from recombine.metrics.anatomy.near_miss import (
    Spoken,
    changed_gaps,
    name_edits,
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


def unit(label, category, slot, head, *forms):
    """A unit that is said by these forms, or by its name."""
    named = slot in ("subj", "obj")
    return Unit(frozenset(forms or {label}), label, category, slot, named, head, (), (0,))


UNITS = [
    unit("see", "V", "", -1, "sees", "saw"),
    unit("cat", "N", "subj", 0),
    unit("mat", "N", "N", 1),
    unit("dog", "N", "obj", 0),
]
KINDS = {word: frozenset(kind.upper() for kind in kinds) for word, kinds in FORMS.items()}


def told(text, chain=None):
    """What happened to the words of the reference."""
    found = name_edits(
        split(REFERENCE), split(text), (1, 2, 0, 3), UNITS,
        lambda unit: "pp" if unit.label == chain else None, KINDS,
    )  # fmt: skip
    return [(one.kind, one.text) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sees the dog.", [("modifier dropped", "mat of cat")]),
        ("The cat on the mat sees.", [("argument dropped", "obj dog")]),
        ("The cat on the mat the dog.", [("clause dropped", "see")]),
        ("The cat on the mat saw the dog.", [("tense or voice", "saw for sees")]),
        ("The cat on the mat hears the dog.", [("wrong word", "hears for sees")]),
        ("The cat on the mat sees the cat.", [("wrong word", "cat for dog")]),
        ("The cat on the cat sees the dog.", [("wrong word", "cat for mat")]),
        ("The cat on the mat sees the dog the dog.", [("word added", "dog")]),
        # A noun is no verb: it is left out and another word is there.
        (
            "The cat on the mat the mat the dog.",
            [("clause dropped", "see"), ("word added", "mat")],
        ),
        # The form may be what its new neighbour asks for.
        ("The cat saw the dog.", [("modifier dropped", "mat of cat")]),
        ("The cat of the mat sees the dog.", [("role changed", "ofthe for onthe")]),
        ("cat on the mat sees the dog.", [("role changed", "– for the")]),
        # The end is not about roles.
        ("The cat on the mat sees the dog", []),
        ("The dog sees the cat on the mat.", []),
        ("The hears.", []),
    ],
)
def test_what_happened_has_a_name(text, expected):
    """As of a sentence that can be read; nothing is claimed where it stays unclear."""
    assert told(text) == expected


def test_a_link_of_a_chain_that_is_gone_is_a_level():
    """And a modifier: readers differ in which they name first."""
    assert told("The cat sees the dog.", chain="mat") == [
        ("recursion level skipped", "pp: without mat"), ("modifier dropped", "mat of cat")
    ]  # fmt: skip
    assert told("The cat sees the dog.", chain="cat") == [("modifier dropped", "mat of cat")]


def test_words_are_cut_where_most_of_them_are_wanted():
    """The fewest pieces, then those that the reference has; all letters must be of something."""
    forms = {"ab": "", "a": "", "b": "", "bc": "", "c": ""}
    assert split_words("abc", forms, "", {"ab"}) == Spoken(("ab", "c"), ("", "", ""))
    assert split_words("abc", forms, "", {"bc"}) == Spoken(("a", "bc"), ("", "", ""))
    assert split_words("A b", forms, "", ()) == Spoken(("a", "b"), ("", "", ""))
    assert split_words("abx", forms, "x", ()) == Spoken(("ab",), ("", "x"))
    assert split_words("abx", forms, "", ()) is None
    assert split_words("", forms, "", ()) == Spoken((), ("",))


@given(st.lists(st.sampled_from(["cat", "dog", "mat", "sees"]), max_size=6), st.data())
def test_leaving_words_out_is_always_explained(words, data):
    """A row of words with some left out is the whole row less those."""
    kept = [word for word in words if data.draw(st.booleans())]
    wanted, said = (spoken((word, True) for word in row) for row in (words, kept))
    found = near_miss(wanted, said, [frozenset({word}) for word in words], lambda *_: False)
    assert found is not None
    assert sum(one.given is None for one in found) == len(words) - len(kept)
