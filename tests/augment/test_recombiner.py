"""Learning from pairs and drawing new ones: a small world of English and made-up words."""

from __future__ import annotations

import pytest

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.errors import DataError

NAMES = {"Ann": "an", "Bob": "bo", "Cid": "ci", "Dan": "da", "Eve": "ev"}
VERBS = {"sees": "mir", "hears": "aud", "finds": "trov"}
OPTIONS = AugmentOptions(n=20, source_language="en", target_language="eo")


def world() -> list[Pair]:
    """Return sentences of two names and a verb, some combinations left out."""
    rows = []
    for subject in NAMES:
        for verb in VERBS:
            for obj in NAMES:
                if subject != obj and (subject, verb) != ("Eve", "finds"):
                    source = f"{subject} {verb} {obj}."
                    target = f"{NAMES[subject]} {NAMES[obj]}n {VERBS[verb]}as."
                    rows.append(Pair(source, target, f"p{len(rows)}"))
    return rows


def test_the_same_seed_draws_the_same_pairs():
    """Same input and seed, same bytes."""
    first = list(Recombiner.learn(world(), OPTIONS).draw(10, seed=3))
    assert first == list(Recombiner.learn(world(), OPTIONS).draw(10, seed=3))


def test_no_drawn_source_is_known():
    """A recombined pair is a new one, and none comes twice."""
    known = {pair.source for pair in world()}
    drawn = [row.source for row in Recombiner.learn(world(), OPTIONS).draw(4)]
    assert drawn
    assert not known & set(drawn)
    assert len(set(drawn)) == len(drawn)


def test_a_pair_names_the_classes_of_its_words_as_the_review_does():
    """What a stranger needs to find a wrong class by a wrong pair."""
    learned = Recombiner.learn(world(), OPTIONS)
    classes = {row["name"]: row["members"] for row in learned.review().classes}
    for pair in learned.draw(4):
        named = dict(step.split(": ") for step in pair.steps)
        assert named
        assert all(word in classes[name] for name, word in named.items())
        assert all(word.split("|")[0] in pair.source for word in named.values())


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (world()[:5], "too few pairs to recombine: 5"),
        ([Pair(p.source, p.source) for p in world()], "the same text in 56 of 56"),
        (
            [Pair(p.source, p.source if n % 4 == 0 else p.target) for n, p in enumerate(world())],
            "the same text in 14 of 56",
        ),
        ([Pair(p.source, "") for p in world()], "56 of 56 pairs have an empty target"),
    ],
)
def test_bad_pairs_are_refused_with_counts(pairs, message):
    """Pairs that nothing can be learnt from are said to be so."""
    with pytest.raises(DataError, match=message):
        Recombiner.learn(pairs, OPTIONS)


def test_rules_that_do_not_make_the_training_pairs_again_are_refused(monkeypatch):
    """What was taken for articles may be none: then little of training follows from it."""
    usual = Recombiner._readings

    def few(self: Recombiner, sentence: str, *, own: bool = False) -> list[object]:
        return usual(self, sentence, own=own) if sentence.startswith("Ann") else []

    monkeypatch.setattr(Recombiner, "_readings", few)
    with pytest.raises(DataError, match=r"of \d+ short training pairs only 1\d can be made again"):
        Recombiner.learn(world(), OPTIONS)


def test_a_sentence_that_ends_where_a_phrase_should_begin_is_read():
    """Of running text some frames begin with a word and end in a phrase, not in a full stop."""
    names, verbs = {**NAMES, "Fay": "fa", "Guy": "gi"}, {**VERBS, "calls": "vok"}
    pairs = [
        Pair(f"{verb} {name}", f"{verbs[verb]}as {names[name]}n")
        for verb in verbs
        for name in names
    ]
    learned = Recombiner.learn(pairs, OPTIONS)
    assert learned.explain("sees Bob") is not None
    assert learned.explain("sees") is None


def test_rules_that_make_other_targets_of_the_training_sources_are_refused(monkeypatch):
    """A pair is made again when its target is, not when its source can be read."""
    usual = Recombiner._readings

    def another(self: Recombiner, sentence: str, *, own: bool = False) -> list[object]:
        readings = usual(self, sentence, own=own)
        return [one._replace(other=(*one.other, " ne")) for one in readings]

    monkeypatch.setattr(Recombiner, "_readings", another)
    with pytest.raises(DataError, match=r"of \d+ short training pairs only 0 can be made again"):
        Recombiner.learn(world(), OPTIONS)
