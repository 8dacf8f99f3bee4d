"""One table, written as Markdown, LaTeX (booktabs), CSV and HTML."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recombine.files import inert_cell, write_text
from recombine.registry import require
from recombine.statistics.intervals import Estimate
from recombine.templates import render

if TYPE_CHECKING:
    from markupsafe import Markup

UP_TO = "up to"
UNDECIDED = (
    "Where two numbers are given, the metric could not judge all sentences: the second counts "
    "those, too, and the truth lies between."
)


Cell = str | float | int | Estimate | None
PAPER = "(paper)"


class Column(str):
    """The name of a column of one system's numbers, which knows the system and the measure."""

    system: str
    measure: str
    # Whether the numbers are printed in a paper.
    published: bool

    def __new__(
        cls, system: str, measure: str = "", *, text: str = "", published: bool = False
    ) -> Column:
        """A column that is called `text`, or by what it knows."""
        parts = (system, measure, PAPER if published else "")
        column = super().__new__(cls, text or " ".join(filter(None, parts)))
        column.system, column.measure, column.published = system, measure, published
        return column


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
    # Columns with decimals of their own.
    places: Mapping[str, int] = field(default_factory=dict)
    # What names for programs are called in front of people; CSV keeps the names.
    labels: Mapping[str, str] = field(default_factory=dict)
    # For a paper: heads above heads as (text, columns) with what columns are called below them, and
    # the cells that are best of their row or cannot be told from the best.
    heads: tuple[tuple[str, int], ...] = ()
    below: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    tied: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    # Columns in which less is better.
    lower: frozenset[str] = field(default_factory=frozenset)

    def text(self, row: int, place: int) -> str:
        """A cell as text."""
        return show(self.rows[row][place], self.digits(place))

    def digits(self, place: int) -> int:
        """How many decimals the numbers of a column have."""
        return self.places.get(self.columns[place], self.decimals)

    def to_pandas(self) -> Any:
        """The table as a data frame; an interval has two columns more."""
        pandas = require("pandas", extra="report", feature="to_pandas")
        columns, rows = flat(self.columns, self.rows)
        return pandas.DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        return plain(self)

    def _repr_html_(self) -> str:
        return html(self)


def with_upper(
    columns: tuple[str, ...], rows: list[tuple[Cell, ...]], scores: Sequence[Estimate]
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """A column more, for how high scores may be, where a metric could not judge everything."""
    if all(len(score.possible) == 1 for score in scores):
        return columns, rows
    ends = (None if len(score.possible) == 1 else score.upper_if_unjudged for score in scores)
    return (*columns, UP_TO), [(*row, end) for row, end in zip(rows, ends, strict=True)]


def show(value: Cell, decimals: int = 1) -> str:
    """A cell as text: fixed decimals for numbers, a dash for what does not exist."""
    if isinstance(value, Estimate):
        if math.isnan(value.value):
            return show(value.value)
        number, low, high = (
            value.in_digits(decimals),
            *(show(end, decimals) for end in (value.low, value.high)),
        )
        return f"{number} (–)" if math.isnan(value.low) else f"{number} ({low} to {high})"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    if isinstance(value, int):
        return f"{value:,}"
    return value


def _notes(table: Table) -> tuple[str, ...]:
    """The notes of a table, and what it means that a cell has two numbers."""
    cells = (cell for row in table.rows for cell in row if isinstance(cell, Estimate))
    open_ended = any(len(cell.possible) > 1 for cell in cells)
    return (*table.notes, UNDECIDED) if open_ended else table.notes


def show_p(p: float) -> str:
    """A p-value as text; none is zero, and where there is no verdict there is none."""
    if math.isnan(p):
        return "–"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def plain(table: Table) -> str:
    """The table for a terminal."""
    wide = range(len(table.columns))
    texts = [[table.text(number, place) for place in wide] for number in range(len(table.rows))]
    numeric = [is_numeric(table, place) for place in range(len(table.columns))]
    lines = [table.columns, *texts]
    widths = [max(_width(line[place]) for line in lines) for place in range(len(table.columns))]
    body = ["  ".join(_padded(line, widths, numeric)).rstrip() for line in lines]
    return "\n".join([table.title, "", *body, *_notes(table)])


def markdown(table: Table) -> str:
    """The table as GitHub Markdown, padded so that the source is readable too."""
    texts = [
        [_markdown_cell(_label(table, table.text(number, place))) for place in range(len(row))]
        for number, row in enumerate(table.rows)
    ]
    head = [_markdown_cell(_label(table, name)) for name in table.columns]
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
    notes = _notes(table)
    if notes:
        lines.append("")
        lines.extend(f"{note.replace('<', '&lt;')}  " for note in notes)
    return "\n".join(lines).rstrip() + "\n"


def _label(table: Table, text: str) -> str:
    return table.labels.get(text, text)


def _markdown_cell(text: str) -> str:
    for character in "\\|<>*_`[]":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())


def _markdown_row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return "| " + " | ".join(_padded(cells, widths, right)) + " |"


def _padded(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    return [
        " " * (width - _width(cell)) + cell if flush else cell + " " * (width - _width(cell))
        for cell, width, flush in zip(cells, widths, right, strict=True)
    ]


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
    """The table for a paper: needs the booktabs package; notes are comments, for its author."""
    columns = "".join("r" if is_numeric(table, i) else "l" for i in range(len(table.columns)))
    lines = [
        *(f"% {' '.join(note.split())}" for note in _notes(table)),
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        *_grouped_heads(table),
        "    " + " & ".join(map(latex_text, _heads_below(table))) + r" \\",
        r"    \midrule",
    ]
    for number, row in enumerate(table.rows):
        if number in table.rules and number > 0:
            lines.append(r"    \midrule")
        cells = " & ".join(_latex_cell(table, number, place) for place in range(len(row)))
        lines.append(f"    {cells} " + r"\\")
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    caption = [latex_text(table.title.rstrip(".") + ".")]
    if table.best:
        caption.append("Bold: best system.")
    if table.tied:
        caption.append(
            r"$\dagger$: not distinguishable from the best (paired test, Holm, $p \geq .05$)."
        )
    lines += [rf"  \caption{{{' '.join(caption)}}}", rf"  \label{{tab:{table.name}}}"]
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def _heads_below(table: Table) -> list[str]:
    return [table.below.get(name) or _label(table, name) for name in table.columns]


def _grouped_heads(table: Table) -> list[str]:
    """A row of heads above several columns each, with rules under those that say something."""
    if not table.heads:
        return []
    cells, rules, place = [], [], 1
    for text, width in table.heads:
        cells.append(
            rf"\multicolumn{{{width}}}{{c}}{{{latex_text(_label(table, text))}}}"
            if text
            else "&" * (width - 1)
        )
        if text:
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return ["    " + " & ".join(cells) + r" \\", "    " + " ".join(rules)]


def _latex_cell(table: Table, number: int, place: int) -> str:
    cell = table.rows[number][place]
    after = r"$^{\dagger}$" if (number, place) in table.tied else ""
    if isinstance(cell, Estimate) and not math.isnan(cell.value):
        value = latex_text(cell.in_digits(table.digits(place)))
        low, high = (latex_text(show(end, table.digits(place))) for end in (cell.low, cell.high))
        if not math.isnan(cell.low):
            after += rf" {{\scriptsize [{low}, {high}]}}"
    else:
        value = latex_text(_label(table, table.text(number, place)))
    # A hyphen before a number is a minus; a dash alone says that there is none.
    if value.startswith("-") and value != "--" and isinstance(cell, float | int | Estimate):
        value = f"$-${value[1:]}"
    return (rf"\textbf{{{value}}}" if (number, place) in table.best else value) + after


def comma_separated(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV with a header, line feeds only, and full precision."""
    head, lines = flat(columns, rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([inert_cell(name) for name in head])
    for cells in lines:
        writer.writerow(["" if cell is None else inert_cell(cell) for cell in cells])
    return buffer.getvalue()


def flat(
    columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[list[str], list[list[object]]]:
    """Columns and rows of plain values; an interval has two columns more, and a number of which
    not all could be judged a third.
    """
    more: dict[int, tuple[str, ...]] = {}
    for row in rows:
        for place, cell in enumerate(row):
            if isinstance(cell, Estimate) and len(more.get(place, ())) < 3:
                ends = ("low", "high", UP_TO)[: 1 + len(cell.possible)]
                more[place] = max(more.get(place, ()), ends, key=len)
    head: list[str] = []
    for place, name in enumerate(columns):
        head += [name, *(f"{name} {end}" for end in more.get(place, ()))]
    lines = []
    for row in rows:
        cells: list[object] = []
        for place, cell in enumerate(row):
            width = 1 + len(more.get(place, ()))
            if isinstance(cell, Estimate):
                cells += [*cell.span, *cell.possible[1:], None][:width]
            else:
                cells += [cell, *[None] * (width - 1)]
        lines.append(cells)
    return head, lines


class CellStyle(NamedTuple):
    """How the page shows a cell: a class, a link, words on hover, HTML in place of the text."""

    css: str = ""
    link: str = ""
    title: str = ""
    html: Markup | None = None


@dataclass(frozen=True, slots=True)
class HtmlStyle:
    """What the page adds to a table and paper does not need.

    Looks of single cells by row and column and of heads by column; equal first cells in one;
    classes of the table.
    """

    cells: Mapping[tuple[int, int], CellStyle] = field(default_factory=dict)
    heads: Mapping[int, Markup | str] = field(default_factory=dict)
    merged: bool = False
    css: str = "plain"
    titled: bool = True


class HtmlCell(NamedTuple):
    """A cell as its template writes it; `below` is an interval, `span` of so many rows."""

    text: Markup | str
    below: str = ""
    css: str = ""
    link: str = ""
    title: str = ""
    is_head: bool = False
    span: int = 0


class HtmlRow(NamedTuple):
    """A row of cells, with a rule above it or without."""

    cells: Sequence[HtmlCell]
    rule: bool


def html(table: Table | None, style: HtmlStyle | None = None) -> Markup:
    """A table with its title and notes; nothing where there is none."""
    from markupsafe import Markup

    if table is None:
        return Markup()
    style = style or HtmlStyle()
    right = ["num" if is_numeric(table, place) else "" for place in range(len(table.columns))]
    heads = [
        HtmlCell(style.heads.get(place, _label(table, name)), css=right[place])
        for place, name in enumerate(table.columns)
    ]
    return render(
        "table",
        title=table.title,
        titled=style.titled,
        css=style.css,
        heads=heads,
        rows=[_html_row(table, number, right, style) for number in range(len(table.rows))],
        notes=_notes(table),
    )


def _html_row(table: Table, number: int, right: Sequence[str], style: HtmlStyle) -> HtmlRow:
    cells = []
    for place, cell in enumerate(table.rows[number]):
        cell_style = style.cells.get((number, place), CellStyle())
        named = _label(table, cell) if isinstance(cell, str) else cell
        text: Markup | str
        text, below = _html_text(named, table.digits(place))
        if cell_style.html is not None:
            text, below = cell_style.html, ""
        css = " ".join(filter(None, (right[place], cell_style.css)))
        shown = HtmlCell(text, below, css, cell_style.link, cell_style.title)
        if place == 0 and style.merged:
            span = _span(table, number)
            if span:
                cells.append(shown._replace(span=span))
        else:
            cells.append(shown._replace(is_head=place == int(style.merged)))
    return HtmlRow(cells, number in table.rules and number > 0)


def _span(table: Table, number: int) -> int:
    """How many rows from here on begin with the same cell; 0 inside such a group."""
    first = table.rows[number][0]
    if number > 0 and table.rows[number - 1][0] == first:
        return 0
    span = 1
    while number + span < len(table.rows) and table.rows[number + span][0] == first:
        span += 1
    return span


def _html_text(cell: Cell, decimals: int) -> tuple[str, str]:
    """A cell's text with true minus signs, and the interval that stands below it, in small."""
    if isinstance(cell, Estimate) and not math.isnan(cell.value):
        number = cell.in_digits(decimals).replace("-", "−")
        low, high = (show(end, decimals).replace("-", "−") for end in (cell.low, cell.high))
        if math.isnan(cell.low):
            return number, "–"
        return number, f"{low}{'–' if cell.low >= 0 else ' to '}{high}"
    text = show(cell, decimals)
    return (text.replace("-", "−") if isinstance(cell, float) else text), ""


def table_paths(table: Table, folder: Path) -> list[Path]:
    """Where `write_table` writes."""
    return [folder / f"{table.name}.{suffix}" for suffix in ("md", "tex", "csv")]


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write NAME.md, NAME.tex and NAME.csv."""
    paths = table_paths(table, folder)
    texts = (markdown(table), latex(table), comma_separated(table.columns, table.rows))
    for path, text in zip(paths, texts, strict=True):
        write_text(path, text)
    return paths
