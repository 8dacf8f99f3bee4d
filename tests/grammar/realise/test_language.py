"""What one language answers: forms, lines, features, and complaints."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar
from recombine.grammar.model import Feature, LexiconRow, Paradigm, Ref
from recombine.grammar.realise.language import Concrete, by_class, inflect


def test_a_line_for_any_field_is_bound(toy: Grammar) -> None:
    """`rule.* = slot.*` answers for every field that is asked for."""
    concrete = toy.concrete("en")
    code = toy.inventory.code("trans")
    variants = concrete.line(code, "past.pl")
    assert variants is not None
    assert variants[0] == (Ref("V2", ("past.pl",)), Ref("obj", ("form",)))
    assert concrete.line(toy.inventory.code("def"), "genitive") is None


def test_features_are_passed_up(toy: Grammar) -> None:
    """A key such as subj.num is looked up through the rules of the tree."""
    concrete = toy.concrete("en")
    tree = toy.tree("decl(pres, plural(cat), intrans(sleep))")
    keys = (Feature("Tense", "key"), Feature("subj", "num"))
    assert concrete.field_name(keys, tree.codes, tree.positions, 0) == "pres.pl"
    german = toy.concrete("de")
    assert "gender" in german.features["N"]
    assert german.feature(tree.codes, tree.positions, tree.labels().index("cat"), "gender") == "f"


def test_what_is_missing_is_named(toy: Grammar) -> None:
    """A field that a language lacks is reported with the language and the word or rule."""
    tree = toy.tree("def(cat)")
    concrete = toy.concrete("en")
    with pytest.raises(GrammarError, match="en: the word 'cat' has no 'gender'"):
        concrete.feature(tree.codes, tree.positions, 1, "gender")
    with pytest.raises(GrammarError, match="en: the rule 'def' has no 'gender'"):
        concrete.feature(tree.codes, tree.positions, 0, "gender")


def test_closed_class_tables_are_no_words(write: Write) -> None:
    """Rows whose id begins with _ are tables; broken paradigms become problems, not crashes."""
    lexicon = SMALL["en.lexicon.tsv"] + "_the\tthe\n"
    grammar = Grammar.load(write({"en.lexicon.tsv": lexicon}))
    concrete = grammar.concrete("en")
    assert concrete.tables == {"_the": {"form": ("the",)}}
    assert concrete.word_forms(grammar.inventory.code("see")) == {"form": ("saw",)}
    broken = "id\tform\tclass\ncat\tcat\tx\n"
    source = Grammar.load(write({"en.lexicon.tsv": broken})).source
    found = Concrete(grammar.inventory, source.languages["en"]).problems
    assert ["no paradigm 'x'" in problem.message for problem in found] == [True]


def test_unknown_language_lists_the_known(small: Grammar) -> None:
    """Asking for a language the grammar does not have says which ones it has."""
    with pytest.raises(ConfigError) as caught:
        small.concrete("fr")
    assert caught.value.hint == "it has: en, ja"


CLASSES = by_class(
    [
        Paradigm("verb", "", {"past": ">ed", "pres.sg": ">s", "pp": "past:>"}),
        Paradigm("verb", "e", {"past": ">d", "pres.sg": ">s", "pp": "past:>"}),
        Paradigm("verb", "y", {"past": "y>ied", "pres.sg": "y>ies", "pp": "past:>"}),
        Paradigm("fem", "", {"gender": "=f"}),
        Paradigm("round", "", {"a": "b:>x", "b": "a:>y"}),
        Paradigm(
            "ru", "る", {"past": "る>た", "passive": "る>られる", "passive.past": "passive:る>た"}
        ),
    ]
)


def forms(form: str, paradigm: str, **cells: str) -> tuple[dict[str, str], list[GrammarError]]:
    """The first variant of each form, and the problems."""
    problems: list[GrammarError] = []
    row = LexiconRow("x", {"form": (form,), **{k: (v,) for k, v in cells.items()}}, paradigm)
    return {name: cell[0] for name, cell in inflect(row, CLASSES, problems).items()}, problems


def test_longest_ending_wins() -> None:
    """Rows of one class are told apart by the ending."""
    assert forms("walk", "verb")[0]["past"] == "walked"
    assert forms("love", "verb")[0]["past"] == "loved"
    assert forms("carry", "verb")[0]["pres.sg"] == "carries"


def test_given_cells_win_and_feed_others() -> None:
    """An irregular cell replaces the paradigm's and what is made from it."""
    found, _ = forms("see", "verb", past="saw")
    assert found["past"] == "saw"
    assert found["pp"] == "saw"
    assert found["pres.sg"] == "sees"


def test_chains_and_constants() -> None:
    """A form can start from another one; =text is constant."""
    assert forms("見る", "ru")[0]["passive.past"] == "見られた"
    assert forms("Katze", "fem")[0]["gender"] == "f"


def test_problems() -> None:
    """Unknown classes, wrong endings and circles are reported, not raised."""
    assert "no paradigm" in forms("x", "nothing")[1][0].message
    assert "no ending" in forms("x", "ru")[1][0].message
    assert "made from each other" in forms("x", "round")[1][0].message


def test_strip_must_fit() -> None:
    """A form that lacks the ending to strip is reported."""
    problems: list[GrammarError] = []
    classes = by_class([Paradigm("v", "", {"past": "e>ed"})])
    inflect(LexiconRow("x", {"form": ("walk",)}, "v"), classes, problems)
    assert "does not end in 'e'" in problems[0].message
