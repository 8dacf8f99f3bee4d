"""Templates of a grammar: counting, drawing, swapping, saying."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.builders.consistency.synthetic import (
    SyntheticSentences,
    TemplateSentence,
    TemplateTrees,
    TemplateUse,
    join_sentences,
    lower_first,
)
from recombine.builders.recipe import read_recipe
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar

COUNTS = {
    "t1": 1960,
    "t2": 9800,
    "t3": 35280,
    "t4": 39200,
    "t5": 35280,
    "t6": 32000,
    "t7": 160000,
    "t8": 160000,
    "t9": 15680,
    "t10": 54880,
}


@pytest.fixture(scope="module")
def trees() -> TemplateTrees:
    """The shipped templates, English to Dutch."""
    return TemplateTrees("paradox", "en", "nl")


def test_counts(trees: TemplateTrees) -> None:
    """Every template has the number of fillings that its classes multiply to."""
    assert {name: trees.count(name) for name in trees.templates} == COUNTS


def test_template_one_is_exhausted(trees: TemplateTrees) -> None:
    """Template 1 has 1,960 sentences, all different, and drawing more gives all of them."""
    sources = {trees.realise(tree).source for tree in trees.trees("t1")}
    assert len(sources) == 1960
    drawn = trees.draw("t1", 3000, np.random.default_rng(1))
    assert {trees.realise(tree).source for tree in drawn} == sources


@pytest.mark.parametrize("template", ["t4", "t6", "t10"])
def test_no_word_occurs_twice(trees: TemplateTrees, template: str) -> None:
    """Two slots of one class never hold the same word."""
    for tree in trees.draw(template, 300, np.random.default_rng(2)):
        assert len(set(tree.words())) == len(tree.words())


def test_draws_are_different_and_repeatable(trees: TemplateTrees) -> None:
    """The same seed gives the same sentences, none twice."""
    first = trees.draw("t7", 500, np.random.default_rng(3))
    again = trees.draw("t7", 500, np.random.default_rng(3))
    assert first == again
    assert len(set(first)) == 500


def test_swap_keeps_number_and_changes_one_word(trees: TemplateTrees) -> None:
    """A minimal pair differs in one token, and the new noun is not in the sentence yet."""
    rng = np.random.default_rng(4)
    for tree in trees.draw("t5", 50, rng):
        base = trees.realise(tree).source.split()
        other = trees.realise(trees.swap(tree, "subj", ("people", "elite"), rng)).source.split()
        changed = [place for place, word in enumerate(base) if word != other[place]]
        assert changed == [3]
        assert other[3] not in base


def test_statement_question_and_reference(trees: TemplateTrees) -> None:
    """A tree is realised in both languages, told or asked, and knows where its noun stands."""
    tree = next(iter(trees.trees("t10")))
    realised = trees.realise(tree)
    assert realised.source == "The athlete that avoids me admires the king ."
    assert realised.reference == "De atleet die mij vermijdt , bewondert de koning ."
    assert (
        trees.realise(tree, ask=True).source == "Did the athlete that avoids me admire the king ?"
    )
    start, end = trees.span(realised, "obj")
    assert realised.source[start:end] == "king"
    assert trees.number(realised, "obj") == "sg"


def test_unknown_language_and_word(trees: TemplateTrees) -> None:
    """A language the grammar does not speak and an impossible swap are the user's errors."""
    with pytest.raises(ConfigError, match="does not speak 'xx'") as caught:
        TemplateTrees("paradox", "xx", "nl")
    assert "text.en=FILE" in (caught.value.hint or "")
    tree = next(iter(trees.trees("t1")))
    with pytest.raises(GrammarError, match="no other word"):
        trees.swap(tree, "subj", ("dragons",), np.random.default_rng(1))


def test_recursive_grammar_is_refused(tmp_path: Path) -> None:
    """Templates must be finite."""
    (tmp_path / "abstract.grammar").write_text(
        "%start Text\ntell : Text -> S\nt1 : S -> N Rest\nmore : Rest -> N Rest\nend : Rest -> N\n"
    )
    (tmp_path / "abstract.lexicon.tsv").write_text("id\tcat\na\tN\n")
    (tmp_path / "en.grammar").write_text("tell = S\nt1 = N Rest\nmore = N Rest\nend = N\n")
    (tmp_path / "en.lexicon.tsv").write_text("id\tform\na\ta\n")
    trees = TemplateTrees(tmp_path, "en", "")
    with pytest.raises(GrammarError, match="contains itself"):
        trees.count("t1")


@pytest.mark.reference
@pytest.mark.parametrize(
    ("number", "corrupt"),
    [
        *((number, 0) for number in (1, 2, 3, 4, 5, 6, 10)),
        (9, 233),
        *(pytest.param(number, 0, marks=pytest.mark.slow) for number in (7, 8)),
    ],
)
def test_published_sentences_and_their_gold(
    trees: TemplateTrees, reference_data: Path, number: int, corrupt: int
) -> None:
    """Every published sentence is generated with its Dutch, but for the corrupt lines of t9."""
    folder = reference_data / "paradox" / "inputs" / "synthetic"
    sources = (folder / f"synthetic_{number}.en").read_text("utf-8").split("\n")[:-1]
    golds = (folder / f"synthetic_{number}.nl").read_text("utf-8").split("\n")[:-1]
    wanted = dict(zip(sources, golds, strict=True))
    grammar = Grammar.load("paradox")
    generated = {grammar.text(tree, "en"): tree for tree in trees.trees(f"t{number}")}
    assert set(wanted) <= set(generated)
    if number == 1:
        assert set(wanted) == set(generated)
    wrong = [
        gold for source, gold in wanted.items() if grammar.text(generated[source], "nl") != gold
    ]
    assert len(wrong) == corrupt
    assert all("die dat ," in gold for gold in wrong)


@pytest.fixture(scope="module")
def maker() -> SyntheticSentences:
    """The shipped templates as the recipe uses them."""
    trees = TemplateTrees("paradox", "en", "nl")
    return SyntheticSentences(trees, read_recipe("consistency").builder.template)


@pytest.mark.parametrize(
    ("sentence", "lowered"),
    [
        ("The man runs .", "the man runs ."),
        ("I run .", "I run ."),
        ("I'm here .", "I'm here ."),
        ("NATO acts .", "NATO acts ."),
        ("A man runs .", "a man runs ."),
    ],
)
def test_lower_first(sentence: str, lowered: str) -> None:
    """Names of one letter and acronyms keep their capitals."""
    assert lower_first(sentence) == lowered


def test_joining_drops_the_closing_mark() -> None:
    """The second conjunct begins where the focus will say."""
    first = TemplateSentence("Did he run ?", "t1", "synthetic")
    source, start = join_sentences(first, "Did she see it ?", " , and ")
    assert source == "Did he run , and did she see it ?"
    assert source[start:] == "did she see it ?"


def test_swaps_and_questions(maker: SyntheticSentences) -> None:
    """A question stays a question under a swap, and slots point at the nouns."""
    rng = np.random.default_rng(1)
    sentence = maker.draw("t6", 1, rng)[0]
    question = maker.question(sentence)
    swapped = maker.swap(question, "vp", rng)
    assert swapped.source.startswith("Did the ")
    assert swapped.part("np") == question.part("np")
    assert swapped.part("vp") != question.part("vp")


def test_clause_follows_its_noun(maker: SyntheticSentences) -> None:
    """Templates 6 to 8 attach clauses to the subject."""
    sentence = maker.draw("t6", 1, np.random.default_rng(2))[0]
    source, start = sentence.with_clause("that sings")
    assert source.split()[:4] == [*sentence.source.split()[:2], "that", "sings"]
    assert source[start:].startswith("that sings")


def test_unknown_template() -> None:
    """A recipe that names a template the grammar lacks is refused."""
    trees = TemplateTrees("paradox", "en", "nl")
    with pytest.raises(ConfigError, match="no template 't99'"):
        SyntheticSentences(trees, {"t99": TemplateUse(np="subj", vp="obj", clause="obj")})
