"""One system's failure stops no other; a full disk is nobody's failure."""

from __future__ import annotations

import errno

import pytest

from recombine.experiment.failures import Failures
from recombine.experiment.run import Run


def test_a_full_disk_is_no_failure_of_a_system(tmp_path):
    """It was noted as the system's own fault, with a traceback, and the next one was tried."""
    failures = Failures()
    with pytest.raises(OSError, match="full"), failures.apart(Run(tmp_path).cell("a", 1)):
        raise OSError(errno.ENOSPC, "full")
    assert failures.found == []


def test_a_traceback_goes_when_its_cause_has_gone(tmp_path):
    """It stayed in the run of a system that works."""
    cell = Run(tmp_path).cell("a", 1)
    failures = Failures()
    with failures.apart(cell):
        raise KeyError("x")
    assert (cell.path / "traceback.txt").is_file()
    with failures.apart(cell):
        pass
    assert not (cell.path / "traceback.txt").exists()
