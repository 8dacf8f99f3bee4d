"""The folder of a report: what a former report wrote there goes, what it did not write stays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recombine.files import sha256_of, write_json

# Lists what reports wrote into a folder: kind of report -> path in the folder -> SHA-256.
WRITTEN = "written.json"


def replace_former(out: Path, kind: str, files: Iterable[Path]) -> list[Path]:
    """Note the files of this report and remove those only the former one of its kind wrote.

    A file is removed only if it still has the bytes the former report gave it, so nothing that
    somebody else wrote, or changed, is lost.
    """
    written = {path.relative_to(out).as_posix(): sha256_of(path) for path in files}
    listed = _read(out / WRITTEN)
    former = listed.get(kind, {})
    listed[kind] = written
    kept = {name for names in listed.values() for name in names}
    removed = []
    for name, digest in former.items():
        path = out / name
        inside = path.resolve().is_relative_to(out.resolve())
        if name not in kept and inside and path.is_file() and sha256_of(path) == digest:
            path.unlink()
            removed.append(path)
    for folder in sorted({path.parent for path in removed}, reverse=True):
        while folder != out and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    write_json(out / WRITTEN, listed)
    return removed


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    """The list a former report left; without one that can be read nothing is ours to remove."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {kind: names for kind, names in found.items() if isinstance(names, dict)}
