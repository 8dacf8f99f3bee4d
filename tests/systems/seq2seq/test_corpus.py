"""Corpus: the order of the data is a function of seed and step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from recombine.systems.seq2seq.corpus import BatchPlan, NumberedSide, ParallelCorpus


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Twenty-three pairs of various lengths."""
    stream = np.random.default_rng(1)
    sides = [
        NumberedSide.of([stream.integers(4, 9, n).tolist() for n in stream.integers(0, 12, 23)])
        for _ in range(2)
    ]
    return ParallelCorpus(*sides)


PLANS = [{"size": 5}, {"size": 20, "unit": "tokens"}, {"size": 5, "by_length": True}]


@pytest.mark.parametrize("settings", PLANS)
def test_a_plan_continues_anywhere(corpus: ParallelCorpus, settings: dict[str, object]) -> None:
    """Starting at step 7 gives the batches that come after six others."""
    plan = BatchPlan(corpus, 3, **settings)  # type: ignore[arg-type]
    whole = list(itertools.islice(plan.batches(), 20))
    rest = list(itertools.islice(plan.batches(7), 13))
    assert [batch.tolist() for batch in whole[7:]] == [batch.tolist() for batch in rest]


@pytest.mark.parametrize("settings", PLANS)
def test_an_epoch_sees_every_pair_once(corpus: ParallelCorpus, settings: dict[str, object]) -> None:
    """No pair is lost at the seams."""
    plan = BatchPlan(corpus, 3, **settings)  # type: ignore[arg-type]
    seen = np.concatenate(list(itertools.islice(plan.batches(), 40)))[:23]
    assert sorted(seen.tolist()) == list(range(23))


def test_token_batches_keep_their_limit(corpus: ParallelCorpus) -> None:
    """The longer side of a batch stays within the limit."""
    for batch in itertools.islice(BatchPlan(corpus, 3, 20, "tokens").batches(), 30):
        assert corpus.source.lengths[batch].sum() <= 20
        assert corpus.target.lengths[batch].sum() <= 20


def test_seeds_differ(corpus: ParallelCorpus) -> None:
    """Another seed is another order."""
    first, second = (next(BatchPlan(corpus, seed, 23).batches()) for seed in (1, 2))
    assert first.tolist() != second.tolist()
