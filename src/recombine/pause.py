"""A pause of Python's collector of reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Do not look for cycles meanwhile; also a decorator.

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
