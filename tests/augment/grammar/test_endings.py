"""Rules are told apart by endings that alternate, and by words that govern otherwise."""

from __future__ import annotations

from recombine.augment.grammar.rules import Derivation, PairRule, RuleSlot
from recombine.augment.grammar.tables import with_endings, with_government

MODIFIED = PairRule("N", (RuleSlot("_"), RuleSlot("N")), (0, 1))


def test_a_word_that_never_alternates_has_no_ending():
    """*jeune* ends as *petite* does, and says nothing of gender."""
    forms = [
        ("small", ("petit",)),
        ("small", ("petite",)),
        ("big", ("grand",)),
        ("big", ("grande",)),
    ]
    forms += [("black", ("noir",)), ("black", ("noire",)), *[("young", ("jeune",))] * 8]
    derivations = {
        number: Derivation(MODIFIED, [form, ("ball", ("balle",))])
        for number, form in enumerate(forms)
    }
    with_endings(derivations)
    endings = {d.children[0][1][0]: d.rule.endings for d in derivations.values()}
    assert endings["petite"] == endings["noire"] == ((0, "e"),)
    assert endings["petit"] == ((0, ""),)
    assert endings["jeune"] == ()


def test_a_rare_word_that_does_not_alternate_is_told_by_its_heads():
    """*calme* ends as feminine words do, and stands beside *garçon* as *petit* does."""
    rows = [
        ("small", "petit", "garçon"), ("small", "petite", "fille"),
        ("big", "grand", "garçon"), ("big", "grande", "fille"), ("calm", "calme", "garçon"),
    ]  # fmt: skip
    derivations = {
        number: Derivation(MODIFIED, [(word, (form,)), (head, (head,))])
        for number, (word, form, head) in enumerate(rows)
    }
    with_endings(derivations)
    assert derivations[1].rule.endings == ((0, "e"),)
    assert derivations[4].rule.endings == ()


def test_words_of_clauses_with_forms_of_their_own_are_told_apart():
    """*croie* and *croyait* are asked for by what stands around their clause."""
    rule = PairRule("S", (RuleSlot("X"), RuleSlot("_")), (0, 1))
    name = PairRule("X", (RuleSlot("_"),), (0,))
    derivations = {
        number: Derivation(rule, [Derivation(name, [("Ann", ("Ann",))]), ("thought", (form,))])
        for number, form in enumerate(["croie", "croyait"] * 10)
    }
    with_endings(derivations)
    assert derivations[0].rule != derivations[1].rule
    assert derivations[0].rule == derivations[2].rule


def test_words_that_take_another_case_get_a_rule_of_their_own():
    """*half* takes a dative where most verbs take an accusative."""
    rule = PairRule("ROOT", (RuleSlot("_"), RuleSlot("X")), (0, 1))
    cases = {
        case: PairRule("X", ("the", RuleSlot("N")), (article, 0))
        for case, article in (("accusative", "den"), ("dative", "dem"))
    }
    rows = [("saw", "accusative")] * 6 + [("found", "accusative")] * 4 + [("aided", "dative")] * 4
    derivations = {
        number: Derivation(rule, [(verb, (verb,)), Derivation(cases[case], [("man", ("Mann",))])])
        for number, (verb, case) in enumerate(rows)
    }
    with_government(derivations)
    rules = {d.children[0][0]: d.rule for d in derivations.values()}
    assert rules["saw"] == rules["found"] == rule
    assert rules["aided"] != rule
