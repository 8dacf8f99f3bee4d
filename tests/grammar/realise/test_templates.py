"""Templates: one per structure, filled with forms."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError
from recombine.grammar import Grammar
from recombine.grammar.realise.templates import Templates, table_cell


def texts(grammar: Grammar, language: str, *trees: str) -> list[str]:
    """What a fresh set of templates says."""
    templates = Templates(grammar.concrete(language), ())
    return [templates.fill(grammar.tree(tree).codes) for tree in trees]


def test_words_of_one_structure_share_a_template(small: Grammar) -> None:
    """The second sentence of a structure is filled in, with its own words."""
    first, second = "decl(def(cat), sleep_(sleep))", "decl(def(dog), sleep_(sleep))"
    assert texts(small, "en", first, second) == ["the cat slept.", "the dog slept."]
    assert texts(small, "ja", first, second) == ["猫が眠った。", "犬が眠った。"]


def test_words_with_other_features_do_not(toy: Grammar) -> None:
    """German articles follow the gender of each noun though the structure is one."""
    trees = [f"def({noun})" for noun in ("cat", "dog", "child")]
    templates = Templates(toy.concrete("de"), ())
    whole = [f"say(decl(past, {tree}, intrans(sleep)))" for tree in trees]
    said = [templates.fill(toy.tree(tree).codes) for tree in whole]
    assert [text.split()[0] for text in said] == ["die", "der", "das"]


def test_silent_words_leave_no_gap(write: Write) -> None:
    """An empty form takes no space, and percent signs are text."""
    folder = write(
        {
            "en.grammar": SMALL["en.grammar"].replace('"the" N', '"100%" N "of it"'),
            "en.lexicon.tsv": SMALL["en.lexicon.tsv"].replace("dog\tdog", 'dog\t""'),
        }
    )
    said = texts(
        Grammar.load(folder), "en", "decl(def(dog), sleep_(sleep))", "decl(def(cat), sleep_(sleep))"
    )
    assert said == ["100% of it slept.", "100% cat of it slept."]


def test_form_slots_name_the_words_in_order(small: Grammar) -> None:
    """The nodes of the words come in the order of the language, with their forms."""
    tree = small.tree("decl(def(cat), trans(see, def(dog)))")
    orders = {}
    for language in ("en", "ja"):
        slots = Templates(small.concrete(language), ()).form_slots(tree.codes)
        orders[language] = [column[tree.codes[node]] for node, column in slots]
    assert orders == {"en": ["cat", "saw", "dog"], "ja": ["猫", "犬", "見た"]}


def test_missing_cells_are_named(toy: Grammar) -> None:
    """A table is asked by name and cell."""
    german = toy.concrete("de")
    assert table_cell(german, "_the", "nom.f") == ("die",)
    with pytest.raises(GrammarError, match=r"de: '_the' has no 'nom\.x'"):
        table_cell(german, "_the", "nom.x")
