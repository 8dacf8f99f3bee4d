"""One slicer for scoring and report: which keys have which value, and which are drawn together."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example
from recombine.metrics.slices import DECLARED, MOST_VALUES, Slices, show_tag, source_length


def key(*, group: str | None = None, salt: str = "", **tags: object) -> list[Example]:
    """One key of one example."""
    made = Example.make(source="one two", tags=tags, group=group, salt=salt)  # type: ignore[arg-type]
    return [made]


@pytest.mark.parametrize(
    ("labels", "order"),
    [(["10", "9", "-1"], ["-1", "9", "10"]), (["b", "a", "3"], ["b", "a", "3"])],
)
def test_numbers_ascend_and_names_stay_as_they_come(labels, order):
    """A table by length reads from short to long, one by pattern as the benchmark has it."""
    slices = Slices([key(one=labels[n % 3]) for n in range(6)])
    assert list(slices.rows("one")) == order
    assert list(slices.rows("one")[order[0]]) == [
        labels.index(order[0]),
        labels.index(order[0]) + 3,
    ]


def test_keys_without_an_observation_are_counted_but_not_sliced():
    """A score of a value is of its observations, and says of how many keys."""
    slices = Slices([key(one="a"), key(one="b"), key(one="a"), key(one="c")], observed=2)
    assert {value: list(rows) for value, rows in slices.rows("one").items()} == {"a": [0], "b": [1]}
    assert list(slices.all_keys("one")["a"]) == [0, 2]
    assert list(slices.tags["one"]) == ["a", "b"]


def test_groups_have_a_value_of_every_tag():
    """The first tag is outermost; a combination that no observation has is no group."""
    pairs = [("a", 2), ("b", 1), ("a", 1), ("b", None), ("a", 2), ("b", 2)]
    slices = Slices([key(one=one, **({"two": two} if two else {})) for one, two in pairs], 5)
    groups = {values: list(rows) for values, rows in slices.group_by("one", "two").items()}
    assert groups == {("a", "1"): [2], ("a", "2"): [0, 4], ("b", "1"): [1]}
    assert list(groups) == [("a", "1"), ("a", "2"), ("b", "1")]
    assert list(slices.group_by()[()]) == [0, 1, 2, 3, 4]
    assert slices.group_by("three") == {}


def test_a_key_whose_examples_disagree_has_no_value():
    """A pair has the tags that both of its sentences have."""
    slices = Slices([[*key(one="a", two="x"), *key(one="b", two="x")]])
    assert slices.rows("one") == {}
    assert list(slices.rows("two")) == ["x"]


def test_identifiers_do_not_slice():
    """A tag with one value says nothing, one with as many as keys names them."""
    rows = [key(same="x", half=n % 2, own=n) for n in range(MOST_VALUES + 1)]
    assert Slices(rows).worth() == ["half"]
    assert (
        Slices([key(own=n % (MOST_VALUES + 1)) for n in range(2 * MOST_VALUES + 2)]).worth() == []
    )


def test_what_is_drawn_together_is_declared():
    """The metric's tags first, then the benchmark's groups; a name given by the user wins."""
    rows = [
        key(word="a", group="g"), key(word="a", group="h"), key(group="h"), key(group="h"), key(),
    ]  # fmt: skip
    slices = Slices(rows)

    def together(name, declared=()):
        codes = slices.clusters(name, declared)
        return None if codes is None else [list(codes).index(code) for code in codes]

    assert together(DECLARED, ("word",)) == [0, 0, 2, 2, 4]
    assert together("group", ("word",)) == [0, 1, 1, 1, 4]
    assert together("key") is None
    assert Slices(rows).clusters(DECLARED, ()) is not None
    assert Slices(rows).clusters("word", ()) is not None
    # What is said of a single cluster is about that cluster.
    assert slices.clusters("group", (), slices.rows("word")["a"][:1]) is None


def test_tags_as_text():
    """Numbers that are equal are one slice."""
    assert (show_tag(3.0), show_tag(3), show_tag(2.5), show_tag(True)) == ("3", "3", "2.5", "yes")


def test_every_example_has_a_length():
    """Words, or characters where the script does not separate words."""
    assert (source_length("a b c"), source_length("犬が見た")) == (3, 4)
    assert list(Slices([key()]).rows("length")) == ["2"]


def test_numbers_are_text_and_text_stays_as_it_is():
    """A tag of 2 is the slice "2", of True "true"; a name is shown as the benchmark has it."""
    slices = Slices([key(one=2), key(one="b"), key(one=True)])
    assert list(slices.tags["one"]) == ["2", "b", show_tag(True)]
    assert all(type(one) is str for one in slices.tags["one"])


def test_one_word_has_length_one():
    """Characters are counted where words are not separated alone."""
    assert source_length("Understandable.") == 1
    assert source_length("ねこ") == 2
    assert source_length("แมวดำ") == 5
