"""Kernels: inner loops that numba compiles once and keeps beside the source.

A kept kernel that cannot be read (damaged, or of a module that has another name now) is compiled
again, and its file written anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numba


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function without Python's lock; `options` are njit's."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(cache=True, nogil=True, **options)(function)
        cache = compiled._cache
        read = cache.load_overload

        def read_or_forget(signature: Any, target: Any) -> Any:
            try:
                return read(signature, target)
            except Exception:  # whatever unpickling a stranger's bytes may raise
                with contextlib.suppress(OSError):
                    cache.flush()
                return None  # numba compiles it

        cache.load_overload = read_or_forget
        return compiled

    return decorate
