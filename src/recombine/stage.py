"""Stage: an output is kept exactly as long as it would come out the same.

Every output (a benchmark, recombined pairs, a model, translations, scores) has one key: plain data
that stands for all that it was made from. Files count by their content, options by their values,
the code of a method by a number that is raised when its results change. The code that scores stand
on counts by its content: they are soon made again. The key lies beside the output. Equal key and
complete: up to date. Equal and not complete: the stage goes on. Another key: the output is stale,
and the stage stops and says what differs; `--force` makes it anew.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import ConfigError, StaleOutput
from recombine.files import read_json, sha256_of, write_json

LARGE = 100_000_000  # bytes, which take a tenth of a second to hash
END = 1_000_000
ANEW = "use --force to make it again, or choose another place"


def identity_of(value: Any) -> str:
    """Return the SHA-256 of plain data, independent of key order."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def code_version(method: Any) -> dict[str, int]:
    """Return what a key knows of a method's own code.

    The class counts: `code_version = 2` says that its results are no longer those of version 1,
    which is not written down.
    """
    version = int(getattr(method, "code_version", 1))
    return {} if version == 1 else {"code_version": version}


@functools.cache
def source_hash(packages: tuple[str, ...]) -> str:
    """Return a hash of the Python source of packages.

    For what is cheap to make again: nobody has to raise a number, and nothing is ever stale.
    """
    files: dict[str, Path] = {}
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue  # code that no file holds
        origin = Path(spec.origin)
        sources = origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]
        files |= {f"{name}/{path.relative_to(origin.parent).as_posix()}": path for path in sources}
    return identity_of(content_by_name(files))


def content_of(paths: Iterable[Path]) -> dict[str, str]:
    """Return what files say, as hashes by name: inputs and outputs may be moved."""
    hashes: dict[str, str] = {}
    for path in paths:
        digest = _hash(path)
        if path.name in hashes:
            digest = hashlib.sha256(f"{hashes[path.name]} {digest}".encode()).hexdigest()
        hashes[path.name] = digest
    return hashes


def content_by_name(files: Mapping[str, Path]) -> dict[str, str]:
    """Return what files say, as hashes by the names that they are known under."""
    return {name: _hash(path) for name, path in sorted(files.items()) if path.is_file()}


def _hash(path: Path) -> str:
    """The SHA-256 of a file; one of many gigabytes goes by its size and both its ends."""
    size = path.stat().st_size
    if size <= LARGE:
        return sha256_of(path)
    with path.open("rb") as stream:
        ends = stream.read(END)
        stream.seek(size - END)
        ends += stream.read(END)
    return hashlib.sha256(str(size).encode() + ends).hexdigest()


class FieldDifference(NamedTuple):
    """A field in which two keys differ, "options.steps" if it is inside another."""

    name: str
    old: Any
    new: Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> FieldDifference | None:
    """Return the first field in which two keys differ, or None."""
    plain_new = json.loads(json.dumps(new))
    for name in sorted({*old, *plain_new}):
        then, now = old.get(name), plain_new.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            inside = difference(then, now)
            if inside is not None:
                return inside._replace(name=f"{name}.{inside.name}")
        elif then != now:
            return FieldDifference(name, then, now)
    return None


def stale_output(output: Path, difference: FieldDifference, hint: str = ANEW) -> StaleOutput:
    """Return what to say of an output that was made from something else."""
    return StaleOutput(
        f"{output} was made with another '{difference.name}': "
        f"{_short(difference.old)} then, {_short(difference.new)} now",
        hint=hint,
    )


def require_same_key(
    output: Path, then: Mapping[str, Any], now: Mapping[str, Any], hint: str = ANEW
) -> None:
    """Raise when an output was made from something else than would be taken now."""
    differing = difference(then, now)
    if differing is not None:
        raise stale_output(output, differing, hint)


def _short(value: Any) -> str:
    if value is None:
        return "none"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) == 66 and text[1:-1].isalnum():
        return text[1:9]  # a SHA-256
    return text if len(text) <= 80 else text[:77] + "..."


IDLE = "idle"  # of a key: names of options on which nothing depends


class Meta:
    """The side file of an output: its key, and whether it is complete."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.path = output.with_name(output.name.removesuffix(".jsonl") + ".meta.json")

    def read(self) -> dict[str, Any] | None:
        """Return what is stored, or None when the output was never begun."""
        if not self.path.exists():
            return None
        value: dict[str, Any] = read_json(self.path)
        return value

    def write(self, fingerprint: Mapping[str, Any], *, complete: bool, **more: Any) -> None:
        """Store the key."""
        write_json(self.path, {"fingerprint": dict(fingerprint), "complete": complete, **more})

    def is_current(self, fingerprint: Mapping[str, Any], *, growing: Sequence[str] = ()) -> bool:
        """Return True when complete and made from this; raise when made from something else.

        What differs in a `growing` field is not of another kind, there is only more or less of it.
        """
        stored = self.read()
        if stored is None:
            return False
        then, now = dict(stored.get("fingerprint", {})), json.loads(json.dumps(fingerprint))
        for name in (*then.pop(IDLE, ()), *now.pop(IDLE, ())):
            then.get("options", {}).pop(name, None)
        extent = [then.pop(name, None) == now.pop(name, None) for name in growing]
        require_same_key(self.output, then, now)
        return all(extent) and bool(stored.get("complete"))


def set_aside(output: Path) -> None:
    """Keep what --force is about to replace: translations and models can be expensive."""
    if output.exists():
        number = 1
        while output.with_name(f"{output.name}.old-{number}").exists():
            number += 1
        output.rename(output.with_name(f"{output.name}.old-{number}"))
    Meta(output).path.unlink(missing_ok=True)


def refuse_output(out: Path) -> None:
    """Raise where files would be written into a benchmark, or among the results of a run.

    A folder of its own within a run (`run/report`) is fine.
    """
    out = out.resolve()
    for folder in (out, *out.parents):
        if (folder / "benchmark.toml").is_file():
            raise ConfigError(
                f"{out} is inside the benchmark {folder}; nothing is written there",
                hint="choose another --out",
            )
        if (folder / "run.json").is_file() or any(out.glob("*/seed-*")):
            raise ConfigError(
                f"{out} holds the results of a run; nothing else is written there",
                hint=f"choose another --out, such as {out / 'report'}",
            )
