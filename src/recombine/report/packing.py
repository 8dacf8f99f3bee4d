"""Examples as one small text for the page: every seed's translation and verdict, nothing twice.

The whole is JSON, gzipped, in base64; the browser unpacks it itself.  A voice is a system with a
seed.  Voices often say the same, so each example holds its different translations and explanations
once and the voices refer to them.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recombine.benchmark import Example
from recombine.report.model import Report
from recombine.report.observations import read_details, read_translations, show_tag

LONGEST_TEXT = 4_000
MOST_DETAIL = 600
# Fields of a detail that are shown in another way, or say nothing to a reader.
UNTOLD = ("aligned", "findings", "window")
# Fields whose values say more in a phrase than beside their name.
NAMELESS = {
    "class": "{}",
    "how": "judged by: {}",
    "width": "{} words differ",
    "allowed": "{} may",
}

Place = tuple[str, str]  # split and example id


class Judged(NamedTuple):
    """What a metric found of one translation."""

    value: float
    explanation: str


@dataclass(slots=True)
class Gathered:
    """What every voice said of the examples chosen, and what every metric found of it."""

    voices: list[tuple[str, int]]
    said: list[dict[Place, str]]
    judged: dict[str, list[dict[Place, Judged]]]
    aligned: dict[Place, Any] = field(default_factory=dict)


def gather(report: Report, wanted: Mapping[str, Sequence[str]]) -> Gathered:
    """Read translations and verdicts of these examples, one file at a time."""
    source = report.source
    names = {name: set(ids) for name, ids in wanted.items()}
    order = {name: place for place, name in enumerate(report.systems)}
    cells = sorted(
        (cell for cell in source.cells if source.names[cell.path] in order),
        key=lambda cell: (order[source.names[cell.path]], cell.seed),
    )
    voices = [(source.names[cell.path], cell.seed) for cell in cells]
    found = Gathered(voices, [], {})
    for cell in cells:
        said: dict[Place, str] = {}
        for split, ids in names.items():
            texts = read_translations(cell, split)
            said.update(((split, one), texts[one]) for one in ids if one in texts)
        found.said.append(said)
    for metric in dict.fromkeys(sheet.metric for sheet in report.sheets):
        columns: list[dict[Place, Judged]] = [{} for _ in voices]
        found.judged[metric] = columns
        for split, ids in names.items():
            for one in source.files(metric, split):
                column = columns[voices.index((one.system, one.seed))]
                for name, row in read_details(one.path, ids).items():
                    detail = row["detail"]
                    if "aligned" in detail:
                        found.aligned[split, name] = detail["aligned"]
                    column[split, name] = Judged(float(row["value"]), explain(detail))
    return found


def pack(report: Report, gathered: Gathered, chosen: Mapping[str, Sequence[str]]) -> str:
    """The chosen examples as text."""
    rows = [
        ((split, name), report.source.examples(split)[name])
        for split, names in chosen.items()
        for name in names
    ]
    texts: list[list[str]] = [[] for _ in rows]
    payload: dict[str, Any] = {
        "systems": list(report.systems),
        "voices": [[report.systems.index(name), seed] for name, seed in gathered.voices],
        "id": [example.id for _, example in rows],
        "source": [_clip(example.source) for _, example in rows],
        "references": [[_clip(one) for one in example.references[:3]] for _, example in rows],
        "focus": [
            [[one.text, one.role, list(one.accepted[:6])] for one in example.focus]
            for _, example in rows
        ],
        "tags": _tag_table(rows),
        "said": [
            [
                _code(said.get(place), example, texts[number])
                for number, (place, example) in enumerate(rows)
            ]
            for said in gathered.said
        ],
        "texts": texts,
        "aligned": [gathered.aligned.get(place) for place, _ in rows],
        "verdicts": [
            {"metric": metric, "right": _right(report, metric), **_verdicts(columns, rows)}
            for metric, columns in gathered.judged.items()
        ],
    }
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    # A fixed time stamp keeps the same report the same bytes.
    return base64.b64encode(gzip.compress(data, 7, mtime=0)).decode("ascii")


def _right(report: Report, metric: str) -> float:
    return next(sheet.right_value for sheet in report.sheets if sheet.metric == metric)


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " […]"


def _code(said: str | None, example: Example, texts: list[str]) -> int:
    """-1: nothing; 0: the first reference; n: the n-th of the other texts said of this example."""
    if said is None:
        return -1
    if example.references and said == example.references[0]:
        return 0
    text = _clip(said)
    if text not in texts:
        texts.append(text)
    return texts.index(text) + 1


def _tag_table(rows: Sequence[tuple[Place, Example]]) -> dict[str, dict[str, list[Any]]]:
    """Tags as value lists with codes (-1 = none); the split is a tag too."""
    names = dict.fromkeys(name for _, example in rows for name in example.tags)
    table: dict[str, dict[str, list[Any]]] = {}
    for name in ("split", *names):
        values: dict[str, int] = {}
        codes = []
        for (split, _), example in rows:
            raw = split if name == "split" else example.tags.get(name)
            if raw is None:
                codes.append(-1)
            else:
                codes.append(values.setdefault(show_tag(raw), len(values)))
        table[name] = {"values": list(values), "codes": codes}
    return table


def _verdicts(
    columns: Sequence[Mapping[Place, Judged]], rows: Sequence[tuple[Place, Example]]
) -> dict[str, Any]:
    """Values [voice][example], and explanations of an example with the voices they are about."""
    values: list[list[float | None]] = [[None] * len(rows) for _ in columns]
    reasons: dict[str, list[list[Any]]] = {}
    for number, (place, _) in enumerate(rows):
        told: dict[str, list[int]] = {}
        for voice, column in enumerate(columns):
            found = column.get(place)
            if found is not None:
                values[voice][number] = _short_number(found.value)
                if found.explanation:
                    told.setdefault(found.explanation, []).append(voice)
        if told:
            reasons[str(number)] = [[text, voices] for text, voices in told.items()]
    return {"values": values, "why": reasons}


def _short_number(value: float) -> float:
    return int(value) if value.is_integer() else round(value, 1 if abs(value) > 1 else 3)


def explain(detail: Mapping[str, Any]) -> str:
    """A verdict's detail in words: the metric's own sentence if it has one, else its fields."""
    if not detail:
        return ""
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
        if name in NAMELESS and isinstance(value, (str, int)):
            parts.append(NAMELESS[name].format(value))
            continue
        if isinstance(value, (str, int, float, bool)):
            parts.append(f"{name} {value}")
        elif isinstance(value, (list, tuple)) and value:
            parts.append(f"{name} " + ", ".join(_counted(map(_short, value))))
        elif isinstance(value, Mapping) and value:
            parts.append(f"{name} " + ", ".join(f"{k} {_short(v)}" for k, v in value.items()))
    return "; ".join(parts)[:MOST_DETAIL]


def _short(value: Any) -> str:
    if isinstance(value, Mapping):  # ids say nothing to a reader
        return " ".join(_short(one) for name, one in value.items() if name != "id")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _counted(texts: Iterable[str]) -> list[str]:
    """Each text once, with how often it was said if more than once."""
    times = Counter(texts)
    return [text if count == 1 else f"{count} × {text}" for text, count in times.items()]
