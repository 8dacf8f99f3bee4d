"""A language as context-free productions: grammars built to exhaust, and gaps in words."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write, is_read
from recombine.errors import GrammarError
from recombine.grammar import Grammar
from recombine.grammar.check.grammar_check import check_source
from recombine.grammar.parsing.cfg import MissingForms

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
    assert is_read(tree, grammar.parse("w", "en"))


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


def test_each_gap_is_reported_once(small: Grammar) -> None:
    """The same form asked for by two lines is one problem; another form is another."""
    missing = MissingForms(small.concrete("en"))
    code, trans = small.inventory.code("see"), (small.inventory.code("trans"), "form")
    missing.form(code, "past", trans)
    missing.form(code, "past", (small.inventory.code("def"), "form"))
    missing.form(code, "pres", trans)
    assert [problem.message for problem in missing.problems()] == [
        "'see' has no 'past', needed by 'trans' (en.grammar:5)",
        "'see' has no 'pres', needed by 'trans' (en.grammar:5)",
    ]


def test_word_without_a_row(write: Write) -> None:
    """A word the language never mentions is reported at its abstract row, once for all forms."""
    folder = write({"en.lexicon.tsv": SMALL["en.lexicon.tsv"].replace("dog\tdog\n", "")})
    grammar = Grammar.load(folder)
    missing = MissingForms(grammar.concrete("en"))
    for field in ("form", "pl"):
        missing.form(grammar.inventory.code("dog"), field, None)
    (problem,) = missing.problems()
    assert "'dog' has no row in a lexicon of 'en'" in problem.message
    assert problem.where is not None
    assert problem.where.path.endswith("abstract.lexicon.tsv")


def test_line_is_named_with_its_place(small: Grammar) -> None:
    """Messages say which line asks, and how the missing one would begin."""
    missing = MissingForms(small.concrete("en"))
    trans, definite = small.inventory.code("trans"), small.inventory.code("def")
    asking = (trans, "form")
    assert missing.line_name(asking) == "'trans' (en.grammar:5)"
    missing.line(definite, "acc", asking)
    (problem,) = missing.problems()
    assert problem.message == "en: no line 'def.acc', needed by 'trans' (en.grammar:5)"
    assert problem.hint == "add: def.acc = ..."


def test_table_and_cell_are_told_apart(write: Write) -> None:
    """A table that is not there is another gap than a cell that is not in it."""
    lexicon = SMALL["en.lexicon.tsv"] + "_the\tthe\n"
    grammar = Grammar.load(write({"en.lexicon.tsv": lexicon}))
    missing, rule = MissingForms(grammar.concrete("en")), grammar.inventory.code("def")
    missing.cell("_the", "pl", rule, "form")
    missing.cell("_a", "sg", rule, "form")
    missing.cell("_a", "pl", rule, "form")
    assert [problem.message for problem in missing.problems()] == [
        "en: '_the' has no 'pl', needed by 'def' (en.grammar:6)",
        "en: there is no table '_a', needed by 'def' (en.grammar:6)",
    ]
