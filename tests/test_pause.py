"""The collector of cycles rests while much is held, and goes on afterwards."""

from __future__ import annotations

import gc

import pytest

from recombine.parallel import collection_paused


@collection_paused()
def fail():
    """Raise during a pause."""
    raise ValueError("broken")


def test_collection_goes_on_afterwards():
    """Also after a nested pause and after an error."""
    assert gc.isenabled()
    with collection_paused():
        with pytest.raises(ValueError, match="broken"):
            fail()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"):
        fail()
    assert gc.isenabled()


def test_a_function_may_run_paused():
    """As a decorator, again and again."""
    paused = collection_paused()(gc.isenabled)
    assert [paused(), paused(), gc.isenabled()] == [False, False, True]
