"""Why compounds fail: the factor analysis of Li et al. 2021, sections 6.1 to 6.6, for any run.

Intervals are clustered by compound: five contexts of one compound are not five independent trials.
A logistic regression with clustered standard errors says which factor matters when the others are
held, which the paper's one-by-one figures cannot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Example
from recombine.corpus.cooccurrence import CorpusCounts
from recombine.errors import MissingExtra
from recombine.files import read_jsonl
from recombine.metrics.observations import ObservationTable
from recombine.metrics.slices import SplitExamples
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import ReportRuns
from recombine.report.tables.published import COGNITION, find_all, published_setting
from recombine.report.tables.table import Cell, Table
from recombine.statistics.logistic import Effect, clustered_logistic

METRIC = "compound"
BINS = 5
# Section 6.3 has nine bins a length; its figures by length in atoms.
FREQUENCY_BINS = 9
FREQUENCY_FIGURES = {3: 4, 2: 8, 4: 9, 5: 10}
COLUMNS = ("system", "sentences", "compounds", "error %", "low", "high")

Array = npt.NDArray[np.float64]


def factor_tables(source: ReportRuns, split: str = "gen") -> list[Table]:
    """Return the tables of sections 6.1 to 6.6 and the regression; none without compounds."""
    scored = {
        (scores.metric, scores.split) for scores in source.scores if scores.checkpoint is None
    }
    if (METRIC, split) not in scored:
        return []
    table = read_observations(source, METRIC, split)
    has_contexts = (METRIC, "context") in scored
    both = _stacked(table, read_observations(source, METRIC, "context")) if has_contexts else table
    everything = [both.examples[ids[0]] for ids in both.ids]
    corpus = [name for name in ("train",) if name in source.benchmark.splits]
    corpus = corpus or [name for name in ("dev", "test") if name in source.benchmark.splits]
    files = [source.benchmark.split_path(name) for name in corpus]
    counts = count_in((row["source"] for path in files for row in read_jsonl(path)), everything)
    setting = published_setting(source)
    beside = setting is not None and setting.name == COGNITION and "Transformer" in setting.kinds
    note = f"Counted in: {', '.join(corpus) or 'nothing, the benchmark has no corpus'}."
    tables = [
        _table(
            "figure-2-compound-frequency",
            "Compound frequency in training (section 6.1, Figure 2)",
            both,
            lambda e: frequency_class(counts.occurrences[compound_text(e)]),
            (
                note,
                "Original phrases of the contexts are included where they were scored.",
                *(_printed("frequency") if beside else ()),
            ),
            # Of a system that learned from other text nobody knows how often it saw a compound.
            [system for system in both.systems if system in source.learned],
        ),
        _table(
            "figure-3-compound-length",
            "Compound length in atoms (section 6.2, Figure 3)",
            table,
            _tag("length"),
            _printed("length") if beside else (),
        ),
        *_frequency_tables(table, counts, note),
        _table(
            "figure-5-cooccurrence",
            "Co-occurrence of atoms: sign of the mean PMI within five words, by length "
            "(section 6.4, Figure 5)",
            table,
            _sign_of_pmi(counts),
            (note,),
        ),
        _binned(
            "cooccurrence",
            "Co-occurrence of atoms, mean PMI within five words",
            table,
            lambda e: counts.association(atoms_of(e)),
            (note,),
        ),
        _table("figure-6-pattern", "Pattern (section 6.5, Figure 6)", table, _tag("pattern")),
        _table(
            "figure-6-modifier",
            "With or without a modifier (section 6.5, Figure 6)",
            table,
            _has("MOD"),
            _printed("modifier") if beside else (),
        ),
        _table(
            "figure-6-adjective",
            "With or without an adjective (section 6.5, Figure 6)",
            table,
            _has("ADJ"),
            _printed("adjective") if beside else (),
        ),
        _binned(
            "figure-7-context-length",
            "Length of the context (section 6.6, Figure 7)",
            table,
            _number("context_length"),
            (),
        ),
        _binned(
            "figure-7-context-distance",
            "Mean dependency distance of the context (section 6.6, Figure 7)",
            table,
            _number("mdd"),
            (),
        ),
    ]
    tables += [regression(table, system, counts) for system in table.systems]
    return [table for table in tables if table.rows]


def _printed(tag: str) -> tuple[str, ...]:
    """What the paper prints of a factor, and what its released judgements give."""
    rows = find_all(COGNITION, metric="factor", tag=tag)
    return tuple(
        f"Paper, {row.system}, {row.value}: {row.text} ({row.origin}{_why(row.note)})."
        for row in rows
    )


def _why(note: str) -> str:
    return f", {note}" if note else ""


def _stacked(first: ObservationTable, second: ObservationTable) -> ObservationTable:
    """The observations of two splits by the systems and seeds that have both."""
    voices = [voice for voice in first.stats if voice in second.stats]
    return replace(
        first,
        keys=(*first.keys, *second.keys),
        ids=(*first.ids, *second.ids),
        unobserved=(*first.unobserved, *second.unobserved),
        examples=SplitExamples({**first.examples, **second.examples}),
        values={
            voice: np.concatenate([first.values[voice], second.values[voice]]) for voice in voices
        },
        stats={
            voice: np.concatenate([first.stats[voice], second.stats[voice]]) for voice in voices
        },
        classes={},
        details={},
    )


def regression(table: ObservationTable, system: str, counts: CorpusCounts) -> Table:
    """Return odds ratios of an error, all factors at once, standard errors clustered."""
    name, title = f"compound-regression-{system}", f"All factors at once: {system}"
    columns = ("factor", "odds ratio", "low", "high", "p")
    judged = [table.aggregator.counts(stats) for stats in table.tables(system)]
    table = table.at(np.flatnonzero(np.all(judged, axis=0)).tolist())
    examples = [table.examples[ids[0]] for ids in table.ids]
    # The share of seeds that got a sentence wrong.
    outcome = np.mean([stats[:, 0] for stats in table.tables(system)], axis=0)
    categories = _categories(examples, outcome)
    names, design, groups = _design(examples, categories, counts)
    if len(names) < 2 or outcome.min() == outcome.max():
        return Table(name, title, columns, ())
    try:
        effects, notes = clustered_logistic(names, design, outcome, groups)
    except MissingExtra as error:
        effects, notes = dict.fromkeys(names[1:]), (str(error),)
    return Table(
        name,
        title,
        columns,
        tuple((factor, *_odds(effect)) for factor, effect in effects.items()),
        (
            "Odds ratio above 1: more errors. Numbers are per standard deviation, yes/no factors "
            f"against their absence, categories against {categories[0] or 'those without one'}.",
            *notes,
        ),
        decimals=3,
    )


def _odds(effect: Effect | None) -> tuple[Cell, ...]:
    if effect is None:
        return (None,) * len(Effect._fields)
    with np.errstate(over="ignore"):
        return (*(float(np.exp(value)) for value in effect[:3]), effect.p)


def _categories(examples: Sequence[Example], outcome: Array) -> list[str]:
    """Return the categories by name; to compare with, first one that has right and wrong."""
    errors: dict[str, set[float]] = {}
    for example, error in zip(examples, outcome.tolist(), strict=True):
        errors.setdefault(str(example.tags.get("category", "")), set()).add(error)
    return sorted(errors, key=lambda category: (errors[category] in ({0.0}, {1.0}), category))


def _design(
    examples: Sequence[Example], categories: Sequence[str], counts: CorpusCounts
) -> tuple[list[str], Array, npt.NDArray[np.int64]]:
    numbers: dict[str, Callable[[Example], float | None]] = {
        "rarest atom (log2 frequency)": lambda e: math.log2(1 + _rarest(e, counts)),
        "co-occurrence (PMI)": lambda e: counts.association(atoms_of(e)),
        "context length": _number("context_length"),
        "dependency distance": _number("mdd"),
    }
    columns: dict[str, list[float]] = {"(base)": [1.0] * len(examples)}
    for category in categories[1:]:
        columns[f"category {category}"] = [
            float(example.tags.get("category") == category) for example in examples
        ]
    for role in ("MOD", "ADJ"):
        columns[f"has {role}"] = [float(_has(role)(example) == "with") for example in examples]
    for name, read in numbers.items():
        values = [read(example) for example in examples]
        if all(value is not None for value in values):
            columns[name] = [float(value) for value in values if value is not None]
    kept: dict[str, Array] = {}
    for name, column in columns.items():
        array = np.asarray(column, dtype=np.float64)
        if name != "(base)":
            if array.std() < 1e-9:
                continue
            if name in numbers:
                array = (array - array.mean()) / array.std()
            candidate = np.column_stack([*kept.values(), array])
            # A factor that the others determine has no effect of its own to estimate.
            if np.linalg.matrix_rank(candidate) < candidate.shape[1]:
                continue
        kept[name] = array
    codes: dict[str, int] = {}
    groups = np.array(
        [codes.setdefault(example.group or example.id, len(codes)) for example in examples]
    )
    return list(kept), np.column_stack(list(kept.values())), groups


def _table(
    name: str,
    title: str,
    table: ObservationTable,
    label: Callable[[Example], str | None],
    notes: Sequence[str] = (),
    systems: Sequence[str] | None = None,
) -> Table:
    """The error rate for each value of a factor, a slice of the observations."""
    places: dict[str, list[int]] = {}
    for place, ids in enumerate(table.ids):
        value = label(table.examples[ids[0]])
        if value is not None:
            places.setdefault(value, []).append(place)
    slices = {value: np.array(places[value]) for value in sorted(places, key=_natural)}
    samples = {value: table.sample(where) for value, where in slices.items()}
    rows: list[tuple[Cell, ...]] = []
    for system in table.systems if systems is None else systems:
        for value, where in slices.items():
            examples = [table.examples[table.ids[place][0]] for place in where]
            compounds = len({example.group or example.id for example in examples})
            span = samples[value].interval(system).span
            rows.append((value, system, len(where), compounds, *span))
    lower = frozenset({"error %"})
    return Table(name, title, ("value", *COLUMNS), tuple(rows), tuple(notes), lower=lower)


def _binned(
    name: str,
    title: str,
    table: ObservationTable,
    measure: Callable[[Example], float | None],
    notes: Sequence[str],
    size: int = BINS,
) -> Table:
    values = {ids[0]: measure(table.examples[ids[0]]) for ids in table.ids}
    measured = {key: value for key, value in values.items() if value is not None}
    if not measured:
        return Table(name, title, ("value", *COLUMNS), ())
    bins = equal_bins(measured, size)
    return _table(name, title, table, lambda e: bins.get(e.id), notes)


def _frequency_tables(table: ObservationTable, counts: CorpusCounts, note: str) -> Iterator[Table]:
    """Yield bins by the rarest atom: all lengths, and each length (Figures 8, 4, 9 and 10)."""
    lengths = sorted({len(table.examples[ids[0]].focus) for ids in table.ids})
    for length in (0, *lengths):
        figure = FREQUENCY_FIGURES.get(length)
        title = f"Frequency of the rarest atom{f', {length} atoms' if length else ''}"
        yield _binned(
            f"{f'figure-{figure}-' if figure else ''}atom-frequency-{length or 'all'}",
            f"{title} (section 6.3{f', Figure {figure}' if figure else ''})",
            table,
            _rarest_of(length, counts),
            (note,),
            FREQUENCY_BINS,
        )


def _rarest_of(length: int, counts: CorpusCounts) -> Callable[[Example], float | None]:
    """How often the rarest atom occurs, of compounds of so many atoms; 0 = of all."""
    return lambda e: float(_rarest(e, counts)) if length in (0, len(e.focus)) else None


def _sign_of_pmi(counts: CorpusCounts) -> Callable[[Example], str | None]:
    def read(example: Example) -> str | None:
        association = counts.association(atoms_of(example))
        if association is None:
            return None
        return f"{len(example.focus)} atoms, {'positive' if association > 0 else 'negative'}"

    return read


def _rarest(example: Example, counts: CorpusCounts) -> int:
    counted = example.tags.get("rarest_atom")
    if isinstance(counted, int):  # counted in the training data when the benchmark was built
        return counted
    return min((counts.occurrences[atom] for atom in atoms_of(example)), default=0)


def _tag(name: str) -> Callable[[Example], str | None]:
    return lambda e: str(e.tags[name]) if name in e.tags else None


def _number(name: str) -> Callable[[Example], float | None]:
    def read(example: Example) -> float | None:
        value = example.tags.get(name)
        return float(value) if isinstance(value, (int, float)) else None

    return read


def _has(role: str) -> Callable[[Example], str]:
    return lambda e: "with" if any(focus.role == role for focus in e.focus) else "without"


def _natural(value: str) -> tuple[float, str]:
    """Numbers, ranges and what begins with a number by size; names in the benchmark's order."""
    order = {"zero shot (0)": -3.0, "few shot (1-10)": -2.0, "many shot (11+)": -1.0}
    number = re.match(r"-?[\d,]+(?:\.\d+)?", value)
    if number is None:
        return order.get(value, math.inf), ""
    return float(number.group().replace(",", "")), value


def count_in(sources: Iterable[str], examples: Sequence[Example]) -> CorpusCounts:
    """How often a corpus has the compounds of these examples, and their atoms together."""
    return CorpusCounts(sources, map(compound_text, examples), map(atoms_of, examples))


def atoms_of(example: Example) -> list[str]:
    """Return the atoms of an example in lower case."""
    return [focus.text.lower() for focus in example.focus]


def compound_text(example: Example) -> str:
    """Return the compound of an example in lower case."""
    return str(example.tags.get("compound", "")).lower()


def frequency_class(count: int) -> str:
    """Return zero, few (1 to 10) or many shot (more than 10), as section 6.1 has them."""
    if count == 0:
        return "zero shot (0)"
    return "few shot (1-10)" if count <= 10 else "many shot (11+)"


def equal_bins(values: Mapping[str, float], bins: int) -> dict[str, str]:
    """Put keys into bins of equal size by value; ties stay together in the lower bin."""
    order = sorted(values, key=lambda key: (values[key], key))
    placed_in: dict[str, str] = {}
    labels: dict[int, tuple[float, float]] = {}
    placed: dict[float, int] = {}
    for place, key in enumerate(order):
        number = placed.setdefault(values[key], place * bins // len(order))
        low, high = labels.get(number, (values[key], values[key]))
        labels[number] = (min(low, values[key]), max(high, values[key]))
        placed_in[key] = str(number)
    return {key: _range(*labels[int(number)]) for key, number in placed_in.items()}


def _range(low: float, high: float) -> str:
    def show(value: float) -> str:
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:.2f}"

    return show(low) if low == high else f"{show(low)} to {show(high)}"
