"""The translation is taken out of what a chat model says, and what was taken off is counted."""

from __future__ import annotations

import pytest

from recombine.systems.answer import AnswerCleaner, clean_answer


@pytest.mark.parametrize(
    ("said", "text", "removed"),
    [
        ("Der Hund lief.", "Der Hund lief.", ()),
        ("Sure! Here is the German translation:\n\nDer Hund.", "Der Hund.", ("preamble",)),
        ("Translation: Der Hund.", "Der Hund.", ("preamble",)),
        ("Here's the translation: “Der Hund.”", "Der Hund.", ("preamble", "quotes")),
        ("「犬が走った。」", "犬が走った。", ("quotes",)),
        ("```text\nDer Hund.\n```", "Der Hund.", ("fence",)),
        ("Der Hund.\n\nNote: a dog is a Hund.", "Der Hund.", ("afterword",)),
        ("<think>\nA dog?\n</think>\n\nDer Hund.", "Der Hund.", ("thought",)),
        ("<think>\nA dog, or", "", ("thought",)),
        ('"Ja", sagte er, "nein"', '"Ja", sagte er, "nein"', ()),
        ("Der Hund sagte: ja.", "Der Hund sagte: ja.", ()),
        ("", "", ()),
    ],
)
def test_the_translation_is_taken_out_of_the_talk(said, text, removed):
    """Preambles, fences, quotes, thoughts and afterwords go; colons and quotes within stay."""
    assert clean_answer(said, "The dog ran.") == (text, removed)


def test_quotes_of_the_source_stay():
    """A sentence that is a quotation is translated as one."""
    assert clean_answer("„Ja.“", '"Yes."') == ("„Ja.“", ())


def test_counts_go_on_where_the_run_before_stopped():
    """A run that was killed and continued says of all its answers what was taken off."""
    first = AnswerCleaner()
    first.clean('"Hund"', "dog")
    second = AnswerCleaner()
    second.recall(first.described())
    second.clean('"Katze"', "cat")
    assert second.described() == {"quotes": {"answers": 2, "first": '"Hund"'}}
