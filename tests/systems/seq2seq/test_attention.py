"""Attention: the formulas of the papers, written out pair by pair."""

from __future__ import annotations

import math

import pytest
import torch

from recombine.systems.seq2seq.attention import (
    attend,
    join_heads,
    relative_vectors,
    rotate,
    rotation_of,
    split_heads,
)

SENTENCES, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 4, 5, 8


@pytest.mark.parametrize("relative", [False, True])
def test_every_query_gets_the_weighted_mean_of_the_values(relative: bool) -> None:
    """Vaswani et al. 2017, equation 1; Shaw et al. 2018, equations 3 and 4; of keys it may see."""
    torch.manual_seed(0)
    query = torch.randn(SENTENCES, HEADS, QUERIES, WIDTH)
    key, value = torch.randn(2, SENTENCES, HEADS, KEYS, WIDTH)
    vectors = torch.randn(QUERIES, KEYS, WIDTH) if relative else None
    hidden = torch.rand(SENTENCES, 1, QUERIES, KEYS) < 0.4
    hidden[..., 0] = False
    found = attend(query, key, value, hidden=hidden, relative=vectors)
    for s in range(SENTENCES):
        for h in range(HEADS):
            for q in range(QUERIES):
                seen = [k for k in range(KEYS) if not hidden[s, 0, q, k]]
                more = [torch.zeros(WIDTH) if vectors is None else vectors[q, k] for k in seen]
                pairs = list(zip(seen, more, strict=True))
                scores = [math.exp(query[s, h, q] @ (key[s, h, k] + a) / 8**0.5) for k, a in pairs]
                values = [value[s, h, k] + a for k, a in pairs]
                mean = sum(w * v for w, v in zip(scores, values, strict=True)) / sum(scores)
                torch.testing.assert_close(found[s, h, q], mean)


def test_dropped_weights_leave_the_mean() -> None:
    """Dropout is on the weights: some values do not count, the others count for more."""
    torch.manual_seed(0)
    query, key, value = torch.zeros(1, 1, 2000, 4), torch.zeros(1, 1, 4, 4), torch.ones(1, 1, 4, 4)
    found = attend(query, key, value, dropout=0.25)
    assert found.unique().tolist() == pytest.approx([n / 4 / 0.75 for n in range(5)])
    assert float(found.mean()) == pytest.approx(1.0, abs=0.02)


def test_offsets_beyond_the_table_use_its_ends() -> None:
    """Shaw et al. 2018, equation 5."""
    table = torch.arange(3.0)[:, None]
    found = relative_vectors(table, torch.tensor([1]), torch.arange(5))
    assert found[0, :, 0].tolist() == [0, 1, 2, 2, 2]


def test_rotated_scores_depend_on_the_offset_alone() -> None:
    """Su et al. 2021, equation 11: positions (5, 2) and (9, 6) are three apart."""
    torch.manual_seed(0)
    query, key = torch.randn(2, 1, HEADS * WIDTH)
    scores = []
    for at, to in ((5, 2), (9, 6), (9, 5)):
        turned = [
            rotate(rows, rotation_of(torch.tensor([place]), WIDTH), HEADS)
            for rows, place in ((query, at), (key, to))
        ]
        scores.append((turned[0] * turned[1]).unflatten(-1, (HEADS, WIDTH)).sum(-1))
    torch.testing.assert_close(scores[0], scores[1])
    assert not torch.allclose(scores[0], scores[2])


def test_heads_are_taken_apart_and_put_together() -> None:
    """Head h has the numbers h x width and on of every row."""
    rows = torch.randn(SENTENCES, QUERIES, HEADS * WIDTH)
    split = split_heads(rows, HEADS)
    assert torch.equal(split[1, 2, 3], rows[1, 3, 2 * WIDTH :])
    assert torch.equal(join_heads(split), rows)
