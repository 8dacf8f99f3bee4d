"""Grammars built to exhaust: they end, with an answer or a reason."""

from __future__ import annotations

import pytest

from grammar.small_grammar import Write
from recombine.errors import GrammarError
from recombine.grammar import Grammar
from recombine.grammar.check import check_source

WORDS = {"abstract.lexicon.tsv": "id\tcat\nw\tW\n", "en.lexicon.tsv": "id\tform\nw\tw\n"}
NO_JAPANESE = {"ja.grammar": "", "ja.lexicon.tsv": "id\tform\n"}


def load(write: Write, abstract: str, english: str, **more: str) -> Grammar:
    """A grammar of one word and one language."""
    folder = write({**WORDS, "abstract.grammar": abstract, "en.grammar": english, **more})
    for name in NO_JAPANESE:
        (folder / name).unlink()
    return Grammar.load(folder)


def test_long_chain_of_categories(write: Write) -> None:
    """Depth of the grammar costs no recursion and no quadratic time."""
    size = 600
    abstract = "%start C0\n" + "".join(f"r{i} : C{i} -> C{i + 1}\n" for i in range(size))
    english = "".join(f"r{i} = C{i + 1}\n" for i in range(size))
    grammar = load(write, abstract + f"last : C{size} -> W\n", english + "last = W\n")
    (tree,) = grammar.sample(1)
    assert len(tree) == size + 2
    assert tree in grammar.parse("w", "en")


def test_explosive_features(write: Write) -> None:
    """Too many combinations of features are refused by name."""
    rows = "".join(f"w{i}\tx{i}\tg{i}\n" for i in range(50))
    words = "".join(f"w{i}\tW\n" for i in range(50))
    grammar = load(
        write,
        "%start S\nr : S -> a:W b:W c:W d:W\n",
        "r = _t[a.g, b.g, c.g, d.g]\n",
        **{"abstract.lexicon.tsv": "id\tcat\n" + words, "en.lexicon.tsv": "id\tform\tg\n" + rows},
    )
    with pytest.raises(GrammarError, match="combines features"):
        grammar.parse("x1", "en")


def test_ambiguity_is_packed_or_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """All binary trees over the words are counted; beyond a limit they are refused."""
    grammar = load(write, "%start S\nr : S -> a:S b:S [0.4]\nq : S -> W\n", "r = a b\nq = W\n")
    assert grammar.parse(" ".join("w" * 20), "en").count == 1767263190  # the 19th Catalan number
    monkeypatch.setattr("recombine.grammar.parsing.forest.MAX_ALTERNATIVES", 2_000)
    parse = grammar.parse(" ".join("w" * 30), "en")
    assert not parse
    assert parse.failure is not None
    assert "too" in parse.failure.message


def test_nothing_at_all(write: Write) -> None:
    """Empty constituents in empty constituents are reported and do not hang."""
    grammar = load(write, "%start S\nr : S -> a:S b:S [0.4]\nq : S ->\n", 'r = a b\nq = ""\n')
    assert any("repeat" in problem.message for problem in check_source(grammar.source))
    assert grammar.parse("", "en").tree is not None
