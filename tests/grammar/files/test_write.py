"""Writing rules and lines down."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import find_grammar
from recombine.grammar.files.folder import read_grammar
from recombine.grammar.files.write import format_line, format_rule
from recombine.grammar.model import GrammarSource

ABSTRACT = """%start S
%zipf 1.5 : N
%mend object : trans.V2 trans.obj direct else house
%prefer deep {pp}

decl : S -> subj:NP *VP
sleep_ : VP -> V1 [2]
trans : VP -> *V2 obj:NP
def : NP -> N<!old> [0.25]
beside : NP -> *N loc:NP {pp near}
"""

ENGLISH = r"""%join " "
%root form
%post capitalise

decl = subj VP + "."
sleep_ = V1
trans = V2.past obj.acc[V2.g] | obj _t.sg + "a \"b\" \\"
def.* = "the" N.*
beside = "the" N "beside" loc
"""


def _written(grammar: GrammarSource, language: str) -> list[str]:
    return [format_line(line) for line in grammar.languages[language].lines.values()]


def test_rules_are_a_fixed_point(write: Write) -> None:
    """The notation as we write it is read and written back letter by letter."""
    grammar = read_grammar(write({"abstract.grammar": ABSTRACT}))
    written = [format_rule(rule) for rule in grammar.abstract.rules.values()]
    assert written == ABSTRACT.partition("\n\n")[2].splitlines()


def test_lines_are_a_fixed_point(write: Write) -> None:
    """So are the lines of a language: variants, tables, glue, quotes and keys."""
    grammar = read_grammar(write({"en.grammar": ENGLISH}))
    assert _written(grammar, "en") == ENGLISH.partition("\n\n")[2].splitlines()


def test_parameters_are_written_out(write: Write) -> None:
    """A line for several fields becomes one line for each."""
    text = SMALL["en.grammar"] + '%param n = sg pl\ntrans[n] = V2[n] _t[n] ""\n'
    written = _written(read_grammar(write({"en.grammar": text})), "en")
    assert {'trans.sg = V2.sg _t.sg ""', 'trans.pl = V2.pl _t.pl ""'} <= set(written)


@pytest.mark.parametrize("name", ["toy", "sget", "paradox"])
def test_written_lines_are_read_as_the_same(name: str, write: Write) -> None:
    """Every rule and line of the shipped grammars."""
    source = read_grammar(find_grammar(name))
    rules = [format_rule(rule) for rule in source.abstract.rules.values()]
    files = {"abstract.grammar": "\n".join([f"%start {source.abstract.start[0]}", *rules, ""])}
    for code, language in source.languages.items():
        files[f"{code}.grammar"] = "\n".join(
            [f"%root {language.root}", *_written(source, code), ""]
        )
    again = read_grammar(write(files))
    assert again.abstract.rules == source.abstract.rules
    for code, language in source.languages.items():
        assert again.languages[code].lines == language.lines
