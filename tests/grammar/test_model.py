"""The records of a grammar that was read."""

from __future__ import annotations

from recombine.errors import Where
from recombine.grammar.model import Rule, RulePart, Symbol, Word


def test_symbol_reads_as_it_is_written() -> None:
    """A symbol's text is the notation of the grammar file."""
    assert str(Symbol("NP")) == "NP"
    assert str(Symbol("N", ("animate", "big"), ("old",))) == "N<animate big !old>"


def test_head_is_marked_or_alone() -> None:
    """The only part of a rule is its head; among several only a mark makes one."""
    noun, place = RulePart("N", Symbol("N")), RulePart("loc", Symbol("NP"))
    assert Rule("def", "NP", (noun,)).head == 0
    assert Rule("beside", "NP", (noun, place)).head is None
    assert Rule("beside", "NP", (noun, place._replace(head=True))).head == 1
    assert Rule("past", "Tense").head is None


def test_slots_are_found_by_name() -> None:
    """A slot goes by its own name, not by its category."""
    rule = Rule("beside", "NP", (RulePart("N", Symbol("N")), RulePart("loc", Symbol("NP"))))
    assert rule.slot("loc") == 1
    assert rule.slot("NP") is None


def test_place_does_not_count_for_equality() -> None:
    """Two grammars are equal if they say the same, wherever their lines stand."""
    assert Rule("def", "NP", where=Where("a", 1)) == Rule("def", "NP", where=Where("b", 2))
    assert Word("cat", "N", where=Where("a", 1)) == Word("cat", "N")
    assert Word("cat", "N", weight=2.0) != Word("cat", "N")
