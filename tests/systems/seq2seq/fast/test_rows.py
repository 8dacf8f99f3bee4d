"""Rows: every piece lies in exactly one row, and groups need little padding."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.batch import Batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.rows import (
    GroupedRows,
    RowBlock,
    group_batch,
    similar_lengths,
)
from recombine.systems.seq2seq.vocabulary import BEGIN
from systems.seq2seq.twelve_pairs import pairs_of, twelve_pairs

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Twelve pairs from empty to long."""
    return twelve_pairs()


def sides_of(batch: Batch) -> tuple[GroupedRows, GroupedRows]:
    """Return both sides of a grouped batch."""
    assert isinstance(batch.source, GroupedRows)
    assert isinstance(batch.target, GroupedRows)
    return batch.source, batch.target


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_groups_hold_the_chosen_pairs(corpus: ParallelCorpus, groups: int) -> None:
    """Read back without padding, the rows are the chosen pairs and nothing else."""
    chosen = [7, 2, 2, 11, 0, 5, 9]
    batch = group_batch(corpus, np.array(chosen), CPU, groups)
    source, target = sides_of(batch)
    assert len(source.blocks) <= groups
    found = []
    for asked, asking in zip(source.blocks, target.blocks, strict=True):
        columns = [
            _sentences(source.pieces[asked.rows], asked),
            _sentences(batch.expected[asking.rows], asking),
        ]
        fed = _sentences(target.pieces[asking.rows], asking)
        assert fed == [[BEGIN, *sentence[:-1]] for sentence in columns[1]]
        found += zip(*columns, strict=True)
    assert sorted(found) == pairs_of(corpus, chosen)
    ends = source.blocks[-1].rows.stop, target.blocks[-1].rows.stop
    assert ends == (len(source.pieces), len(batch.expected))


def _sentences(rows: torch.Tensor, block: RowBlock) -> list[list[int]]:
    """Return the sentences of a block, read from its padded places."""
    padded = rows[block.spread].view(block.count, block.length)
    assert torch.equal(padded.flatten()[block.places], rows)
    assert torch.equal(block.inside().flatten().nonzero()[:, 0], block.places)
    return [row[:n].tolist() for row, n in zip(padded, block.lengths.tolist(), strict=True)]


@pytest.mark.parametrize(("parts", "heads"), [(1, 2), (3, 4)])
def test_heads_are_taken_apart_and_put_together(
    corpus: ParallelCorpus, parts: int, heads: int
) -> None:
    """What goes into [part, sentence, head, position] comes out as the same rows."""
    source, _ = sides_of(group_batch(corpus, np.arange(12), CPU, 1))
    block = source.blocks[0]
    cells = torch.arange(len(source.pieces) * parts * heads)
    padded = cells[block.into_heads(parts, heads)]
    assert torch.equal(padded[block.out_of_heads(parts, heads)], cells)
    split = padded.view(parts, block.count, heads, block.length)
    first = cells.view(-1, parts, heads)[: int(block.lengths[0])]
    assert torch.equal(split[:, 0, :, : len(first)], first.permute(1, 2, 0))


def test_more_groups_mean_less_padding() -> None:
    """Short and long sentences part company where that saves places; rows are never padded."""
    lengths = [3, 60, 3, 60, 3, 3]
    corpus = ParallelCorpus(*(NumberedSide.of([[5] * length for length in lengths]),) * 2)
    places = []
    for groups in (1, 2):
        source, _ = sides_of(group_batch(corpus, np.arange(6), CPU, groups))
        assert len(source.pieces) == sum(lengths) + 6
        places.append(sum(len(block.spread) for block in source.blocks))
        assert [block.padded for block in source.blocks] == [groups == 1] * groups
    assert places == [6 * 61, 4 * 4 + 2 * 61]
    assert [len(group) for group in similar_lengths(corpus, np.arange(6), 2)] == [4, 2]


def test_the_order_of_the_choice_does_not_matter(corpus: ParallelCorpus) -> None:
    """The same sentences lie in the same rows, so sums are added up in the same order."""
    first, *others = (
        group_batch(corpus, np.array(chosen), CPU).source.pieces.tolist()
        for chosen in itertools.islice(itertools.permutations([1, 4, 6, 9]), 6)
    )
    assert all(other == first for other in others)
