"""Composing compounds and drawing contexts that read about as well as before."""

from __future__ import annotations

import numpy as np
import pytest

from builders.compounds.test_phrases import CLEAR
from recombine.builders.compounds.atoms import ChosenAtom
from recombine.builders.compounds.contexts import (
    ContextLimits,
    Embedder,
    NgramModel,
    compose,
)
from recombine.builders.compounds.phrases import Slot, find_phrases


def atom(text, role):
    """Return an atom without renderings."""
    return ChosenAtom(text, role, (), 10, 1.0)


ATOMS = {
    "DET": [atom("every", "DET"), atom("any", "DET")],
    "N": [atom("fox", "N")],
    "V": [atom("saw", "V"), atom("met", "V")],
}


def generator():
    """Return a seeded generator."""
    return np.random.default_rng(0)


def test_the_factorial_is_complete():
    """Every cell once, with one head each."""
    found = list(compose("VP", ["V DET N"], "V", ATOMS, generator(), bool))
    assert sorted(one.text.split(" ", 1)[1] for one in found) == ["any fox", "every fox"]


def test_unseen_heads_are_preferred():
    """A cell whose every head is seen keeps a seen one; the builder then decides."""
    seen = {"saw every fox", "saw any fox"}
    found = list(
        compose("VP", ["V DET N"], "V", ATOMS, generator(), lambda one: one.text not in seen)
    )
    assert {one.atoms[0].text for one in found} == {"met"}


def limits(shortest, longest, drop):
    """Return limits of one context, which is used once."""
    return ContextLimits(
        contexts=1, reuse=1, shortest_context=shortest, longest=longest, worst_drop=drop
    )


def embedder(limits):
    """Return an embedder over one sentence."""
    phrases = list(find_phrases(CLEAR, 0, Slot(relations=("dobj",), head="V"), 8))
    return Embedder([CLEAR], phrases, NgramModel([CLEAR.tokens]), limits, generator())


def compound():
    """Return 'saw every fox'."""
    cells = compose("VP", ["V DET N"], "V", {**ATOMS, "V": ATOMS["V"][:1]}, generator(), bool)
    return next(cells)


def test_the_compound_replaces_the_phrase():
    """The head stays; the sentence keeps everything else."""
    embedded = embedder(limits(1, 20, 99.0)).embed(compound(), "saw")
    assert [one.source for one in embedded] == ["the dog saw every fox near the house ."]
    assert embedded[0].start == 8


def test_limits_are_kept():
    """Reuse, length, context length and fluency each reject, and are counted."""
    worker = embedder(limits(1, 20, 99.0))
    assert worker.embed(compound(), "saw")
    assert not worker.embed(compound(), "saw")
    assert worker.rejected["context used up"] == 1
    for strict, reason in (
        (limits(9, 20, 99.0), "context too short"),
        (limits(1, 5, 99.0), "sentence too long"),
        (limits(1, 20, -99.0), "reads worse than the original"),
    ):
        worker = embedder(strict)
        assert not worker.embed(compound(), "saw")
        assert worker.rejected[reason] == 1


CORPUS = [["the", "dog", "sleeps"], ["the", "cat", "sleeps"], ["a", "dog", "runs"]] * 5


def test_probabilities_sum_to_one():
    """Over the vocabulary and the end, up to the mass of unknown words."""
    model = NgramModel(CORPUS)
    total = sum(model.probability("<s>", "the", word) for word in model.vocabulary[2:])
    assert total == pytest.approx(1, abs=0.05)


def test_known_sentences_read_better():
    """A word that never followed makes a window worse."""
    model = NgramModel(CORPUS)
    good = model.window(["the", "dog", "sleeps"], 0, 2)
    bad = model.window(["the", "runs", "sleeps"], 0, 2)
    assert good > bad
