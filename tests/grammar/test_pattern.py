"""The pattern language."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError
from recombine.grammar import Grammar, Pattern

TREE = "say(decl(past, beside(cat, place(house)), trans(see, rc_obj(dog, name(Emma), love))))"

MATCHES = [
    ("beside", True),
    ("cat", True),
    ("elephant", False),
    ("{pp}", True),
    ("{cp}", False),
    ("<place>", True),
    (":Place", True),
    ("_", True),
    ("(rc_subj|rc_obj)", True),
    ("decl > trans", True),
    ("decl > rc_obj", False),
    ("decl >> rc_obj", True),
    ("decl.subj > beside", True),
    ("decl.subj >> rc_obj", False),
    ("decl.subj >> house", True),
    ("trans.obj = dog", True),
    ("trans.obj = Emma", False),
    ("trans.obj = <animate>", True),
    ("decl = see", True),
    ("decl.subj !>> rc_obj", True),
    ("trans !>> {rc}", False),
    ("trans.obj != cat", True),
    ("decl >> rc_obj > name", True),
    ("decl >> rc_obj > def", False),
    ("decl (.subj > beside) (.VP > trans)", True),
    ("decl (.subj > def) (.VP > trans)", False),
    ("decl (.subj > beside) >> Emma", True),
    ("^say", True),
    ("^decl", False),
    ("beside & rc_obj", True),
    ("beside & rc_subj", False),
    ("rc_subj | beside", True),
    ("!rc_subj", True),
    ("!(beside | rc_subj)", False),
    ("(beside & cat) | elephant", True),
]


@pytest.mark.parametrize(("pattern", "expected"), MATCHES)
def test_matches(toy: Grammar, pattern: str, expected: bool) -> None:
    """Each operator on one tree."""
    assert Pattern.parse(pattern).matches(toy.tree(TREE)) is expected


def test_find(toy: Grammar) -> None:
    """The nodes where a pattern holds."""
    tree = toy.tree(TREE)
    found = Pattern.parse("{pp}").compile(toy.inventory).find(tree)
    assert [tree.at(node).label for node in found] == ["beside"]


@pytest.mark.parametrize(
    "text", ["", "decl >", "decl.", "decl.subj", ">> x", "(a", "a)", "{a", "a b", "a = b > c", "!"]
)
def test_wrong_patterns(text: str) -> None:
    """A pattern that cannot be read is refused with a caret."""
    with pytest.raises(GrammarError) as caught:
        Pattern.parse(text)
    assert caught.value.where is not None
    assert caught.value.hint


def test_deep_brackets_are_refused() -> None:
    """Nesting cannot exhaust the stack."""
    with pytest.raises(GrammarError):
        Pattern.parse("(" * 5000 + "a" + ")" * 5000)
    with pytest.raises(GrammarError):
        Pattern.parse("a" + " > a" * 5000)


def test_unknown_names(toy: Grammar) -> None:
    """Names are checked against the grammar."""
    for text in ("nothing", "decl.nothing > def", "{nothing}", "<nothing>", ":Nothing"):
        with pytest.raises(GrammarError, match=r"(?i)nothing"):
            Pattern.parse(text).compile(toy.inventory)
