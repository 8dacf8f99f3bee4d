"""The constituent a pattern is about, in both languages."""

from __future__ import annotations

import pytest

from recombine.builders.generated.focus import FocusFinder
from recombine.builders.generated.parts import Look, RecipePart, Setting
from recombine.errors import ConfigError
from recombine.grammar import Grammar


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    """The grammar of the examples."""
    return Grammar.load("sget")


def finder(grammar: Grammar, **options) -> FocusFinder:
    """A finder for one part."""
    return FocusFinder(grammar, "en", "ja", RecipePart(size=1, **options), Setting(source="en"))


def test_head_word_and_offsets(grammar):
    """A lexical pattern looks at the noun alone, and knows where it stands."""
    one = finder(
        grammar, targets=("thief",), look=(Look(find="_.subj = thief", take="subj", head=True),)
    )
    text = "The thief ran."
    (focus,) = one.focus(grammar.parse(text, "en").require_tree().codes, text)
    assert (focus.text, focus.role, focus.accepted) == ("thief", "subj", ("泥棒",))
    assert text[focus.start : focus.end] == "thief"


def test_whole_phrase_with_a_capital(grammar):
    """A structural pattern looks at the whole phrase, also at the beginning."""
    find = "_.subj > agent_mod > living_pp"
    one = finder(grammar, look=(Look(find=find, take="subj"),))
    text = "A friend in the house ran."
    (focus,) = one.focus(grammar.parse(text, "en").require_tree().codes, text)
    assert (focus.text, focus.accepted) == ("A friend in the house", ("家の中の友達",))


def test_verb_in_its_form(grammar):
    """A verb is looked at in the form of the sentence, without its particle."""
    one = finder(
        grammar,
        targets=("thank_tr",),
        irregular=("thank_tr",),
        look=(Look(find="past_tr.Vpast = thank_tr", take="Vpast"),),
    )
    text = "Liam thanked a friend."
    codes = grammar.parse(text, "en").require_tree().codes
    (focus,) = one.focus(codes, text)
    assert (focus.text, focus.accepted) == ("thanked", ("感謝した",))
    assert one.tags(codes) == {"target_word": "thank", "regularity": "irregular"}


def test_depth_tag(grammar):
    """Recursion patterns carry their depth."""
    one = finder(grammar, depth={"pp": "3"})
    text = "Liam saw a book in a car on the road beside a house."
    assert one.tags(grammar.parse(text, "en").require_tree().codes) == {"depth": 3}


def test_unknown_slot_is_refused(grammar):
    """A look at a slot that no rule has is a mistake in the recipe."""
    with pytest.raises(ConfigError, match="nosuch"):
        finder(grammar, look=(Look(find="act", take="nosuch"),))
