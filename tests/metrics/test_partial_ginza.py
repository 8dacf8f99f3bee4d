"""Partial Match with GiNZA agrees with ours on clear cases."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example, Focus
from recombine.errors import ConfigError
from recombine.metrics.base import Scored
from recombine.metrics.partial_ginza import CASES, RELATIONS, PartialGinza


def example(reference: str, rendering: str, role: str) -> Example:
    """An example with one focus."""
    focus = Focus(text="the focus of it", role=role, accepted=(rendering,))
    return Example.make(source="x", references=(reference,), focus=(focus,))


def test_roles_have_relations_and_cases():
    """The two tables speak of the same roles."""
    assert set(RELATIONS) == set(CASES)


def test_another_language_is_refused():
    """The Japanese parser would read German too, and a number would come out."""
    items = [Scored(example("Der Hund lief.", "Der Hund", "subj"), "Der Hund schlief.")]
    with pytest.raises(ConfigError, match="reads Japanese, not 'de'"):
        PartialGinza(target_language="de").prepare(items)
    PartialGinza(target_language="ja").prepare(items)


def test_exact_needs_no_parser():
    """A reference is right without loading anything."""
    wanted = example("家の中の子供が走った。", "家の中の子供", "subj")
    assert PartialGinza().observe([Scored(wanted, "家の中の子供が走った。")]).value == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rendering", "role", "hypothesis", "value"),
    [
        ("家の中の子供", "subj", "家の中の子供が歩いた。", 1),
        ("家の中の子供", "subj", "犬が家の中の子供を見た。", 0),
        ("家の中の子供", "subj", "子供が走った。", 0),
        ("友達", "io", "リアムが友達に本をあげた。", 1),
    ],
)
def test_relation_and_case(rendering, role, hypothesis, value):
    """The rendering must be there with its case particle."""
    pytest.importorskip("ja_ginza")
    wanted = example("別の文。", rendering, role)
    assert PartialGinza().observe([Scored(wanted, hypothesis)]).value == value
