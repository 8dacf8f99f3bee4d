"""Partial Match: the word and the role count, everything else is free."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example, Focus
from recombine.metrics.base import Scored
from recombine.metrics.partial import Partial


@pytest.fixture(scope="module")
def metric() -> Partial:
    """One metric for all, as the grammar is loaded once."""
    return Partial(target_language="ja")


def example(reference: str, rendering: str, role: str) -> Example:
    """An example with one focus."""
    focus = Focus(text="the focus of it", role=role, accepted=(rendering,))
    return Example.make(source="x", references=(reference,), focus=(focus,))


IN_HOUSE = example("家の中の子供が走った。", "家の中の子供", "subj")
THIEF = example("リアムが泥棒に気づいた。", "泥棒", "obj")
LENDS = example("リアムがエマに本を貸す。", "貸す", "VD")


@pytest.mark.parametrize(
    ("wanted", "hypothesis", "value", "how"),
    [
        (IN_HOUSE, "家の中の子供が走った。", 1, "exact"),
        (IN_HOUSE, "家の中の子供が歩いた。", 1, "parsed"),
        (IN_HOUSE, "ノアが家の中の子供が本を見つけたと言った。", 1, "parsed"),
        (IN_HOUSE, "子供が走った。", 0, "parsed"),
        (IN_HOUSE, "家の上の子供が走った。", 0, "parsed"),
        (IN_HOUSE, "犬が家の中の子供を見た。", 0, "parsed"),
        (IN_HOUSE, "家の中の子供が走った走った。", 1, "fragments"),
        (IN_HOUSE, "車の横の家の中の子供が走った走った。", 0, "fragments"),
        (IN_HOUSE, "", 0, "fragments"),
        (IN_HOUSE, "\u2028ｘｙｚ", 0, "fragments"),
        (THIEF, "ノアが泥棒に気づいた。", 1, "parsed"),
        (THIEF, "ノアが本の上の泥棒を見た。", 1, "parsed"),
        (THIEF, "ノアが泥棒に本をあげた。", 0, "parsed"),
        (THIEF, "泥棒がリアムに気づいた。", 0, "parsed"),
        (THIEF, "リアムが泥棒をノアに与えた。", 1, "parsed"),
        (LENDS, "ノアが本をエマに貸す。", 1, "parsed"),
        (LENDS, "リアムがエマに本を貸した。", 0, "parsed"),
        (LENDS, "リアムがエマに本を貸す貸す。", 1, "fragments"),
    ],
)
def test_word_and_role(metric, wanted, hypothesis, value, how):
    """Appendix D of the paper: wrong word = wrong, wrong role = wrong, other words free."""
    observation = metric.observe([Scored(wanted, hypothesis)])
    assert (observation.value, observation.detail["how"]) == (value, how)


def test_a_wrong_role_is_named(metric):
    """The observation says where the rendering stood instead."""
    observation = metric.observe([Scored(IN_HOUSE, "犬が家の中の子供を見た。")])
    assert "obj" in observation.detail["elsewhere"]


def test_examples_without_focus_do_not_count(metric):
    """Eleven patterns of the paper have no Partial Match."""
    assert metric.key(Example.make(source="x", references=("y",))) is None
    assert metric.key(IN_HOUSE) == IN_HOUSE.id


def test_signature_names_the_grammar(metric):
    """Another grammar or edition is another number."""
    assert metric.signature() != Partial(edition="official").signature()
