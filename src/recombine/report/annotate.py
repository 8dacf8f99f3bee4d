"""Human judgements of compounds: a sheet goes out, and comes back as CTER and agreement.

The sheet shows source, compound and translation, not the metric's verdict, in an order that does
not give the system away. The judge writes 1 (the compound is translated) or 0 into `correct`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.benchmark import Example, stratified_sample
from recombine.errors import DataError, RecombineError, Where, raise_all
from recombine.files import inert_cell, read_table, write_text
from recombine.report.reading.observations import details_of, read_scores
from recombine.report.reading.runs import ReportRuns, open_runs

METRIC = "compound"
COLUMNS = ("key", "compound", "source", "hypothesis", "reference", "correct", "comment")
YES = frozenset({"1", "yes", "y", "correct", "true"})
NO = frozenset({"0", "no", "n", "wrong", "false"})


class HumanJudgement(NamedTuple):
    """One verdict of a person beside the metric's."""

    system: str
    group: str
    human: bool
    metric: bool


def write_annotation_sheet(runs: Sequence[Path], path: Path, sample: int = 0) -> int:
    """Write the scored compounds of the runs as rows to judge; return the number of rows.

    With `sample` only those of about so many sentences, whole compounds of every pattern.
    """
    source = open_runs(list(runs))
    rows = list(_rows(source, sample))
    if not rows:
        raise DataError(
            "no translation with a compound was scored in these runs",
            hint=f"score with the metric '{METRIC}' first",
        )
    # A shuffled order that is the same every time: by the hash of the key.
    rows.sort(key=lambda row: hashlib.sha256(row[0].encode("utf-8")).hexdigest())
    lines = ["\t".join(str(inert_cell(cell)) for cell in row) for row in (COLUMNS, *rows)]
    write_text(path, "\n".join(lines) + "\n")
    return len(rows)


def read_judgements(runs: Sequence[Path], path: Path) -> dict[str, Any]:
    """Return per system: human CTER, the metric's CTER, and how well the metric agrees."""
    source = open_runs(list(runs))
    verdicts = dict(_verdicts(source))
    problems: list[RecombineError] = []
    found: list[HumanJudgement] = []
    empty = 0
    seen: dict[str, Where] = {}
    for key, answer, where in _answers(path):
        if key not in verdicts:
            problems.append(DataError(f"key '{key}' is not in these runs", where))
        elif seen.setdefault(key, where) is not where:
            problems.append(
                DataError(f"key '{key}' stands in line {seen[key].line} already", where)
            )
        elif not answer:
            empty += 1
        elif answer not in YES | NO:
            problems.append(DataError(f"'{answer}' is neither 1 nor 0", where))
        else:
            system, example, metric = verdicts[key]
            group = example.group or example.id
            found.append(HumanJudgement(system, group, answer in YES, metric))
    raise_all(problems)
    if not found:
        raise DataError("no row is judged", Where(str(path)), hint="write 1 or 0 into 'correct'")
    systems = dict.fromkeys(one.system for one in found)
    result: dict[str, Any] = {
        system: summarise([one for one in found if one.system == system]) for system in systems
    }
    if empty:
        result["not judged"] = empty
    return result


def summarise(judgements: Sequence[HumanJudgement]) -> dict[str, Any]:
    """Return error rates and agreement; the positive class is ERROR, as in the paper."""
    size = len(judgements)
    human_errors = sum(not one.human for one in judgements)
    metric_errors = sum(not one.metric for one in judgements)
    hits = sum(not one.human and not one.metric for one in judgements)
    agreed = sum(one.human == one.metric for one in judgements) / size
    chance = (
        human_errors * metric_errors + (size - human_errors) * (size - metric_errors)
    ) / size**2
    groups = {one.group for one in judgements}
    wrong = {one.group for one in judgements if not one.human}
    metric_wrong = {one.group for one in judgements if not one.metric}
    return {
        "judged": size,
        "compounds": len(groups),
        "human instance error": round(human_errors / size, 4),
        "human aggregate error": round(len(wrong) / len(groups), 4),
        "metric instance error": round(metric_errors / size, 4),
        "metric aggregate error": round(len(metric_wrong) / len(groups), 4),
        "precision": round(hits / metric_errors, 4) if metric_errors else None,
        "recall": round(hits / human_errors, 4) if human_errors else None,
        "accuracy": round(agreed, 4),
        "kappa": round((agreed - chance) / (1 - chance), 4) if chance < 1 else 1.0,
    }


def _rows(source: ReportRuns, sample: int) -> Iterator[tuple[str, ...]]:
    examples = {example.id: example for _, (_, example, _) in _verdicts(source)}
    chosen = {example.id for example in stratified_sample(list(examples.values()), sample, 0)}
    texts: dict[tuple[str, int, str], Mapping[str, str]] = {}
    cells = {cell.voice: cell for cell in source.cells}
    for key, (_, example, _) in _verdicts(source):
        system, seed, split, one = key.split("|", 3)
        if one not in chosen:
            continue
        place = (system, int(seed), split)
        if place not in texts:
            texts[place] = cells[system, int(seed)].translations(split)
        reference = example.references[0] if example.references else ""
        compound = str(example.tags.get("compound", ""))
        hypothesis = texts[place].get(one, "")
        yield tuple(
            cell.replace("\t", " ").replace("\n", " ")
            for cell in (key, compound, example.source, hypothesis, reference, "", "")
        )


def _verdicts(source: ReportRuns) -> Iterator[tuple[str, tuple[str, Example, bool]]]:
    for scores in source.scores:
        if scores.metric != METRIC or scores.checkpoint is not None:
            continue
        examples = source.examples(scores.split)
        for name, value, _ in details_of(read_scores(source, scores)):
            key = f"{scores.system}|{scores.seed}|{scores.split}|{name}"
            yield key, (scores.system, examples[name], value == 1)


def _answers(path: Path) -> Iterator[tuple[str, str, Where]]:
    for row in read_table(path, ("key",), comments=False):
        if "correct" not in row.cells:
            raise DataError("the header lacks the column 'correct'", Where(str(path), 1))
        yield row["key"], row["correct"].lower(), row.where
