"""How texts are cut into strings of the language, and which texts have one shape."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write, is_read
from recombine.grammar import Grammar
from recombine.grammar.parsing.lattice import Cutter, Lattice


def cut(grammar: Grammar, text: str, language: str) -> Lattice:
    """The graph of a text."""
    return Cutter(grammar.parser(language).cfg).cut(text)


def pieces(lattice: Lattice) -> list[str]:
    """The strings on the edges, in order of their nodes."""
    return [edge.entry.text for edge in sorted(lattice.edges, key=lambda edge: edge[:2])]


def test_spaced_text(small: Grammar) -> None:
    """Words are found between spaces, the capital letter and the glued full stop forgiven."""
    lattice = cut(small, "The cat slept.", "en")
    assert lattice.complete
    assert pieces(lattice) == ["the", "cat", "slept", "."]
    assert [lattice.offsets[edge.start] for edge in lattice.edges] == [0, 4, 8, 13]


def test_unspaced_text(small: Grammar) -> None:
    """A language without spaces is cut by its strings alone."""
    lattice = cut(small, "猫が眠った。", "ja")
    assert lattice.complete
    assert pieces(lattice) == ["猫", "が", "眠った", "。"]


def test_dead_ends_are_dropped(small: Grammar) -> None:
    """In a text that can be cut, only edges on a way to its end are kept."""
    lattice = cut(small, "The cat slept.", "en")
    starts = {edge.start for edge in lattice.edges}
    assert starts == set(range(lattice.size - 1))
    assert max(edge.end for edge in lattice.edges) == lattice.size - 1


def test_unknown_word_stops_the_cut(small: Grammar) -> None:
    """Where no string fits, the graph says how far it came."""
    lattice = cut(small, "The cat purred.", "en")
    assert not lattice.complete
    assert lattice.furthest == len("The cat ")
    assert pieces(lattice) == ["the", "cat"]


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "The catslept."), ("en", "Thecat slept."), ("de", "Die Katzeschlief.")],
)
def test_words_need_their_space(toy: Grammar, language: str, text: str) -> None:
    """Strings that no rule glues together are not cut apart, though either has a `+` elsewhere."""
    assert not cut(toy, text, language).complete


def test_separable_prefix_is_glued(toy: Grammar) -> None:
    """Two slots with a `+` between them touch if both are heard."""
    clause = "decl(past, def(dog), trans(watch, def(cat)))"
    tree = toy.tree(f"say(decl(past, def(cat), report(think, {clause})))")
    text = toy.text(tree, "de")
    assert cut(toy, text, "de").complete, text
    assert "ansah" in text


def test_dropped_comma_is_offered_again(toy: Grammar) -> None:
    """The comma that gave way to a full stop is an edge without length."""
    text = "Die Katze sah den Hund, der schlief."
    lattice = cut(toy, text, "de")
    empty = [e for e in lattice.edges if lattice.offsets[e.start] == lattice.offsets[e.end]]
    assert lattice.complete
    assert {edge.entry.text for edge in empty} == {","}
    assert text.index(".") in {lattice.offsets[edge.start] for edge in empty}


@pytest.mark.parametrize("mark", ['"¿" +', '"¿"', '"(" + "¿" +', '"«"'])
def test_the_capital_may_come_after_a_mark(write: Write, mark: str) -> None:
    """A sentence is read again as it was written, whatever stands before its first letter."""
    line = f'decl   = {mark} subj VP + "?"'
    grammar = Grammar.load(
        write({"en.grammar": SMALL["en.grammar"].replace('decl   = subj VP + "."', line)})
    )
    tree = grammar.tree("decl(def(cat), sleep_(sleep))")
    text = grammar.realise(tree, "en").text
    assert "The cat" in text
    assert is_read(tree, grammar.parse(text, "en"))
    assert is_read(tree, grammar.parse(text.replace("The", "the"), "en"))
    assert not is_read(tree, grammar.parse(text.replace("cat", "Cat"), "en"))
