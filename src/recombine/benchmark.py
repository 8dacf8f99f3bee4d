"""Example and Benchmark: the hub that every stage reads.

A benchmark is an immutable directory: `benchmark.toml` (what it is, how it was made, a SHA-256 per
file), one JSON lines file per split, a certificate and a data card. docs/formats.md lists every
field.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from html import escape
from pathlib import Path
from typing import Any

from recombine.config import parse_config, read_toml
from recombine.errors import ConfigError, DataError, RecombineError, Where
from recombine.files import LONGEST_NAME, read_jsonl, sha256_of
from recombine.progress import progress
from recombine.stage import identity_of

FORMAT = 1
# Splits that systems are trained on: nothing translates them or searches for them unless asked to.
# `control` is `train` but for sentences that show what the test asks for (explanation/controls.md).
TRAIN, CONTROL = "train", "control"
TRAINING_SPLITS = (TRAIN, CONTROL)
Tag = str | int | float


@dataclass(frozen=True, kw_only=True, slots=True)
class Focus:
    """A part of the source that a metric looks at, and how it may be rendered."""

    text: str
    role: str
    accepted: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any], where: Where | None = None) -> Focus:
        """Read a focus from plain data; every fault names the field."""
        if not isinstance(row, Mapping):
            raise DataError("a focus is a table", where)
        if unknown := set(row) - _FOCUS_FIELDS:
            raise DataError(f"unknown field '{min(unknown)}' of a focus", where)
        accepted = row.get("accepted", ())
        if not isinstance(accepted, (list, tuple)):
            raise DataError("accepted renderings are a list of texts, not one text", where)
        return cls(
            text=row["text"],
            role=row["role"],
            accepted=tuple(accepted),
            start=row.get("start"),
            end=row.get("end"),
        )

    def to_row(self) -> dict[str, Any]:
        """Return the focus as plain data, empty fields left out."""
        row = {
            "text": self.text,
            "role": self.role,
            "accepted": list(self.accepted) or None,
            "start": self.start,
            "end": self.end,
        }
        return {name: value for name, value in row.items() if value is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """One sentence to translate, with all that any of the four methods needs to know of it."""

    id: str
    source: str
    references: tuple[str, ...] = ()
    tags: Mapping[str, Tag] = field(default_factory=dict)
    group: str | None = None
    role: str | None = None
    focus: tuple[Focus, ...] = ()

    @classmethod
    def make(
        cls,
        *,
        source: str,
        references: Iterable[str] = (),
        tags: Mapping[str, Tag] | None = None,
        group: str | None = None,
        role: str | None = None,
        focus: Iterable[Focus] = (),
        salt: str = "",
    ) -> Example:
        """Make an example in NFC whose id is derived from its content."""
        source = normalise(source)
        references = tuple(normalise(reference) for reference in references)
        identity = "\x1f".join(
            (source, references[0] if references else "", group or "", role or "", salt)
        )
        return cls(
            id=hashlib.sha256(identity.encode("utf-8")).hexdigest()[:12],
            source=source,
            references=references,
            tags=dict(tags or {}),
            group=group,
            role=role,
            focus=tuple(focus),
        )

    def to_row(self) -> dict[str, Any]:
        """Return the example as plain data, empty fields left out."""
        row = {
            "id": self.id,
            "source": self.source,
            "references": list(self.references) or None,
            "tags": dict(self.tags) or None,
            "group": self.group,
            "role": self.role,
            "focus": [focus.to_row() for focus in self.focus] or None,
        }
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_row(cls, row: Mapping[str, Any], where: Where | None = None) -> Example:
        """Read an example from plain data; every fault names the field."""
        unknown = set(row) - _FIELDS
        if unknown:
            raise DataError(f"unknown field '{min(unknown)}'", where)
        if isinstance(row.get("references"), str):
            raise DataError("references are a list of texts, not one text", where)
        if not isinstance(row.get("focus", ()), (list, tuple)):
            raise DataError("focus is a list of tables", where)
        try:
            example = cls(
                id=row["id"],
                source=row["source"],
                references=tuple(row.get("references", ())),
                tags=row.get("tags", {}),
                group=row.get("group"),
                role=row.get("role"),
                focus=tuple(Focus.from_row(focus, where) for focus in row.get("focus", ())),
            )
        except KeyError as error:
            raise DataError(f"missing field {error}", where) from None
        except (TypeError, AttributeError):
            raise DataError("a field has the wrong type", where) from None
        fault = fault_of(example)
        if fault:
            raise DataError(fault, where)
        return example


_FIELDS = {"id", "source", "references", "tags", "group", "role", "focus"}
_FOCUS_FIELDS = {"text", "role", "accepted", "start", "end"}


def normalise(text: str) -> str:
    """Return text in NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def control_character(text: str) -> str | None:
    """Return the name of the first control character, or None."""
    for character in text:
        if character < " " or "\x7f" <= character <= "\x9f":
            return f"U+{ord(character):04X}"
    return None


_ENDLESS = (math.inf, -math.inf)


def fault_of(example: Example) -> str | None:
    """Return what is wrong with an example, or None."""
    if not isinstance(example.id, str) or not example.id:
        return "empty id"
    if not isinstance(example.source, str) or not example.source.strip():
        return f"example {example.id}: empty source"
    for name, text in (("source", example.source), *(("reference", r) for r in example.references)):
        if not isinstance(text, str):
            return f"example {example.id}: {name} is not text"
        if not text.isprintable():
            control = control_character(text)
            if control:
                return f"example {example.id}: control character {control} in {name}"
        if not unicodedata.is_normalized("NFC", text):
            return f"example {example.id}: {name} is not in NFC"
    if type(example.tags) is not dict and not isinstance(example.tags, Mapping):
        return f"example {example.id}: tags are a table, not {type(example.tags).__name__}"
    for name, value in example.tags.items():
        if type(value) is str:
            continue
        if not isinstance(value, (str, int, float)) or value != value or value in _ENDLESS:
            return f"example {example.id}: tag '{name}' is neither text nor a finite number"
    for name, given in (("group", example.group), ("role", example.role)):
        if given is not None and not isinstance(given, str):
            return f"example {example.id}: {name} is not text"
    if "all" in example.tags:
        return f"example {example.id}: a tag is called 'all', which means the whole split"
    if any(not reference.strip() for reference in example.references):
        return f"example {example.id}: empty reference"
    for focus in example.focus:
        if fault := _focus_fault(focus, len(example.source)):
            return f"example {example.id}: {fault}"
    return None


def _focus_fault(focus: Focus, length: int) -> str | None:
    """Return what is wrong with a focus in a source of so many characters, or None."""
    for name, text in (("text", focus.text), ("role", focus.role)):
        if not isinstance(text, str) or not text.strip():
            return f"the {name} of a focus is not text"
    if not all(isinstance(text, str) for text in focus.accepted):
        return f"an accepted rendering of '{focus.text}' is not text"
    start, end = focus.start, focus.end
    if start is None and end is None:
        return None
    # A boolean is a number to Python.
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        return f"focus '{focus.text}' from {start} to {end} lies outside the source"
    return None


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What `benchmark.toml` says."""

    format: int
    name: str
    version: str
    source: str
    target: str
    builder: str
    seed: int
    splits: dict[str, int]
    files: dict[str, str]
    licence: str = ""
    citation: str = ""
    metrics: tuple[str, ...] = ()
    recombine: str = ""
    # More than 0: a stratified subset of this many examples per split, made with --sample.
    sample: int = 0
    # A number of the builder's own code, raised when its results change.
    code_version: int = 1
    # What it was built from: SHA-256 of every file that the builder read, by name.
    inputs: dict[str, str] = field(default_factory=dict)
    recipe: dict[str, Any] = field(default_factory=dict)


# Files that say what else is right, of a grammar that the benchmark carries.
_VARIANTS = re.compile(r'^"grammar/[^"/]+/variants/')


def _digest(manifest: str) -> str:
    """Return the SHA-256 that a benchmark is known by: of its manifest, and so of its files.

    Where it came from (`inputs`) is no part of it, nor are variants of its grammar: another way to
    say a word makes no other benchmark.
    """
    kept, table = [], ""
    for line in manifest.splitlines(keepends=True):
        table = line.strip() if line.startswith("[") else table
        if table != "[inputs]" and not _VARIANTS.match(line):
            kept.append(line)
    return hashlib.sha256("".join(kept).encode()).hexdigest()


class Benchmark:
    """A benchmark directory, opened for reading."""

    def __init__(self, path: Path, manifest: Manifest, digest: str) -> None:
        self.path = path
        self.manifest = manifest
        self.hash = digest
        self._read: dict[str, list[Example]] = {}
        self._as_built: set[str] = set()

    @classmethod
    def open(cls, path: Path | str) -> Benchmark:
        """Open a benchmark directory; its files are verified by `verify`, not here."""
        path = Path(path).parent if Path(path).name == "benchmark.toml" else Path(path)
        manifest_path = path / "benchmark.toml"
        if not manifest_path.is_file():
            hint = "make one with: recombine build RECIPE --out DIR"
            if path.is_file():
                hint = "it is a file; a benchmark is a folder, and comes before files of outputs"
            elif next(path.glob("*/seed-*"), None):
                hint = (
                    "it is a run; recombine report reads runs, and with -o 'exports=[\"inspect\"]' "
                    "writes its logs for other tools"
                )
            raise DataError(f"{path} is not a benchmark: it has no benchmark.toml", hint=hint)
        document = read_toml(manifest_path)
        if document.data.get("format") != FORMAT:
            raise DataError(
                f"format {document.data.get('format')!r} is not known here; format {FORMAT} is",
                document.where("format"),
                hint="a newer version of Recombine made it: update, or build it again",
            )
        manifest = parse_config(Manifest, document.data, document=document)
        for split, size in manifest.splits.items():
            # Every stage names its files after the splits: none may lead out of its folder.
            if split[:1] in (*".-", "") or not all(
                letter.isalnum() or letter in "._-" for letter in split
            ):
                raise DataError(
                    f"'{split}' cannot be the name of a split", document.where(f"splits.{split}")
                )
            if len(split) > LONGEST_NAME:
                raise DataError("the name of a split is too long", document.where("splits"))
            if size < 0:
                raise DataError(
                    f"split '{split}' has {size} examples", document.where(f"splits.{split}")
                )
        for name in manifest.files:
            if "\0" in name or max(map(len, name.split("/"))) > LONGEST_NAME:
                raise DataError(
                    f"'{name[:LONGEST_NAME]}' cannot be the name of a file", document.where("files")
                )
        return cls(path, manifest, _digest(document.text))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{split} {size:,}" for split, size in self.manifest.splits.items())
        manifest = self.manifest
        pair = f"{manifest.source} -> {manifest.target or 'any'}"
        return f"<Benchmark {manifest.name} {manifest.version}, {pair}: {sizes}>"

    def _repr_html_(self) -> str:
        rows = []
        for split, size in self.manifest.splits.items():
            example = next(self.iterate(split), None)
            shown = "<br>".join(
                map(escape, (example.source, *example.references[:1]) if example else ())
            )
            rows.append(f"<tr><th>{escape(split)}</th><td>{size:,}</td><td>{shown}</td></tr>")
        return f"<b>{escape(repr(self)[1:-1])}</b><table>{''.join(rows)}</table>"

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits, in the order they were written."""
        return tuple(self.manifest.splits)

    def split_path(self, split: str) -> Path:
        """Return the file of a split."""
        if split not in self.manifest.splits:
            raise DataError(
                f"benchmark {self.manifest.name} has no split '{split}'",
                hint=f"its splits: {', '.join(self.splits)}",
            )
        return self.path / f"{split}.jsonl"

    def iterate(self, split: str) -> Iterator[Example]:
        """Yield the examples of a split in file order; the file must be the one that was built."""
        path = self.split_path(split)
        if split not in self._as_built:
            if fault := self.file_fault(path.name):
                raise fault
            self._as_built.add(split)
        for number, row in enumerate(read_jsonl(path), start=1):
            yield Example.from_row(row, Where(str(path), number))

    def read(self, split: str) -> list[Example]:
        """Return the examples of a split in file order; the file is read once."""
        if split not in self._read:
            self._read[split] = list(self.iterate(split))
        return list(self._read[split])

    def file_fault(self, name: str) -> DataError | None:
        """Return why a file is not the one that the benchmark's name and hash stand for, or None.

        A benchmark may be a stranger's: a link in it could lead to any file of this machine.
        """
        path = self.path / name
        where, hint = Where(str(path)), "restore it, or build the benchmark again"
        if name not in self.manifest.files:
            return DataError("a file the manifest does not list", where)
        if path.resolve() != self.path.resolve() / name:
            return DataError("a link, or a path out of the benchmark", where)
        if not path.is_file():
            return DataError("missing file", where, hint)
        if sha256_of(path) != self.manifest.files[name]:
            return DataError(
                "the file is not the one that was built (SHA-256 differs)", where, hint
            )
        return None

    def verify(self) -> list[RecombineError]:
        """Return every problem of the directory: hashes, sizes, rows, ids, strays."""
        names = {
            path.relative_to(self.path).as_posix()
            for path in self.path.rglob("*")
            if path.is_symlink() or not path.is_dir()
        } - {"benchmark.toml"}
        faults = map(self.file_fault, dict.fromkeys([*self.manifest.files, *sorted(names)]))
        problems: list[RecombineError] = [fault for fault in faults if fault is not None]
        # What differs is told: whoever verifies may read it, to find what else is wrong. What is no
        # file of its own is not opened: a link may lead anywhere, and from a pipe nothing comes.
        root = self.path.resolve()
        own = {split: path for split in self.splits if (path := self.split_path(split)).is_file()}
        self._as_built |= {split for split, path in own.items() if path.resolve().parent == root}
        with progress("check", sum(self.manifest.splits.values())) as bar:
            problems.extend(self._verify_rows(bar.advance))
        return problems

    def _verify_rows(self, advance: Callable[[], None]) -> Iterator[RecombineError]:
        seen: dict[str, str] = {}
        for split, size in self.manifest.splits.items():
            if split not in self._as_built:
                continue
            path = self.path / f"{split}.jsonl"
            count = 0
            try:
                for number, row in enumerate(read_jsonl(path), start=1):
                    count += 1
                    advance()
                    where = Where(str(path), number)
                    try:
                        example = Example.from_row(row, where)
                    except RecombineError as error:
                        yield error
                        continue
                    if example.id in seen:
                        yield DataError(
                            f"duplicate id {example.id}, first seen at {seen[example.id]}", where
                        )
                    seen[example.id] = str(where)
            except RecombineError as error:
                yield error
                continue
            if count != size:
                yield DataError(f"{count} rows, but the manifest says {size}", Where(str(path)))


def stratified_sample(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """Return `size` examples, seeded, with the same mix of the first tag, in file order.

    Groups (pairs, compounds) are kept together, since a metric needs all their members; only they
    make a sample larger than it was asked for.
    """
    if size < 0:
        raise ConfigError(f"a sample of {size} examples is not possible", hint="0 takes all")
    if not 0 < size < len(examples):
        return list(examples)
    strata: dict[str, dict[str, list[int]]] = {}
    for index, example in enumerate(examples):
        tag = str(next(iter(example.tags.values()), ""))
        unit = example.group if example.group is not None else example.id
        strata.setdefault(tag, {}).setdefault(unit, []).append(index)
    chosen: list[int] = []
    if len(strata) > size:  # one of each would be more than was asked for
        some = sorted(strata, key=lambda tag: identity_of([seed, tag]))[:size]
        strata = {tag: units for tag, units in strata.items() if tag in some}
    totals = {tag: sum(map(len, units.values())) for tag, units in strata.items()}
    for (tag, units), quota in zip(strata.items(), _quotas(totals, size), strict=True):
        # Ordered by a hash of seed and unit: independent of platform and of the other strata.
        order = sorted(units, key=lambda unit: identity_of([seed, tag, unit]))
        taken = 0
        for unit in order:
            if taken >= quota:
                break
            chosen.extend(units[unit])
            taken += len(units[unit])
    return [examples[index] for index in sorted(chosen)]


def _quotas(totals: Mapping[str, int], size: int) -> list[int]:
    """Divide a sample among strata by their sizes: largest remainders, and at least one each."""
    whole = sum(totals.values())
    shares = [size * total / whole for total in totals.values()]
    quotas = [max(1, int(share)) for share in shares]
    wrong = size - sum(quotas)
    step = 1 if wrong > 0 else -1
    # Who is owed most, or has most too much, comes first; nobody is left without any.
    heap = [
        (step * (quota - share), at)
        for at, (share, quota) in enumerate(zip(shares, quotas, strict=True))
        if quota + step
    ]
    heapify(heap)
    for _ in range(abs(wrong)):
        owed, at = heappop(heap)
        quotas[at] += step
        if quotas[at] + step:
            heappush(heap, (owed + 1, at))
    return quotas
