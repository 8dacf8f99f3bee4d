"""The examples people can look at in the page: drawn evenly, every one left out counted."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from recombine.benchmark import Example
from recombine.metrics.slices import show_tag
from recombine.report.findings import Findings
from recombine.report.runs import Scores, read_translations
from recombine.report.score_file import read_details, read_scores

# Splits after the first one are there for orientation; they get a tenth of the room together.
SHARE_OF_OTHER_SPLITS = 0.1


@dataclass(frozen=True, slots=True)
class PackedExamples:
    """The examples as one base64 text, with how many of how many are in it."""

    text: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class _Split:
    """Examples that were translated, and what the first seed of each system got for them."""

    name: str
    examples: Mapping[str, Example]
    verdicts: Sequence[Mapping[str, float]]
    right_value: float


def pack_examples(report: Findings, budget_bytes: int) -> PackedExamples:
    """Choose and pack examples so that the text stays within the budget."""
    splits = [one for one in (_read_split(report, name) for name in report.splits) if one.examples]
    total = sum(len(one.examples) for one in splits)
    if not splits:
        return PackedExamples("", 0, 0)
    wanted = report.options.examples
    pool = {one.name: list(one.examples) for one in splits}
    gathered: Gathered | None = None
    while True:
        pool = _choose(report, splits, pool, wanted)
        if gathered is None:
            # What is chosen later is a part of what is chosen first, so one reading is enough.
            gathered = gather(report, pool)
        text = pack(report, gathered, pool)
        shown = sum(len(ids) for ids in pool.values())
        if len(text) <= budget_bytes or wanted <= 50:
            return PackedExamples(text, shown, total)
        # Size grows a little slower than the count; 0.95 saves most second tries.
        wanted = max(50, int(shown * 0.95 * budget_bytes / len(text)))


def _read_split(report: Findings, split: str) -> _Split:
    examples = report.source.examples(split)
    covered: set[str] = set()
    for cell in report.source.cells:
        covered.update(read_translations(cell, split))
    sheet = next(sheet for sheet in report.sheets if sheet.split == split)
    first: dict[str, Scores] = {}
    for one in report.source.files(sheet.metric, split):
        first.setdefault(one.system, one)
    return _Split(
        split,
        {name: example for name, example in examples.items() if name in covered},
        [_values(report, one) for one in first.values()],
        sheet.right_value,
    )


def _values(report: Findings, one: Scores) -> Mapping[str, float]:
    if one.path not in report.source.seen:
        report.source.seen[one.path] = read_scores(one.path).seen()
    return report.source.seen[one.path]


def _choose(
    report: Findings, splits: Sequence[_Split], pool: Mapping[str, Sequence[str]], wanted: int
) -> dict[str, list[str]]:
    """Ids of each split: even over the first tag, interesting ones first, order of the file."""
    shares = [1.0]
    if len(splits) > 1:
        other = SHARE_OF_OTHER_SPLITS / (len(splits) - 1)
        shares = [1 - SHARE_OF_OTHER_SPLITS, *([other] * (len(splits) - 1))]
    return {
        split.name: _choose_in(report, split, pool[split.name], max(20, int(wanted * share)))
        for split, share in zip(splits, shares, strict=True)
    }


def _choose_in(report: Findings, split: _Split, covered: Sequence[str], wanted: int) -> list[str]:
    if len(covered) <= wanted:
        return list(covered)
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
        seen = {verdicts[name] for verdicts in split.verdicts if name in verdicts}
        return 0 if len(seen) > 1 else 1 if any(value != split.right_value for value in seen) else 2

    plain = order[: quota // 4]
    rest = sorted(order[quota // 4 :], key=telling)
    return plain + rest[: quota - len(plain)]


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


class JudgedExample(NamedTuple):
    """What a metric found of one translation."""

    value: float
    explanation: str


@dataclass(slots=True)
class Gathered:
    """What every voice said of the examples chosen, and what every metric found of it."""

    voices: list[tuple[str, int]]
    said: list[dict[Place, str]]
    judged: dict[str, list[dict[Place, JudgedExample]]]
    aligned: dict[Place, Any] = field(default_factory=dict)


def gather(report: Findings, wanted: Mapping[str, Sequence[str]]) -> Gathered:
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
        columns: list[dict[Place, JudgedExample]] = [{} for _ in voices]
        found.judged[metric] = columns
        for split, ids in names.items():
            for one in source.files(metric, split):
                column = columns[voices.index((one.system, one.seed))]
                for name, row in read_details(one.path, ids).items():
                    detail = row["detail"]
                    if "aligned" in detail:
                        found.aligned[split, name] = detail["aligned"]
                    column[split, name] = JudgedExample(float(row["value"]), explain(detail))
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
