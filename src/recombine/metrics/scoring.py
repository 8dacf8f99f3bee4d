"""Scoring: hypotheses of a benchmark -> a table of observations for every metric and split."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from recombine import registry
from recombine.benchmark import Benchmark, normalise
from recombine.config import to_plain
from recombine.errors import ConfigError, DataError, RecombineError
from recombine.grammar.benchmark_grammar import declared_grammar
from recombine.metrics.base import (
    Metric,
    Observation,
    Scored,
    require_declared,
    require_kind,
)
from recombine.metrics.observations import ObservationTable, measure_of, observed
from recombine.metrics.slices import SplitExamples
from recombine.parallel import gc_paused
from recombine.progress import progress

# Whether sentences without an output count as the metric declares, or are skipped.
MissingOutputs = Literal["count", "skip"]
# Fields in which a metric is told the grammar that the benchmark was made with.
# The option that says which metric stands behind a name of one's own, which is also a file's.
USE = "use"
_NAME = re.compile(r"[A-Za-z0-9][\w+-]*")
# The metric of systems that did not learn from a benchmark that a grammar wrote.
UNTAUGHT = "meaning"
GRAMMAR_FIELDS = ("grammar", "edition", "grammar_sha256")


class Whose(NamedTuple):
    """Whose translations are scored, and the folder where a metric may keep what it paid for."""

    system: str
    seed: int
    folder: Path | None


NOBODY = Whose("", 1, None)


def create_metrics(
    names: Iterable[str],
    benchmark: Benchmark,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Metric]:
    """Make the metrics, telling each the languages it asks for."""
    wanted = list(dict.fromkeys(names))
    if "bleu" in wanted and "bleu-char" not in wanted and benchmark.manifest.target in ("ja", "zh"):
        # BLEU of an unspaced language depends on its tokeniser, so the character figure goes along.
        wanted.insert(wanted.index("bleu") + 1, "bleu-char")
    given = _options_of(wanted, options or {})
    metrics = {name: create_metric(name, benchmark, given.get(name, {})) for name in wanted}
    called: dict[str, str] = {}
    for name, metric in metrics.items():
        if called.setdefault(metric.name, name) != name:
            raise ConfigError(
                f"'{called[metric.name]}' and '{name}' are both called '{metric.name}', and their "
                "scores could not be told apart",
                hint=f"declare another `name` in {name}",
            )
    return list(metrics.values())


def _options_of(
    wanted: Sequence[str], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Options by the metric's full name; ./file.py:Name is called Name for short."""
    by_name: dict[str, Mapping[str, Any]] = {}
    for called, given in options.items():
        if not isinstance(given, Mapping):
            raise ConfigError(
                f"option '{called}' names no metric", hint="write -o METRIC.OPTION=VALUE"
            )
        meant = [name for name in wanted if called in (name, name.rpartition(":")[2])]
        if not meant:
            short = dict.fromkeys(name.rpartition(":")[2] for name in wanted)
            raise ConfigError(
                f"there are options for the metric '{called}', which is not scored",
                hint=f"metrics here: {', '.join(short)}",
            )
        for name in meant:
            by_name[name] = {**by_name.get(name, {}), **given}
    return by_name


def create_metric(name: str, benchmark: Benchmark, options: Mapping[str, Any]) -> Metric:
    """Make one metric; what it asks to know of the benchmark and is not given is filled in."""
    use = metric_use(name, options)
    cls = registry.lookup("metric", use)
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    given = {key: value for key, value in _declared(benchmark, fields).items() if key in fields}
    if "grammar" in options:  # another grammar has other editions and another hash
        given = {key: value for key, value in given.items() if key not in GRAMMAR_FIELDS}
    if "name" in fields:  # one class, and a name for each use
        given["name"] = name
    options = {key: value for key, value in options.items() if key != USE}
    metric: Metric = registry.create("metric", use, {**given, **options})
    require_declared(metric, name)
    return metric


def metric_use(name: str, options: Mapping[str, Any]) -> str:
    """Return the metric behind a name that somebody gave to it: `use` among its options."""
    if USE in options and not _NAME.fullmatch(name):
        raise ConfigError(
            f"a metric cannot be called '{name}'", hint="use letters, digits, '_', '+' and '-'"
        )
    return str(options.get(USE, name))


def _declared(benchmark: Benchmark, fields: Collection[str]) -> dict[str, Any]:
    """What a benchmark says of itself, by the names of the fields that ask for it."""
    facts: dict[str, Any] = {
        "source_language": benchmark.manifest.source,
        "target_language": benchmark.manifest.target,
    }
    grammar = declared_grammar(benchmark) if "grammar" in fields else None
    if grammar is not None:
        facts |= zip(GRAMMAR_FIELDS, grammar, strict=True)
    return facts


def by_key(metric: Metric, items: Iterable[Scored]) -> dict[str, list[Scored]]:
    """Return what a metric judges together; items that it is not about are left out."""
    groups: dict[str, list[Scored]] = {}
    for item in items:
        key = metric.key(item.example)
        if key is not None:
            groups.setdefault(key, []).append(item)
    return groups


def observe(
    metric: Metric,
    items: Sequence[Scored],
    split: str,
    *,
    skip: bool = False,
    examples: SplitExamples | None = None,
) -> ObservationTable:
    """Return the observations of a metric on the items of a split.

    A missing output is worth what the metric declares; with `skip` it is left out of every metric.
    """
    if examples is None:
        examples = SplitExamples((item.example.id, item.example) for item in items)
    groups = by_key(metric, items)
    left_out = skip or metric.missing == "left out"
    lacking = {item.example.id for item in items if item.missing}
    observations: list[Observation] = []
    unobserved: list[tuple[str, ...]] = []
    failed: set[str] = set()
    # What is analysed and observed stays, and is no cycle: half of the time of `partial`.
    with gc_paused(), progress(f"score {metric.name} {split}", len(groups)) as bar:
        for group in groups.values():
            there = [item for item in group if not item.missing] if left_out else group
            observation = metric.observe(there) if there else None
            ids = tuple(item.example.id for item in group)
            if observation is None:
                unobserved.append(ids)
            else:
                observations.append(observation)
            # A pair is observed at its second sentence.
            if not lacking.isdisjoint((*ids, *(observation.ids if observation else ()))):
                failed.add(ids[0])
            bar.advance()
    return observed(
        metric, split, observations, unobserved=unobserved, failed=failed, examples=examples
    )


def score(
    benchmark: Benchmark | Path | str,
    hypotheses: Mapping[str, str],
    metrics: Sequence[str] | str | None = None,
    *,
    splits: Sequence[str] | str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    missing: MissingOutputs = "count",
    asked: Collection[str] | None = None,
    whose: Whose = NOBODY,
) -> list[ObservationTable]:
    """Score hypotheses (id -> text) of any system on a benchmark.

    Splits of which no hypothesis is given are left out; in the others a sentence without one counts
    as its metric declares, unless `missing` is "skip". `asked` are the ids that were to be
    translated, all by default. Every metric first sees all items (`prepare`), so that what it
    learns does not depend on the order of splits.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    if isinstance(metrics, str):
        metrics = [metrics]
    if isinstance(splits, str):
        splits = [splits]
    if missing not in get_args(MissingOutputs):
        raise ConfigError(
            f"missing is {missing!r}", hint=f"one of: {', '.join(get_args(MissingOutputs))}"
        )
    covered = _items(benchmark, hypotheses, splits, asked)
    everything = [item for items in covered.values() for item in items]
    there = [item for item in everything if not item.missing]
    examples = {
        split: SplitExamples((item.example.id, item.example) for item in items)
        for split, items in covered.items()
    }
    tables = []
    prepared: dict[bool, list[Metric]] = {True: [], False: []}
    for metric in create_metrics(metrics or default_metrics(benchmark), benchmark, options):
        metric.settle(*whose)
        left_out = missing == "skip" or metric.missing == "left out"
        if not any(metric.prepare_like(other) for other in prepared[left_out]):
            metric.prepare(there if left_out else everything)
        prepared[left_out].append(metric)
        skip = missing == "skip"
        tables_of = [
            observe(metric, items, split, skip=skip, examples=examples[split])
            for split, items in covered.items()
        ]
        for table in tables_of:
            if table.keys:
                (stats,) = table.stats.values()
                require_kind(metric, stats)
                # Some of it is known only when the metric has seen every split.
                facts = measure_of(metric, table.split).facts
                tables.append(dataclasses.replace(table, **facts))
    return tables


def is_as_shipped(benchmark: Benchmark, name: str, options: Mapping[str, Any]) -> bool:
    """Whether a metric scored with the options that it has for this benchmark by itself."""
    if not options:
        return True
    try:
        plain = to_plain(create_metric(name, benchmark, {}))
    except RecombineError:  # not known or not installed here
        return False
    # An option that only one of the two knows is of another version.
    now, then = json.loads(json.dumps([plain, options]))
    return all(now[option] == value for option, value in then.items() if option in now)


def about_nothing(
    metrics: Iterable[str],
    tables: Iterable[ObservationTable],
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[str]:
    """The metrics, of those asked for, that are about none of the sentences scored."""
    metrics = [name for name in metrics if USE not in (options or {}).get(name, {})]
    scored = {table.metric for table in tables}
    return [
        name
        for name in metrics
        if name not in scored and registry.lookup("metric", name).name not in scored
    ]


def _items(
    benchmark: Benchmark,
    hypotheses: Mapping[str, str],
    splits: Sequence[str] | None,
    asked: Collection[str] | None,
) -> dict[str, list[Scored]]:
    """The items of each split that has hypotheses, in NFC like the references."""
    if not isinstance(hypotheses, Mapping):
        raise DataError(
            f"hypotheses are a mapping from ids to texts, not {type(hypotheses).__name__}"
        )
    texts = {name: _text(name, given) for name, given in hypotheses.items()}
    unknown = set(texts)
    items = {}
    for split in splits if splits is not None else benchmark.splits:
        examples = benchmark.read(split)
        unknown.difference_update(example.id for example in examples)
        examples = [example for example in examples if asked is None or example.id in asked]
        if any(example.id in texts for example in examples):
            items[split] = [
                Scored(example, texts.get(example.id, ""), example.id not in texts)
                for example in examples
            ]
    for split in benchmark.splits if unknown else ():
        unknown.difference_update(example.id for example in benchmark.read(split))
    if unknown:
        raise DataError(
            f"{len(unknown):,} of {len(texts):,} hypotheses are of no example of benchmark "
            f"{benchmark.manifest.name}, such as '{min(unknown)}'",
            hint="hypotheses go by the id of an example",
        )
    return items


def _text(name: str, given: object) -> str:
    """A hypothesis as it is judged."""
    if not isinstance(given, str):
        raise DataError(f"the hypothesis of {name!r} is {type(given).__name__} instead of text")
    try:
        given.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"the hypothesis of {name!r} holds half a character (U+{ord(given[error.start]):04X})"
        ) from None
    return normalise(given)


def default_metrics(benchmark: Benchmark, *, learned: bool = True) -> tuple[str, ...]:
    """Return the metrics the benchmark recommends, or those every benchmark with references has.

    Of systems that did not learn from a generated benchmark (`learned` is False) the meaning comes
    first: nobody taught them the one wording that its references have.
    """
    for name in benchmark.manifest.metrics:
        if ".py:" in name:
            registry.lookup_installed("metric", name)
    recommended = benchmark.manifest.metrics or ("exact", "bleu", "chrf")
    if learned or "exact" not in recommended or declared_grammar(benchmark) is None:
        return recommended
    return tuple(dict.fromkeys([UNTAUGHT, *recommended]))


def observation_row(metric: str, observation: Observation) -> dict[str, Any]:
    """Return an observation as one row of a score file."""
    ids: dict[str, Any] = (
        {"id": observation.ids[0]} if len(observation.ids) == 1 else {"ids": list(observation.ids)}
    )
    return {
        "metric": metric,
        "key": observation.key,
        **ids,
        "value": observation.value,
        "stats": list(observation.stats),
        "detail": dict(observation.detail),
    }
