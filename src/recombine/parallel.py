"""Where heavy work runs: in this process, in processes beside it, or on a Ray cluster.

`map_in_order` is one function for all three, so that a corpus is prepared the same way everywhere:
results come back in order, and only a bounded number of blocks is under way, so that a corpus
larger than memory streams through. `run_in_fork` starts one piece of work in a copy of this
process.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any, Literal, TypeVar, cast

from recombine.errors import SystemFailure
from recombine.registry import require

Engine = Literal["local", "ray"]
Item = TypeVar("Item")
Result = TypeVar("Result")

# Blocks under way per worker: one being worked on, one waiting.
AHEAD = 2
# Ray starts a task again when its worker or machine dies; -1 = as often as that happens.
RETRIES = -1
# A machine that is busy with other things may need longer than the 30 s in which Ray must start.
STARTS = 3
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def cores() -> int:
    """Return on how many cores this process may run; only some systems limit that."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
        yield from map_on_ray(function, items, address=address)
        return
    workers = workers or cores()
    iterator = iter(items)
    # A corpus of one or two blocks is done before a process has started.
    first = list(islice(iterator, 3))
    if workers == 1 or len(first) < 3:
        for item in chain(first, iterator):
            yield function(item)
        return
    yield from _in_processes(function, first, iterator, workers)


def _in_processes(
    function: Callable[[Item], Result], first: list[Item], rest: Iterator[Item], workers: int
) -> Iterator[Result]:
    # A forked worker does not run the caller's script again, so scripts need no main guard.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    pending: deque[Future[Any]] = deque()
    with ProcessPoolExecutor(workers, context, _end_with_parent, (os.getpid(),)) as pool:
        try:
            for item in chain(first, rest):
                with signals_later():
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


@contextmanager
def signals_later() -> Iterator[None]:
    """Let Ctrl-C come after this: a process that is being started must be known to be ended.

    Python's own hooks around the copying of a process do not expect it, either.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    came: list[int] = []
    before = {
        stopping: signal.signal(stopping, lambda number, _: came.append(number))
        for stopping in _STOPPING
    }
    try:
        yield
    finally:
        for stopping, handler in before.items():
            signal.signal(stopping, signal.SIG_DFL if handler is None else handler)
        for number in came:
            signal.raise_signal(number)


def _end_with_parent(parent: int) -> None:
    """Let a worker leave Ctrl-C to its parent, and end when that is killed.

    A pool's workers hold each other's pipes open: they would wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(OSError, AttributeError, TypeError):  # Linux alone can say so
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)


def map_on_ray(
    function: Callable[[Item], Result], items: Iterable[Item], *, address: str | None = None
) -> Iterator[Result]:
    """Yield function(item) in order, worked out on the cluster, with few items under way."""
    ray = connect(address)
    task = ray.remote(max_retries=RETRIES)(_apply)
    shared = ray.put(function)
    limit = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    pending: deque[Any] = deque()
    for item in items:
        pending.append(task.remote(shared, item))
        if len(pending) >= limit:
            yield ray_result(ray, pending.popleft())
    while pending:
        yield ray_result(ray, pending.popleft())


def ray_result(ray: Any, reference: Any) -> Any:
    """Return a task's result; raise what it raised, not Ray's wrapping of it."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, BaseException) else error
        raise cause from None
    except ray.exceptions.RayError as error:
        raise SystemFailure(f"the cluster lost a piece of work: {error}") from error


def _apply(function: Callable[[Item], Result], item: Item) -> Result:
    return function(item)


def connect(address: str | None) -> Any:
    """Return the ray module, connected to the cluster at `address`.

    None means what RAY_ADDRESS says, or else a cluster of this machine's own, started here.
    """
    ray = require("ray", extra="cluster", feature="running on a cluster")
    if ray.is_initialized():
        return ray
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    _require_listener(address)
    # A running cluster refuses settings that only a new one can have.
    fresh = {"include_dashboard": False} if address == "local" else {}
    for attempt in range(1, STARTS + 1):
        try:
            ray.init(address=address, log_to_driver=False, **fresh)
            break
        except Exception as error:  # Ray raises bare exceptions when a node starts too slowly
            ray.shutdown()
            if address != "local" or attempt == STARTS:
                raise SystemFailure(
                    f"no Ray cluster at {address}: {error}", hint="start one: ray start --head"
                ) from error
    return ray


def _require_listener(address: str) -> None:
    """Raise at once when nothing listens at host:port; Ray itself waits minutes, then exits."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise SystemFailure(
            f"no Ray cluster at {address}: {error}", hint="start one: ray start --head"
        ) from error


def run_in_fork(function: Callable[[], Result]) -> Callable[[], Result]:
    """Start a function in a copy of this process and return how to ask for its result.

    With one core, or where processes cannot be copied, it runs when it is asked.
    """
    if cores() == 1 or "fork" not in multiprocessing.get_all_start_methods():
        return function
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=_send_result, args=(function, sender, os.getpid()), daemon=True)
    with signals_later():
        worker.start()
    sender.close()

    def result() -> Result:
        try:
            is_error, value = receiver.recv()
        except EOFError:  # the copy was killed, most likely for memory: this process still can
            return function()
        finally:
            worker.join()
        if is_error:
            raise value
        return cast(Result, value)

    return result


def _send_result(function: Callable[[], Any], sender: Any, parent: int) -> None:
    _end_with_parent(parent)
    try:
        sender.send((False, function()))
    except Exception as error:  # whatever it is, the caller gets it
        sender.send((True, error))


@contextmanager
def gc_paused() -> Iterator[None]:
    """Let Python's collector of cycles rest meanwhile; also a decorator.

    Corpora, drawn sentences and score rows are millions of objects that stay to the end and make
    hardly a cycle. Walking over them again and again took up to a third of the time, for nothing.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
