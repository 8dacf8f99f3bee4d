"""A small parallel text that a tiny model can learn in seconds."""

from __future__ import annotations

import itertools

import pytest
import torch

from recombine.benchmark import Example
from recombine.systems.base import TrainingData

SUBJECTS = {"the cat": "猫が", "the dog": "犬が", "a girl": "少女が", "Liam": "リアムが"}
OBJECTS = {"a book": "本を", "the bread": "パンを", "a key": "鍵を", "the ball": "ボールを"}
VERBS = {"saw": "見た", "found": "見つけた", "liked": "好んだ", "broke": "壊した"}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Small matrices are slower on many threads, and one thread adds in one order."""
    torch.set_num_threads(1)


@pytest.fixture
def pairs() -> list[Example]:
    """All 64 sentences of subject, verb and object."""
    examples = []
    for subject, verb, thing in itertools.product(SUBJECTS, VERBS, OBJECTS):
        source = f"{subject} {verb} {thing}."
        target = f"{SUBJECTS[subject]}{OBJECTS[thing]}{VERBS[verb]}。"
        examples.append(Example.make(source=source, references=[target]))
    return examples


@pytest.fixture
def data(pairs: list[Example]) -> TrainingData:
    """Fifty pairs to train on, the rest to look at."""
    return TrainingData(train=pairs[:50], dev=pairs[50:], source="en", target="ja")
