"""Capture: nothing is freed while a graph is recorded."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

torch = pytest.importorskip("torch")


class Cycle:
    """Something that only the garbage collector frees."""

    def __init__(self, held: Any) -> None:
        self.held = held
        self.itself = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Leave the collector as it was."""
    before = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*before[1])
    (gc.enable if before[0] else gc.disable)()


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_rests_during_a_capture(
    monkeypatch: pytest.MonkeyPatch, was_on: bool
) -> None:
    """And is afterwards what it was, also where a capture fails."""
    from recombine.systems.neural.cuda_graph import captured

    given: list[Any] = []

    @contextmanager
    def graph(*how: Any, **more: Any) -> Iterator[None]:
        given.append((*how, more))
        yield

    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: "graph")
    monkeypatch.setattr(torch.cuda, "graph", graph)
    (gc.enable if was_on else gc.disable)()
    with captured(pool=7) as found:
        assert not gc.isenabled()
    assert found == "graph"
    assert given == [("graph", {"pool": 7})]
    assert gc.isenabled() is was_on
    with pytest.raises(ZeroDivisionError), captured():
        print(1 / 0)
    assert gc.isenabled() is was_on


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_graph_is_not_freed_during_the_capture_of_another() -> None:
    """Many objects are made meanwhile, each of which would call the collector."""
    from recombine.systems.neural.cuda_graph import captured

    x = torch.zeros(1, device="cuda")
    with captured() as first:
        x += 1
    gc.collect()
    gc.set_threshold(10, 1, 1)
    gc.disable()
    Cycle(first)
    del first
    gc.enable()
    with captured() as second:
        made = [[number] for number in range(1000)]
        x += 2
    second.replay()
    torch.cuda.synchronize()
    assert (float(x), len(made)) == (2.0, 1000)
