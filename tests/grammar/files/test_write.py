"""Writing a grammar down."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar, find_grammar, shipped_grammars
from recombine.grammar.files.folder import read_grammar
from recombine.grammar.files.write import format_abstract, format_language, write_grammar

ABSTRACT = """%start S
%zipf 1.5 : N
%select object : trans.V2 trans.obj direct else house
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


def test_abstract_text_is_a_fixed_point(write: Write) -> None:
    """The notation as we write it is read and written back letter by letter."""
    grammar = read_grammar(write({"abstract.grammar": ABSTRACT}))
    assert format_abstract(grammar.abstract) == ABSTRACT


def test_language_text_is_a_fixed_point(write: Write) -> None:
    """So are the lines of a language: variants, tables, glue, quotes and keys."""
    grammar = read_grammar(write({"en.grammar": ENGLISH}))
    assert format_language(grammar.languages["en"]) == ENGLISH


def test_parameters_are_written_out(write: Write) -> None:
    """A line for several fields becomes one line for each."""
    text = SMALL["en.grammar"] + '%param n = sg pl\ntrans[n] = V2[n] _t[n] ""\n'
    written = format_language(read_grammar(write({"en.grammar": text})).languages["en"])
    assert 'trans.sg = V2.sg _t.sg ""\ntrans.pl = V2.pl _t.pl ""\n' in written
    assert "%param" not in written


def test_an_edition_is_written_in_full(write: Write, tmp_path: Path) -> None:
    """What an edition changes and what it leaves is one grammar on its own."""
    folder = write(
        {
            "editions/old/en.grammar": 'def = "ye" N\n',
            "editions/old/en.lexicon.tsv": 'id\tform\ncat\tcatte | ""\n',
        }
    )
    source = read_grammar(folder, "old")
    write_grammar(source, tmp_path / "again")
    again = Grammar.load(tmp_path / "again")
    assert again.source.languages == source.languages
    assert again.text(again.tree("decl(def(cat), sleep_(sleep))"), "en") == "Ye catte slept."


@pytest.mark.parametrize(
    ("name", "edition"), [("toy", None), ("sget", None), ("sget", "official"), ("paradox", None)]
)
def test_write_and_read_again(name: str, edition: str | None, tmp_path: Path) -> None:
    """read(write(g)) == g for the shipped grammars."""
    assert name in shipped_grammars()
    source = read_grammar(find_grammar(name), edition)
    write_grammar(source, tmp_path)
    again = read_grammar(tmp_path)
    assert again.abstract == source.abstract
    assert again.languages == source.languages
