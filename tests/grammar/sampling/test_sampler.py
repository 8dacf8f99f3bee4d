"""Drawing trees: distribution, constraints, determinism, and saying no."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.small_grammar import SMALL, Write, is_read
from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar, Pattern


def digest(grammar: Grammar, constraints: Constraints | None = None) -> str:
    """A hash of a sample in all languages."""
    rows = grammar.sentences(
        500, grammar.languages, seed=7, stream="golden", constraints=constraints
    )
    text = "\n".join(f"{tree}\t" + "\t".join(texts) for tree, texts in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_same_bytes_everywhere(toy: Grammar) -> None:
    """Same seed, same bytes: these hashes hold on every Python and system."""
    assert digest(toy) == GOLDEN[0]
    assert digest(toy, Constraints(require=("rc_obj",), depth={"pp": "0,2"})) == GOLDEN[1]


GOLDEN = ("8f35584b651d5d06", "f33b278693a285a1")


def test_streams_differ_and_repeat(toy: Grammar) -> None:
    """A stream is its seed and name; a longer sample begins like a shorter one."""
    first = list(toy.sample(20, seed=1, stream="train"))
    assert first == list(toy.sample(50, seed=1, stream="train"))[:20]
    assert first != list(toy.sample(20, seed=2, stream="train"))
    assert first != list(toy.sample(20, seed=1, stream="dev"))
    later = [
        tree
        for _, tree in zip(
            range(5), toy.sampler().draw(5, seed=1, stream="train", first=15), strict=True
        )
    ]
    assert later == first[15:20]


def test_rule_weights(small: Grammar) -> None:
    """Rules are drawn by relative weight (3 : 1 and 2 : 1)."""
    counts = Counter(label for tree in small.sample(6000, seed=3) for label in tree.labels())
    assert counts["def"] / counts["beside"] == pytest.approx(3, rel=0.1)
    assert counts["sleep_"] / counts["trans"] == pytest.approx(2, rel=0.1)


def test_zipf_by_rank(toy: Grammar) -> None:
    """Names follow p(k) = zipf.pmf(k, 1.4) + leftover / n."""
    from scipy.stats import zipf

    counts = Counter(w for t in toy.sample(20000, seed=5) for w in t.words())
    names = [counts[name] for name in ("Emma", "Ali", "Deniz")]
    mass = [zipf.pmf(k, 1.4) for k in (1, 2, 3)]
    expected = [p + (1 - sum(mass)) / 3 for p in mass]
    for seen, p in zip(names, expected, strict=True):
        assert seen / sum(names) == pytest.approx(p, abs=0.015)


def test_construction_has_the_right_distribution(small: Grammar) -> None:
    """Constructed samples are distributed as rejected ones would be."""
    pattern = Pattern.parse("trans.obj >> beside")
    kept = Counter(
        str(tree.count("pp")) for tree in small.sample(30000, seed=1) if pattern.matches(tree)
    )
    made = Counter(
        str(tree.count("pp"))
        for tree in small.sample(3000, seed=2, constraints=Constraints(require=(pattern.text,)))
    )
    total = sum(kept.values())
    for key in ("1", "2", "3"):
        assert made[key] / 3000 == pytest.approx(kept[key] / total, abs=0.04)
    sampler = small.sampler(Constraints(require=(pattern.text,)))
    assert sampler.acceptance == pytest.approx(total / 30000, abs=0.01)


def test_rare_patterns_cost_no_more(toy: Grammar) -> None:
    """A pattern that one tree in a hundred thousand shows is drawn at once."""
    wanted = Constraints(depth={"rc": [5, 6]}, require=("ask",))
    sampler = toy.sampler(wanted)
    assert sampler.acceptance < 1e-5
    candidates = [number for number, _ in sampler.draw_codes(50, seed=1)]
    assert candidates == list(range(50))


RULES = ("rc_obj", "rc_subj", "beside", "report", "indef", "ask", "placenear")


@settings(max_examples=60, deadline=None)
@given(
    require=st.lists(st.sampled_from(RULES), max_size=2, unique=True),
    below=st.sampled_from(["decl.subj >> {}", "trans.obj > {}", "{} !>> {{pp}}", "_ > {}"]),
    exclude=st.lists(st.sampled_from(RULES), max_size=1),
    depth=st.dictionaries(
        st.sampled_from(["rc", "pp", "cp"]),
        st.sampled_from([0, 1, [1, 2], "0,2", "1-"]),
        max_size=2,
    ),
    seed=st.integers(0, 1000),
)
def test_constraints_hold(
    require: list[str], below: str, exclude: list[str], depth: dict[str, object], seed: int
) -> None:
    """Whatever is asked for holds for every tree, or the refusal is explained."""
    grammar = _toy()
    patterns = tuple(below.format(name) for name in require)
    constraints = Constraints(require=patterns, exclude=tuple(exclude), depth=depth)  # type: ignore[arg-type]
    try:
        trees = list(grammar.sample(20, seed=seed, constraints=constraints))
    except GrammarError as refusal:
        trees, reason = [], refusal
    if not trees:
        assert "no tree" in reason.message
        assert reason.hint
        return
    assert len(trees) == 20
    for tree in trees:
        assert all(Pattern.parse(text).matches(tree) for text in patterns)
        assert not any(Pattern.parse(text).matches(tree) for text in exclude)
        assert grammar.admits(tree, constraints)


def _toy(kept: list[Grammar] = []) -> Grammar:  # noqa: B006
    if not kept:
        kept.append(Grammar.load("toy"))
    return kept[0]


def test_weight_overrides(toy: Grammar) -> None:
    """A split wakes rules of weight 0 and silences words and tags."""
    constraints = Constraints(weights={"transat": 50, "{rc}": 0, "<place>": 0, "house": 1})
    labels = Counter(x for t in toy.sample(500, constraints=constraints) for x in t.labels())
    assert labels["transat"] > 100
    assert labels["rc_obj"] == labels["rc_subj"] == labels["tree"] == 0
    assert labels["house"] > 0


def test_forced_word(toy: Grammar) -> None:
    """A target word in a role is a pattern like any other."""
    constraints = Constraints(require=("trans.obj = elephant",))
    for tree in toy.sample(50, constraints=constraints):
        assert "elephant" in tree.words()


def test_no_repeat(toy: Grammar) -> None:
    """No word form occurs twice in the language named."""
    for tree in toy.sample(300, constraints=Constraints(no_repeat="en")):
        slots = toy.realiser("en").form_slots(tree.codes)
        forms = [column[tree.codes[node]] for node, column in slots]
        assert len(forms) == len(set(forms))


IMPOSSIBLE = [
    (Constraints(require=("transat",)), "transat", "weight 0"),
    (Constraints(require=("name > cat",)), "name > cat", "rules do not allow"),
    (Constraints(require=("rc_obj",), exclude=("{rc}",)), "both", "drop one"),
    (
        Constraints(weights={"def": 0, "indef": 0, "plural": 0, "name": 0, "{pp}": 0, "{rc}": 0}),
        "no tree can be built",
        "weight",
    ),
    (Constraints(count={"question": [2, 3]}), "count of question", "rules do not allow"),
]


@pytest.mark.parametrize(("constraints", "words", "hint"), IMPOSSIBLE)
def test_impossible_is_explained(
    toy: Grammar, constraints: Constraints, words: str, hint: str
) -> None:
    """Impossible demands are refused at once, with the reason."""
    with pytest.raises(GrammarError) as caught:
        list(toy.sample(1, constraints=constraints))
    assert words in caught.value.message
    assert hint in str(caught.value.hint)


def test_hopeless_is_explained(small: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demand that no draw of words can meet is given up after patience, with the reason."""
    monkeypatch.setattr("recombine.grammar.sampling.sampler.PATIENCE", 30)
    alone = Constraints(no_repeat="en", require=("trans",), weights={":N": 0, "cat": 1})
    with pytest.raises(
        GrammarError, match=r"found 0 of 5 trees, then 30 .* repeated a word"
    ) as caught:
        list(small.sample(5, constraints=alone))
    assert "no_repeat = false" in str(caught.value.hint)


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(require=("nothing",)),
        Constraints(require=("decl.nothing > def",)),
        Constraints(depth={"nothing": 1}),
        Constraints(depth={"rc": "many"}),
        Constraints(depth={"rc": [3, 1]}),
        Constraints(weights={"cat": -1}),
        Constraints(start="Nothing"),
    ],
)
def test_wrong_constraints(toy: Grammar, constraints: Constraints) -> None:
    """Constraints that name nothing, or mean nothing, are refused."""
    with pytest.raises(GrammarError):
        list(toy.sample(1, constraints=constraints))


def test_endless_grammar_ends(write: Write) -> None:
    """A grammar that grows more often than it ends is drawn among its finite trees."""
    text = (
        SMALL["abstract.grammar"]
        .replace("[3]", "[0.1]")
        .replace("beside : NP -> *N loc:NP ", "beside : NP -> *N loc:NP a:NP ")
    )
    files = {name: SMALL[name].replace("loc", "loc a", 1) for name in ("en.grammar", "ja.grammar")}
    grammar = Grammar.load(write({"abstract.grammar": text, **files}))
    assert len(list(grammar.sample(200))) == 200


def test_deep_trees(toy: Grammar) -> None:
    """Depth 50 is drawn, said and parsed without recursion errors."""
    constraints = Constraints(depth={"rc": [50, 50]})
    tree = next(iter(toy.sample(1, constraints=constraints)))
    assert tree.depth("rc") == 50
    for language in ("en", "ja"):
        assert is_read(tree, toy.parse(toy.text(tree, language), language))
