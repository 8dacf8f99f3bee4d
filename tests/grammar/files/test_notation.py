"""Tokens, lines and the words for usual mistakes."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError, Where
from recombine.grammar.files.notation import (
    cursor,
    explain,
    logical_lines,
    quote,
    tokens,
    unquote,
)


def test_tokens_know_their_place() -> None:
    """Every token has its kind, column and width; comments and spaces have none."""
    found = tokens('x.a = N[pl] + "é" 2.5 # note', "f", 7)
    assert [(token.kind, token.text) for token in found] == [
        ("name", "x"),
        ("symbol", "."),
        ("name", "a"),
        ("symbol", "="),
        ("name", "N"),
        ("symbol", "["),
        ("name", "pl"),
        ("symbol", "]"),
        ("symbol", "+"),
        ("string", '"é"'),
        ("number", "2.5"),
    ]
    last = found[-1].where
    assert (last.line, last.column, last.width) == (7, 19, 3)
    with pytest.raises(GrammarError, match="unexpected character"):
        tokens("x = ~", "f", 1)


@pytest.mark.parametrize("text", ["", "the", 'a "b" c', "back\\slash", '\\"'])
def test_quote_and_unquote(text: str) -> None:
    """A quoted text is one token and reads back as it was."""
    (token,) = tokens(quote(text), "f", 1)
    assert token.kind == "string"
    assert unquote(token.text) == text


def test_indented_lines_continue() -> None:
    """Indented lines belong to the one before; comments and blank lines end nothing."""
    groups = list(logical_lines("a = b\n# note\n\n  c\nd = e\n"))
    assert groups == [[(1, "a = b"), (4, "  c")], [(5, "d = e")]]


def test_cursor_complains_at_the_token() -> None:
    """What is missing is named, at the place where it should have been."""
    line = cursor([(3, "x = y")], "f")
    assert line.name("a rule name") == "x"
    with pytest.raises(GrammarError, match="expected ':' after the rule name, found '='") as caught:
        line.expect(":", "after the rule name")
    assert caught.value.where is not None
    assert (caught.value.where.line, caught.value.where.column) == (3, 3)
    assert line.accept("=")
    line.take()
    with pytest.raises(GrammarError, match="ends too early"):
        line.take()


def test_mistakes_are_explained_by_kind_of_file() -> None:
    """`=` is a mistake in the abstract grammar only; a hint that is there stays."""
    error = GrammarError("unexpected '='", Where("f", 1, 3, "x = N"))
    assert "concrete grammar in the abstract grammar" in explain(error, "abstract").message
    assert explain(error, "concrete") is error
    known = GrammarError("unexpected '='", Where("f", 1, 3, "x = N"), "own hint")
    assert explain(known, "abstract") is known
