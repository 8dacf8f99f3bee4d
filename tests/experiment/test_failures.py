"""One system's failure stops no other; a full disk is nobody's failure."""

from __future__ import annotations

import errno

import pytest

from recombine.cli import main
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


def test_a_report_has_no_score_of_what_is_no_longer_there(small_benchmark, tmp_path, capsys):
    """A system whose new outputs cannot be read is left out, not reported by its former ones."""
    experiment = tmp_path / "experiment.toml"

    def attempt(path: str, *more: str) -> int:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
            f'[system.copy]\nuse = "copy"\n[system.ours]\nuse = "file"\npath = "{path}"\n',
            encoding="utf-8",
        )
        return main(["run", str(experiment), *more])

    (tmp_path / "good.txt").write_text("a\nb\nc\n")
    (tmp_path / "short.txt").write_text("a\n")
    assert attempt(f"{tmp_path}/good.txt") == 0
    assert "ours" in (tmp_path / "run" / "report" / "results.csv").read_text()
    assert attempt(f"{tmp_path}/short.txt", "--force") == 2
    assert "ours, seed 1, is left out: its scores are of other options" in capsys.readouterr().err
    assert "ours" not in (tmp_path / "run" / "report" / "results.csv").read_text()
