"""The constituent a pattern is about, in both languages."""

from __future__ import annotations

import pytest

from recombine.benchmark import Focus
from recombine.builders.generated.focus import FocusFinder, wording
from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.generated.parts import FocusRule, GeneratedOptions, RecipePart
from recombine.errors import ConfigError
from recombine.grammar import Grammar


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    """The grammar of the examples."""
    return Grammar.load("sget")


def finder(grammar: Grammar, target: str = "ja", **options) -> FocusFinder:
    """A finder for one part."""
    setting = GeneratedOptions(source_language="en", target_language=target)
    return FocusFinder(grammar, Lexicon(grammar, "en"), RecipePart(size=1, **options), setting)


def look_at(grammar: Grammar, one: FocusFinder, text: str, target: str = "ja") -> tuple[Focus, ...]:
    """What it finds in a sentence."""
    tree = grammar.parse(text, "en").require_tree()
    return one.focus(tree.codes, text, grammar.text(tree, target))


def test_head_word_and_offsets(grammar):
    """A lexical pattern looks at the noun alone, and knows where it stands."""
    one = finder(
        grammar,
        targets=("thief",),
        look=(FocusRule(find="_.subj = thief", take="subj", head=True),),
    )
    text = "The thief ran."
    (focus,) = look_at(grammar, one, text)
    assert (focus.text, focus.role, focus.accepted) == ("thief", "subj", ("泥棒",))
    assert text[focus.start : focus.end] == "thief"


def test_whole_phrase_with_a_capital(grammar):
    """A structural pattern looks at the whole phrase, also at the beginning."""
    find = "_.subj > agent_mod > living_pp"
    one = finder(grammar, look=(FocusRule(find=find, take="subj"),))
    text = "A friend in the house ran."
    (focus,) = look_at(grammar, one, text)
    assert (focus.text, focus.accepted) == ("A friend in the house", ("家の中の友達",))


def test_verb_in_its_form(grammar):
    """A verb is looked at in the form of the sentence, without its particle."""
    one = finder(
        grammar,
        targets=("thank_tr",),
        irregular=("thank_tr",),
        look=(FocusRule(find="past_tr.Vpast = thank_tr", take="Vpast"),),
    )
    text = "Liam thanked a friend."
    codes = grammar.parse(text, "en").require_tree().codes
    (focus,) = look_at(grammar, one, text)
    assert (focus.text, focus.accepted) == ("thanked", ("感謝した",))
    tags = one.tags(codes, 0)
    assert (tags["target_word"], tags["regularity"]) == ("thank", "irregular")


@pytest.mark.parametrize(
    ("text", "find", "take", "target", "accepted"),
    [
        ("Liam needs to see.", "now_to.VN = need_to", "VN", "fr", "a besoin"),
        ("Liam answers that a child ran.", "now_that.VC = answer_that", "VC", "fr", "répond"),
        ("Liam realizes that a child ran.", "now_that.VC = realize_that", "VC", "es", "percata"),
        ("Liam lends a game to the child.", "now_pp.VD = lend_dat", "VD", "de", "leiht"),
    ],
)
def test_verb_in_pieces(grammar, text, find, take, target, accepted):
    """Of a verb in pieces its own form is looked at, not what others bring too: d', que, an."""
    one = finder(grammar, target, look=(FocusRule(find=find, take=take),))
    (focus,) = look_at(grammar, one, text, target)
    assert focus.accepted == (accepted,)


def test_depth_tag(grammar):
    """Recursion patterns carry their depth."""
    one = finder(grammar, depth={"pp": "3"})
    text = "Liam saw a book in a car on the road beside a house."
    assert one.tags(grammar.parse(text, "en").require_tree().codes, 0)["depth"] == 3


def test_unknown_slot_is_refused(grammar):
    """A look at a slot that no rule has is a mistake in the recipe."""
    with pytest.raises(ConfigError, match="nosuch"):
        finder(grammar, look=(FocusRule(find="act", take="nosuch"),))


@pytest.mark.parametrize(
    ("slot", "english", "japanese"),
    [("subj", "the child", "子供"), ("VF", "found a book in a car", "車の中の本を見つけた")],
)
def test_phrase_and_verb(slot, english, japanese):
    """A phrase has its plain form; a verb phrase is worded by its own pieces."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("The child found a book in a car.", "en").require_tree()
    node = tree.node(slot, tree.positions[0][0])
    assert wording(grammar.realiser("en"), tree, node) == english
    if slot == "subj":
        assert wording(grammar.realiser("ja"), tree, node) == japanese


def test_word_in_its_form():
    """A verb without its particle."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("The child found a book.", "en").require_tree()
    verb = next(n for n, label in enumerate(tree.labels()) if label == "find_tr")
    assert wording(grammar.realiser("ja"), tree, verb) == "見つけた"
