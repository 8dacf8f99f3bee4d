"""What is learnt from a small world of English and a made-up language without its grammar.

Some combinations are left out of training; recombination must make them, with the right target.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from augment.made_up_world import ADJECTIVES, NAMES, NOUNS, PLACES, PREPOSITIONS, VERBS, world
from recombine.augment import AugmentOptions, Pair, Recombined, Recombiner


@pytest.fixture(scope="module")
def recombiner() -> Recombiner:
    """Return what is learnt from the world."""
    options = AugmentOptions(source_language="en", target_language="xx")
    return Recombiner.learn(world(), options)


@pytest.fixture(scope="module")
def drawn(recombiner) -> list[Recombined]:
    """Return some drawn pairs."""
    return list(recombiner.draw(1500, seed=2))


def translated(source: str) -> str:
    """Translate a statement of the world by its grammar, which the recombiner does not know."""
    words = source.rstrip(".").split()

    def phrase(at: int) -> tuple[str, int]:
        if words[at] in NAMES:
            return NAMES[words[at]], at + 1
        at += 1  # an article
        made = []
        while words[at] in ADJECTIVES:
            made.append(ADJECTIVES[words[at]])
            at += 1
        made.append({**NOUNS, **PLACES}[words[at]])
        at += 1
        if at < len(words) and words[at] in PREPOSITIONS:
            place, after = phrase(at + 1)
            made = [place, "no", PREPOSITIONS[words[at]], "no", *made]
            at = after
        return " ".join(made), at

    subject, at = phrase(0)
    verb = words[at]
    stem = VERBS[verb.removesuffix("ed") if verb.endswith("ed") else verb.removesuffix("s")]
    obj, after = phrase(at + 1)
    assert after == len(words)
    return f"{subject} ga {obj} o {stem}{'ta' if verb.endswith('ed') else 'ru'}."


def test_drawn_pairs_are_translations(drawn):
    """What is put together anew is right in both languages."""
    assert len(drawn) == 1500
    assert [(row.source, row.target) for row in drawn if row.target != translated(row.source)] == []


def test_modifiers_go_where_training_has_none(drawn):
    """Training has modifiers on objects; a subject is a phrase, too, and gets them."""
    assert any(row.source.split()[1] in ADJECTIVES for row in drawn)


def test_the_other_direction_is_as_good():
    """Phrases are found in the language that shows them, and pairs are turned again."""
    options = AugmentOptions(source_language="xx", target_language="en")
    pairs = [Pair(pair.target, pair.source, pair.id) for pair in world()]
    drawn = list(Recombiner.learn(pairs, options).draw(300, seed=2))
    assert len(drawn) == 300
    assert [row for row in drawn if row.source != translated(row.target)] == []


def test_a_pair_says_what_it_was_made_of(drawn):
    """Every word of a pair is in one of its parents, and every rule is a step."""
    texts = {pair.id: pair for pair in world()}
    for row in drawn[:200]:
        assert set(row.parents) <= set(texts)
        words = {
            word
            for parent in row.parents
            for word in texts[parent].source.lower().strip(".").split()
        }
        assert set(row.source.lower().strip(".").split()) <= words
        assert any(step.startswith("rule: ") for step in row.steps)


def test_parents_are_not_always_the_same(drawn):
    """No pair is named for what another one shows."""
    first = drawn[0].parents[-1]
    assert sum(first in row.parents for row in drawn) < len(drawn) / 2


def test_review_shows_classes_and_rules(recombiner):
    """What was learnt can be read."""
    review = recombiner.review()
    names = next(row for row in review.classes if "Ann|anno" in row["members"])
    assert {"Bob|bobo", "Gus|guso"} <= set(names["members"])
    assert {"name": "phrase: the N | N1", "members": [], "support": 1007} in review.rules


def test_training_pairs_and_new_ones_are_derived(recombiner, drawn):
    """Reading is drawing backwards; a sentence of unknown words has no derivation."""
    assert all(any(recombiner.derived(pair)) for pair in world()[:100])
    lines = recombiner.explain("The red cat helped Ann.")
    assert lines is not None
    assert lines[0] == "The red cat helped Ann.\taka nek ga anno o tasta."
    assert "rule: the N | N1" in lines
    assert recombiner.explain("The red cat helped nobody.") is None
    read = [recombiner.derived(Pair(row.source, row.target)) for row in drawn[:200]]
    assert sum(any(rows) for rows in read) >= 190


def test_learning_again_draws_the_same(recombiner):
    """Same pairs, options and seed: the same recombined pairs."""
    again = Recombiner.learn(world(), recombiner.options)
    assert list(again.draw(50, seed=9)) == list(recombiner.draw(50, seed=9))
    assert list(again.draw(50, seed=9)) != list(again.draw(50, seed=8))


def test_depth_is_kept_to(recombiner):
    """No clause or modifier goes deeper than was asked for."""
    flat = Recombiner.learn(world(), replace(recombiner.options, depth=0))
    assert {row.depth for row in flat.draw(300, seed=2)} == {0}
