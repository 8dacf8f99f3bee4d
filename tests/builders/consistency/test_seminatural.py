"""Sentence frames for fragments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.builders.consistency.seminatural import Fragment, Frame, FrameSentences, read_frames
from recombine.errors import DataError
from recombine.registry import data_path

FRAGMENT = Fragment("predicate", "offers help", "offer help", "dobj")


def maker() -> FrameSentences:
    """One frame, two nouns, one fragment."""
    return FrameSentences(
        [Frame("f1", "The {subject} {fragment} and {is|are} glad .", "predicate")],
        {False: ["man", "boy"], True: ["men", "boys"]},
        {False: ["man", "boy", "king"], True: ["men", "boys", "kings"]},
        {"predicate": [FRAGMENT]},
    )


def test_numbers_agree() -> None:
    """Noun, fragment and choices follow the number."""
    sources = {one.source for one in maker().draw("f1", 10, np.random.default_rng(1))}
    assert sources == {
        "The man offers help and is glad .",
        "The boy offers help and is glad .",
        "The men offer help and are glad .",
        "The boys offer help and are glad .",
    }


def test_swap_changes_the_noun_alone() -> None:
    """Another noun of the same number, not yet in the sentence."""
    rng = np.random.default_rng(1)
    sentence = maker().draw("f1", 1, rng)[0]
    other = maker().swap(sentence, "np", rng)
    assert (
        sum(a != b for a, b in zip(sentence.source.split(), other.source.split(), strict=True)) == 1
    )
    assert other.is_plural == sentence.is_plural


def test_shipped_frames() -> None:
    """Ten frames, three of them questions."""
    frames = read_frames(data_path("consistency", "en.frames.tsv"))
    assert len(frames) == 10
    assert sum(frame.pattern.endswith("?") for frame in frames) == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("f1\tThe {subject} sleeps .\tpredicate", "one {subject} and one {fragment}"),
        ("f1\tThe {subject} {fragment} .\tadverbial", "unknown fragment kind"),
    ],
)
def test_wrong_frames(tmp_path: Path, row: str, message: str) -> None:
    """Mistakes are named with their line."""
    path = tmp_path / "frames.tsv"
    path.write_text(f"frame\tpattern\tfragment\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_frames(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_corpus_without_the_kind() -> None:
    """A frame that no fragment fits is an error with a way out."""
    with pytest.raises(DataError, match="no fragment of kind 'predicate'"):
        FrameSentences([Frame("f1", "{subject} {fragment}", "predicate")], {}, {}, {})
