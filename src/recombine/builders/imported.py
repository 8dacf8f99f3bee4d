"""Imported: somebody's released data as a benchmark.

Reads parallel text, COGS/SLOG-style TSV and JSON lines, several references included. Text is kept
as published: tokenisation, case and punctuation are not touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from recombine.benchmark import Example, control_character
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, RecombineError, Where, raise_all
from recombine.files import read_aligned, read_jsonl, read_lines


@dataclass(frozen=True, kw_only=True)
class SplitFiles:
    """Where one split comes from: exactly one of `source`, `tsv` and `jsonl`."""

    source: Path | None = None
    references: tuple[Path, ...] = ()
    tsv: Path | None = None
    jsonl: Path | None = None
    tags: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if [self.source, self.tsv, self.jsonl].count(None) != 2:
            raise ConfigError("a split needs exactly one of 'source', 'tsv' and 'jsonl'")
        if self.references and self.source is None:
            raise ConfigError("'references' goes with 'source'")


@dataclass(kw_only=True)
class Imported:
    """Your own text or test set as a benchmark.

    Recipe: one `[split.NAME]` table per split.

    `columns` names the columns of TSV files: `source`, `reference` (may come several times), `id`,
    or a tag name. COGS and SLOG have three columns: source, reference, tag.
    """

    split: dict[str, SplitFiles] = field(default_factory=dict)
    columns: tuple[str, ...] = ("source", "reference", "pattern")

    def __post_init__(self) -> None:
        if "source" not in self.columns:
            raise ConfigError("'columns' must name the column 'source'")

    def build(self, draft: Draft) -> None:
        """Read every split; report all problems of all files at once."""
        if not self.split:
            raise ConfigError(
                "no split is given",
                hint="-o split.test.source=FILE -o split.test.references=[FILE]",
            )
        problems: list[RecombineError] = []
        for name, files in self.split.items():
            examples = list(self._read(files, problems))
            if not problems:
                if not examples:
                    path = files.source or files.tsv or files.jsonl
                    raise DataError(f"split '{name}' is empty", Where(str(path)))
                draft.write(name, examples)
        raise_all(problems)
        draft.set_card("Imported as published: tokenisation, case and punctuation are unchanged.")

    def plan(self) -> dict[str, dict[str, int]]:
        """Return the number of lines per split, for --dry-run."""
        sizes = {}
        for name, files in self.split.items():
            path = files.source or files.tsv or files.jsonl
            sizes[name] = sum(1 for _ in read_lines(path)) if path else 0
        return {"splits": sizes}

    def _read(self, files: SplitFiles, problems: list[RecombineError]) -> Iterator[Example]:
        if files.jsonl is not None:
            yield from self._read_jsonl(files.jsonl, problems)
        elif files.tsv is not None:
            yield from self._read_tsv(files.tsv, files.tags, problems)
        elif files.source is not None:
            yield from self._read_parallel(files, problems)

    def _read_parallel(
        self, files: SplitFiles, problems: list[RecombineError]
    ) -> Iterator[Example]:
        assert files.source is not None
        try:
            for number, (source, *references) in read_aligned(files.source, *files.references):
                where = Where(str(files.source), number)
                yield from self._example(source, references, dict(files.tags), where, problems)
        except DataError as error:
            problems.append(error)

    def _read_tsv(
        self, path: Path, tags: dict[str, str], problems: list[RecombineError]
    ) -> Iterator[Example]:
        seen: dict[str, int] = {}
        for number, line in read_lines(path):
            where = Where(str(path), number, 1, line)
            cells = line.split("\t")
            if len(cells) != len(self.columns):
                problems.append(
                    DataError(
                        f"{len(cells)} columns, expected {len(self.columns)} "
                        f"({', '.join(self.columns)})",
                        where,
                    )
                )
                continue
            named = list(zip(self.columns, cells, strict=True))
            source = next(cell for name, cell in named if name == "source")
            references = [cell for name, cell in named if name == "reference"]
            more = {n: c for n, c in named if n not in ("source", "reference", "id")}
            for example in self._example(source, references, {**tags, **more}, where, problems):
                identity = dict(named).get("id")
                if identity is None:
                    yield example
                elif not identity.strip():
                    problems.append(DataError("empty id", where))
                elif identity in seen:
                    first = seen[identity]
                    problems.append(
                        DataError(f"duplicate id {identity}, first on line {first}", where)
                    )
                else:
                    seen[identity] = number
                    yield replace(example, id=identity)

    def _read_jsonl(self, path: Path, problems: list[RecombineError]) -> Iterator[Example]:
        seen: dict[str, int] = {}
        for number, row in enumerate(read_jsonl(path), start=1):
            where = Where(str(path), number)
            try:
                if "id" in row:
                    example = Example.from_row(row, where)
                    if example.id in seen:
                        problems.append(
                            DataError(
                                f"duplicate id {example.id}, first on line {seen[example.id]}",
                                where,
                            )
                        )
                        continue
                    seen[example.id] = number
                else:
                    made = Example.make(source=row["source"], references=row.get("references", ()))
                    example = Example.from_row({**row, **made.to_row()}, where)
                yield example
            except KeyError:
                problems.append(DataError("missing field 'source'", where))
            except RecombineError as error:
                problems.append(error)

    def _example(
        self,
        source: str,
        references: list[str],
        tags: dict[str, str],
        where: Where,
        problems: list[RecombineError],
    ) -> Iterator[Example]:
        for text, name in (
            (source, "source"),
            *((reference, "reference") for reference in references),
        ):
            control = control_character(text)
            if control is not None:
                problems.append(DataError(f"control character {control} in the {name}", where))
                return
            if not text.strip():
                problems.append(DataError(f"empty {name}", where))
                return
        yield Example.make(source=source, references=references, tags=tags)
