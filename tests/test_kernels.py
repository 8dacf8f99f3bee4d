"""Compiled loops are kept beside their source, and made again where that is damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

LOOP = """\
from recombine.kernels import kernel


@kernel()
def doubled(number):
    return 2 * number


if __name__ == "__main__":
    print(doubled(21), sum(doubled.stats.cache_hits.values()))
"""


def run(folder: Path) -> tuple[str, str]:
    """Run the loop in a process of its own: its result, and how often it was there already."""
    done = subprocess.run(
        [sys.executable, "loop.py"],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result, hits = done.stdout.split()
    return result, hits


RENAMED = b"\x80\x05crecombine_renamed\nKernel\n."  # of a module that is gone


def test_a_damaged_kernel_is_compiled_again(tmp_path: Path) -> None:
    """No traceback, whatever the index or the code was replaced by, and a sound one is kept."""
    (tmp_path / "loop.py").write_text(LOOP, encoding="utf-8")
    assert run(tmp_path) == ("42", "0")
    for pattern, damage in (("*.nbi", b"no pickle at all"), ("*.nbc", b""), ("*.nbc", RENAMED)):
        (kept,) = (tmp_path / "kept").rglob(pattern)
        kept.write_bytes(damage)
        assert run(tmp_path) == ("42", "0"), (pattern, damage)
    assert run(tmp_path) == ("42", "1")
