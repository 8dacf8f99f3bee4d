"""Layout: every piece lies in exactly one row, whichever way the rows are laid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.batch import Grouped, PackedRows, Resident, RowBlock, group_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Twelve pairs from empty to long."""
    stream = np.random.default_rng(2)
    sides = [
        NumberedSide.of([stream.integers(4, 30, n).tolist() for n in stream.integers(0, 40, 12)])
        for _ in range(2)
    ]
    return ParallelCorpus(*sides)


def pairs_of(corpus: ParallelCorpus, chosen: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return what a batch of these pairs has to hold, in any order."""
    sides = corpus.source, corpus.target
    return sorted(
        (sides[0].sentence(number).tolist(), sides[1].sentence(number).tolist())
        for number in chosen
    )


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_groups_hold_the_chosen_pairs(corpus: ParallelCorpus, groups: int) -> None:
    """Read back without padding, the rows are the chosen pairs and nothing else."""
    chosen = [7, 2, 2, 11, 0, 5, 9]
    batch = group_batch(corpus, np.array(chosen), CPU, groups)
    assert isinstance(batch.layout, Grouped)
    assert len(batch.layout.groups) <= groups
    found = []
    for group in batch.layout.groups:
        blocks = group.source, group.target
        columns = [
            _sentences(rows[block.rows], block)
            for rows, block in zip((batch.source, batch.target_output), blocks, strict=True)
        ]
        fed = _sentences(batch.target_input[group.target.rows], group.target)
        assert fed == [[BEGIN, *target[:-1]] for target in columns[1]]
        assert group.host_lengths.tolist() == sorted(map(len, columns[0]), reverse=True)
        found += zip(*columns, strict=True)
    assert sorted(found) == pairs_of(corpus, chosen)
    ends = [(group.source.rows.stop, group.target.rows.stop) for group in batch.layout.groups]
    assert ends[-1] == (len(batch.source), len(batch.target_output))


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
    batch = group_batch(corpus, np.arange(12), CPU, 1)
    assert isinstance(batch.layout, Grouped)
    block = batch.layout.groups[0].source
    cells = torch.arange(len(batch.source) * parts * heads)
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
        batch = group_batch(corpus, np.arange(6), CPU, groups)
        assert isinstance(batch.layout, Grouped)
        assert len(batch.source) == sum(lengths) + 6
        places.append(sum(len(group.source.spread) for group in batch.layout.groups))
        assert [group.source.padded for group in batch.layout.groups] == [groups == 1] * groups
    assert places == [6 * 61, 4 * 4 + 2 * 61]


def test_packed_sentences_touch(corpus: ParallelCorpus) -> None:
    """Sentence b begins where b - 1 ends; after the last one there is only padding."""
    chosen = [3, 8, 1, 10]
    resident = Resident(corpus, CPU)
    # Filled up with the empty sentence, as token batches are.
    numbers = torch.tensor([*chosen, resident.empty, resident.empty])
    batch, pieces = resident.pack(numbers, 200, 190)
    layout = batch.layout
    assert isinstance(layout, PackedRows)
    assert int(pieces) == corpus.target.lengths[chosen].sum()
    ends = layout.target_starts + layout.target_lengths
    assert layout.target_starts.tolist() == [0, *ends[:-1].tolist()]
    assert batch.target_output[int(pieces) :].eq(PAD).all()
    found = []
    for row in range(len(chosen)):
        source, target = (
            slice(int(start), int(start + length))
            for start, length in (
                (layout.source_starts[row], layout.source_lengths[row]),
                (layout.target_starts[row], layout.target_lengths[row]),
            )
        )
        fed = batch.target_input[target].tolist()
        assert fed == [BEGIN, *batch.target_output[target].tolist()[:-1]]
        assert batch.target_positions[target].tolist() == list(range(len(fed)))
        found.append((batch.source[source].tolist(), batch.target_output[target].tolist()))
    assert sorted(found) == pairs_of(corpus, chosen)


def test_the_order_of_the_choice_does_not_matter(corpus: ParallelCorpus) -> None:
    """The same sentences lie in the same rows, so sums are added up in the same order."""
    first, *others = (
        group_batch(corpus, np.array(chosen), CPU).source.tolist()
        for chosen in itertools.islice(itertools.permutations([1, 4, 6, 9]), 6)
    )
    assert all(other == first for other in others)
