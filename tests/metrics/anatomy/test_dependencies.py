"""Dependency graphs of trees, and the names of what differs between two of them."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.grammar import Grammar
from recombine.grammar.tree import Tree
from recombine.metrics.anatomy.dependencies import (
    CLASSES,
    Finding,
    Said,
    Unit,
    closeness,
    compare,
    match,
    nominal_categories,
    units_of,
)
from recombine.report.examples import FAULTS

TREES = 60


@cache
def toy() -> Grammar:
    """The toy grammar."""
    return Grammar.load("toy")


@cache
def trees() -> tuple[Tree, ...]:
    """Sentences of every kind."""
    return tuple(toy().sample(TREES, seed=4))


def graph(tree: Tree | str) -> list[Unit]:
    """The units of a tree; every word is itself."""
    return units_of(toy().tree(tree) if isinstance(tree, str) else tree, lambda label: label, {})


def findings(wanted: Tree | str, given: Tree | str) -> list[Finding]:
    """What differs between two trees as English says them."""
    grammar = toy()
    pair = [grammar.tree(one) if isinstance(one, str) else one for one in (wanted, given)]
    graphs = [graph(tree) for tree in pair]
    said = []
    for tree, units in zip(pair, graphs, strict=True):
        texts: dict[int, list[str]] = {}
        for token in grammar.realise(tree, "en").tokens:
            texts.setdefault(token.node, []).append(token.text)
        said.append(
            [
                Said(
                    texts.get(unit.node, [""])[-1],
                    "".join(text for node in unit.nodes[:-1] for text in texts.get(node, ())),
                )
                for unit in units
            ]
        )
    depths = {tag: (pair[0].depth(tag), pair[1].depth(tag)) for tag in ("pp", "cp", "rc")}
    return compare(
        graphs[0], graphs[1], (said[0], said[1]), depths, lambda a, b: a.label[0] == b.label[0]
    )


def kinds(wanted: Tree | str, given: Tree | str) -> list[str]:
    """The classes of what differs, the first gives the verdict."""
    return [one.kind for one in findings(wanted, given)]


SEES = "say(decl(past, def(dog), trans(see, def(cat))))"
BESIDE = "say(decl(past, beside(dog, place(house)), trans(see, def(cat))))"
DEEP = "say(decl(past, def(dog), trans(see, beside(cat, placenear(house, place(tree))))))"
CLAUSE = "say(decl(past, name(Emma), report(tell, decl(past, def(dog), intrans(sleep)))))"


@pytest.mark.parametrize(
    ("wanted", "given", "expected"),
    [
        (SEES, SEES, None),
        # roles
        (
            SEES,
            "say(decl(past, def(cat), trans(see, def(dog))))",
            "subject and object swapped",
        ),
        # attachment
        (
            BESIDE,
            "say(decl(past, def(dog), trans(see, beside(cat, place(house)))))",
            "modifier attached elsewhere",
        ),
        (BESIDE, SEES, "modifier dropped"),
        (SEES, BESIDE, "modifier added"),
        # depth
        (
            DEEP,
            "say(decl(past, def(dog), trans(see, beside(cat, place(house)))))",
            "recursion level skipped",
        ),
        (
            "say(decl(past, def(dog), trans(see, beside(cat, place(house)))))",
            DEEP,
            "recursion level added",
        ),
        (
            CLAUSE,
            "say(decl(past, name(Emma), report(tell, decl(past, name(Ali), report(think, "
            "decl(past, def(dog), intrans(sleep)))))))",
            "recursion level added",
        ),
        # words
        (SEES, "say(decl(past, def(dog), trans(find, def(cat))))", "wrong word"),
        (SEES, "say(decl(past, def(frog), trans(see, def(cat))))", "wrong word"),
        (SEES, "say(decl(past, def(dog), trans(see, def(child))))", "wrong word, same prefix"),
        # tense
        (SEES, "say(decl(pres, def(dog), trans(see, def(cat))))", "tense or voice"),
        # function words
        (
            "say(decl(past, def(dog), trans(see, def(cat))))",
            "say(decl(past, def(dog), transat(see, def(cat), place(house))))",
            "word added",
        ),
        # arguments and clauses
        (
            "say(decl(past, def(dog), transat(see, def(cat), place(house))))",
            SEES,
            "argument dropped",
        ),
        # nothing in common
        (SEES, "say(decl(past, name(Emma), report(think, decl(past, name(Ali), "
         "intrans(run)))))", "another sentence"),
    ],
)  # fmt: skip
def test_what_happened_has_a_name(wanted, given, expected):
    """Roles, attachment, depth, words, tense: the first finding is the verdict."""
    assert next(iter(kinds(wanted, given)), None) == expected


@pytest.mark.parametrize(
    ("wanted", "given", "told"),
    [
        (SEES, "say(decl(past, def(cat), trans(see, def(dog))))", ["dog and cat"]),
        (
            BESIDE,
            "say(decl(past, def(dog), trans(see, beside(cat, place(house)))))",
            ["house on cat"],
        ),
        (BESIDE, SEES, ["house of dog"]),
        (SEES, BESIDE, ["house"]),
        (
            "say(decl(past, def(dog), trans(see, beside(cat, place(house)))))",
            DEEP,
            ["pp: 2 for 1 levels", "tree"],
        ),
        (
            DEEP,
            "say(decl(past, def(dog), trans(see, beside(cat, place(tree)))))",
            ["pp: 1 of 2 levels", "tree on cat", "house of cat"],
        ),
        (
            SEES,
            "say(decl(pres, def(dog), trans(see, def(cat))))",
            ["sees for saw", "pres for past"],
        ),
        ("say(decl(past, def(dog), transat(see, def(cat), place(house))))", SEES, ["loc house"]),
        (SEES, "say(decl(past, def(dog), intrans(sleep)))", ["obj cat", "sleep for see"]),
        (
            CLAUSE,
            "say(decl(past, name(Emma), intrans(sleep)))",
            ["subj dog", "tell", "Emma as subj", "sleep as V1"],
        ),
        (
            CLAUSE,
            "say(decl(past, name(Emma), report(tell, decl(past, name(Ali), report(think, "
            "decl(past, def(dog), intrans(sleep)))))))",
            ["cp: 2 for 1 levels", "think", "sleep as V1"],
        ),
    ],
)
def test_what_happened_is_told_with_its_words(wanted, given, told):
    """All of it, the worst first, and nothing else."""
    assert [finding.text for finding in findings(wanted, given)] == told


def test_what_hangs_on_a_dropped_modifier_is_not_told_again():
    """Of a chain that is gone only its top is named."""
    texts = [one.text for one in findings(DEEP, SEES) if one.kind == "modifier dropped"]
    assert texts == ["house of cat"]


def test_several_findings_come_in_the_order_of_the_classes():
    """A dropped modifier comes before a wrong word, whatever stands first in the sentence."""
    found = kinds(BESIDE, "say(decl(past, def(dog), trans(find, def(cat))))")
    assert found == ["modifier dropped", "wrong word"]


def test_the_words_are_named():
    """A reader learns which word stands for which."""
    (found,) = findings(SEES, "say(decl(past, def(dog), trans(love, def(cat))))")
    assert found.text == "love for see"


def test_nouns_are_what_fills_roles_and_has_none():
    """Nominal are nouns, not verbs or the clauses that fill a slot."""
    assert nominal_categories(graph(CLAUSE)) == {"N", "Name"}


def test_words_the_language_does_not_say_are_left_out():
    """Identity None: no unit; what hangs on it goes too."""
    tree = toy().tree(BESIDE)
    silent = units_of(tree, lambda label: None if label == "house" else label, {})
    assert [unit.label for unit in silent] == ["see", "past", "dog", "cat"]


def test_equal_rules_have_one_frame():
    """Rules that a language cannot tell apart do not differ."""
    names = {"indef": "def"}
    plain = units_of(toy().tree(SEES), str, names)
    other = units_of(toy().tree(SEES.replace("def(dog)", "indef(dog)")), str, names)
    assert [unit.frame for unit in plain] == [unit.frame for unit in other]


@given(st.integers(0, TREES - 1))
def test_a_graph_has_one_root_and_heads_first(place):
    """Every unit's head has a smaller number."""
    units = graph(trees()[place])
    assert all(unit.head < index for index, unit in enumerate(units))
    assert sum(unit.head == -1 for unit in units) == 1


@given(st.integers(0, TREES - 1), st.integers(0, TREES - 1))
def test_nothing_is_closer_to_a_graph_than_itself(place, other):
    """A graph matches itself unit by unit, and no other reading is preferred to the right one."""
    units, there = graph(trees()[place]), graph(trees()[other])
    assert match(units, units) == {index: index for index in range(len(units))}
    assert closeness(units, units) >= closeness(units, there)


@given(st.integers(0, TREES - 1))
def test_a_sentence_does_not_differ_from_itself(place):
    """No finding where nothing differs."""
    assert kinds(trees()[place], trees()[place]) == []


@given(st.integers(0, TREES - 1), st.data())
def test_a_replaced_word_is_always_found(place, data):
    """Another word of the same kind, wherever it stands, is a finding that names both."""
    tree = trees()[place]
    inventory = tree.inventory
    words = [node for node, code in enumerate(tree.codes) if inventory.is_word(code)]
    node = data.draw(st.sampled_from(words))
    code = tree.codes[node]
    others = [
        other
        for other in range(inventory.first_word, len(inventory.labels))
        if inventory.category(other) == inventory.category(code)
        and inventory.labels[other] not in tree.words()
    ]
    other = data.draw(st.sampled_from(others))
    changed = tree.replace(node, Tree(inventory, (other,)))
    found = findings(tree, changed)
    assert found
    named = any(inventory.labels[other] in one.text for one in found)
    assert named or found[0].kind == "another sentence"


@given(st.integers(0, TREES - 1), st.integers(0, TREES - 1))
def test_every_difference_has_a_class(place, other):
    """Whatever is compared, the words for it are in the table, in its order."""
    found = findings(trees()[place], trees()[other])
    assert {one.kind for one in found} <= {*CLASSES, "another sentence"}
    assert {(one.kind, one.form) for one in found} <= set(FAULTS)
    named = [one.kind for one in found]
    if "another sentence" not in named:
        assert named == sorted(named, key=CLASSES.index)


def test_classes_are_unique():
    """The priority list names every class once."""
    assert len(set(CLASSES)) == len(CLASSES)
