"""What is learnt from a small world of English and a made-up language without its grammar.

The made-up language puts the verb last, marks subject and object by particles and puts modifiers
before their heads. Some combinations are left out of training; recombination must make them, with
the right target.
"""

from __future__ import annotations

import itertools

import pytest

from recombine.augment import AugmentOptions, Pair, Recombined, Recombiner

NAMES = {name: f"{name.lower()}o" for name in ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus")}
NOUNS = {
    "cat": "nek",
    "dog": "inu",
    "bird": "tor",
    "fish": "sak",
    "horse": "uma",
    "bear": "kum",
    "mouse": "nez",
}
PLACES = {"room": "hey", "box": "hak", "house": "iek", "garden": "niw", "car": "kur", "bag": "kab"}
ADJECTIVES = {"red": "aka", "big": "oki", "old": "furu", "new": "atara"}
VERBS = {"see": "mi", "call": "yob", "help": "tas", "find": "sag", "lift": "mot", "push": "os"}
PREPOSITIONS = {"in": "naka", "on": "ue", "beside": "yoko"}


def subjects() -> dict[str, str]:
    """Return names and nouns with an article."""
    return {**NAMES, **{f"the {noun}": word for noun, word in NOUNS.items()}}


def world() -> list[Pair]:
    """Return statements and questions; modifiers stand on objects only."""
    rows: dict[str, str] = {}
    everyone = list(subjects().items())

    def add(source: str, target: str) -> None:
        rows[source[0].upper() + source[1:]] = target

    for number, ((s, st), (o, ot)) in enumerate(itertools.product(everyone, everyone)):
        if s == o:
            continue
        verb, stem = list(VERBS.items())[number % len(VERBS)]
        article = "the" if number % 3 else "a"
        add(f"{s} {verb}ed {o.replace('the', article)}.", f"{st} ga {ot} o {stem}ta.")
        if number % 2:
            add(f"{s} {verb}s {o}.", f"{st} ga {ot} o {stem}ru.")
        noun, word = list(NOUNS.items())[number % len(NOUNS)]
        if noun in s:
            continue
        add(f"{s} {verb}ed the {noun}.", f"{st} ga {word} o {stem}ta.")
        add(f"{s} {verb}ed a {noun}.", f"{st} ga {word} o {stem}ta.")
        adjective, a = list(ADJECTIVES.items())[number % len(ADJECTIVES)]
        place, p = list(PLACES.items())[number % len(PLACES)]
        preposition, w = list(PREPOSITIONS.items())[number % len(PREPOSITIONS)]
        add(f"{s} {verb}ed the {adjective} {noun}.", f"{st} ga {a} {word} o {stem}ta.")
        add(
            f"{s} {verb}ed the {noun} {preposition} the {place}.",
            f"{st} ga {p} no {w} no {word} o {stem}ta.",
        )
    return [Pair(source, target, f"p{n}") for n, (source, target) in enumerate(rows.items())]


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
    drawn = list(Recombiner.learn(pairs, options).draw(300, seed=2))
    assert drawn
    assert [row for row in drawn if row.source != translated(row.target)] == []


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
