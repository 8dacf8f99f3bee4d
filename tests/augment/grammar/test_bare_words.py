"""A word that is seen by itself only gets the places of the words that it looks like."""

from __future__ import annotations

import re

import pytest

from augment.made_up_world import NAMES, NOUNS, world
from recombine.augment import AugmentOptions, Pair, Recombiner

# Hedy is written as names are; a fox as nouns are, but so are verbs and adjectives.
BARE = [Pair("Hedy", "hedyo", "hedy"), Pair("fox", "kit", "fox")]
OPTIONS = AugmentOptions(source_language="en", target_language="xx")
MORE_NAMES = ("Hal", "Ida", "Jon", "Kay")


def pairs() -> list[Pair]:
    """The made-up world with names that are written with a capital, and with more of them."""
    rows = {pair.source: pair for pair in world()}
    for new, old in zip(MORE_NAMES, NAMES, strict=False):
        for pair in world():
            if re.search(rf"\b{old}\b", pair.source):
                source = re.sub(rf"\b{old}\b", new, pair.source)
                target = re.sub(rf"\b{old.lower()}o\b", f"{new.lower()}o", pair.target)
                rows.setdefault(source, Pair(source, target, f"{new}{pair.id}"))
    return [*rows.values(), *BARE]


@pytest.fixture(scope="module")
def recombiner() -> Recombiner:
    """What is learnt from the world and two bare words."""
    return Recombiner.learn(pairs(), OPTIONS)


def test_a_bare_name_stands_where_names_stand(recombiner):
    """With its own translation, as a subject and as an object, as any name does."""
    drawn = [row for row in recombiner.draw(1500, seed=1) if "Hedy" in row.source]
    assert any(row.source.startswith("Hedy ") for row in drawn)
    assert any(row.source.endswith(" Hedy.") for row in drawn)
    for row in drawn:
        assert row.source.count("Hedy") == row.target.count("hedyo")
        assert "the Hedy" not in row.source


def test_it_says_whose_places_it_gets(recombiner):
    """Its own pair is a parent, and so is one with the word that it is like."""
    row = next(row for row in recombiner.draw(1500, seed=1) if "Hedy" in row.source)
    assert "hedy" in row.parents
    (step,) = {step for step in row.steps if step.startswith("bare word: Hedy|hedyo as ")}
    model = step.rpartition(" ")[2].split("|")[0]
    assert model in (*NAMES, *MORE_NAMES)
    named = {pair.id for pair in pairs() if model in pair.source}
    assert named & set(row.parents)


def test_nothing_is_said_of_a_word_whose_likes_stand_in_several_places(recombiner):
    """Nouns, verbs and adjectives are all written as *fox* is."""
    assert set(NOUNS) & {word for row in recombiner.draw(200) for word in row.source.split()}
    assert not [row for row in recombiner.draw(1500, seed=1) if "fox" in row.source]


def test_the_same_pairs_are_drawn_again(recombiner):
    """From the same pairs and the same seed."""
    again = Recombiner.learn(pairs(), OPTIONS)
    assert list(again.draw(300, seed=2)) == list(recombiner.draw(300, seed=2))
