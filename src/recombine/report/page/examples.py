"""The examples in the page, packed: every one that is left out is counted."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.benchmark import Example
from recombine.metrics.slices import show_tag
from recombine.report.examples import JudgedExample, choose, room
from recombine.report.findings import Findings


@dataclass(frozen=True, slots=True)
class PackedExamples:
    """The examples as one base64 text, with how many of how many are in it."""

    text: str
    shown: int
    total: int


def pack_examples(report: Findings, budget_bytes: int) -> PackedExamples:
    """Choose and pack examples so that the text stays within the budget."""
    source = report.source
    splits = {name: source.translated[name] for name in report.splits if name in source.translated}
    splits = {name: one for name, one in splits.items() if one.examples}
    total = sum(len(one.examples) for one in splits.values())
    if not splits:
        return PackedExamples("", 0, 0)
    wanted = report.options.examples
    pool: dict[str, Sequence[str]] = {name: list(source.kept[name]) for name in splits}
    gathered = gather(report, pool)
    while True:
        text = pack(report, gathered, pool)
        shown = sum(len(ids) for ids in pool.values())
        if len(text) <= budget_bytes or wanted <= 50:
            return PackedExamples(text, shown, total)
        # Size grows a little slower than the count; 0.95 saves most second tries.
        wanted = max(50, int(shown * 0.95 * budget_bytes / len(text)))
        rooms = room(list(splits), wanted)
        pool = {
            name: choose(split, pool[name], rooms[name], report.options.seed)
            for name, split in splits.items()
        }


LONGEST_TEXT = 4_000

Place = tuple[str, str]  # split and example id


@dataclass(slots=True)
class Gathered:
    """What every voice said of the examples chosen, and what every metric found of it."""

    voices: list[tuple[str, int]]
    said: list[dict[Place, str]]
    judged: dict[str, list[dict[Place, JudgedExample]]]
    aligned: dict[Place, Any] = field(default_factory=dict)


def gather(report: Findings, wanted: Mapping[str, Sequence[str]]) -> Gathered:
    """Put together what was kept of these examples when the files were read."""
    source = report.source
    order = {name: place for place, name in enumerate(report.systems)}
    cells = sorted(
        (cell for cell in source.cells if source.names[cell.path] in order),
        key=lambda cell: (order[source.names[cell.path]], cell.seed),
    )
    voices = [(source.names[cell.path], cell.seed) for cell in cells]
    found = Gathered(voices, [], {})
    for cell in cells:
        said: dict[Place, str] = {}
        for split, ids in wanted.items():
            texts = source.said[cell.path, split]
            said.update(((split, one), texts[one]) for one in ids if one in texts)
        found.said.append(said)
    for metric in dict.fromkeys(sheet.metric for sheet in report.sheets):
        columns: list[dict[Place, JudgedExample]] = [{} for _ in voices]
        found.judged[metric] = columns
        for split in wanted:
            for one in source.files(metric, split):
                column = columns[voices.index((one.system, one.seed))]
                for name, judged in source.judged.get(one.path, {}).items():
                    if judged.aligned is not None:
                        found.aligned[split, name] = judged.aligned
                    column[split, name] = judged
    return found


def pack(report: Findings, gathered: Gathered, chosen: Mapping[str, Sequence[str]]) -> str:
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


def _right(report: Findings, metric: str) -> float:
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
    columns: Sequence[Mapping[Place, JudgedExample]], rows: Sequence[tuple[Place, Example]]
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
