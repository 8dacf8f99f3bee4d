"""Exact match."""

import numpy as np
import pytest

from recombine.benchmark import Example
from recombine.metrics.base import Scored
from recombine.metrics.exact import Exact


@pytest.mark.parametrize(
    ("hypothesis", "value"),
    [("a b", 1), (" a b\n", 1), ("c", 1), ("a  b", 0), ("", 0), ("A b", 0)],
)
def test_any_reference_counts_and_nothing_else(hypothesis, value):
    """Outer white space is not a translation error; everything inside is."""
    example = Example.make(source="x", references=["a b", "c"])
    assert Exact().observe([Scored(example, hypothesis)]).value == value


def test_composed_and_decomposed_letters_are_equal():
    """NFC on both sides."""
    example = Example.make(source="x", references=["König"])
    assert Exact().observe([Scored(example, "Ko\u0308nig")]).value == 1


def test_the_score_is_a_percentage():
    """Half right is 50."""
    assert Exact().aggregate(np.array([[1.0], [0.0]])) == 50


def test_examples_without_reference_do_not_apply():
    """Consistency data has no references."""
    assert Exact().key(Example.make(source="x")) is None


def test_outer_white_space_of_a_reference_counts_no_more_than_of_a_hypothesis():
    """The signature says strip, of both sides."""
    example = Example(id="a", source="s", references=(" so it is ",))
    assert Exact().observe([Scored(example, " so it is ")]).value == 1


def test_each_example_is_a_key_of_its_own_and_the_signature_says_how():
    """So two runs of one signature can be paired sentence by sentence."""
    assert Exact().key(Example(id="a", source="s", references=("t",))) == "a"
    assert Exact().signature() == "exact|norm:nfc+strip|refs:any"
