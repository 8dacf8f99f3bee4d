"""Gaps of a language in words."""

from __future__ import annotations

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar
from recombine.grammar.parsing.cfg import Missing


def test_each_gap_is_reported_once(small: Grammar) -> None:
    """The same form asked for by two lines is one problem; another form is another."""
    missing = Missing(small.concrete("en"))
    code = small.inventory.code("see")
    missing.form(code, "past", "'trans'")
    missing.form(code, "past", "'other'")
    missing.form(code, "pres", "'trans'")
    assert [problem.message for problem in missing.problems] == [
        "'see' has no 'past', needed by 'trans'",
        "'see' has no 'pres', needed by 'trans'",
    ]


def test_word_without_a_row(write: Write) -> None:
    """A word the language never mentions is reported at its abstract row, once for all forms."""
    folder = write({"en.lexicon.tsv": SMALL["en.lexicon.tsv"].replace("dog\tdog\n", "")})
    grammar = Grammar.load(folder)
    missing = Missing(grammar.concrete("en"))
    for field in ("form", "pl"):
        missing.form(grammar.inventory.code("dog"), field, "'def'")
    (problem,) = missing.problems
    assert "'dog' has no row in a lexicon of 'en'" in problem.message
    assert problem.where is not None
    assert problem.where.path.endswith("abstract.lexicon.tsv")


def test_line_is_named_with_its_place(small: Grammar) -> None:
    """Messages say which line asks, and how the missing one would begin."""
    missing = Missing(small.concrete("en"))
    trans, definite = small.inventory.code("trans"), small.inventory.code("def")
    asking = missing.line_name(trans, "form")
    assert asking == "'trans' (en.grammar:5)"
    missing.line(definite, "acc", asking)
    (problem,) = missing.problems
    assert problem.message == "en: no line 'def.acc', needed by 'trans' (en.grammar:5)"
    assert problem.hint == "add: def.acc = ..."


def test_table_and_cell_are_told_apart(write: Write) -> None:
    """A table that is not there is another gap than a cell that is not in it."""
    lexicon = SMALL["en.lexicon.tsv"] + "_the\tthe\n"
    missing = Missing(Grammar.load(write({"en.lexicon.tsv": lexicon})).concrete("en"))
    missing.cell("_the", "pl", "'def'")
    missing.cell("_a", "sg", "'def'")
    missing.cell("_a", "pl", "'def'")
    assert [problem.message for problem in missing.problems] == [
        "en: '_the' has no 'pl', needed by 'def'",
        "en: there is no table '_a', needed by 'def'",
    ]
