"""Capture: what a stream is given becomes a CUDA graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recombine.parallel import gc_paused


@contextmanager
def captured(**how: Any) -> Iterator[Any]:
    """Capture what is launched inside; the graph can be replayed afterwards.

    Python must not free an earlier model's graphs in the meantime: CUDA permits that only while
    nothing is captured, and this capture would fail.
    """
    import torch

    graph = torch.cuda.CUDAGraph()
    with gc_paused(), torch.cuda.graph(graph, **how):
        yield graph
