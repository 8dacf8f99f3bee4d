"""Human judgements: a Pearmut campaign goes out, and comes back as scores beside every metric.

A campaign is what `pearmut add` takes (Zouhar and Kocmi 2026): people mark error spans and give a
score from 0 to 100 (ESA, Kocmi et al. 2024). Spans that a metric suspects are marked beforehand,
to be accepted, changed or deleted. Pearmut hides the names of systems and shuffles them. What it
writes (`data/annotations/CAMPAIGN.jsonl`) is read back: a score file per system, which the metric
`scores-file` takes, and how well every metric of the runs agrees with people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from recombine.benchmark import Example, stratified_sample
from recombine.corpus.token_diff import differing
from recombine.errors import ConfigError, DataError, RecombineError, Where, raise_all
from recombine.files import parse_json, read_lines, write_json, write_jsonl
from recombine.report.reading.observations import read_scores
from recombine.report.reading.runs import ReportRuns, Scores, open_runs
from recombine.systems.languages import language_name

# Sentences in one document of a campaign, which a person does at a sitting.
DOCUMENT = 10
# Pearmut's severities; "critical" is major there.
SEVERITIES = {"minor": "minor", "major": "major", "critical": "major"}
# Pearmut's line for a person who begins again: what they judged before does not count.
_RESET = "__RESET__"
# Words of a spaced language, or letters of one that is not.
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['\u2019-][^\W_]+)*|[^\w\s]")
# Metrics whose suspicions are marked, the surest first.
_MARKING = ("compound", "anatomy", "meaning")


class HumanScore(NamedTuple):
    """What people say of one translation: the mean score, and the spans that anyone marked."""

    system: str
    id: str
    score: float
    errors: tuple[Mapping[str, Any], ...]
    people: int

    @property
    def right(self) -> bool:
        """Whether nobody marked an error."""
        return not self.errors


def write_campaign(runs: Sequence[Path], path: Path, sample: int = 0) -> int:
    """Write the translations of these runs as a campaign; return the number of sentences.

    With `sample` those of about so many, of every pattern.
    """
    if path.suffix != ".json":
        raise ConfigError(f"{path} is no .json file", hint="--annotate campaign.json")
    source = open_runs(list(runs))
    items = list(_items(source, sample))
    if not items:
        raise DataError("no sentence was translated by every system of these runs")
    manifest = source.benchmark.manifest
    documents = [items[start : start + DOCUMENT] for start in range(0, len(items), DOCUMENT)]
    for document in documents:
        document[0]["instructions"] = (
            f"Mark errors of meaning and grammar in the translation from "
            f"{language_name(manifest.source)} to {language_name(manifest.target)}, then score it. "
            "Marks that are there already are a program's and may be wrong."
        )
    campaign = {
        "campaign_id": f"{manifest.name}-{source.benchmark.hash[:8]}",
        "info": {"assignment": "task-based", "protocol": "ESA", "shuffle": True},
        "data": [documents],
    }
    write_json(path, campaign)
    return len(items)


def _items(source: ReportRuns, sample: int) -> Iterator[dict[str, Any]]:
    """The sentences that every system translated, with what metrics suspect."""
    firsts = {cell.name: cell for cell in reversed(source.cells)}
    systems = dict(reversed(firsts.items()))
    hidden = (*source.method.hidden_splits, "train", "control", "dev")
    for split in source.splits():
        if split in hidden:
            continue
        texts_of = {name: cell.translations(split) for name, cell in systems.items()}
        rows = [
            example
            for example in source.examples(split).values()
            if all(example.id in texts for texts in texts_of.values())
        ]
        suspected = dict(_suspected(source, split))
        for example in stratified_sample(rows, sample, 0):
            texts = {name: texts_of[name][example.id] for name in systems}
            marks = {
                name: _marks(example, text, suspected.get((name, example.id), {}))
                for name, text in texts.items()
            }
            yield {
                "item_id": f"{split}|{example.id}",
                "src": example.source,
                "tgt": texts,
                "error_spans": marks,
            }


def _suspected(
    source: ReportRuns, split: str
) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """System and example -> what a metric says of a translation that it takes for wrong.

    What one of them accepts is not marked: `anatomy` knows one reference, `meaning` others.
    """
    chosen: dict[tuple[str, str], Mapping[str, Any]] = {}
    accepted: set[tuple[str, str]] = set()
    files = [
        scores for scores in source.scores if scores.split == split and scores.checkpoint is None
    ]
    order = {name: place for place, name in enumerate(reversed(_MARKING))}
    for scores in sorted(files, key=lambda scores: order.get(scores.metric, len(order))):
        for verdict in _verdicts(source, scores):
            marks = "errors" in verdict.detail or scores.metric in _MARKING
            if marks and verdict.wrong:
                chosen[scores.system, verdict.id] = verdict.detail
            elif marks and verdict.wrong is False:
                accepted.add((scores.system, verdict.id))
    yield from ((key, detail) for key, detail in chosen.items() if key not in accepted)


class MetricVerdict(NamedTuple):
    """What a metric says of one translation; `wrong` is None where it could not tell."""

    id: str
    value: float
    wrong: bool | None
    detail: Mapping[str, Any]


def _verdicts(source: ReportRuns, scores: Scores) -> Iterator[MetricVerdict]:
    """What a metric says of every sentence that it judges alone, the first seed of a system."""
    if scores.seed != min(other.seed for other in source.scores if other.system == scores.system):
        return
    table = read_scores(source, scores, None)
    (stats,) = table.stats.values()
    for place, row in enumerate(table.rows()):
        open_ = table.undecided is not None and stats[place, table.undecided] > 0
        if len(row.ids) == 1:
            wrong = None if open_ else row.value != table.right_value
            yield MetricVerdict(row.ids[0], row.value, wrong, row.detail)


def _marks(example: Example, text: str, detail: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Spans of a translation that a metric suspects, as Pearmut has them: both ends inside."""
    if not detail:
        return []
    spans = []
    for error in detail.get("errors", ()):
        start = text.find(str(error.get("span", ""))) if error.get("span") else -1
        if start >= 0:
            severity = SEVERITIES.get(str(error.get("severity")), "major")
            spans.append((start, start + len(error["span"]), severity))
    span = detail.get("span")
    if not spans and isinstance(span, str) and span and span in text:
        spans = [(text.index(span), text.index(span) + len(span), "major")]
    if not spans and example.references:
        pieces = list(_PIECE.finditer(text))
        words = [piece.group().casefold() for piece in pieces]
        wanted = min(
            ([w.casefold() for w in _PIECE.findall(reference)] for reference in example.references),
            key=lambda reference: sum(
                gap.second_end - gap.second_start for gap in differing(reference, words)
            ),
        )
        spans = [
            (pieces[gap.second_start].start(), pieces[gap.second_end - 1].end(), "major")
            for gap in differing(wanted, words)
            if gap.second_end > gap.second_start
        ]
    return [
        {"start_i": start, "end_i": end - 1, "severity": severity, "category": None}
        for start, end, severity in spans
    ]


def read_judgements(
    runs: Sequence[Path], path: Path, out: Path | None = None
) -> dict[str, dict[str, Any]]:
    """Return what people say of each system, and how well every metric agrees with them.

    With `out` a file SYSTEM.jsonl for each system: id, score, and the errors that were marked.
    """
    source = open_runs(list(runs))
    scores = _human_scores(source, path)
    by_system: dict[str, list[HumanScore]] = {}
    for score in scores:
        by_system.setdefault(score.system, []).append(score)
    if out is not None:
        for system, judged in by_system.items():
            rows = (
                {
                    "id": judgement.id,
                    "score": judgement.score,
                    "detail": {"errors": list(judgement.errors), "people": judgement.people},
                }
                for judgement in judged
            )
            write_jsonl(out / f"{system}.jsonl", rows)
    result: dict[str, dict[str, Any]] = {}
    for system, judged in by_system.items():
        result[system] = {
            "judged": len(judged),
            "human score": round(fmean(judgement.score for judgement in judged), 2),
            "without error": round(fmean(judgement.right for judgement in judged), 4),
        }
    by_place = {(score.system, score.id): score for score in scores}
    pairs: dict[str, list[tuple[HumanScore, MetricVerdict]]] = {}
    for file in source.scores:
        for verdict in _verdicts(source, file) if file.checkpoint is None else ():
            human = by_place.get((file.system, verdict.id))
            if human is not None:
                pairs.setdefault(file.metric, []).append((human, verdict))
    for metric, both in pairs.items():
        result[f"metric {metric}"] = agreement(both)
    return result


def agreement(pairs: Sequence[tuple[HumanScore, MetricVerdict]]) -> dict[str, Any]:
    """How well a metric agrees with people; the positive class is ERROR.

    Where it gives verdicts: precision, recall, accuracy and kappa on what it decided. Where it
    gives numbers: how often it orders two translations as people do, ties of people left out.
    """
    decided = [(human, pair) for human, pair in pairs if pair.wrong is not None]
    values = {example.value for _, example in decided}
    if not values <= {0.0, 1.0}:
        ordered = _ordered(decided)
        return {"judged": len(pairs), "pairs ordered alike": ordered}
    size = len(decided)
    if not size:
        return {"judged": len(pairs), "decided": 0}
    human_errors = sum(not human.right for human, _ in decided)
    metric_errors = sum(bool(example.wrong) for _, example in decided)
    hits = sum(bool(example.wrong) and not human.right for human, example in decided)
    agreed = sum(example.wrong is not human.right for human, example in decided) / size
    chance = (
        human_errors * metric_errors + (size - human_errors) * (size - metric_errors)
    ) / size**2
    return {
        "judged": len(pairs),
        "decided": size,
        "human error": round(human_errors / size, 4),
        "metric error": round(metric_errors / size, 4),
        "precision": round(hits / metric_errors, 4) if metric_errors else None,
        "recall": round(hits / human_errors, 4) if human_errors else None,
        "accuracy": round(agreed, 4),
        "kappa": round((agreed - chance) / (1 - chance), 4) if chance < 1 else None,
    }


def _ordered(pairs: Sequence[tuple[HumanScore, MetricVerdict]]) -> float | None:
    """Of pairs of translations that people tell apart, the share that a metric orders alike."""
    alike = compared = 0.0
    for place, (human, pair) in enumerate(pairs):
        for other_human, other in pairs[:place]:
            if human.score != other_human.score:
                compared += 1
                above, higher = human.score > other_human.score, pair.value > other.value
                alike += 0.5 if pair.value == other.value else above is higher
    return round(alike / compared, 4) if compared else None


def _human_scores(source: ReportRuns, path: Path) -> list[HumanScore]:
    """What Pearmut wrote, the last of each person, and the mean over people."""
    problems: list[RecombineError] = []
    answers: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    names = {split: source.examples(split) for split in source.splits()}
    for number, line in read_lines(path):
        where = Where(str(path), number)
        try:
            entry = parse_json(line) if line.strip() else {}
            items, judged = entry.get("item", ()), entry.get("annotation", ())
            if isinstance(entry.get("item_i"), str):
                continue  # Pearmut's tutorials and attention checks
            if judged == _RESET:
                for people in answers.values():
                    people.pop(str(entry.get("user_id")), None)
                continue
            for item, by_system in zip(items, judged, strict=True):
                split, _, name = str(item.get("item_id", "")).partition("|")
                if name not in names.get(split, {}):
                    problems.append(DataError(f"no sentence '{split}|{name}' in these runs", where))
                    continue
                for system, answer in (by_system or {}).items():
                    if answer.get("score") is not None:
                        people = answers.setdefault((str(system), name), {})
                        people[str(entry.get("user_id"))] = answer
        except (ValueError, AttributeError, TypeError, RecursionError):
            problems.append(DataError("this is no line of a Pearmut campaign", where))
    raise_all(problems)
    systems = set(source.systems)
    strangers = sorted({system for system, _ in answers} - systems)
    if strangers:
        raise DataError(
            f"{path}: no system of these runs is called '{strangers[0]}'",
            hint=f"there are: {', '.join(source.systems)}",
        )
    if not any(answers.values()):
        raise DataError("nothing is judged yet", Where(str(path)), hint="pearmut run")
    return [
        HumanScore(
            system,
            name,
            round(fmean(_number(judgements, path) for judgements in people.values()), 4),
            tuple(
                mark
                for judgements in people.values()
                for mark in judgements.get("error_spans") or ()
            ),
            len(people),
        )
        for (system, name), people in sorted(answers.items())
        if people
    ]


def _number(answer: Mapping[str, Any], path: Path) -> float:
    score = answer["score"]
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 100:
        raise DataError(f"a score is {json.dumps(score)}, not 0 to 100", Where(str(path)))
    return float(score)
