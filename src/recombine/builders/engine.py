"""Where preparation runs: here, in processes beside this one, or on a Ray cluster.

One function for all three, so that a corpus is prepared the same way everywhere: results come back
in order, and only a bounded number of blocks is under way, so that a corpus larger than memory
streams through.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, Literal, TypeVar

from recombine.errors import SystemFailure

Engine = Literal["local", "ray"]
Item = TypeVar("Item")
Result = TypeVar("Result")

# Blocks under way per worker: one being worked on, one waiting.
AHEAD = 2


def map_in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    engine: Engine = "local",
    workers: int = 0,
    address: str | None = None,
) -> Iterator[Result]:
    """Yield function(item) for every item, in order.

    `workers` = 0 takes the cores of this machine (or of the cluster); 1 runs in this process.
    """
    if engine == "ray":
        from recombine.cluster import map_on_ray

        yield from map_on_ray(function, items, address=address)
        return
    workers = workers or min(4, len(os.sched_getaffinity(0)))
    iterator = iter(items)
    # A corpus of one or two blocks is done before a process has started.
    first = list(islice(iterator, 3))
    if workers == 1 or len(first) < 3:
        for item in (*first, *iterator):
            yield function(item)
        return
    yield from _in_processes(function, first, iterator, workers)


def _in_processes(
    function: Callable[[Item], Result], first: list[Item], rest: Iterator[Item], workers: int
) -> Iterator[Result]:
    context = multiprocessing.get_context("forkserver")
    pending: deque[Future[Any]] = deque()
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        try:
            for item in (*first, *rest):
                pending.append(pool.submit(function, item))
                if len(pending) >= AHEAD * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool as error:
            raise SystemFailure(
                "a worker process died while preparing the corpus",
                hint="out of memory? set workers = 1",
            ) from error
        finally:
            for future in pending:
                future.cancel()
