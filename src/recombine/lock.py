"""Lock: one process at a time where something is written, and who it is.

The kernel keeps the lock (flock), so that a killed process holds nothing; the file only tells
others who is at work, and goes when the work is done. A file system without locks is worked on
without: nobody is kept from working there.

Not filelock: of its locks the kernel's are exclusive only, its shared ones are SQLite files that a
read-only folder cannot have, and none says who holds it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from recombine.errors import RecombineError

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

# What a file system says that has no locks, or that nobody can write on.
_WITHOUT = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM}
_LOOK = 0.1  # seconds between two looks at a lock that another process holds

# Locks of this process: what it holds it may enter again.
_held: dict[str, int] = {}


class InUse(RecombineError):
    """Another process is writing there."""


def lock_of(folder: Path) -> Path:
    """The lock of a folder that is made whole under another name: beside it."""
    return folder.with_name(folder.name + ".lock")


@contextlib.contextmanager
def locked(path: Path, *, shared: bool = False, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock at `path`; raise InUse, after `wait` seconds, while another process does.

    Holders of a shared lock keep out only who wants it alone.
    """
    key = str(path.absolute())
    if fcntl is None or _held.get(key):
        yield
        return
    stream = _acquire(path, shared, time.monotonic() + wait)
    _held[key] = 1
    try:
        yield
    finally:
        del _held[key]
        if stream is not None:
            _release(path, stream)


@contextlib.contextmanager
def open_exclusive(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write, empty, when no other process is writing under that name."""
    while True:
        with path.open("ab") as stream:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(stream, fcntl.LOCK_EX)
                if not _is_at(path, stream.fileno()):
                    continue  # it was renamed into place meanwhile
            stream.truncate(0)
            yield stream
            return


def _acquire(path: Path, shared: bool, deadline: float) -> int | None:
    """Return the open lock file, or None where there can be none."""
    wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if shared and error.errno in _UNWRITABLE:
                return None  # where nobody can write, nothing changes under a reader
            raise
        try:
            fcntl.flock(stream, wanted)
            if _is_at(path, stream):
                if not shared:
                    # On a full disk nobody learns who it is; what is written next says so.
                    with contextlib.suppress(OSError):
                        os.truncate(stream, 0)
                        os.write(stream, _own_name().encode("utf-8"))
                return stream
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = _holder(path)
                os.close(stream)
                raise InUse(
                    f"{path.parent / path.name.removesuffix('.lock')} is in use by {holder}",
                    hint="wait until it is done, or choose another folder",
                ) from None
            time.sleep(_LOOK)
        except OSError as error:
            if error.errno in _WITHOUT:
                os.close(stream)
                return None
            os.close(stream)
            raise
        os.close(stream)


def _is_at(path: Path, stream: int) -> bool:
    """Whether the file is still the one of that name: who held it may have removed it."""
    try:
        return os.path.samestat(os.fstat(stream), path.stat())
    except FileNotFoundError:
        return False


def _release(path: Path, stream: int) -> None:
    with contextlib.suppress(OSError):
        # A reader removes the file only when it is the last.
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(path, stream):
            path.unlink()
    os.close(stream)


def _own_name() -> str:
    return json.dumps(
        {
            "process": os.getpid(),
            "host": socket.gethostname(),
            "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200],
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        },
        ensure_ascii=False,
    )


def _holder(path: Path) -> str:
    """Say who holds a lock; readers leave no name."""
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        since = f"since {holder['since']} ({holder['command']})"
        return f"process {holder['process']} on {holder['host']} {since}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
