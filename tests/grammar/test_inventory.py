"""Rules and words as numbers."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError
from recombine.grammar import Grammar
from recombine.grammar.model import Symbol

LEXICON = """id\tcat\trank\tclasses
cat\tN\t3\tanimate
dog\tN\t1\tanimate big
house\tN\t\tbig
mouse\tN\t2\tanimate
see\tV2
sleep\tV1
"""


@pytest.fixture
def ranked(write: Write) -> Grammar:
    """The small grammar with ranks and classes."""
    forms = {
        f"{code}.lexicon.tsv": SMALL[f"{code}.lexicon.tsv"] + "mouse\tm\n" for code in ("en", "ja")
    }
    return Grammar.load(write({"abstract.lexicon.tsv": LEXICON, **forms}))


def chosen(grammar: Grammar, symbol: Symbol) -> list[str]:
    """The names of what can fill a symbol."""
    return [grammar.inventory.labels[code] for code in grammar.inventory.choices(symbol)]


def test_words_follow_rules(small: Grammar) -> None:
    """Codes number the rules in file order, then the words; labels lead back."""
    inventory = small.inventory
    assert inventory.code("decl") == 0
    assert not inventory.is_word(inventory.first_word - 1)
    assert inventory.word(inventory.code("cat")).id == "cat"
    assert [inventory.code(label) for label in inventory.labels] == list(
        range(len(inventory.labels))
    )
    assert inventory.arity[inventory.code("beside")] == 2
    assert inventory.arity[inventory.code("cat")] == 0


def test_choices_come_by_rank(ranked: Grammar) -> None:
    """Ranked words come first in order of rank, unranked ones after them."""
    assert chosen(ranked, Symbol("N")) == ["dog", "mouse", "cat", "house"]
    assert chosen(ranked, Symbol("NP")) == ["def", "beside"]


def test_classes_filter_words(ranked: Grammar) -> None:
    """A symbol takes words that have all required classes and no forbidden one."""
    assert chosen(ranked, Symbol("N", ("animate",), ("big",))) == ["mouse", "cat"]
    inventory = ranked.inventory
    assert not inventory.admits(Symbol("N", ("animate",)), inventory.code("house"))
    assert not inventory.admits(Symbol("V1"), inventory.code("see"))


def test_tags_are_of_rules(small: Grammar) -> None:
    """Rules carry tags, words none; categories of words are lexical."""
    inventory = small.inventory
    assert inventory.tags(inventory.code("beside")) == ("pp",)
    assert inventory.tags(inventory.code("cat")) == ()
    assert inventory.is_lexical(Symbol("N"))
    assert not inventory.is_lexical(Symbol("NP"))


def test_unknown_name_is_refused(small: Grammar) -> None:
    """A name that is neither rule nor word is named in the complaint."""
    with pytest.raises(GrammarError, match="no rule or word 'unicorn'"):
        small.inventory.code("unicorn")
