"""Pieces of the assembly that stand alone; test_builder.py runs the whole."""

from __future__ import annotations

from recombine.builders.compounds.assemble import seen_in, seen_in_text


def test_seen_texts_are_found_as_words():
    """Consecutive words only, and no pieces of words."""
    corpus = [["a", "small", "dog", "ran"], ["small", "dogs"]]
    assert seen_in(corpus, {"small dog", "dog small", "small", "mall dog"}) == {
        "small dog",
        "small",
    }


def test_sentences_are_cut_before_they_are_searched():
    """In any case and script; a text that is a piece of a word is not there."""
    sources = ["The Small Dog ran.", "smaller doghouses", "ein Großer Hund"]
    texts = {"small dog", "dog ran", "er dog", "großer hund", "hund ran"}
    assert seen_in_text(sources, texts) == {"small dog", "dog ran", "großer hund"}
