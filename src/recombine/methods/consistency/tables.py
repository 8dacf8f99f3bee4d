"""What a report shows of consistency runs: tables 4 to 8 and figure 1 of Dankers et al. 2022."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from recombine.benchmark import Example
from recombine.files import read_jsonl
from recombine.methods.consistency.curves import training_counts, training_tables
from recombine.metrics.observations import ObservationTable
from recombine.metrics.slices import Rows
from recombine.report.reading.observations import read_observations, read_scores
from recombine.report.reading.runs import ReportRuns
from recombine.report.tables.published import PARADOX, find_all, lookup, published_setting
from recombine.report.tables.table import Cell, Column, Table

# The paper's models by the size of their training data. Its released results are not always what
# it prints (Table 4, semi-natural conjuncts: .65/.73/.76 against .63/.71/.73; Tables 6 and 8 some
# words): a column says which it is.
SIZES = ("small", "medium", "full")
PAPER = "(paper): printed there, its Transformers (en-nl) by size of training data, official rule."
RELEASED = "(released): mean over seeds of the result files that the authors released."
ALL = "all"
_CONDITIONS = ("np", "vp", "s1p", "s3")


def consistency_tables(source: ReportRuns) -> list[Table]:
    """Return the tables of every consistency metric that was scored."""
    scored = {
        (scores.metric, scores.split) for scores in source.scores if scores.checkpoint is None
    }
    setting = published_setting(source)
    beside = setting is not None and setting.name == PARADOX and "Transformer" in setting.kinds
    tables = []
    if ("consistency", "systematicity") in scored:
        table = read_observations(source, "consistency", "systematicity")
        tables += [systematicity_table(table, beside), template_table(table, beside)]
    if ("consistency", "substitutivity") in scored:
        sentence = read_observations(source, "consistency", "substitutivity")
        term = (
            read_observations(source, "synonym-consistency", "substitutivity")
            if ("synonym-consistency", "substitutivity") in scored
            else None
        )
        tables.append(synonym_table(sentence, term, beside))
    for split in ("overgeneralisation", "context"):
        if ("literal", split) in scored:
            table = read_observations(source, "literal", split)
            tables.append(idiom_table(table, beside and split == "overgeneralisation"))
    more = [
        window_table(source),
        notes_table(source),
        *(
            tested_table(source, split, tag)
            for split, tag in (("substitutivity", "synonym"), ("overgeneralisation", "idiom"))
            if any(scores.split == split for scores in source.scores)
        ),
    ]
    return [*tables, *training_tables(source), *(table for table in more if table.rows)]


def systematicity_table(table: ObservationTable, beside: bool = False) -> Table:
    """Table 4: one row per data type and condition, the paper's three models beside ours."""
    rows: list[tuple[Cell, ...]] = []
    for (data, condition), where in _by_condition(table):
        row: list[Cell] = [data, condition, len(where), *_scores(table, where)]
        if beside:
            row += _by_size("consistency", "condition", f"{condition} {data}", "printed")
        rows.append(tuple(row))
    return Table(
        "table-4-systematicity",
        "Consistency of recombinations (Table 4)",
        (
            "data",
            "condition",
            "pairs",
            *map(Column, table.systems),
            *(_sizes("(paper)") if beside else ()),
        ),
        tuple(rows),
        (PAPER,) if beside else (),
    )


def _by_condition(table: ObservationTable, *tags: str) -> list[tuple[tuple[str, ...], Rows]]:
    """Pairs by kind of data, condition in the order of the paper, and more tags."""
    order = list(table.slices("data"))
    groups = table.group_by("data", "condition", *tags).items()
    tested = [group for group in groups if group[0][1] in _CONDITIONS]
    return sorted(
        tested, key=lambda group: (order.index(group[0][0]), _CONDITIONS.index(group[0][1]))
    )


def _sizes(what: str) -> list[str]:
    return [f"{size} {what}" for size in SIZES]


def _by_size(metric: str, tag: str, value: str, origin: str) -> list[Cell]:
    """The numbers of the paper's three models."""
    return [_of(f"{size} data", metric, tag, value, origin) for size in SIZES]


def _of(model: str, metric: str, tag: str, value: str, origin: str) -> float | None:
    system = f"Transformer, {model}"
    return lookup(PARADOX, metric=metric, tag=tag, value=value, system=system, origin=origin)


def template_table(table: ObservationTable, beside: bool = False) -> Table:
    """Figure 1 as numbers: one row per data type, condition and template."""
    rows: list[tuple[Cell, ...]] = []
    for (data, condition, template), where in _by_condition(table, "template"):
        row: list[Cell] = [data, condition, template, len(where), *_scores(table, where)]
        if beside:
            place = ("consistency", "template", f"{condition} {data} {template}")
            row.append(_of("mean of sizes", *place, "printed"))
            row += _by_size(*place, "released")
        rows.append(tuple(row))
    columns = ("mean of sizes (paper)", *_sizes("(released)")) if beside else ()
    return Table(
        "figure-1-templates",
        "Consistency per template (Figure 1)",
        ("data", "condition", "template", "pairs", *map(Column, table.systems), *columns),
        tuple(rows),
        (PAPER, RELEASED) if beside else (),
    )


def synonym_table(
    sentence: ObservationTable, term: ObservationTable | None, beside: bool = False
) -> Table:
    """Table 6 and Figure 2: whole sentences, and the term alone, for each pair and for all."""
    tables_of = {"sentence": sentence, **({"term": term} if term is not None else {})}
    # The metrics' own names, whatever this run calls them.
    metrics = {"sentence": "consistency", "term": "synonym-consistency"}
    rows: list[tuple[Cell, ...]] = []
    places_of = {what: _each_and_all(table, "synonym") for what, table in tables_of.items()}
    for (name, data), where in places_of["sentence"].items():
        row: list[Cell] = [name, data, len(where)]
        for what, table in tables_of.items():
            there = places_of[what].get((name, data))
            row += [None] * len(table.systems) if there is None else _scores(table, there)
        for what in tables_of if beside else ():
            metric = metrics[what]
            row += [
                _of("mean of sizes", metric, "synonym", f"{name} {data}", "printed"),
                _of("full data", metric, "synonyms", data if name == ALL else "", "printed"),
            ]
        rows.append(tuple(row))
    columns: list[str] = [
        Column(system, what, text=f"{system}: {what}")
        for what, table in tables_of.items()
        for system in table.systems
    ]
    for what in tables_of if beside else ():
        columns += [f"mean of sizes, {what} (paper)", f"full, {what} (paper)"]
    return Table(
        "table-6-synonyms", "Consistency under synonyms (Table 6)",
        ("synonym", "data", "pairs", *columns), tuple(rows), (PAPER,) if beside else (),
        _first_of_all(rows),
    )  # fmt: skip


def idiom_table(table: ObservationTable, beside: bool = False) -> Table:
    """Table 8: the share of literal renderings per idiom and data type, and of all idioms."""
    rows: list[tuple[Cell, ...]] = []
    for (name, data), where in _each_and_all(table, "idiom").items():
        row: list[Cell] = [name, data, len(where), *_scores(table, where)]
        if beside:
            row += _by_size("literal-peak", "idiom", f"{name} {data}", "printed")
            row += _peak_and_end(name, data)
        rows.append(tuple(row))
    columns: tuple[str, ...] = ("idiom", "data", "sentences", *map(Column, table.systems))
    notes: tuple[str, ...] = (
        "Lower is better; sentences that are degenerate or set apart do not count.",
    )
    if beside:
        columns += (*_sizes("peak (paper)"), "full peak (released)", "full end (released)")
        notes += (PAPER, f"{RELEASED} Peak: the highest checkpoint; end: the last.")
    return Table(
        f"table-8-idioms-{table.split}",
        f"Literal renderings of idioms (Table 8), {table.split}",
        columns, tuple(rows), notes, _first_of_all(rows), lower=frozenset(table.systems),
    )  # fmt: skip


def _peak_and_end(idiom: str, data: str) -> list[Cell]:
    """The released peak and end of the largest model, for one idiom or the mean of all."""
    if idiom != ALL:
        value = f"{idiom} {data}"
        return [
            _of("full data", metric, "idiom", value, "released")
            for metric in ("literal-peak", "literal")
        ]
    printed = find_all(PARADOX, tag=f"idioms {data}", system="Transformer, full data")
    curve = [row.score for row in printed if row.score is not None]
    return [max(curve), curve[-1]] if curve else [None, None]


def tested_table(source: ReportRuns, split: str, tag: str) -> Table:
    """Tables 5 and 7: the synonyms or idioms, how often training and test show each, a sentence."""
    counts: dict[str, dict[str, int]] = {}
    shown: dict[str, Example] = {}
    kinds: dict[str, None] = {}
    for example in source.examples(split).values():
        name, data = str(example.tags.get(tag, "")), str(example.tags.get("data", ""))
        if name:
            kinds.setdefault(data)
            by_data = counts.setdefault(name, {})
            by_data[data] = by_data.get(data, 0) + 1
            shown.setdefault(name, example)
    trained = _in_training(source, tag, list(counts))
    rows: list[tuple[Cell, ...]] = []
    for name, by_data in counts.items():
        words = [focus.text for focus in shown[name].focus if focus.role == "keyword"]
        extra: list[Cell] = [", ".join(words)] if tag == "idiom" else []
        extra += [trained.get(name)] if trained else []
        rows.append((name, *extra, *(by_data.get(k) for k in kinds), shown[name].source))
    columns = (
        tag, *(["keyword"] if tag == "idiom" else []), *(["in training"] if trained else []),
        *kinds, "a sentence",
    )  # fmt: skip
    number = {"synonym": 5, "idiom": 7}[tag]
    return Table(
        f"table-{number}-tested-{tag}s", f"The {tag}s that were tested (Table {number})", columns,
        tuple(rows),
        ("Sentences by kind of data; in training: sentences of the training text.",),
    )  # fmt: skip


def _in_training(source: ReportRuns, tag: str, names: Sequence[str]) -> dict[str, Cell]:
    """How many training sentences hold each idiom, or each of two synonyms; {} without a text."""
    if tag == "idiom":
        return dict(training_counts(source))
    if "train" not in source.benchmark.splits:
        return {}
    terms = {name: name.split("/") for name in names}
    words = sorted({term for pair in terms.values() for term in pair}, key=len, reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    counts: Counter[str] = Counter()
    for row in read_jsonl(source.benchmark.split_path("train")):
        counts.update(set(pattern.findall(row["source"].lower())))
    return {name: " / ".join(f"{counts[term]:,}" for term in pair) for name, pair in terms.items()}


def _first_of_all(rows: Sequence[Sequence[Cell]]) -> frozenset[int]:
    return frozenset([place for place, row in enumerate(rows) if row[0] == ALL][:1])


def notes_table(source: ReportRuns) -> Table:
    """What stands beside the scores: floor, window, learned agreement, exclusions."""
    rows: list[tuple[Cell, ...]] = []
    for scores in source.scores:
        notes = scores.notes()
        if not notes or scores.checkpoint is not None or scores.metric != "consistency":
            continue
        floor = notes.get("floor")
        rows.append(
            (
                scores.system,
                scores.seed,
                scores.split,
                None if floor is None else 100.0 * float(floor),
                notes.get("repeats"),
                notes.get("window"),
                ", ".join(f"{a}/{b}" for a, b, _ in notes.get("alternations", [])),
                ", ".join(f"{reason}: {n}" for reason, n in notes.get("excluded", {}).items()),
            )
        )
    return Table(
        "consistency-notes",
        "Beside the consistency scores",
        ("system", "seed", "split", "floor", "repeats", "window", "agreement learned", "excluded"),
        tuple(rows),
        ("floor: per cent of repeated sentences whose second translation differs from the first.",),
    )


def window_table(source: ReportRuns) -> Table:
    """How much the window matters: the share of minimal pairs within 1 to 4 tokens."""
    rows: list[tuple[Cell, ...]] = []
    for scores in source.scores:
        if (scores.metric, scores.split, scores.checkpoint) != (
            "consistency",
            "systematicity",
            None,
        ):
            continue
        examples = source.examples(scores.split)
        judged = [
            row.detail
            for row in read_scores(source, scores, None).rows()
            if "width" in row.detail and row.stats[1] and all(name in examples for name in row.ids)
        ]
        widths = [detail["width"] for detail in judged if not detail.get("reason")]
        total = len(judged)
        if total:
            within = [100.0 * sum(w <= size for w in widths) / total for size in (1, 2, 3, 4)]
            rows.append((scores.system, scores.seed, total, *within))
    return Table(
        "consistency-window",
        "Minimal pairs consistent under a window of 1 to 4 tokens, agreement forgiven",
        ("system", "seed", "pairs", "1", "2", "3", "4"),
        tuple(rows),
    )


def _each_and_all(table: ObservationTable, tag: str) -> dict[tuple[str, ...], Rows]:
    """Keys by a tag and kind of data, and at the end all of each kind of data."""
    groups = table.group_by(tag, "data")
    groups |= {(ALL, data): where for data, where in table.slices("data").items()}
    return groups


def _scores(table: ObservationTable, where: Rows) -> list[Cell]:
    cells: list[Cell] = []
    for system in table.systems:
        values = [
            score for score in table.seed_scores(system, where).values() if not np.isnan(score)
        ]
        cells.append(float(np.mean(values)) if values else None)
    return cells
