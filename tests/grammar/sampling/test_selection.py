"""Words that go together, drawn (%select)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from grammar.small_grammar import Write
from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar

ABSTRACT = """
%start S Q
%select subject : decl.VP decl.subj
%select object : trans.V2 trans.obj | rc.VP > trans.V2 rc.N
%select adjective : adj.N adj.Adjs >> A
%select in : inside.N inside.PP > pp_in.N
%select asked : what what.V2
decl   : S  -> subj:NP *VP
what   : Q  -> *V2 subj:NP
trans  : VP -> *V2 obj:NP
def    : NP -> N               [3]
adj    : NP -> Adjs *N         [2]
inside : NP -> *N PP
pp_in  : PP -> N
pp_on  : PP -> N
rc     : NP -> *N VP           {rc}
two    : Adjs -> A B
one    : Adjs -> A
"""
LEXICON = """id\tcat\tweight\tclasses
girl\tN\t9\tperson
boy\tN\t1\tperson
cake\tN\t6\tfood
soup\tN\t2\tfood
house\tN\t4\t
eat\tV2\t2\t
thank\tV2\t1\t
heat\tV2\t1\t
kind\tA\t\t
warm\tA\t\t
red\tB\t\t
"""
PAIRS = """role\tgovernor\tdependent
subject\teat thank heat\t<person>
object\teat\t<food>
object\tthank\t<person>
object\theat\t:N !<person>
adjective\t<person>\tkind
adjective\t<food> house\twarm
in\t<person>\thouse
in\t<food>\thouse soup
in\thouse\t-
asked\twhat\teat heat
"""

Load = Callable[..., Grammar]


@pytest.fixture
def load(write: Write) -> Load:
    """Load a grammar with restrictions."""

    def build(pairs: str = PAIRS) -> Grammar:
        return Grammar.load(
            write(
                {
                    "abstract.grammar": ABSTRACT,
                    "abstract.lexicon.tsv": LEXICON,
                    "abstract.pairs.tsv": pairs,
                }
            )
        )

    return build


SELECT = Constraints(select=True, depth={"rc": 1})


def _places(grammar: Grammar, text: str) -> list[tuple[str, str, str]]:
    return grammar.violations(grammar.tree(text))


def test_what_is_tied(load: Load) -> None:
    """Paths lead to heads, to words below, and from the rule itself."""
    grammar = load()
    eaten = "decl(def(cake), trans(thank, inside(house, pp_in(girl))))"
    assert _places(grammar, eaten) == [
        ("subject", "thank", "cake"),
        ("object", "thank", "house"),
        ("in", "house", "girl"),
    ]
    assert _places(grammar, "decl(adj(two(warm, red), girl), trans(eat, def(cake)))") == [
        ("adjective", "girl", "warm")
    ]
    assert _places(grammar, "what(thank, def(girl))") == [("asked", "what", "thank")]
    # pp_on is another rule, and a relative clause governs the noun before it.
    assert not _places(grammar, "decl(inside(girl, pp_on(boy)), trans(heat, def(cake)))")
    related = "decl(def(girl), trans(eat, rc(cake, trans(thank, def(boy)))))"
    assert _places(grammar, related) == [("object", "thank", "cake")]


def test_drawn_words_go_together(load: Load) -> None:
    """Every tree pleases all governors of every word; without select many do not."""
    grammar = load()
    assert not any(grammar.violations(tree) for tree in grammar.sample(500, constraints=SELECT))
    free = Constraints(depth={"rc": 1})
    assert sum(bool(grammar.violations(t)) for t in grammar.sample(500, constraints=free)) > 250


def test_words_keep_their_weights(load: Load) -> None:
    """A noun is drawn again by its own weight among those that fit, and verbs keep their shares."""
    grammar = load()
    plain = Constraints(select=True, require=("^decl (.subj > def) (.VP > trans.obj > def)",))
    trees = list(grammar.sample(2_000, constraints=plain))
    subjects = Counter(str(tree["subj"]) for tree in trees)
    eaten = Counter(str(tree["VP"]["obj"]) for tree in trees if str(tree["VP"]["V2"]) == "eat")
    verbs = Counter(str(tree["VP"]["V2"]) for tree in trees)
    assert set(subjects) == {"def(girl)", "def(boy)"}
    assert 0.87 < subjects["def(girl)"] / len(trees) < 0.93
    assert 0.70 < eaten["def(cake)"] / verbs["eat"] < 0.80
    assert 0.46 < verbs["eat"] / len(trees) < 0.54


def test_a_governor_gives_way(load: Load) -> None:
    """Where a noun cannot change, its verb does."""
    grammar = load()
    fixed = Constraints(select=True, require=("^decl.VP > trans.obj > def = boy",))
    trees = list(grammar.sample(100, constraints=fixed))
    assert {str(tree["VP"]["V2"]) for tree in trees} == {"thank"}


def test_nothing_fits(load: Load) -> None:
    """Structures that no words fit are not drawn, and hopeless constraints are said to be."""
    grammar = load()
    hopeless = Constraints(select=True, require=("inside (.N = house) (.PP > pp_in)",))
    with pytest.raises(GrammarError, match="do not go together"):
        next(grammar.sample(1, constraints=hopeless))


def test_same_seed_same_trees(load: Load) -> None:
    """What was drawn before leaves no trace in what is drawn."""
    grammar = load()
    drawn = [str(tree) for tree in grammar.sample(50, seed=3, constraints=SELECT)]
    other = load()
    list(other.sample(70, seed=9, constraints=SELECT))
    assert [str(tree) for tree in other.sample(50, seed=3, constraints=SELECT)] == drawn
