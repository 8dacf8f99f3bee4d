"""Hypotheses: read a system's output from anywhere and match it with a benchmark's examples."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.errors import ConfigError, DataError, Where
from recombine.files import parse_json, read_lines, read_standard_input

STDIN = Path("-")
# The parts of a document's id at WMT, and what its collectors write for a translation they lack.
WMT_SEPARATOR = "_###_"
WMT_FAILED = "FAILED"
MOST_OF_WMT = 2_000_000


def read_hypotheses(
    path: Path, benchmark: Benchmark, split: str | None = None
) -> tuple[dict[str, str], list[str]]:
    """Return id -> hypothesis, and notes a person should read.

    Plain lines follow the order of a split (gen or test unless one is named) and must match its
    length. JSON lines carry ids, or are as at WMT ("doc_id", "hypothesis"), and may cover a part
    of any splits; with a split named only its rows are taken. The input, which may be `-` or a
    pipe, is read once.
    """
    if split is not None and split not in benchmark.splits:
        raise ConfigError(
            f"benchmark {benchmark.manifest.name} has no split '{split}'",
            hint=f"it has: {', '.join(benchmark.splits)}",
        )
    numbered = read_standard_input() if path == STDIN else read_lines(path)
    first = [line for _, line in islice(numbered, 1)]
    sizes = benchmark.manifest.splits
    structured = bool(first) and _as_row(first[0]) is not None
    if split is None and not structured:
        split = next((name for name in ("gen", "test") if name in sizes), [*sizes][-1])
    # What is longer than it can be is not read to its end: it may be another file, or endless.
    most = sum(sizes.values()) if structured or split is None else sizes[split]
    if structured and "doc_id" in (_as_row(first[0]) or {}):
        most = MOST_OF_WMT  # a submission has the rows of all suites
    lines = first + [line for _, line in islice(numbered, most)]
    if structured:
        return _match_rows(path, lines, benchmark, split)
    assert split is not None
    return _match_order(path, lines, benchmark, split)


def _as_row(line: str) -> dict[str, Any] | None:
    """The JSON object that a line is, or None."""
    try:
        row = parse_json(line) if line.lstrip().startswith("{") else None
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _match_order(
    path: Path, lines: Sequence[str], benchmark: Benchmark, split: str
) -> tuple[dict[str, str], list[str]]:
    examples = benchmark.read(split)
    _refuse_structured(path, lines, examples)
    if len(lines) != len(examples):
        more = len(lines) > len(examples)
        at = min(len(lines), len(examples))
        shown = lines[at] if more else examples[at].source
        count = f"more than {len(lines) - 1}" if more else f"{len(lines)}"
        raise DataError(
            f"{count} lines, but split '{split}' has {len(examples)} examples; "
            f"the first {'line too many' if more else 'example without a line'}: {shown!r}",
            Where(str(path), at + 1),
            hint="plain lines follow the split's order; JSON lines with ids may cover a part",
        )
    hypotheses = {example.id: line for example, line in zip(examples, lines, strict=True)}
    return hypotheses, _blank_note(hypotheses)


def _refuse_structured(path: Path, lines: Sequence[str], examples: Sequence[Example]) -> None:
    """Raise where every line is more than a translation: its syntax would be scored as words."""
    filled = [line.strip() for line in lines if line.strip()]
    texts = [text for example in examples for text in example.references or (example.source,)]
    structure = "JSON" if _is_json("\n".join(lines)) else ""
    for begin, end, name in (
        ("{", "}", "a JSON object"),
        ("[", "]", "a JSON array"),
        ('"', '"', "a quoted text"),
    ):
        if filled and all(
            len(line) > 1 and line[0] == begin and line[-1] == end for line in filled
        ):
            structure = structure or name
        if structure == name and any(text[0] == begin and text[-1] == end for text in texts):
            structure = ""  # the language of this split is written like this
    if filled and all("\t" in line for line in lines if line.strip()):
        structure = "a row of columns"  # no reference holds a tab
    if structure:
        raise DataError(
            f"every line looks like {structure}, not like a translation",
            Where(str(path), 1),
            hint='give plain lines, or JSON lines {"id": ..., "hyp": ...}, one object a line',
        )


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def _match_rows(
    path: Path, lines: Sequence[str], benchmark: Benchmark, split: str | None
) -> tuple[dict[str, str], list[str]]:
    split_of = {
        example.id: name for name in benchmark.splits for example in benchmark.iterate(name)
    }
    texts: dict[str, str] = {}
    others = lost = 0
    for number, line in enumerate(lines, start=1):
        where = Where(str(path), number)
        row = _as_row(line)
        if row is not None and "doc_id" in row:
            suite, _, rest = str(row["doc_id"]).partition(WMT_SEPARATOR)
            if suite != benchmark.manifest.name:
                others += 1
                continue
            if row.get("hypothesis") == WMT_FAILED:
                lost += 1
                continue
            row = {"id": rest.rpartition(WMT_SEPARATOR)[2], "hyp": row.get("hypothesis")}
        identity, hypothesis = (row or {}).get("id"), (row or {}).get("hyp")
        if not isinstance(identity, str) or not isinstance(hypothesis, str):
            raise DataError(
                'a row needs the texts "id" and "hyp"',
                where,
                hint=f"it has: {', '.join(row)}" if row else "the first line is a JSON object",
            )
        if identity not in split_of:
            close = difflib.get_close_matches(identity, split_of, n=1)
            raise DataError(
                f"unknown id '{identity}': benchmark {benchmark.manifest.name} has no such example",
                where,
                hint=f"did you mean '{close[0]}'?" if close else "is it the right benchmark?",
            )
        if identity in texts:
            raise DataError(f"duplicate id '{identity}'", where)
        texts[identity] = hypothesis
    if not texts:
        raise DataError(
            f"no row is of {benchmark.manifest.name}",
            Where(str(path)),
            hint=f"{others} are of other test suites, {lost} failed",
        )
    chosen = {
        identity: text for identity, text in texts.items() if split in (None, split_of[identity])
    }
    covered = Counter(split_of[identity] for identity in chosen)
    if not chosen:
        there = ", ".join(dict.fromkeys(split_of[identity] for identity in texts))
        raise DataError(
            f"no row is of split '{split}'", Where(str(path)), hint=f"there are rows of: {there}"
        )
    notes = _blank_note(chosen)
    if others:
        notes.append(f"{others} rows of other test suites are left out")
    if lost:
        notes.append(f"{lost} rows say {WMT_FAILED}: no translation")
    if len(chosen) < len(texts):
        notes.append(f"{len(texts) - len(chosen)} rows of other splits are not scored")
    notes += [
        f"{size - count} of {size} examples of split '{name}' have no hypothesis"
        for name, count in covered.items()
        if count < (size := benchmark.manifest.splits[name])
    ]
    return chosen, notes


def _blank_note(texts: dict[str, str]) -> list[str]:
    blank = sum(1 for hypothesis in texts.values() if not hypothesis.strip())
    return [f"{blank} hypotheses are blank; they count as wrong"] if blank else []
