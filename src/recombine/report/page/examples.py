"""The examples in the page, packed: every one that is left out is counted."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.benchmark import Example
from recombine.metrics.slices import show_tag
from recombine.report.examples import JudgedExample, choose, is_right, room
from recombine.report.findings import Findings
from recombine.report.structure import SentencePart, SentenceReader, to_be_read
from recombine.report.words import Wording

GZIP = 31  # zlib's window of 2^15 with gzip's header


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
    splits = {name: split for name, split in splits.items() if split.examples}
    total = sum(len(split.examples) for split in splits.values())
    if not splits:
        return PackedExamples("", 0, 0)
    wanted = report.options.examples
    pool: dict[str, Sequence[str]] = {name: list(source.kept[name]) for name in splits}
    gathered = gather(report, pool)
    partners = {name: other for (_, name), other in gathered.partners.items()}
    while True:
        text = pack(report, gathered, pool)
        shown = sum(len(ids) for ids in pool.values())
        if len(text) <= budget_bytes or wanted <= 50:
            return PackedExamples(text, shown, total)
        # Size grows a little slower than the count; 0.95 saves most second tries.
        wanted = max(50, int(shown * 0.95 * budget_bytes / len(text)))
        rooms = room(list(splits), wanted)
        pool = {
            name: _with_partners(
                pool[name], choose(split, pool[name], rooms[name], report.options.seed), partners
            )
            for name, split in splits.items()
        }


def _with_partners(
    covered: Sequence[str], chosen: Sequence[str], partners: Mapping[str, str]
) -> list[str]:
    """The chosen ones with the other sentence of each pair, in the order given."""
    wanted = {*chosen, *(partners[name] for name in chosen if name in partners)}
    return [name for name in covered if name in wanted]


LONGEST_TEXT = 4_000
BASE = "base"
LANGUAGES = ("source", "target")

Place = tuple[str, str]  # split and example id


@dataclass(slots=True)
class Gathered:
    """What every voice said of the examples chosen, and what every metric found of it."""

    voices: list[tuple[str, int]]
    said: list[dict[Place, str]]
    judged: dict[str, list[dict[Place, JudgedExample]]]
    # The second sentence of a pair by the first, which is the one that was changed.
    partners: dict[Place, str] = field(default_factory=dict)
    # Constituents of the examples that were read so far.
    read: dict[Place, list[SentencePart]] = field(default_factory=dict)


def gather(report: Findings, wanted: Mapping[str, Sequence[str]]) -> Gathered:
    """Put together what was kept of these examples when the files were read."""
    source = report.source
    order = {name: place for place, name in enumerate(report.systems)}
    cells = sorted(
        (cell for cell in source.cells if cell.name in order),
        key=lambda cell: (order[cell.name], cell.seed),
    )
    voices = [cell.voice for cell in cells]
    gathered = Gathered(voices, [], {})
    for cell in cells:
        spoken: dict[Place, str] = {}
        for split, ids in wanted.items():
            texts = source.said[cell.voice, split]
            spoken.update(((split, name), texts[name]) for name in ids if name in texts)
        gathered.said.append(spoken)
    for metric in dict.fromkeys(results.metric for results in report.results):
        columns: list[dict[Place, JudgedExample]] = [{} for _ in voices]
        gathered.judged[metric] = columns
        for split in wanted:
            for scores in source.files(metric, split):
                column = columns[voices.index(scores.voice)]
                for name, judged in source.judged.get(scores, {}).items():
                    column[split, name] = judged
                    example = source.examples(split).get(name)
                    # Of the sentences of a pair the one is listed that is not the common base.
                    if example is not None and example.role not in (None, "", BASE):
                        other = source.examples(split).get(next(iter(judged.partners), ""))
                        if other is not None and other.role == BASE:
                            gathered.partners.setdefault((split, name), other.id)
    return gathered


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
        # Whose examples are shown before somebody chooses: systems that compete, best first.
        "order": [report.systems.index(name) for name in report.best_first],
        "voices": [[report.systems.index(name), seed] for name, seed in gathered.voices],
        "id": [example.id for _, example in rows],
        "source": [_clip(example.source) for _, example in rows],
        "references": [
            [_clip(reference) for reference in example.references[:3]] for _, example in rows
        ],
        "focus": [
            [[focus.text, focus.role, list(focus.accepted[:6])] for focus in example.focus]
            for _, example in rows
        ],
        "tags": _tag_table(report, rows),
        "said": [
            [
                _code(said.get(place), example, texts[number])
                for number, (place, example) in enumerate(rows)
            ]
            for said in gathered.said
        ],
        "texts": texts,
        "languages": [
            getattr(report.source.benchmark.manifest, language) for language in LANGUAGES
        ],
        "partner": _partners(gathered, rows),
        "structure": _structures(report, gathered, rows),
        "main": report.main.main_tag or "",
        "verdicts": [
            {
                "metric": metric,
                "label": report.words.mark(metric),
                "right": _right(report, metric),
                **_verdicts(columns, rows),
            }
            for metric, columns in gathered.judged.items()
        ],
    }
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    # As gzip, without a time stamp: the same report is the same bytes. Not by the module gzip: its
    # header names the system before Python 3.13, and none since.
    return base64.b64encode(zlib.compress(data, 7, wbits=GZIP)).decode("ascii")


def _right(report: Findings, metric: str) -> float:
    return next(results.right_value for results in report.results if results.metric == metric)


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " […]"


def _code(output: str | None, example: Example, texts: list[str]) -> int:
    """-1: nothing; 0: the first reference; n: the n-th of the other texts said of this example."""
    if output is None:
        return -1
    if example.references and output == example.references[0]:
        return 0
    text = _clip(output)
    if text not in texts:
        texts.append(text)
    return texts.index(text) + 1


def _partners(gathered: Gathered, rows: Sequence[tuple[Place, Example]]) -> list[int]:
    """Where the other sentence of each pair is; -1 for examples that stand alone."""
    places = {place: number for number, (place, _) in enumerate(rows)}
    return [
        places.get((place[0], gathered.partners[place]), -1) if place in gathered.partners else -1
        for place, _ in rows
    ]


def _structures(
    report: Findings, gathered: Gathered, rows: Sequence[tuple[Place, Example]]
) -> dict[str, list[list[Any]]]:
    """The constituents of some examples, by their number in the page."""
    reader = SentenceReader(report.source.benchmark, report.words)
    if reader.grammar is None:
        return {}
    right = report.main.right_value
    columns = gathered.judged.get(report.main.metric, [])
    judged = [
        (
            example,
            any(place in column and not is_right(column[place].value, right) for column in columns),
        )
        for place, example in rows
    ]
    structures = {}
    for number in to_be_read(judged, report.main.main_tag):
        place, example = rows[number]
        if place not in gathered.read:
            gathered.read[place] = reader.read(example)
        if len(gathered.read[place]) > 1:
            structures[str(number)] = [
                [*part[:4], int(part.tested)] for part in gathered.read[place]
            ]
    return structures


def _tag_table(
    report: Findings, rows: Sequence[tuple[Place, Example]]
) -> dict[str, dict[str, Any]]:
    """Tags as value lists with codes (-1 = none) and labels; the split is a tag too."""
    names = dict.fromkeys(name for _, example in rows for name in example.tags)
    table: dict[str, dict[str, Any]] = {}
    for name in ("split", *names):
        values: dict[str, int] = {}
        codes = []
        for (split, _), example in rows:
            raw = split if name == "split" else example.tags.get(name)
            if raw is None:
                codes.append(-1)
            else:
                codes.append(values.setdefault(show_tag(raw), len(values)))
        raw_values = list(values)
        wordings = [report.words.find(name, value) for value in raw_values]
        if name == "split":
            wordings = [Wording(report.split_name(value)) for value in raw_values]
        elif set(raw_values) == {"0", "1"}:
            wordings = [Wording({"0": "no", "1": "yes"}[value]) for value in raw_values]
        table[name] = {
            "label": report.words.tag(name),
            "values": raw_values,
            "codes": codes,
            "labels": [wording.label for wording in wordings],
            "hints": [
                [wording.trained, wording.asked] if wording.asked else None for wording in wordings
            ],
        }
        if name == report.main.main_tag and report.main.family_tag:
            families = report.main.families
            tag = report.main.family_tag
            table[name]["families"] = [
                report.words.label(tag, families[value]) if value in families else ""
                for value in raw_values
            ]
    return table


def _verdicts(
    columns: Sequence[Mapping[Place, JudgedExample]], rows: Sequence[tuple[Place, Example]]
) -> dict[str, Any]:
    """Values [voice][example], and explanations of an example with the voices they are about."""
    values: list[list[float | str | None]] = [[None] * len(rows) for _ in columns]
    reasons: dict[str, list[list[Any]]] = {}
    for number, (place, _) in enumerate(rows):
        reasons_of: dict[str, list[int]] = {}
        for voice, column in enumerate(columns):
            judged = column.get(place)
            if judged is not None:
                values[voice][number] = _short_number(judged.value)
                if judged.explanation:
                    reasons_of.setdefault(judged.explanation, []).append(voice)
        if reasons_of:
            reasons[str(number)] = [[text, voices] for text, voices in reasons_of.items()]
    return {"values": values, "why": reasons}


def _short_number(value: float) -> float | str:
    """A value in few digits; what could not be judged is a question."""
    if math.isnan(value):
        return "?"
    return int(value) if value.is_integer() else round(value, 1 if abs(value) > 1 else 3)
