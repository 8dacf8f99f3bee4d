"""Variants as files: mistakes are told with their place, and nothing is built from them."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError, RecombineError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import grammar_hash
from recombine.grammar.variants.files import read_variants
from recombine.grammar.variants.wordings import wordings_of


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("xx.grammar", "\nakt = subj VP\n", "no rule 'akt'", 2),
        ("xx.grammar", "act = who VP\n", "no slot 'who'", 1),
        ("xx.grammar", "act = subj _wa VP\n", "no table '_wa'", 1),
        ("xx.grammar", "act = { subj , VP\n", "expected '}'", 1),
        ("xx.grammar", "%forget x\n", "unknown directive '%forget'", 1),
        ("xx.grammar", f"act = subj {{ {' , '.join('ABCDEFGH')} }} VP\n", "at most 512", 1),
        ("xx.lexicon.tsv", "id\tform\nkat\tneko\n", "no word 'kat'", 2),
    ],
)
def test_a_mistake_is_told_with_its_place(small, name, text, message, line):
    """Who writes variants reads the file and line of a mistake."""
    for path in (small / "variants").iterdir():
        path.unlink()
    (small / "variants" / name).write_text(text, encoding="utf-8")
    with pytest.raises(RecombineError) as error:
        wordings_of(Grammar.load(small), small, "xx")
    assert message in str(error.value)
    assert isinstance(error.value, GrammarError)
    assert error.value.where is not None
    assert error.value.where.line == line


def test_variants_change_no_grammar(small):
    """A benchmark's grammar is the same with and without variants: its hash and what it says."""
    with_variants = grammar_hash(str(small)), Grammar.load(small).source
    for path in (small / "variants").iterdir():
        path.unlink()
    assert (grammar_hash(str(small)), Grammar.load(small).source) == with_variants


def test_variants_of_what_is_extended_hold_too(small, tmp_path):
    """A folder that extends a grammar says what that says, and more."""
    folder = tmp_path / "more"
    (folder / "variants").mkdir(parents=True)
    (folder / "abstract.grammar").write_text('%extends "../small"\n', encoding="utf-8")
    (folder / "variants" / "xx.lexicon.tsv").write_text("id\tform\ndog\twanko\n", encoding="utf-8")
    variants = read_variants(folder, "xx")
    assert {row.id for row in variants.rows} == {"_topic", "_done", "cat", "see", "like", "dog"}
    assert variants.sha256 != read_variants(small, "xx").sha256


def test_an_edition_has_its_own_synonyms_of_a_word(small):
    """A word with rows in an edition's variants has no other; the other words keep theirs."""
    place = small / "editions" / "old" / "variants"
    place.mkdir(parents=True)
    (place / "xx.lexicon.tsv").write_text("id\tform\ncat\tmiao\n", encoding="utf-8")
    grammar = Grammar.load(small, "old")
    wordings = wordings_of(grammar, small, "xx")
    forms = {row.cells["form"] for row in wordings.variants.rows if row.id == "cat"}
    assert forms == {("miao",)}
    assert {row.id for row in wordings.variants.rows} == {
        row.id for row in read_variants(small, "xx").rows
    }
    assert read_variants(small, "xx", edition="old").sha256 != read_variants(small, "xx").sha256
