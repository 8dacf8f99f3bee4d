"""Each definition finds its compounds and names them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsed_corpora import counted
from recombine.builders.divergent.extract import Interner
from recombine.corpus.conllu import ParsedSentence

SENTENCE = ParsedSentence(
    "old cats see small dogs",
    ["old", "cat", "see", "small", "dog"],
    ["amod", "nsubj", "root", "amod", "obj"],
    [2, 3, 0, 5, 3],
    features=["Degree=Pos", "Case=Nom|Number=Plur", "_", "Degree=Pos", "Case=Acc|Number=Plur"],
)


@pytest.mark.parametrize(
    ("definition", "atoms", "compounds"),
    [
        (
            "dependencies",
            {"old", "cat", "see", "small", "dog", "amod", "nsubj", "obj"},
            {"cat|amod+old", "see|nsubj+cat", "dog|amod+small", "see|obj+dog"},
        ),
        (
            "pairs",
            {"old", "cat", "see", "small", "dog"},
            {"cat|old", "see|cat", "dog|small", "see|dog"},
        ),
        (
            "chains",
            {"old", "cat", "see", "small", "dog", "amod", "nsubj", "obj"},
            {"see|nsubj+cat|amod+old", "see|obj+dog|amod+small"},
        ),
        (
            "morphology",
            {"old", "cat", "small", "dog", "Degree=Pos", "Case=Nom", "Case=Acc", "Number=Plur"},
            {
                "old|Degree=Pos",
                "small|Degree=Pos",
                "cat|Case=Nom+Number=Plur",
                "dog|Case=Acc+Number=Plur",
            },
        ),
    ],
)
def test_compounds_of_a_sentence(
    tmp_path: Path, definition: str, atoms: set[str], compounds: set[str]
) -> None:
    """One sentence shows what each definition takes for atoms and compounds."""
    _, counts = counted([SENTENCE], tmp_path, definition=definition, edition="all")
    names = [counts.column_name(column) for column in range(counts.atoms + counts.compounds)]
    assert set(names[: counts.atoms]) == atoms
    assert set(names[counts.atoms :]) == compounds


@pytest.mark.parametrize(
    ("order", "compounds"),
    [
        (2, {"old cat", "cat see", "see small", "small dog"}),
        (3, {"old cat see", "cat see small", "see small dog"}),
        (4, {"old cat see small", "cat see small dog"}),
    ],
)
def test_ngrams(tmp_path: Path, order: int, compounds: set[str]) -> None:
    """N-grams never cross the end of a sentence."""
    _, counts = counted(
        [SENTENCE, SENTENCE], tmp_path, definition="ngrams", edition="all", order=order
    )
    names = {counts.column_name(counts.atoms + at) for at in range(counts.compounds)}
    assert names == compounds


@given(st.lists(st.lists(st.integers(0, 50)), max_size=6))
def test_an_interner_is_a_dictionary(batches: list[list[int]]) -> None:
    """Numbers are dense, stable, and found again."""
    interner = Interner()
    known: dict[int, int] = {}
    for batch in batches:
        keys = np.array(batch, np.int64)
        for key, number in zip(batch, interner.add(keys).tolist(), strict=True):
            assert known.setdefault(key, number) == number
    assert sorted(known.values()) == list(range(len(interner)))
    assert {key: at for at, key in enumerate(interner.keys().tolist())} == known
    assert interner.find(np.array([99])).tolist() == [-1]
