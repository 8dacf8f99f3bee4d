"""Sentences that can be changed minimally."""

from __future__ import annotations

import numpy as np
import pytest

from recombine.builders.consistency.synthetic import (
    SyntheticSentences,
    TemplateTrees,
    TemplateUse,
    TestSentence,
    join_sentences,
    lower_first,
)
from recombine.builders.recipe import read_recipe
from recombine.errors import ConfigError


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
    first = TestSentence("Did he run ?", "t1", "synthetic")
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
