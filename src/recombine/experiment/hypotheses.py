"""Hypotheses: read a system's output from anywhere and match it with a benchmark's examples."""

from __future__ import annotations

import difflib
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.errors import DataError, Where
from recombine.files import read_jsonl, read_lines


def read_hypotheses(
    path: Path, benchmark: Benchmark, split: str
) -> tuple[dict[str, str], list[str]]:
    """Return id -> hypothesis, and notes a person should read.

    Plain lines follow the split's order and must match its length. JSON lines carry ids and may
    cover a subset of any splits.
    """
    first = next((line for _, line in read_lines(path)), "")
    if first.startswith("{") and '"id"' in first:
        return _read_rows(path, benchmark)
    return _read_plain(path, benchmark, split)


def _read_plain(path: Path, benchmark: Benchmark, split: str) -> tuple[dict[str, str], list[str]]:
    examples = benchmark.read(split)
    lines = [line for _, line in read_lines(path)]
    if len(lines) != len(examples):
        more = len(lines) > len(examples)
        at = min(len(lines), len(examples))
        shown = lines[at] if more else examples[at].source
        raise DataError(
            f"{len(lines)} lines, but split '{split}' has {len(examples)} examples; "
            f"the first {'line too many' if more else 'example without a line'}: {shown!r}",
            Where(str(path), at + 1),
            hint="plain lines follow the split's order; JSON lines with ids may cover a subset",
        )
    found = {example.id: line for example, line in zip(examples, lines, strict=True)}
    return found, _blank_note(found)


def _read_rows(path: Path, benchmark: Benchmark) -> tuple[dict[str, str], list[str]]:
    known = {example.id: name for name in benchmark.splits for example in benchmark.iterate(name)}
    found: dict[str, str] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        where = Where(str(path), number)
        identity, hypothesis = row.get("id"), row.get("hyp")
        if not isinstance(identity, str) or not isinstance(hypothesis, str):
            raise DataError('a row needs the texts "id" and "hyp"', where)
        if identity not in known:
            close = difflib.get_close_matches(identity, known, n=1)
            raise DataError(
                f"unknown id '{identity}': benchmark {benchmark.manifest.name} has no such example",
                where,
                hint=f"did you mean '{close[0]}'?" if close else "is it the right benchmark?",
            )
        if identity in found:
            raise DataError(f"duplicate id '{identity}'", where)
        found[identity] = hypothesis
    notes = _blank_note(found)
    for name in dict.fromkeys(known[identity] for identity in found):
        size = benchmark.manifest.splits[name]
        covered = sum(1 for identity in found if known[identity] == name)
        if covered < size:
            notes.append(f"{covered} of {size} examples of split '{name}' are covered and scored")
    return found, notes


def _blank_note(found: dict[str, str]) -> list[str]:
    blank = sum(1 for hypothesis in found.values() if not hypothesis.strip())
    return [f"{blank} hypotheses are blank; they count as wrong"] if blank else []
