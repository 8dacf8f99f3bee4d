"""Work in order, in other processes, beside this one, and without the collector of cycles."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.errors import DataError, SystemFailure, Where
from recombine.parallel import AHEAD, gc_paused, map_in_order, run_in_fork


@dataclass
class Square:
    """Squares numbers; refuses one, dies at another."""

    refuse: int = -1
    die: int = -1

    def __call__(self, number: int) -> int:
        """Return the square."""
        if number == self.refuse:
            raise DataError("refused", Where("file", 7), hint="none")
        if number == self.die:
            os._exit(1)
        return number * number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order(workers: int) -> None:
    """Any number of workers gives the same list."""
    assert list(map_in_order(Square(), range(9), workers=workers)) == [n * n for n in range(9)]


@pytest.mark.parametrize("workers", [1, 2])
def test_only_a_few_items_are_under_way(workers: int) -> None:
    """A corpus larger than memory streams through: no item is taken long before its turn."""
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    for done, _ in enumerate(map_in_order(Square(), items(), workers=workers), 1):
        assert len(taken) - done <= AHEAD * workers + 3


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_keeps_its_place(workers: int) -> None:
    """A worker's error arrives with its line and hint."""
    with pytest.raises(DataError, match="refused") as caught:
        list(map_in_order(Square(refuse=4), range(9), workers=workers))
    assert (caught.value.where, caught.value.hint) == (Where("file", 7), "none")


def test_a_dead_worker_is_said() -> None:
    """A killed process is a failure of the run, with advice."""
    with pytest.raises(SystemFailure, match="died"):
        list(map_in_order(Square(die=5), range(9), workers=2))


def test_an_absent_cluster_is_said() -> None:
    """An address where nothing listens is a failure with advice, not a traceback."""
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    with pytest.raises(SystemFailure, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        list(map_in_order(Square(), range(3), engine="ray", address="127.0.0.1:1"))


@pytest.mark.slow
def test_without_an_address_a_cluster_starts_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray without an address runs on this machine's processors."""
    ray = pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    # Workers import this file, and it imports what lies beside it.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    try:
        assert list(map_in_order(Square(), range(9), engine="ray")) == [n * n for n in range(9)]
    finally:
        ray.shutdown()


@pytest.mark.parametrize("cores", [1, 2])
def test_work_beside_gives_its_result_or_its_error(
    monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    """With one core the same happens, only later."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    here = os.getpid()
    assert run_in_fork(lambda: os.getpid() != here)() == (cores == 2)
    with pytest.raises(DataError, match="no good") as caught:
        run_in_fork(_fail)()
    assert caught.value.where == Where("corpus", 3)


def test_work_beside_that_is_killed_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that runs out of memory is killed; nothing is lost but time."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    here = os.getpid()
    assert run_in_fork(lambda: "done" if os.getpid() == here else os._exit(9))() == "done"


def _fail() -> None:
    raise DataError("no good", Where("corpus", 3))


@gc_paused()
def fail():
    """Raise during a pause."""
    raise ValueError("broken")


def test_collection_goes_on_afterwards():
    """Also after a nested pause and after an error."""
    assert gc.isenabled()
    with gc_paused():
        with pytest.raises(ValueError, match="broken"):
            fail()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"):
        fail()
    assert gc.isenabled()


def test_a_function_may_run_paused():
    """As a decorator, again and again."""
    paused = gc_paused()(gc.isenabled)
    assert [paused(), paused(), gc.isenabled()] == [False, False, True]


def test_workers_end_with_their_parent(tmp_path):
    """A killed command left its workers waiting for each other for ever."""
    marks = tmp_path / "marks"
    marks.mkdir()
    parent = multiprocessing.get_context("fork").Process(target=_wait_for_sleepers, args=(marks,))
    parent.start()
    deadline = time.monotonic() + 300
    while len(list(marks.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(parent.pid, signal.SIGKILL)
    parent.join()
    workers = [int(path.name) for path in marks.iterdir()]
    assert len(workers) == 2
    while any(_is_running(one) for one in workers) and time.monotonic() < deadline:
        time.sleep(0.01)
    left = [one for one in workers if _is_running(one)]
    for one in left:
        os.kill(one, signal.SIGKILL)
    assert left == []


def _wait_for_sleepers(marks):
    for _ in map_in_order(partial(_sleep, marks), range(4), workers=2):
        pass


def _sleep(marks, number):
    (marks / str(os.getpid())).touch()
    time.sleep(3600)


def _is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# What another system than Linux lacks, taken away before anything of ours is imported.
ELSEWHERE = """
import ctypes, multiprocessing, os, signal, sys
for name in ("sched_getaffinity", "fork", "killpg"):
    if hasattr(os, name):
        delattr(os, name)
sys.modules["fcntl"] = None
multiprocessing.get_all_start_methods = lambda: ["spawn"]
library = ctypes.CDLL
class NoLibrary(library):
    def __init__(self, name, *more, **options):
        if name is None:
            raise TypeError("there is no library of all libraries")
        super().__init__(name, *more, **options)
ctypes.CDLL = NoLibrary
from recombine.cli import main
from recombine.parallel import map_in_order
if __name__ == "__main__":
    if sys.argv[1] == "check":
        assert list(map_in_order(abs, range(-9, 0), workers=2)) == list(range(9, 0, -1))
    sys.exit(main(sys.argv[1:]))
"""


def test_it_runs_where_processes_are_not_copied(tmp_path):
    """Neither the affinity of processes nor fork nor flock is there on every system."""
    write_conllu(tmp_path / "corpus.conllu", made_up(300, words=80))
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    (tmp_path / "r.toml").write_text(
        'builder = "generated"\ngrammar = "toy"\nexposures = 0\n[benchmark]\ntarget = "ja"\n'
        '[split.train.base]\nsize = 20\npool = "base"\n[split.test.base]\nsize = 5\npool = "base"\n'
    )
    (tmp_path / "e.toml").write_text(
        'benchmark = "B/generated"\nrun = "B/run"\nmetrics = ["exact"]\n'
        '[system.copy]\nuse = "copy"\n[system.cat]\nuse = "command"\nrun = ["cat"]\n'
    )
    divergent = ["-o", "corpus=corpus.conllu", "-o", "edition=all", "-o", "passes=20"]
    made = []
    for python in (["-m", "recombine.cli"], ["elsewhere.py"]):
        for verb in (
            ["build", "r.toml", "--out", "B/generated"],
            ["build", "divergent", *divergent, "-o", "workers=2", "--out", "B/divergent"],
            ["check", "B/generated"],
            ["run", "e.toml"],
        ):
            ended = subprocess.run(
                [sys.executable, *python, *verb], cwd=tmp_path, capture_output=True, text=True
            )
            assert ended.returncode == 0, (verb, ended.stderr[-2000:])
        paths = [*tmp_path.glob("B/*/*.jsonl"), *tmp_path.glob("B/run/*/*/translations/*.jsonl")]
        made.append({path.relative_to(tmp_path): path.read_bytes() for path in paths})
        shutil.rmtree(tmp_path / "B")
    assert len(made[0]) > 5
    assert made[0] == made[1]
