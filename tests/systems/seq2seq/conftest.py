"""A small parallel text that a tiny model can learn in seconds."""

from __future__ import annotations

import importlib.util
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from recombine.benchmark import Example
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq import fast

# cuBLAS reads this once, at its first product: before any test asks for determinism.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

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


@pytest.fixture(params=["fast", "plain"])
def fast_or_plain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test as it is, and once more where nothing of fast/ can be imported."""
    kind: str = request.param
    if kind == "plain":
        for name in list(sys.modules):
            if name.startswith(fast.__name__):
                monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.setitem(sys.modules, fast.__name__, None)
    return kind


class Compiled(np.ndarray):
    """An array with the one method that Triton's values have and numpy's lack."""

    def to(self, dtype: Any) -> Any:
        """Return the values as another type."""
        return self.astype(dtype)


@pytest.fixture
def compiled() -> type[np.ndarray]:
    """The type that the functions of `numpy_kernels` take."""
    return Compiled


def numpy_triton() -> tuple[ModuleType, ModuleType]:
    """Return modules under which the parts of a kernel that touch no memory run in numpy."""
    triton, language = ModuleType("triton"), ModuleType("triton.language")
    names = ("uint32", "int32", "float32", "where", "sum", "minimum", "maximum", "exp")
    for name in names:
        setattr(language, name, getattr(np, name))
    vars(language).update(gather=np.take_along_axis, constexpr=lambda value: value)

    def jit(function: Any = None, **_: Any) -> Any:
        return (lambda decorated: decorated) if function is None else function

    vars(triton).update(jit=jit, language=language)
    return triton, language


def in_numpy(name: str) -> ModuleType:
    """Return a copy of a file of kernels whose functions are numpy's, on any machine."""
    assert fast.__file__ is not None
    path = Path(fast.__file__).with_name(f"{name}.py")
    specification = importlib.util.spec_from_file_location(f"numpy_{name}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    triton, language = numpy_triton()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "triton", triton)
        patch.setitem(sys.modules, "triton.language", language)
        specification.loader.exec_module(module)
    return module


@pytest.fixture
def numpy_kernels() -> ModuleType:
    """The kernels between matrix products and of attention, in numpy."""
    return in_numpy("kernels")


@pytest.fixture
def numpy_cell_kernels() -> ModuleType:
    """Those of an LSTM's cells."""
    return in_numpy("cell_kernels")


@pytest.fixture
def importable_kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the wrappers of kernels be imported where Triton is not installed."""
    if importlib.util.find_spec("triton") is not None:
        yield
        return
    package = fast.__name__
    for name in ("kernels", "cell_kernels"):
        module = in_numpy(name)
        monkeypatch.setitem(sys.modules, f"{package}.{name}", module)
        monkeypatch.setattr(fast, name, module, raising=False)
    yield
    for name in ("launch", "fused_attention", "fused_operations", "graphs"):
        sys.modules.pop(f"{package}.{name}", None)
        vars(fast).pop(name, None)
