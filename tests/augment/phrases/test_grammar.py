"""Articles that the other language lacks."""

from __future__ import annotations

from augment.made_up_world import world
from recombine.augment.links import LinkedPair, LinkedText, link
from recombine.augment.phrases.grammar import free_variants
from recombine.augment.tokens import Tokeniser


def test_articles_are_free_where_no_target_is_there_twice():
    """Of "a cat" and "the cat" one is left for each target: "a dog" beside "the cat" tells it."""
    once = list({pair.target: pair for pair in world()}.values())
    sides = [
        Tokeniser("en", [pair.source for pair in once]),
        Tokeniser("xx", [pair.target for pair in once]),
    ]
    cut = [[side.truecase(tokens) for tokens in side.raw] for side in sides]
    assert free_variants(link(cut[0], cut[1], 2.4, 0.15), 2) == {" a", " the"}


def test_articles_that_stand_before_other_words_are_not_free():
    """Un hombre and una mujer are both "a": no word has both, so they are no variants."""
    nouns = {" un": [" hombre", " perro", " gato"], " una": [" mujer", " casa", " vaca"]}
    pairs = [
        LinkedPair(0, (article, noun, " corre", "."), ("a", noun.upper(), "runs", "."), ((1, 1),))
        for article, own in nouns.items()
        for noun in own
    ]
    text = LinkedText(pairs, frozenset(n for own in nouns.values() for n in own), frozenset())
    assert free_variants(text, 1) == frozenset()


def test_articles_that_the_target_has_a_word_for_are_not_free():
    """Vio el tren, vio al perro: both are "the", which no sentence without them has."""
    nouns = [f" noun{number}" for number in range(20)]
    verbs = ((" vio", (" el", " al")), (" lavó", (" al", " el")))
    pairs = [
        LinkedPair(0, (verb, articles[i % 2], noun, "."), (verb, "the", noun, "."), ((2, 2),))
        for verb, articles in verbs
        for i, noun in enumerate(nouns)
    ]
    pairs += [LinkedPair(0, (verb, " Ana", "."), (verb, " Ana", "."), ()) for verb, _ in verbs]
    text = LinkedText(pairs, frozenset({" vio", " lavó", " Ana", *nouns}), frozenset())
    assert free_variants(text, 1) == frozenset()
