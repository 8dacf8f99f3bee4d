"""A compiled language: constituents, the rows of their fields, features, and complaints."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar
from recombine.grammar.compiled import CompiledLanguage, OneOf, PartField
from recombine.grammar.model import Glue


def row_symbols(grammar: Grammar, language: str, tree: str, field: str) -> list[tuple[object, ...]]:
    """The rows of a field of the root of a tree."""
    compiled, read = grammar.concrete(language), grammar.tree(tree)
    (root, *_) = compiled.constituents(read.codes, read.positions)
    assert root is not None
    expansion = compiled.expansion(root, field)
    return [row.symbols for row in expansion.rows] if expansion is not None else []


def test_a_line_for_any_field_is_bound(toy: Grammar) -> None:
    """`rule.* = slot.*` answers for every field that is asked for."""
    tree = "trans(see, def(cat))"
    expected = (PartField(0, "past.pl"), PartField(1, "form"))
    assert row_symbols(toy, "en", tree, "past.pl") == [expected]
    assert row_symbols(toy, "en", "def(cat)", "genitive") == []


def test_features_are_passed_up(toy: Grammar) -> None:
    """A key such as subj.num is looked up through the rules of the tree."""
    (symbols,) = row_symbols(toy, "en", "decl(pres, plural(cat), intrans(sleep))", "form")
    assert PartField(2, "pres.pl") in symbols
    german = toy.concrete("de")
    (gender,) = (n for n, name in enumerate(german.features["N"]) if name == "gender")
    assert german.every_word_values(toy.inventory.code("cat"))[0][gender] == "f"


def test_constituents_of_one_agreement_share_their_rows(toy: Grammar) -> None:
    """What a rule says depends on the features of its parts alone: cat and another noun are one."""
    compiled = toy.concrete("de")

    def root(text: str) -> object:
        tree = toy.tree(text)
        return compiled.constituents(tree.codes, tree.positions)[0]

    assert root("def(cat)") is root("def(cat)")
    assert root("def(cat)") is not root("def(dog)")


def test_a_cell_with_several_forms_is_one_symbol(write: Write) -> None:
    """A table's cell keeps its forms together, the canonical one first."""
    changes = {
        "en.grammar": SMALL["en.grammar"].replace('"the" N', "_the + N"),
        "en.lexicon.tsv": SMALL["en.lexicon.tsv"] + "_the\tthe|yonder\n",
    }
    grammar = Grammar.load(write(changes))
    expected = (OneOf(("the", "yonder")), Glue(strong=True), PartField(0, "form"))
    assert row_symbols(grammar, "en", "def(cat)", "form") == [expected]


def test_what_is_missing_is_named(write: Write) -> None:
    """What a language lacks is reported with the language and the word, rule or table."""
    english = SMALL["en.grammar"].replace('def    = "the" N', "def = _the[N.gender] N")
    grammar = Grammar.load(write({"en.grammar": english}))
    tree = grammar.tree("decl(def(cat), sleep_(sleep))")
    with pytest.raises(GrammarError, match="en: the word 'cat' has no 'gender'"):
        grammar.text(tree, "en")
    grammar = Grammar.load(write({"en.grammar": english.replace("N.gender", "definite")}))
    with pytest.raises(GrammarError, match="en: '_the' has no 'definite'"):
        grammar.text(tree, "en")
    compiled = grammar.concrete("en")
    (root, *_) = compiled.constituents(tree.codes, tree.positions)
    with pytest.raises(GrammarError, match="en: the rule 'decl' has no 'genitive'"):
        compiled.rows(tree.codes, root, "genitive")


def test_closed_class_tables_are_no_words(write: Write) -> None:
    """Rows whose id begins with _ are tables; broken paradigms become problems, not crashes."""
    lexicon = SMALL["en.lexicon.tsv"] + "_the\tthe\n"
    grammar = Grammar.load(write({"en.lexicon.tsv": lexicon}))
    compiled = grammar.concrete("en")
    assert compiled.tables == {"_the": {"form": ("the",)}}
    assert compiled.word_forms(grammar.inventory.code("see")) == {"form": ("saw",)}
    broken = "id\tform\tclass\ncat\tcat\tx\n"
    source = Grammar.load(write({"en.lexicon.tsv": broken})).source
    found = CompiledLanguage(grammar.inventory, source.languages["en"]).problems
    assert ["no paradigm 'x'" in problem.message for problem in found] == [True]


def test_unknown_language_lists_the_known(small: Grammar) -> None:
    """Asking for a language the grammar does not have says which ones it has."""
    with pytest.raises(ConfigError) as caught:
        small.concrete("fr")
    assert caught.value.hint == "it has: en, ja"
