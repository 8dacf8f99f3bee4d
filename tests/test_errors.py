"""Errors speak to the person who can put them right."""

import pytest

from recombine.errors import (
    DataError,
    MissingExtra,
    Problems,
    SystemFailure,
    Where,
    did_you_mean,
    raise_all,
)


def test_an_error_shows_the_line_with_a_caret_and_a_hint():
    """file:line, the line, a caret under the fault, then the hint."""
    where = Where("ja.grammar", 7, 17, 'trans = obj "を" V2.past', 7)
    text = DataError("no such form", where, hint="add it").render()
    assert text.splitlines() == [
        "error: ja.grammar:7: no such form",
        '  7 | trans = obj "を" V2.past',
        "                       ^^^^^^^",
        "hint: add it",
    ]


def test_tabs_do_not_move_the_caret():
    """A tab in the shown line takes one column, as it does in the count."""
    text = DataError("bad", Where("x.tsv", 1, 3, "a\tb")).render()
    assert text.splitlines()[1] == "  1 | a b"


def test_several_problems_are_told_at_once():
    """The user mends them all in one go."""
    text = Problems([DataError("one"), DataError("two")]).render()
    assert "error: one" in text
    assert text.endswith("2 problems found")


def test_one_problem_is_raised_as_it_is():
    """Only several are wrapped, and none is no fault."""
    one = DataError("one")
    with pytest.raises(DataError) as caught:
        raise_all([one])
    assert caught.value is one
    with pytest.raises(Problems, match="2 problems"):
        raise_all([one, DataError("two")])
    raise_all([])


def test_exit_codes_tell_a_failed_run_from_a_mistake():
    """2 = the user must change something, 1 = the run failed."""
    assert DataError("x").exit_code == 2
    assert SystemFailure("x").exit_code == 1


def test_a_missing_extra_prints_the_install_line():
    """Nobody has to look up which extra has what."""
    assert "pip install 'recombine[train]'" in MissingExtra("training", "train", "torch").render()


def test_the_caret_points_below_wide_letters() -> None:
    """Letters of East Asia take two columns of a terminal."""
    where = Where("sentence", 1, 3, "猫が寝る。", 2)
    assert DataError("wrong", where).render().splitlines()[1:] == [
        "  1 | 猫が寝る。",
        "          ^^^^",
    ]


def test_a_long_line_is_shown_around_what_is_wrong():
    """A line of 50 MB was printed whole."""
    text = DataError("bad", Where("x", 1, 5_001, "a" * 5_000 + "B" + "c" * 5_000)).render()
    line, caret = text.splitlines()[1:3]
    assert len(line) < 250
    assert line[caret.index("^")] == "B"
    assert len(DataError("x" * 50_000).render()) < 5_000


def test_what_is_shown_does_not_move_the_cursor():
    """A control character of a file is none of the terminal."""
    assert "\x1b" not in DataError("bad", Where("x", 1, 1, "\x1b[2Ja")).render()


def test_a_misspelt_name_has_its_closest_as_a_hint() -> None:
    """Where no name is close, the hint says what it was given for that."""
    assert did_you_mean("subjt", ["subj", "obj"]) == "did you mean 'subj'?"
    assert did_you_mean("x", ["subj"], "it has: subj") == "it has: subj"
    assert did_you_mean("x", ["subj"]) is None
