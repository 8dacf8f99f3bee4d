"""The examples people can look at in the page: drawn evenly, packed small, nothing hidden.

Every example that is left out is counted.  Hypotheses equal to the first reference are not stored
twice, and the whole is JSON, gzipped, in base64: the browser unpacks it itself.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.benchmark import Example
from recombine.report.model import Report
from recombine.report.observations import (
    Scores,
    read_details,
    read_scores,
    read_translations,
    show_tag,
)
from recombine.report.source import Seen

# Splits after the first one are there for orientation; they get a tenth of the room together.
SHARE_OF_OTHER_SPLITS = 0.1
LONGEST_TEXT = 4_000
MOST_DETAIL = 600
# Fields of a detail that are shown in another way, or say nothing to a reader.
UNTOLD = ("aligned", "findings")


@dataclass(frozen=True, slots=True)
class Packed:
    """The examples as one base64 text, with how many of how many are in it."""

    text: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class _Split:
    name: str
    examples: Mapping[str, Example]
    verdicts: Mapping[str, Mapping[str, float]]
    hypotheses: Mapping[str, Mapping[str, str]]


def pack_examples(report: Report, budget_bytes: int) -> Packed:
    """Choose and pack examples so that the text stays within the budget."""
    splits = [_read_split(report, name) for name in report.splits]
    splits = [one for one in splits if any(one.hypotheses.values())]
    total = sum(len(_covered(one)) for one in splits)
    if not splits:
        return Packed("", 0, 0)
    wanted = report.options.examples
    while True:
        chosen = _choose(report, splits, wanted)
        text = _pack(report, splits, chosen)
        shown = sum(len(ids) for ids in chosen)
        if len(text) <= budget_bytes or wanted <= 50:
            return Packed(text, shown, total)
        # Size grows a little slower than the count; 0.95 saves most second tries.
        wanted = max(50, int(shown * 0.95 * budget_bytes / len(text)))


def _read_split(report: Report, split: str) -> _Split:
    examples = report.source.examples(split)
    hypotheses: dict[str, dict[str, str]] = {}
    for cell in report.source.cells:
        name = report.source.names[cell.path]
        if name not in hypotheses:
            found = read_translations(cell, split)
            if found:
                hypotheses[name] = found
    metric = next(sheet.metric for sheet in report.sheets if sheet.split == split)
    verdicts: dict[str, Mapping[str, float]] = {}
    for one in _files(report, split, metric):
        if one.system not in verdicts:
            verdicts[one.system] = _seen(report, one).values
    return _Split(split, examples, verdicts, hypotheses)


def _seen(report: Report, one: Scores) -> Seen:
    if one.path not in report.source.seen:
        report.source.seen[one.path] = read_scores(one.path).seen()
    return report.source.seen[one.path]


def _files(report: Report, split: str, metric: str | None = None) -> list[Scores]:
    return [
        one
        for one in report.source.scores
        if one.split == split
        and one.checkpoint is None
        and (metric is None or one.metric == metric)
    ]


def _covered(split: _Split) -> list[str]:
    return [name for name in split.examples if any(name in h for h in split.hypotheses.values())]


def _choose(report: Report, splits: Sequence[_Split], wanted: int) -> list[list[str]]:
    """Ids per split: even over the first tag, interesting ones first, order of the file kept."""
    shares = [1.0]
    if len(splits) > 1:
        other = SHARE_OF_OTHER_SPLITS / (len(splits) - 1)
        shares = [1 - SHARE_OF_OTHER_SPLITS, *([other] * (len(splits) - 1))]
    return [
        _choose_in(report, split, max(20, int(wanted * share)))
        for split, share in zip(splits, shares, strict=True)
    ]


def _choose_in(report: Report, split: _Split, wanted: int) -> list[str]:
    covered = _covered(split)
    if len(covered) <= wanted:
        return covered
    generator = np.random.default_rng(np.random.SeedSequence([report.options.seed, len(covered)]))
    strata: dict[str, list[str]] = {}
    for name in covered:
        tags = split.examples[name].tags
        strata.setdefault(show_tag(next(iter(tags.values()), "")), []).append(name)
    chosen: set[str] = set()
    remaining = wanted
    # Small strata first, so that what they do not use goes to the large ones.
    for position, members in enumerate(sorted(strata.values(), key=len)):
        quota = remaining // (len(strata) - position)
        taken = _most_telling(split, members, quota, generator)
        chosen.update(taken)
        remaining -= len(taken)
    return [name for name in covered if name in chosen]


def _most_telling(
    split: _Split, members: Sequence[str], quota: int, generator: np.random.Generator
) -> list[str]:
    """Disagreements and errors take three quarters of the room, a plain sample the rest."""
    if len(members) <= quota:
        return list(members)
    order = [members[index] for index in generator.permutation(len(members))]

    def telling(name: str) -> int:
        seen = {verdicts[name] for verdicts in split.verdicts.values() if name in verdicts}
        return 0 if len(seen) > 1 else 1 if any(value < 1 for value in seen) else 2

    plain = order[: quota // 4]
    rest = sorted(order[quota // 4 :], key=telling)
    return plain + rest[: quota - len(plain)]


def _pack(report: Report, splits: Sequence[_Split], chosen: Sequence[Sequence[str]]) -> str:
    rows = [
        (split, split.examples[name])
        for split, names in zip(splits, chosen, strict=True)
        for name in names
    ]
    systems = list(report.systems)
    payload: dict[str, Any] = {
        "systems": systems,
        "id": [example.id for _, example in rows],
        "source": [_clip(example.source) for _, example in rows],
        "references": [[_clip(one) for one in example.references[:3]] for _, example in rows],
        "focus": [
            [[one.text, one.role, list(one.accepted[:6])] for one in example.focus]
            for _, example in rows
        ],
        "tags": _tag_table(rows),
        "hypotheses": [
            [_hypothesis(split, system, example) for split, example in rows] for system in systems
        ],
    }
    payload["aligned"] = [None] * len(rows)
    payload["verdicts"] = _verdicts(report, splits, rows, payload["aligned"])
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    # A fixed time stamp keeps the same report the same bytes.
    return base64.b64encode(gzip.compress(data, 7, mtime=0)).decode("ascii")


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " […]"


def _hypothesis(split: _Split, system: str, example: Example) -> str | int | None:
    """The hypothesis; 0 when it is the first reference; None when there is none."""
    found = split.hypotheses.get(system, {}).get(example.id)
    if found is None:
        return None
    return 0 if example.references and found == example.references[0] else _clip(found)


def _tag_table(rows: Sequence[tuple[_Split, Example]]) -> dict[str, dict[str, list[Any]]]:
    """Tags as value lists with codes (-1 = none); the split is a tag too."""
    names = dict.fromkeys(name for _, example in rows for name in example.tags)
    table: dict[str, dict[str, list[Any]]] = {}
    for name in ("split", *names):
        values: dict[str, int] = {}
        codes = []
        for split, example in rows:
            raw = split.name if name == "split" else example.tags.get(name)
            if raw is None:
                codes.append(-1)
            else:
                codes.append(values.setdefault(show_tag(raw), len(values)))
        table[name] = {"values": list(values), "codes": codes}
    return table


def _verdicts(
    report: Report,
    splits: Sequence[_Split],
    rows: Sequence[tuple[_Split, Example]],
    aligned: list[list[list[str]] | None],
) -> list[dict[str, Any]]:
    """Per metric: values and explanations, [system][example], of the first seed of each system.

    Fills in the aligned constituents that a metric (anatomy) has found on the way.
    """
    position = {(split.name, example.id): index for index, (split, example) in enumerate(rows)}
    metrics = dict.fromkeys(sheet.metric for sheet in report.sheets)
    found = []
    for metric in metrics:
        values: list[list[float | None]] = []
        reasons: list[dict[str, str]] = []
        for system in report.systems:
            column: list[float | None] = [None] * len(rows)
            why: dict[str, str] = {}
            for split in splits:
                _fill(report, split, metric, system, position, column, why, aligned)
            values.append(column)
            reasons.append(why)
        found.append({"metric": metric, "values": values, "why": reasons})
    return found


def _fill(
    report: Report,
    split: _Split,
    metric: str,
    system: str,
    position: Mapping[tuple[str, str], int],
    column: list[float | None],
    why: dict[str, str],
    aligned: list[list[list[str]] | None],
) -> None:
    files = [one for one in _files(report, split.name, metric) if one.system == system]
    if not files:
        return
    wanted = {name for where, name in position if where == split.name}
    seen = _seen(report, files[0])
    for name in wanted:
        value = seen.values.get(name)
        if value is not None:
            column[position[split.name, name]] = (
                int(value) if value.is_integer() else round(value, 3)
            )
    if not seen.explained:
        return
    for name, row in read_details(files[0].path, wanted).items():
        index = position[split.name, name]
        if "aligned" in row["detail"]:
            aligned[index] = row["detail"]["aligned"]
        text = explain(row["detail"])
        if text:
            why[str(index)] = text


def explain(detail: Mapping[str, Any]) -> str:
    """A verdict's detail in words: the metric's own sentence if it has one, else its fields."""
    for name in ("explanation", "reason", "why"):
        if isinstance(detail.get(name), str):
            head = str(detail.get("class", ""))
            text = str(detail[name])
            return (
                f"{head}: {text}"[:MOST_DETAIL] if head and head not in text else text[:MOST_DETAIL]
            )
    if set(detail) <= {"class", *UNTOLD}:
        kind = str(detail.get("class", ""))
        return "" if kind == "right" else kind
    parts = []
    for name, value in detail.items():
        if name in UNTOLD:
            continue
        if isinstance(value, (str, int, float, bool)):
            parts.append(f"{name} {value}")
        elif isinstance(value, (list, tuple)) and value:
            parts.append(f"{name} " + ", ".join(_short(one) for one in value))
        elif isinstance(value, Mapping) and value:
            parts.append(f"{name} " + ", ".join(f"{k} {_short(v)}" for k, v in value.items()))
    return "; ".join(parts)[:MOST_DETAIL]


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
