"""Articles that correspond: what goes with a noun is taken out of the target and put back."""

from __future__ import annotations

from itertools import product

import pytest

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.augment.agreement.articles import find_articles, take_out
from recombine.augment.agreement.genders import row_classes
from recombine.augment.links import link
from recombine.augment.tokens import Tokeniser
from recombine.errors import DataError

PEOPLE = {
    "boy": "chico", "uncle": "tío", "king": "rey", "actor": "actor", "judge": "juez",
    "girl": "chica", "aunt": "tía", "queen": "reina", "nurse": "enfermera", "nun": "monja",
}  # fmt: skip
VERBS = {"saw": "vio", "called": "llamó", "heard": "oyó", "knew": "conocía"}
LOVED = {"seen": "visto", "called": "llamado", "heard": "oído", "known": "conocido"}
THE = {("a", "m"): "un", ("the", "m"): "el", ("a", "f"): "una", ("the", "f"): "la"}
OPTIONS = AugmentOptions(n=400, source_language="en", target_language="es")


def gender(noun: str) -> str:
    """The last five are feminine."""
    return "f" if list(PEOPLE).index(noun) >= 5 else "m"


def phrase(article: str, noun: str) -> str:
    """An article and a noun in Spanish."""
    return f"{THE[article, gender(noun)]} {PEOPLE[noun]}"


def marked(article: str, noun: str) -> str:
    """The same as an object: a el is al."""
    return f"a {phrase(article, noun)}".replace("a el ", "al ")


def every_pair() -> list[tuple[str, str]]:
    """All sentences with a verb and two nouns, and passives with a participle that agrees."""
    pairs = []
    for (a, one), verb, (b, other) in product(
        product(("a", "the"), PEOPLE), VERBS, product(("a", "the"), PEOPLE)
    ):
        if one != other:
            target = f"{phrase(a, one)} {VERBS[verb]} {marked(b, other)}."
            pairs.append((f"{a} {one} {verb} {b} {other}.", target))
    for a, one, verb in product(("a", "the"), PEOPLE, LOVED):
        form = LOVED[verb][:-1] + ("a" if gender(one) == "f" else "o")
        pairs.append((f"{a} {one} was {verb}.", f"{phrase(a, one)} fue {form}."))
        for b, other in product(("a", "the"), list(PEOPLE)[::3]):
            target = f"{phrase(a, one)} fue {form} por {phrase(b, other)}."
            pairs.append((f"{a} {one} was {verb} by {b} {other}.", target))
    return [(x[0].upper() + x[1:], y[0].upper() + y[1:]) for x, y in pairs]


def some_pairs() -> list[Pair]:
    """Three of five of them, in a fixed order."""
    every = every_pair()
    chosen = [every[37 * n % len(every)] for n in range(3 * len(every) // 5)]
    return [Pair(one, other, str(n)) for n, (one, other) in enumerate(chosen)]


def test_articles_and_contractions_are_found_in_exchanges():
    """Exchanging a for the is exchanging un for el, una for la, and al is a with an article."""
    pairs = some_pairs()
    sides = [
        Tokeniser(language, [getattr(pair, side) for pair in pairs])
        for language, side in (("en", "source"), ("es", "target"))
    ]
    text = link(*([side.truecase(row) for row in side.raw] for side in sides), 2.4, 0.15)
    found = find_articles(text.pairs, 2)
    assert found is not None
    assert found.source == {" a", " the"}
    assert found.target == {" un", " el", " una", " la"}
    assert found.contracted == {" al": " a"}
    bare = take_out(text, found)
    left = {word for pair in bare.text.pairs for word in pair.target}
    assert not left & {" un", " el", " una", " la", " al"}


def test_nouns_with_the_same_forms_are_one_gender():
    """Rows whose values agree where both are known are of one class."""
    rows = {
        "libro": {("the", "el"): 5, ("a", "un"): 5},
        "casa": {("the", "la"): 5},
        "gato": {("the", "el"): 1},
        "mesa": {("a", "una"): 1, ("the", "la"): 1},
    }
    found, _ = row_classes(rows, {})
    assert found["libro"] == found["gato"] != found["casa"] == found["mesa"]


def test_what_is_drawn_agrees():
    """Articles, contractions and participles of new sentences are those of their nouns."""
    right = dict(every_pair())
    drawn = list(Recombiner.learn(some_pairs(), OPTIONS).draw())
    judged = [pair for pair in drawn if pair.source in right]
    assert len(judged) > 150
    assert [p.target for p in judged] == [right[p.source] for p in judged]
    assert any(" fue " in pair.target for pair in judged)


def test_clauses_in_another_order_are_refused_with_counts():
    """Behind "said that" the verb is last: such sentences would be wrong."""
    names = ["Ann", "Bob", "Cid", "Dan", "Eve"]
    verbs = {"saw": "sah", "found": "fand", "heard": "hörte", "called": "rief"}
    nouns = {"dog": "Hund", "king": "König", "tree": "Baum", "cow": "Kuh", "cat": "Katze"}
    rows = []
    for name, verb, noun, (the, der) in product(
        names, verbs, nouns, (("the", "den"), ("a", "einen"))
    ):
        if noun in ("cow", "cat"):
            der = {"den": "die", "einen": "eine"}[der]
        rows.append((f"{name} {verb} {the} {noun}.", f"{name} {verbs[verb]} {der} {nouns[noun]}."))
        rows.append(
            (
                f"{names[len(rows) % 5]} said that {name} {verb} {the} {noun}.",
                f"{names[len(rows) % 5]} sagte, dass {name} {der} {nouns[noun]} {verbs[verb]}.",
            )
        )
    pairs = [Pair(one, other) for one, other in rows]
    with pytest.raises(DataError, match=r"sentences inside others, \d+ have another target there"):
        Recombiner.learn(pairs, AugmentOptions(source_language="en", target_language="de"))
