"""A recipe block becomes constraints."""

from __future__ import annotations

import pytest

from recombine.builders.generated.parts import (
    Exposure,
    GeneratedOptions,
    RecipePart,
    exposure_draws,
    part_draws,
    scaled,
    with_targets,
    with_words,
)
from recombine.errors import ConfigError, GrammarError

OPTIONS = GeneratedOptions(source_language="en", depth={"pp": "0-2"}, exclude=("wh",))


def test_targets_stand_for_a_group():
    """One target is a name, several are a group."""
    assert with_targets("_.obj = $target", ("thief",)) == "_.obj = thief"
    assert with_targets("_.obj = $target", ("a", "b")) == "_.obj = (a|b)"


def test_inside_and_outside():
    """Half of the sentences have the pattern below the given node."""
    part = RecipePart(
        size=11,
        pattern=("_.obj = $target", "_.io = $target"),
        targets=("x",),
        inside="that_past",
        depth_outside={"cp": 0},
        depth_inside={"cp": "1"},
    )
    outside, inside = part_draws("gen", "p", part, OPTIONS, 11)
    assert (outside.size, inside.size) == (5, 6)
    assert outside.constraints.require == ("_.obj = x | _.io = x",)
    assert inside.constraints.require == ("that_past >> _.obj = x | that_past >> _.io = x",)
    assert inside.constraints.depth == {"cp": "1"}
    assert inside.constraints.exclude == ("wh",)
    assert inside.constraints.weights["x"] == 1
    assert inside.limits == {"pp": "0-2"}


def test_each_depth_by_itself():
    """5-6 becomes two draws that share the size."""
    part = RecipePart(size=7, depth={"pp": "5-6"}, each_depth=True)
    draws = list(part_draws("gen", "d", part, OPTIONS, 7))
    assert [(one.constraints.depth["pp"], one.size) for one in draws] == [("5", 3), ("6", 4)]
    assert draws[0].limits == {}


def test_exposures_use_the_first_target_words():
    """target_words cuts exposures too; a size of its own wins."""
    options = GeneratedOptions(source_language="en", exposures=100, scale=0.1)
    part = RecipePart(
        size=1,
        pattern=("_ = $target",),
        targets=("a", "b", "c"),
        expose=(Exposure(pattern=("x = $target",)), Exposure(size=3, targets=("d", "e", "f"))),
    )
    first, second = exposure_draws("p", with_words(part, 2, ()), options)
    assert (first.size, first.targets) == (10, ("a", "b"))
    assert (second.size, second.targets) == (1, ("d", "e"))


def test_words_that_a_language_lacks_are_never_drawn():
    """Of the targets the first that can be said stay; no weight of a part lets another word in."""
    part = RecipePart(
        size=1, pattern=("_ = $target",), targets=("a", "b", "c"), irregular=("a", "c"),
        weights={"a": 5.0, "{x}": 2.0}, expose=(Exposure(shares=(1, 2, 3)),),
    )  # fmt: skip
    said = with_words(part, 2, {"a"})
    assert (said.targets, said.irregular) == (("b", "c"), ("c",))
    assert said.weights == {"{x}": 2.0, "a": 0.0}
    assert (said.expose[0].targets, said.expose[0].shares) == (("b", "c"), (2, 3))
    assert list(said.expose[0].weights) == ["a"]
    with pytest.raises(GrammarError, match="no target word is left"):
        with_words(part, 2, {"a", "b", "c"})


@pytest.mark.parametrize(
    "options",
    [
        {"size": -1},
        {"size": 1, "inside_share": 2},
        {"size": 1, "compose": "x"},
        {"size": 1, "irregular": ("x",)},
        {"size": 1, "pattern": ("_ = $target",)},
        {"size": 1, "each_depth": True},
    ],
)
def test_contradictions_are_refused(options):
    """A block that contradicts itself never gets as far as a grammar."""
    with pytest.raises(ConfigError):
        RecipePart(**options)


def test_scaled_sizes():
    """Scaling never loses a part."""
    assert [scaled(0, 0.1), scaled(4, 0.1), scaled(25, 0.1), scaled(3, 2)] == [0, 1, 3, 6]


def test_shares_divide_the_exposures():
    """Sentences go to the targets by their shares, what is left over to the largest remainders."""
    part = RecipePart(
        size=1, targets=("a", "b", "c"), expose=(Exposure(pattern=("x",), shares=(25, 22, 16)),)
    )
    options = GeneratedOptions(source_language="en", exposures=20)
    (draw,) = exposure_draws("p", with_words(part, 5, ()), options)
    assert draw.quota() == {"a": 8, "b": 7, "c": 5}
    (fewer,) = exposure_draws("p", with_words(part, 2, ()), options)
    assert fewer.quota() == {"a": 11, "b": 9}
    assert draw._replace(shares=(), size=20).quota() == {"a": 7, "b": 7, "c": 6}


@pytest.mark.parametrize(("shares", "words"), [((1, 2), "2 shares for 3"), ((1, 0, 2), "positive")])
def test_wrong_shares(shares, words):
    """Every target has one share, and none is nothing."""
    with pytest.raises(ConfigError, match=words):
        RecipePart(size=1, targets=("a", "b", "c"), expose=(Exposure(shares=shares),))
