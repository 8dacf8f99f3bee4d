"""Finishing touches, and where offsets lie after them."""

from __future__ import annotations

import pytest

from recombine.grammar.realise.spelling import (
    SpellingEdit,
    apply_edits,
    article,
    capitalise,
    commas,
    finishes,
    shift,
)


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("the dog, that ran, , slept", "the dog, that ran, slept"),
        ("he said, that he ran,.", "he said, that he ran."),
        ("one, two, three", "one, two, three"),
    ],
)
def test_commas(text: str, finished: str) -> None:
    """Only a comma before another mark vanishes."""
    assert apply_edits(text, commas(text)) == finished


def test_article_looks_at_the_next_word_only() -> None:
    """`a` inside a word or a hyphenated one is no article."""
    a_an = article({})
    text = "A owl saw extra owls and a b-a owl"
    assert apply_edits(text, a_an(text)) == "An owl saw extra owls and a b-a owl"


def test_post_line_is_applied_in_its_order() -> None:
    """Names of a %post line become functions in the order of the line."""
    text = "a owl."
    for finish in finishes(["a_an", "capitalise"], {}):
        text = apply_edits(text, finish(text))
    assert text == "An owl."
    assert finishes(["commas", "capitalise"], {})[0] is commas


def test_offsets_follow_the_text() -> None:
    """A span cut out before the edits is the same words after them."""
    text = "a owl saw, , a cat"
    edits = sorted([*article({})(text), *commas(text)])
    after = apply_edits(text, edits)
    assert after == "an owl saw, a cat"
    for word in ("owl", "saw", "cat"):
        start = text.index(word)
        end = start + len(word)
        moved = after[shift(start, edits, is_end=False) : shift(end, edits, is_end=True)]
        assert moved == word


def test_insertion_belongs_to_the_span_before_it() -> None:
    """The n of `an` lies inside the article and outside the next word."""
    edits = [SpellingEdit(1, 1, "n")]
    assert shift(1, edits, is_end=True) == 2
    assert shift(1, edits, is_end=False) == 1
    assert shift(2, edits, is_end=False) == 3


def test_finishes() -> None:
    """Capital letters, articles and commas."""

    def finish(function: object, text: str) -> str:
        return apply_edits(text, function(text))  # type: ignore[operator]

    assert finish(capitalise, "¿qué?") == "¿Qué?"
    assert finish(capitalise, "猫。") == "猫。"
    assert finish(commas, "der Hund, der schlief, , lief,.") == "der Hund, der schlief, lief."
    a_an = article({"hour": "an", "unicorn": "a"})
    assert (
        finish(a_an, "a owl saw a unicorn a hour in Ma eve")
        == "an owl saw a unicorn an hour in Ma eve"
    )
