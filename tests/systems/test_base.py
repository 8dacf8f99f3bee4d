"""The protocols are recognised by their methods."""

from recombine.systems.base import System, TrainableSystem
from recombine.systems.toy import Copy


def test_a_system_needs_no_base_class():
    """Copy translates, but cannot be trained."""
    assert isinstance(Copy(), System)
    assert not isinstance(Copy(), TrainableSystem)
