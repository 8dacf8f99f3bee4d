"""Draft: a benchmark being built. It checks every example, and appears whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example, fault_of, stratified_sample
from recombine.config import dump_toml
from recombine.errors import DataError
from recombine.files import (
    add_filename_to_oserror,
    dump_row,
    replace_folder,
    sha256_of,
    write_bytes,
    write_json,
)


class Draft:
    """A benchmark being built, in `DIR.partial`; `finish` makes it appear whole at `DIR`."""

    def __init__(
        self, out: Path, *, seed: int, sample: int = 0, workdir: Path | None = None
    ) -> None:
        self.out = out
        self.seed = seed
        self.sample = sample
        self.path = out.with_name(out.name + ".partial")
        # Intermediate results that a killed build may reuse; a builder keys them by fingerprint.
        self.workdir = workdir or out.with_name(out.name + ".work")
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        self._sizes: dict[str, int] = {}
        self._times: dict[str, int] = {}  # how often an example came
        self._ids: set[str] = set()
        self._card = ""

    def write(self, split: str, examples: Iterable[Example]) -> int:
        """Write a split and return its size.

        Ids are unique in the whole benchmark: an example that occurs again gets its id with a
        counter behind it (published sets keep duplicates on purpose).
        """
        if split in self._sizes:
            raise DataError(f"split '{split}' is written twice")
        if self.sample:
            examples = stratified_sample(list(examples), self.sample, self.seed)
        count = 0
        path = self.path / f"{split}.jsonl"
        with (
            add_filename_to_oserror(path),
            path.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            for example in examples:
                fault = fault_of(example)
                if fault:
                    raise DataError(f"split '{split}', example {count + 1}: {fault}")
                row = example.to_row()
                row["id"] = self._new_id(example.id)
                stream.write(dump_row(row) + "\n")
                count += 1
        self._sizes[split] = count
        return count

    def _new_id(self, identity: str) -> str:
        """Return the id, with a counter behind it where it is taken."""
        times, free = self._times.get(identity, 0) + 1, identity
        if times > 1:
            free = f"{identity}-{times}"
        while free in self._ids:  # an id may look like another with its counter
            times += 1
            free = f"{identity}-{times}"
        self._times[identity] = times
        self._ids.add(free)
        return free

    def certificate(self, value: Mapping[str, Any]) -> None:
        """Write what was proved of the benchmark: counts and hashes a stranger can re-verify."""
        write_json(self.path / "certificate.json", value)

    def set_card(self, body: str) -> None:
        """Set the body of the data card (Markdown); the head is generated."""
        self._card = body

    def add_file(self, name: str, content: str | bytes) -> None:
        """Keep an extra file inside the benchmark, listed and hashed like the others."""
        path = (self.path / name).resolve()
        if not path.is_relative_to(self.path.resolve()):
            raise DataError(f"file name '{name}' leads out of the benchmark")
        write_bytes(path, content.encode("utf-8") if isinstance(content, str) else content)

    def finish(self, manifest: Mapping[str, Any], *, replace: bool = False) -> Benchmark:
        """Write card and manifest and rename the directory into place."""
        if not self._sizes:
            raise DataError("the builder wrote no split")
        head = card_head(manifest, self._sizes)
        write_bytes(self.path / "README.md", (head + self._card.strip() + "\n").encode("utf-8"))
        files = {
            path.relative_to(self.path).as_posix(): sha256_of(path)
            for path in sorted(self.path.rglob("*"))
            if path.is_file()
        }
        document = {**manifest, "splits": self._sizes, "files": files}
        write_bytes(self.path / "benchmark.toml", dump_toml(document).encode("utf-8"))
        if replace:
            replace_folder(self.path, self.out)
        else:
            self.path.rename(self.out)
        shutil.rmtree(self.workdir, ignore_errors=True)
        return Benchmark.open(self.out)


def card_head(manifest: Mapping[str, Any], sizes: Mapping[str, int]) -> str:
    """Return how a data card begins, whatever the builder writes below."""
    rows = "\n".join(f"| {split} | {size:,} |" for split, size in sizes.items())
    lines = [
        f"# {manifest['name']} {manifest['version']}",
        "",
        f"{manifest['source']} -> {manifest['target'] or 'any language'}, made by the builder "
        f"`{manifest['builder']}` with seed {manifest['seed']}.",
        "",
        f"| split | examples |\n| --- | ---: |\n{rows}",
        "",
    ]
    if manifest.get("licence"):
        lines += [f"Licence: {manifest['licence']}", ""]
    if manifest.get("citation"):
        lines += [f"Cite: {manifest['citation']}", ""]
    return "\n".join(lines) + "\n"
