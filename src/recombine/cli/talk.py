"""How the command line speaks: talk on standard error; tables, outlines and JSON as data."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from recombine.progress import give_way


def say(text: str) -> None:
    """Talk to the person, on standard error."""
    give_way()
    print(printable(text), file=sys.stderr)


def printable(text: str) -> str:
    """Text for a terminal: services, programs and files are quoted, none shall move the cursor."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else repr(letter)[1:-1]
        for letter in text
    )


class SafeTerminal(io.TextIOWrapper):
    """Standard output that is a terminal: no verb can forget to make printable what it prints.

    Into a file or a pipe text goes as it is: there it is data.
    """

    def write(self, text: str) -> int:
        """Write text in which nothing moves the cursor."""
        return super().write(printable(text))


def room(stream: TextIO) -> int:
    """The columns of a terminal; a file or a pipe takes lines of any length."""
    return shutil.get_terminal_size().columns if stream.isatty() else 0


def wrapped(text: str, width: int) -> str:
    """Sentences in lines of a terminal, broken between words."""
    return text if not width else "\n".join(textwrap.wrap(text, width, break_long_words=False))


def fitted(table: Any, width: int) -> str:
    """A table as it fits a terminal: side by side, else a block for each column, or for each row.

    `table` is `recombine.report.tables.table.Table`.
    """
    from rich.cells import cell_len

    from recombine.report.tables.table import is_numeric, plain

    text = plain(table).lstrip("\n")
    if not width or all(cell_len(line) <= width for line in text.splitlines()):
        return text
    places = range(len(table.columns))
    words = [place for place in places if not is_numeric(table, place)]
    blocks = []
    if words == [0]:
        for place in places[1:]:
            cells = [
                ("", table.text(row, 0), table.text(row, place)) for row in range(len(table.rows))
            ]
            blocks.append("\n".join([table.columns[place], *aligned(cells)]))
    else:
        # What all rows share is told once; what stands before the first number names a row.
        rows = range(len(table.rows))
        shared = [at for at in words if len({table.text(row, at) for row in rows}) == 1 < len(rows)]
        first = min((at for at in places if at not in words), default=len(places))
        names = [at for at in words if at < first and at not in shared]
        rest = [at for at in places if at not in (*names, *shared)]
        if shared:
            constant = " · ".join(f"{table.columns[at]} {table.text(0, at)}" for at in shared)
            blocks.append(wrapped(constant, width))
        for row in rows:
            head = " · ".join(table.text(row, at) for at in names)
            lines = _indented([f"{table.columns[at]} {table.text(row, at)}" for at in rest], width)
            blocks.append("\n".join([wrapped(head, width), *lines] if head else lines))
    notes = [wrapped(note, width) for note in table.notes]
    return "\n\n".join([*([table.title] if table.title else []), *blocks, *notes])


def _indented(parts: Iterable[str], width: int) -> list[str]:
    """Parts beside each other, as many as fit a line."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}  {part}"
        if lines[-1] and len(longer) > width:
            lines.append(f"  {part}")
        else:
            lines[-1] = longer
    return lines


def print_opened(page: Path) -> None:
    """Print where a page lies; on a terminal, that it is to be opened."""
    print(printable(f"Open: {page}") if sys.stdout.isatty() else page)


def print_json(value: Any) -> None:
    """Print data for programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def number_or_null(value: Any) -> Any:
    """A number as JSON has it, which knows no NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def print_data(value: Any, as_json: bool) -> None:
    """Print data for programs, or an outline of it for people."""
    if as_json:
        print_json(value)
    else:
        print_tree(value)


def print_tree(value: Any, indent: str = "") -> None:
    """Print nested data as an indented outline."""
    for key, item in value.items():
        if isinstance(item, dict):
            print(printable(f"{indent}{key}:"))
            print_tree(item, indent + "  ")
        elif isinstance(item, list):
            print(printable(f"{indent}{key}:"))
            for element in item:
                print(printable(f"{indent}  {element}"))
        else:
            print(printable(f"{indent}{key}: {item}"))


def aligned(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as lines with equal columns, two blanks apart; those of `right` are flush right."""
    from rich.cells import cell_len

    rows = [list(row) for row in rows]
    flush = set(right)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for place, (text, width) in enumerate(zip(row, widths, strict=True)):
            blank = " " * (width - cell_len(text))
            cells.append(blank + text if place in flush else text + blank)
        lines.append("  ".join(cells).rstrip())
    return lines


def print_plan(plan: Mapping[str, Any], as_json: bool) -> int:
    """Print the plan of --dry-run, as lines or as JSON."""
    if as_json:
        print_json(plan)
        return 0
    for key, value in plan.items():
        if key != "cells":
            print(f"{key.replace('_', ' ')}: {_in_words(value)}")
    if plan.get("cells"):
        print()
        print("\n".join(aligned(_cell_rows(plan["cells"]))))
        print()
    print("nothing was done")
    return 0


def _cell_rows(cells: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Systems and seeds of an experiment, and how much each stage has still to do."""
    from recombine.experiment.plan import UNITS

    stages = [stage for stage in UNITS if any(stage in cell for cell in cells)]
    yield ["system", "seed", *stages]
    for cell in cells:
        counts = (
            "-" if stage not in cell
            else f"{cell[stage]:,} {UNITS[stage]}" if cell[stage]
            else "up to date"
            for stage in stages
        )  # fmt: skip
        yield [cell["system"], str(cell["seed"]), *counts]


def print_unplanned(outside: Sequence[Mapping[str, str]], as_json: bool) -> int:
    """Print what a plan would have to import, which is not done; return the exit code."""
    print_plan({"outside": list(outside)}, as_json)
    say("note: nothing more is planned, because that would run these Python files")
    say("hint: read them, then give --trust")
    return 0


def print_reading_plan(files: Sequence[Path], as_json: bool, **more: Any) -> int:
    """Print which files a verb would read."""
    from recombine.errors import DataError

    sizes = {}
    for path in files:
        inside = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        if not inside:
            raise DataError(f"no such file: {path}")
        sizes[str(path)] = round(sum(file.stat().st_size for file in inside) / 1e6, 2)
    return print_plan({"input_megabytes": sizes, **more}, as_json)


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_in_words(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
