"""A pause of Python's collector of reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Do not look for cycles meanwhile; also a decorator.

    A report holds hundreds of thousands of rows to its end and makes hardly a cycle.  Walking over
    all of them again and again took a third of its time and freed nothing.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
