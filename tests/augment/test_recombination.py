"""What is learnt from a small world of English and a made-up language without its grammar.

Some combinations are left out of training; recombination must make them, with the right target.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from augment.made_up_world import ADJECTIVES, NAMES, NOUNS, PLACES, PREPOSITIONS, VERBS, world
from recombine.augment import AugmentOptions, Pair, Recombined, Recombiner
from recombine.augment.composer import Composer


@pytest.fixture(scope="module")
def recombiner() -> Recombiner:
    """Return what is learnt from the world."""
    options = AugmentOptions(source_language="en", target_language="xx", frame_support=3)
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
    assert [(row.source, row.target) for row in drawn if row.target != translated(row.source)] == []


def test_modifiers_go_where_training_has_none(drawn):
    """Training has modifiers on objects; a subject is a phrase, too, and gets them."""
    assert any(row.source.split()[1] in ADJECTIVES for row in drawn)


def test_rows_of_modifiers_grow_beyond_training(drawn):
    """Training has one adjective at a time."""
    assert max(sum(word in ADJECTIVES for word in row.source.split()) for row in drawn) > 1


def test_words_get_the_forms_that_they_lack(recombiner):
    """A verb without a present in training gets one by analogy, in both languages."""
    pairs = [pair for pair in world() if " helps " not in pair.source]
    drawn = Recombiner.learn(pairs, recombiner.options).draw(1500, seed=2)
    made = [row for row in drawn if " helps " in row.source]
    assert made
    assert all(row.target == translated(row.source) for row in made)


def test_the_other_direction_is_as_good(recombiner):
    """Articles that the source lacks are no obstacle: both directions have the same structure."""
    options = AugmentOptions(source_language="xx", target_language="en", frame_support=3)
    pairs = [Pair(pair.target, pair.source, pair.id) for pair in world()]
    turned = Recombiner.learn(pairs, options)
    drawn = list(turned.draw(300, seed=2))
    assert drawn
    assert [row for row in drawn if row.source != translated(row.target)] == []
    assert all(turned.explain(row.source) for row in drawn[:20])
    assert turned.explain("nemo ga inu o yobta.") is None


def test_a_pair_says_what_it_was_made_of(drawn):
    """Parents are ids of training pairs."""
    ids = {pair.id for pair in world()}
    assert all(row.parents and set(row.parents) <= ids for row in drawn)


def test_review_shows_classes_modifiers_and_frames(recombiner):
    """What was learnt can be read."""
    review = recombiner.review()
    names = next(row for row in review.classes if "Ann|anno" in row["members"])
    assert {"Bob|bobo", "Gus|guso"} <= set(names["members"])
    assert any(row["name"].startswith("_ | _") for row in review.phrases)
    assert all(row["support"] >= 0 for row in review.phrases)


def test_what_was_drawn_is_explained(recombiner, drawn):
    """Every drawn sentence has a derivation; a sentence of unknown words has none."""
    assert all(recombiner.explain(row.source) for row in drawn[:100])
    lines = recombiner.explain("The red cat helped Ann.")
    assert lines[0].startswith("X1_ X2.")
    assert "  the cat | nek" in lines[1]
    assert recombiner.explain("The red cat helped nobody.") is None


def test_learning_again_draws_the_same(recombiner):
    """Same pairs, options and seed: the same recombined pairs."""
    again = Recombiner.learn(world(), recombiner.options)
    assert list(again.draw(50, seed=9)) == list(recombiner.draw(50, seed=9))


def test_words_never_seen_together_stand_in_either_order(recombiner):
    """Training has one adjective at a time: no order is known, so none is preferred."""
    composer = Composer(recombiner.repertoire, 7)
    words = recombiner.repertoire.modifiers[0].words
    rows = [composer._row(0, words) for _ in range(400)]
    firsts = [row.index((" red",)) < row.index((" big",)) for row in rows if len(row) == len(words)]
    assert True in firsts
    assert False in firsts


def test_drawn_evenly_unless_told_otherwise(recombiner):
    """A name that most sentences have is drawn no oftener; with `uniform=false` it is."""
    often = [
        Pair(p.source.replace("Bob", "Ann"), p.target.replace("bobo", "anno")) for p in world()
    ]
    pairs = [*world(), *(pair for pair in often for _ in range(5) if "Ann" in pair.source)]

    def share(*, uniform: bool) -> float:
        options = replace(recombiner.options, uniform=uniform)
        rows = [row.source for row in Recombiner.learn(pairs, options).draw(300, seed=2)]
        names = [word for row in rows for word in row.rstrip(".").split() if word in NAMES]
        return names.count("Ann") / len(names)

    assert share(uniform=True) < 0.5 * share(uniform=False)


def test_rare_words_join_the_classes_unless_told_otherwise(recombiner):
    """A noun of one pair is drawn as others are; with `rare=false` it is in no class."""
    pairs = [*world(), Pair("The owl called the cat.", "ulu ga nek o yobta.")]

    def owls(*, rare: bool) -> list[Recombined]:
        learnt = Recombiner.learn(pairs, replace(recombiner.options, rare=rare))
        return [row for row in learnt.draw(600, seed=2) if "owl" in row.source]

    assert AugmentOptions().rare
    assert owls(rare=False) == []
    made = owls(rare=True)
    assert len(made) > 10
    assert all(
        row.target == translated(row.source.replace("owl", "cat")).replace("nek", "ulu")
        for row in made
        if "cat" not in row.source
    )


def many_places() -> list[Pair]:
    """Return sentences with 24 places, each seen behind two of the three prepositions."""
    stream = random.Random(1)
    rows = {}
    for _ in range(4000):
        name, own = stream.choice(list(NAMES.items()))
        verb, stem = stream.choice(list(VERBS.items()))
        noun, made = stream.choice(list(NOUNS.items()))
        number = stream.randrange(24)
        place, there = f"pl{number:02}", f"pur{number:02}"
        prepositions = list(PREPOSITIONS.items())
        del prepositions[number % 3]
        preposition, word = stream.choice(prepositions)
        article = stream.choice(("a", "the"))
        rows |= stream.choice(
            (
                {f"{name} {verb}ed {article} {noun}.": f"{own} ga {made} o {stem}ta."},
                {f"{name} {verb}ed {article} {place}.": f"{own} ga {there} o {stem}ta."},
                {
                    f"{name} {verb}ed {article} {noun} {preposition} the {place}.": f"{own} ga "
                    f"{there} no {word} no {made} o {stem}ta."
                },
            )
        )
    return [Pair(source, target, f"p{n}") for n, (source, target) in enumerate(rows.items())]


def test_rare_words_of_long_pairs_keep_their_place(recombiner):
    """A word that only a long pair has, behind one preposition, is drawn behind no other."""
    source = " ".join(["Ann called the dog and", *["Bob called the dog and"] * 5])
    target = " ".join(["anno ga inu o yobta", *["bobo ga inu o yobta"] * 5])
    pairs = [
        *many_places(),
        Pair(
            f"{source} Cid lifted the cat on the den.",
            f"{target} cido ga den no ue no nek o motta.",
        ),
    ]
    rows = [row.source for row in Recombiner.learn(pairs, recombiner.options).draw(3000, seed=2)]
    behind = [
        row.split(" the den")[0].split(" a den")[0].split()[-1] for row in rows if " den" in row
    ]
    assert {"in", "on", "beside"} & set(behind) == {"on"}


def test_depth_is_a_number(recombiner, monkeypatch):
    """Also of a slot that was seen with modified phrases only."""
    monkeypatch.setattr(recombiner.repertoire, "never_plain", lambda frame, slot: True)
    assert {type(row.depth) for row in recombiner.draw(50, seed=2)} == {int}
