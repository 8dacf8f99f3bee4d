"""Tables as Markdown, LaTeX (booktabs) and CSV from one description."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recombine.files import write_text

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; numbers stay numbers until a format renders them."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    # Rows before which a rule is drawn, and decimals of the numbers.
    rules: frozenset[int] = field(default_factory=frozenset)
    decimals: int = 1


def show(value: Cell, decimals: int = 1) -> str:
    """A cell as text: fixed decimals for numbers, a dash for what does not exist."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    if isinstance(value, int):
        return f"{value:,}"
    return value


def markdown(table: Table) -> str:
    """The table as GitHub Markdown, padded so that the source is readable too."""
    texts = [[_markdown_cell(show(cell, table.decimals)) for cell in row] for row in table.rows]
    head = [_markdown_cell(name) for name in table.columns]
    numeric = [is_numeric(table, index) for index in range(len(head))]
    widths = [
        max([_width(head[index]), 3, *(_width(row[index]) for row in texts)])
        for index in range(len(head))
    ]
    lines = [f"**{_markdown_cell(table.title)}**", ""]
    lines.append(_markdown_row(head, widths, numeric))
    lines.append(
        "| "
        + " | ".join(
            "-" * (width - 1) + ":" if right else "-" * width
            for width, right in zip(widths, numeric, strict=True)
        )
        + " |"
    )
    lines.extend(_markdown_row(row, widths, numeric) for row in texts)
    if table.notes:
        lines.append("")
        lines.extend(f"{note}  " for note in table.notes)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_cell(text: str) -> str:
    for character in "\\|<>*_`[]":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())


def _markdown_row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        " " * (width - _width(cell)) + cell if flush else cell + " " * (width - _width(cell))
        for cell, width, flush in zip(cells, widths, right, strict=True)
    ]
    return "| " + " | ".join(padded) + " |"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def is_numeric(table: Table, index: int) -> bool:
    """Whether a column holds numbers, a range among them at most."""
    cells = [row[index] for row in table.rows if row[index] is not None]
    texts = [cell for cell in cells if isinstance(cell, str)]
    return len(texts) < len(cells) and all(text[:1].isdigit() for text in texts)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "→": r"$\rightarrow$", "–": "--", "±": r"$\pm$", "×": r"$\times$", "−": "$-$", "Δ": r"$\Delta$",
    "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex_text(text: str) -> str:
    """Text with everything escaped that LaTeX would read as a command."""
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def latex(table: Table) -> str:
    """The table for a paper: needs the booktabs package."""
    columns = "".join("r" if is_numeric(table, i) else "l" for i in range(len(table.columns)))
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(latex_text(name) for name in table.columns) + r" \\",
        r"    \midrule",
    ]
    for number, row in enumerate(table.rows):
        if number in table.rules and number > 0:
            lines.append(r"    \midrule")
        cells = " & ".join(latex_text(show(cell, table.decimals)) for cell in row)
        lines.append(f"    {cells} " + r"\\")
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    caption = " ".join([table.title.rstrip(".") + ".", *table.notes])
    lines += [rf"  \caption{{{latex_text(caption)}}}", rf"  \label{{tab:{table.name}}}"]
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def comma_separated(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV with a header, line feeds only, and full precision."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return buffer.getvalue()


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write NAME.md, NAME.tex and NAME.csv."""
    paths = [folder / f"{table.name}.{suffix}" for suffix in ("md", "tex", "csv")]
    write_text(paths[0], markdown(table))
    write_text(paths[1], latex(table))
    write_text(paths[2], comma_separated(table.columns, table.rows))
    return paths
