"""Texts that look alike share an analysis: the one that each of them has alone."""

from __future__ import annotations

import itertools

import pytest

from grammar.small_grammar import Write
from recombine.grammar import Grammar
from recombine.grammar.parsing.fast import sharing
from recombine.grammar.parsing.parser import Parser


@pytest.mark.parametrize("language", ["en", "ja", "de", "tr"])
@pytest.mark.parametrize("backwards", [False, True])
def test_texts_that_share_an_analysis_have_the_one_they_had_alone(toy, language, backwards):
    """The caches find what the plain parser finds, in the same order; of wrong texts nothing."""
    fast = Parser(toy.concrete(language), backwards=backwards)
    plain = Parser(toy.concrete(language), backwards=backwards, shared=False)
    texts = [toy.text(tree, language) for tree in toy.sample(60, seed=12)]
    pairs = itertools.pairwise(texts)
    halves = [first[: len(first) // 2] + second[len(second) // 2 :] for first, second in pairs]
    read = 0
    for text in (*texts, *halves, *texts):
        found = [str(tree) for tree in plain.parse(text).trees()]
        assert [str(tree) for tree in fast.parse(text).trees()] == found, text
        assert fast.parse(text).count == len(found)
        read += bool(found)
    assert len(texts) * 2 <= read < len(texts) * 2 + len(halves)


def test_no_more_analyses_are_kept_than_the_limit(
    toy: Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many texts come, memory does not grow, and what was forgotten is found again."""
    monkeypatch.setattr(sharing, "MAX_KEPT", 3)
    parser, plain = Parser(toy.concrete("en")), toy.parser("en")
    for tree in [*toy.sample(30, seed=5), *toy.sample(30, seed=5)]:
        text = toy.text(tree, "en")
        assert parser.parse(text).tree == plain.parse(text).tree
        assert len(parser.analyser.packed) <= 3
        assert len(parser.analyser.forests) <= 3


def test_what_was_found_is_kept_for_texts_of_the_same_shape(write: Write) -> None:
    """Texts that differ in their words alone need not be cut and charted again."""
    parser = Grammar.load(write()).parser("en")
    for text in ("The cat slept.", "The dog slept."):
        assert parser.parse(text)
        shape = parser.analyser.shaper.shape(text)
        assert shape is not None
        assert shape[0] in parser.analyser.forests
    assert len(parser.analyser.forests) == 1


def test_texts_whose_words_begin_elsewhere_are_told_apart(write: Write) -> None:
    """Their strings are of one kind, as many, and end at the same places."""
    words = ("あ", "あい", "いう", "う", "か", "き", "きく", "く")
    folder = write(
        {
            "abstract.grammar": "%start S\ntwo: S -> x:N y:N\nthree: S -> x:N y:N z:N\n",
            "abstract.lexicon.tsv": "id\tcat\n" + "".join(f"{one}\tN\n" for one in words),
            "xx.grammar": '%join ""\ntwo = x y\nthree = x y z\n',
            "xx.lexicon.tsv": "id\tform\n" + "".join(f"{one}\t{one}\n" for one in words),
        }
    )
    parser = Grammar.load(folder).parser("xx")
    parser.analyser.shaper.usable = False  # only the lattice can tell
    for text, trees in (
        ("あいう", {"two(あ, いう)", "two(あい, う)"}),
        ("かきく", {"two(か, きく)", "three(か, き, く)"}),
    ):
        assert {str(found) for found in parser.parse(text).trees()} == trees
