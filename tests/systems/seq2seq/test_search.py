"""Search: greedy and beam, whatever the batch size."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.benchmark import Example
from recombine.errors import DataError
from recombine.systems.base import Failure, TrainingData
from recombine.systems.seq2seq.search import beam, greedy
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem
from recombine.systems.seq2seq.vocabulary import BEGIN, END

HALF_TRAINED: dict[str, Any] = {
    "preset": "tiny", "steps": 30, "evaluate_every": 15, "keep_checkpoints": True
}  # fmt: skip


@pytest.fixture
def trained(data: TrainingData, tmp_path: Path) -> Path:
    """A model that has seen a little: many of its choices are nearly tied."""
    TransformerSystem(**HALF_TRAINED).train(data, tmp_path / "model", seed=1)
    return tmp_path / "model"


@pytest.mark.usefixtures("fast_or_plain")
@pytest.mark.parametrize("width", [1, 3])
def test_batch_size_changes_nothing(trained: Path, pairs: list[Example], width: int) -> None:
    """In float32 the strings are the same for batch sizes 1, 7 and 512."""
    sources = [pair.source for pair in pairs] + ["", "the", "a book " * 9]
    results = [
        list(TransformerSystem(beam=width, decode_batch=size).load(trained).translate(sources))
        for size in (1, 7, 512)
    ]
    assert results[0] == results[1] == results[2]


SPEAKERS = ("Ann", "Ben", "the king", "a small child")
ACTS = ("slept", "read a book", "saw the old dog", "gave a girl the key beside the red box")


@pytest.mark.slow
def test_two_thousand_sentences_are_the_same_in_any_batch(tmp_path: Path) -> None:
    """A model of the size for laptops, trained a little, on sentences of 2 to 40 words."""
    simple = [f"{who} {act}" for who in SPEAKERS for act in ACTS]
    once = [f"{who} said that {rest}" for who in SPEAKERS for rest in simple]
    twice = [f"{who} thought that {rest}" for who in SPEAKERS for rest in once]
    more = [f"{one} and {other}" for one, other in itertools.product(simple + once, once)]
    sources = [*simple, *once, *twice, *more][:2000]
    assert len(set(sources)) == 2000
    examples = [
        Example.make(source=one, references=[" ".join(reversed(one.split()))]) for one in sources
    ]
    data = TrainingData(train=examples[::3], dev=examples[1:100:9], source="en", target="xx")
    sized: dict[str, Any] = {"preset": "small", "target_subwords": "word", "steps": 60}
    TransformerSystem(**sized, evaluate_every=60).train(data, tmp_path, seed=1)
    results = [
        list(TransformerSystem(decode_batch=size).load(tmp_path).translate(sources))
        for size in (1, 7, 512)
    ]
    assert results[0] == results[1] == results[2]
    assert len(set(results[0])) > 100


@pytest.mark.usefixtures("fast_or_plain")
def test_any_checkpoint_can_be_decoded(trained: Path) -> None:
    """Kept checkpoints are listed in order and load by name."""
    system = TransformerSystem()
    assert system.checkpoints(trained) == ["step-15", "step-30"]
    first = list(system.load(trained, checkpoint="step-15").translate(["the cat saw a key."]))
    assert len(first) == 1
    with pytest.raises(DataError, match="no checkpoint 'step-16'"):
        system.load(trained, checkpoint="step-16")


def test_an_untrained_system_says_so() -> None:
    """Translating before training is an error in words."""
    with pytest.raises(DataError, match="not trained"):
        LstmSystem().translate(["a"])


@pytest.mark.usefixtures("fast_or_plain")
def test_a_source_beyond_learned_positions_fails_alone(data: TrainingData, tmp_path: Path) -> None:
    """One sentence that is too long does not take the others with it."""
    system = TransformerSystem(preset="tiny", steps=2, positions="learned", max_length=20)
    system.train(data, tmp_path, seed=1)
    short, long = system.load(tmp_path).translate(["the cat saw a key.", "the cat " * 30])
    assert isinstance(short, str)
    assert isinstance(long, Failure)
    assert "learned positions end at 20" in long.reason


class Table:
    """A model whose next piece depends on the last one only, with known probabilities."""

    def __init__(self, steps: dict[int, dict[int, float]]) -> None:
        self.logits = torch.full((8, 8), -1e4)
        for last, choices in steps.items():
            for piece, probability in choices.items():
                self.logits[last, piece] = torch.tensor(probability).log()

    def start(self, sources: torch.Tensor, lengths: torch.Tensor, room: int) -> Table:
        """Nothing to encode."""
        return self

    def select(self, index: torch.Tensor) -> Table:
        """Nothing to reorder."""
        return self

    def reorder(self, index: torch.Tensor, length: int) -> None:
        """Nothing to reorder."""

    def step(self, cache: Table, pieces: torch.Tensor, position: int) -> torch.Tensor:
        """Return the row of the last piece."""
        return self.logits[pieces]


GARDEN_PATH = Table({
    BEGIN: {4: 0.6, 5: 0.4},
    4: {6: 0.5, 7: 0.5},
    5: {7: 0.9, 6: 0.1},
    6: {END: 1.0},
    7: {END: 1.0},
})  # fmt: skip


def _probability(path: tuple[int, ...]) -> float:
    total = 0.0
    for last, piece in itertools.pairwise((BEGIN, *path, END)):
        total += float(GARDEN_PATH.logits[last, piece])
    return total


def test_beam_search_finds_what_greedy_misses() -> None:
    """The likelier sentence begins with the less likely word."""
    sources, lengths = torch.tensor([[END]]), torch.tensor([1])
    limits = torch.tensor([5])
    (first,), _ = greedy(GARDEN_PATH, sources, lengths, limits)
    (best,), _ = beam(GARDEN_PATH, sources, lengths, limits, 3, 0.0)
    every = [(a, b) for a in (4, 5) for b in (6, 7)]
    assert first[0] == 4
    assert tuple(best) == max(every, key=_probability) == (5, 7)


def test_each_sentence_has_its_own_length_limit() -> None:
    """A model that never ends is cut at the sentence's own limit."""
    endless = Table({BEGIN: {4: 1.0}, 4: {4: 0.9, 5: 0.1}, 5: {4: 1.0}})
    sources = torch.full((2, 3), END)
    for width in (1, 2):
        arguments = (endless, sources, torch.tensor([3, 3]), torch.tensor([2, 6]))
        outputs, _ = greedy(*arguments) if width == 1 else beam(*arguments, width, 1.0)
        assert [len(output) for output in outputs] == [2, 6]
