"""One process at a time where something is written, and who it is."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from recombine.errors import RecombineError
from recombine.files import replace_folder, write_bytes
from recombine.lock import InUse, lock_of, locked

fork = multiprocessing.get_context("fork")


def is_open(path: Path) -> bool:
    """Whether this process has a file open, under its name or when it is removed."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # other threads close theirs
            found.append(str(one.readlink()).removesuffix(" (deleted)"))
    return str(path) in found


def test_who_holds_a_lock_is_said(tmp_path):
    """The second gets the process of the first, what it runs and a hint."""
    held, done = fork.Event(), fork.Event()

    def hold():
        with locked(tmp_path / "out.lock"):
            held.set()
            done.wait(20)

    other = fork.Process(target=hold)
    other.start()
    assert held.wait(20)
    who = f"out is in use by process {other.pid} on .* since "
    with pytest.raises(InUse, match=who) as said, locked(tmp_path / "out.lock", wait=0.25):
        pass
    done.set()
    other.join()
    assert "wait until it is done" in said.value.render()
    assert not is_open(tmp_path / "out.lock")
    with locked(tmp_path / "out.lock"):
        assert (tmp_path / "out.lock").exists()
    assert not (tmp_path / "out.lock").exists()


def test_a_killed_process_holds_nothing(tmp_path):
    """What it leaves is a file, not a lock."""

    def die():
        with locked(tmp_path / "out.lock"):
            os.kill(os.getpid(), signal.SIGKILL)

    other = fork.Process(target=die)
    other.start()
    other.join()
    assert (tmp_path / "out.lock").exists()
    with locked(tmp_path / "out.lock"):
        pass
    assert not (tmp_path / "out.lock").exists()


def test_readers_share_and_writers_do_not(tmp_path):
    """Two reports may read at once; nobody may score meanwhile."""
    path = tmp_path / "cell.lock"
    with path.open("w") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        with locked(path, shared=True):
            pass
        assert path.exists(), "the last reader removes the file, not the first"
        with pytest.raises(InUse, match="another process"), locked(path, wait=0.15):
            pass


def test_a_lock_that_was_removed_meanwhile_is_no_lock(tmp_path, monkeypatch):
    """Its holder removes the file when it is done: who opened it before holds nothing."""
    path, plain, removed = tmp_path / "a.lock", fcntl.flock, []

    def late(stream, how):
        if not removed:
            path.unlink()
            removed.append(path)
        plain(stream, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with locked(path):
        assert removed
        assert path.exists()


def test_a_lock_may_be_entered_again(tmp_path):
    """A stage within a stage is the same process."""
    with locked(tmp_path / "a.lock"), locked(tmp_path / "a.lock"):
        pass


def test_a_reader_needs_no_right_to_write(tmp_path, monkeypatch):
    """A run on a medium that cannot be written on can be reported; nobody can change it."""

    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with locked(tmp_path / "a.lock", shared=True):
        pass
    with pytest.raises(OSError, match="Read-only"), locked(tmp_path / "a.lock"):
        pass


def test_a_file_system_without_locks_is_worked_on(tmp_path, monkeypatch):
    """Some network file systems have none."""

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with locked(tmp_path / "a.lock"):
        assert not is_open(tmp_path / "a.lock")
    write_bytes(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_two_processes_that_write_one_file_leave_one_of_both(tmp_path):
    """They shared the name of the unfinished file, and the slower one lost it or mixed it."""
    path = tmp_path / "experiment.json"

    def write(letter):
        for _ in range(12):
            write_bytes(path, letter * 50_000)

    others = [fork.Process(target=write, args=(letter,)) for letter in (b"a", b"b")]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0]
    assert path.read_bytes() in (b"a" * 50_000, b"b" * 50_000)
    assert [one.name for one in tmp_path.iterdir()] == ["experiment.json"]


def test_a_folder_is_replaced_by_a_finished_one(tmp_path):
    """A kill in the middle of removing the old one left neither."""
    new, old = tmp_path / "out.partial", tmp_path / "out"
    for folder in (new, old):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    replace_folder(new, old)
    assert [one.name for one in tmp_path.iterdir()] == ["out"]
    assert (old / "name").read_text() == "out.partial"


def test_the_lock_of_a_folder_lies_beside_it(tmp_path):
    """In it, it would be part of what is made."""
    assert lock_of(tmp_path / "a" / "b") == tmp_path / "a" / "b.lock"
    assert issubclass(InUse, RecombineError)


def test_a_full_disk_leaves_no_lock(tmp_path, monkeypatch):
    """Who holds it cannot be written; that is said by what is written next, and nothing stays."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with locked(tmp_path / "a.lock"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_leaves_no_file_open_and_lets_others_take_it(tmp_path, monkeypatch):
    """Whoever may write in the folder may take the lock next; a long command is cut."""
    monkeypatch.setattr("sys.argv", ["recombine", "x" * 500])
    path = tmp_path / "out.lock"
    mask = os.umask(0)
    try:
        with locked(path):
            assert path.stat().st_mode & 0o777 == 0o666
            assert json.loads(path.read_text())["command"] == "recombine " + "x" * 190
            assert is_open(path)
    finally:
        os.umask(mask)
    assert not is_open(path)


def test_a_lock_that_fails_leaves_no_file_open(tmp_path, monkeypatch):
    """What the system refuses is said, and nothing stays behind."""

    def refuse(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="Input/output"), locked(tmp_path / "a.lock"):
        pass
    assert not is_open(tmp_path / "a.lock")


def test_a_lock_may_come_before_its_folder(tmp_path):
    """What is built first has no place yet."""
    with locked(tmp_path / "new" / "place" / "out.lock"):
        assert (tmp_path / "new" / "place" / "out.lock").exists()
