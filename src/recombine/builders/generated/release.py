"""Generated release: released sentence pairs with a pattern label each, as TSV or JSON.

SGET's authors published their data in this shape: `train.txt`, `dev.txt`, `test.txt`, `gen.txt`
with source, reference and label in three columns, and the same as JSON. Whatever parts are there
are taken; sentences are kept as published, duplicates too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from recombine.benchmark import Example
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, RecombineError, Where, raise_all
from recombine.files import read_lines


@dataclass(kw_only=True)
class GeneratedRelease:
    """Generated data that others published (Kumon et al. 2024) as a benchmark.

    Recipe: the folder, the names its files may have, and what the labels mean.

    files: per split, relative names tried in order. label: per label, further tags (category, ...).
    default_label: the pattern of rows without a label.
    """

    metrics: ClassVar[tuple[str, ...]] = ("exact", "bleu", "partial")
    path: Path
    files: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            split: (f"{split}.txt", f"{split}.tsv", f"json/{split}.json", f"{split}.json")
            for split in ("train", "dev", "test", "gen")
        }
    )
    label: dict[str, dict[str, str]] = field(default_factory=dict)
    default_label: str = "in_distribution"

    def found(self) -> dict[str, Path]:
        """The files that are there."""
        if not self.path.is_dir():
            raise ConfigError(f"path '{self.path}' is not a folder", hint="-o path=DIR")
        found: dict[str, Path] = {}
        for split, names in self.files.items():
            for name in names:
                if (self.path / name).is_file():
                    found[split] = self.path / name
                    break
        if not found:
            wanted = ", ".join(name for names in self.files.values() for name in names[:1])
            raise DataError(f"{self.path} has none of the released files", hint=f"e.g. {wanted}")
        return found

    def plan(self) -> dict[str, Any]:
        """Which files would be read."""
        return {"files": {split: str(path) for split, path in self.found().items()}}

    def build(self, draft: Draft) -> None:
        """Read every file; all problems are reported at once."""
        problems: list[RecombineError] = []
        splits: dict[str, list[Example]] = {}
        for split, path in self.found().items():
            reader = self._read_json if path.suffix == ".json" else self._read_tsv
            splits[split] = list(reader(path, problems))
        raise_all(problems)
        names = ", ".join(f"{split} from `{path.name}`" for split, path in self.found().items())
        for split, examples in splits.items():
            draft.write(split, examples)
        draft.set_card(f"Imported as published: {names}. Duplicates are kept.")

    def _example(self, source: str, reference: str, label: str) -> Example:
        tags: dict[str, str | int | float] = {"pattern": label or self.default_label}
        tags.update(self.label.get(label, {}))
        return Example.make(source=source, references=(reference,), tags=tags)

    def _read_tsv(self, path: Path, problems: list[RecombineError]) -> Iterator[Example]:
        for number, line in read_lines(path):
            cells = line.split("\t")
            if len(cells) not in (2, 3) or not cells[0].strip() or not cells[1].strip():
                where = Where(str(path), number, 1, line)
                problems.append(DataError("expected source, reference and a label, by tabs", where))
            else:
                yield self._example(cells[0], cells[1], cells[2] if len(cells) == 3 else "")

    def _read_json(self, path: Path, problems: list[RecombineError]) -> Iterator[Example]:
        text = path.read_text(encoding="utf-8")
        try:
            whole = text.lstrip().startswith("[")
            rows = (
                json.loads(text)
                if whole
                else [json.loads(x) for x in text.split("\n") if x.strip()]
            )
        except ValueError as error:
            problems.append(DataError(f"not JSON: {error}", Where(str(path))))
            return
        for number, row in enumerate(rows, start=1):
            source = row.get("input") if isinstance(row, dict) else None
            reference = row.get("output") if isinstance(row, dict) else None
            if not isinstance(source, str) or not isinstance(reference, str):
                where = Where(str(path), None if whole else number)
                problems.append(DataError(f"row {number} has no text 'input' and 'output'", where))
            else:
                yield self._example(source, reference, str(row.get("name", "")))
