"""Natural sentences of a user's text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.builders.consistency.natural import NaturalText
from recombine.builders.consistency.wordlists import Idiom, SynonymPair
from recombine.errors import DataError


def text(tmp_path: Path, *lines: str) -> Path:
    """Write a corpus."""
    path = tmp_path / "text.en"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_both_terms_are_put_in(tmp_path: Path) -> None:
    """Case, plural and article follow the term; other words stay."""
    corpus = NaturalText(
        text(
            tmp_path,
            "An aubergine is purple .",
            "EGGPLANTS are cheap , eggplants !",
            "The plant is green .",
        )
    )
    pairs = corpus.with_synonyms(SynonymPair("aubergine", "eggplant"), 10, np.random.default_rng(1))
    assert [pair[:2] for pair in pairs] == [
        ("An aubergine is purple .", "An eggplant is purple ."),
        ("AUBERGINES are cheap , eggplants !", "EGGPLANTS are cheap , eggplants !"),
    ]
    pairs = corpus.with_synonyms(SynonymPair("aubergine", "melon"), 10, np.random.default_rng(1))
    assert pairs[0].second == "A melon is purple ."


def test_identical_versions_are_left_out(tmp_path: Path) -> None:
    """A pair that substitution does not change would be free consistency."""
    corpus = NaturalText(text(tmp_path, "The theatre opens ."))
    same = corpus.with_synonyms(SynonymPair("theatre", "theatre"), 9, np.random.default_rng(1))
    assert same == []


def test_idioms_are_whole_words(tmp_path: Path) -> None:
    """Whatever the case, but not inside another word."""
    corpus = NaturalText(text(tmp_path, "BY HEART it is .", "He is nearby hearts .", ""))
    found = corpus.with_idiom(Idiom("by heart", ("heart",)), 5, np.random.default_rng(1))
    assert found == [("BY HEART it is .", None)]


def test_matched_sentences_have_the_length_of_their_models(tmp_path: Path) -> None:
    """Long models draw long sentences."""
    short = [f"word{i} goes home ." for i in range(30)]
    long = [f"word{i} goes home and then goes home again and again ." for i in range(30)]
    corpus = NaturalText(text(tmp_path, *short, *long))
    found = corpus.matched([long[0]], 10, np.random.default_rng(1))
    assert len(found) == 10
    assert set(found) <= set(long)


def test_caps_keep_corpus_order(tmp_path: Path) -> None:
    """A cap draws a seeded subset."""
    lines = [f"It rains by heart {i} ." for i in range(20)]
    corpus = NaturalText(text(tmp_path, *lines))
    found = corpus.with_idiom(Idiom("by heart", ("heart",)), 5, np.random.default_rng(1))
    assert len(found) == 5
    assert found == sorted(found, key=lambda one: lines.index(one[0]))


def test_punctuation_is_set_apart_when_asked(tmp_path: Path) -> None:
    """As in the text that a system of this benchmark learns from."""
    corpus = NaturalText(text(tmp_path, "I know it by heart, don't you?"), set_apart=True)
    found = corpus.with_idiom(Idiom("by heart", ("heart",)), 5, np.random.default_rng(1))
    assert found == [("I know it by heart , don't you ?", None)]


def test_bad_texts(tmp_path: Path) -> None:
    """Unequal translations and an empty text are refused."""
    source = text(tmp_path, "One .", "Two .")
    target = tmp_path / "text.nl"
    target.write_text("Een .\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 lines"):
        NaturalText(source, target)
    empty = tmp_path / "empty"
    empty.write_text("\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="no sentence"):
        NaturalText(empty)
