"""Scoring: the stage from the translations of a run to observations and scores.csv.

Scores cost seconds: those of other translations, metrics or sentences are made again. Translations
of another benchmark or of a system with other options are refused.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine import __version__, registry
from recombine.benchmark import TRAINING_SPLITS, Benchmark, stratified_sample
from recombine.config import to_plain
from recombine.errors import DataError, RecombineError, StaleOutput
from recombine.experiment.experiment import (
    Experiment,
    alone_in_its_cells,
    cells_of,
    create_system,
    training_of_system,
)
from recombine.experiment.failures import Failures
from recombine.experiment.fingerprint import augmented, translation_fingerprint
from recombine.experiment.run import Cell
from recombine.experiment.translations import stored_hypotheses
from recombine.files import dump_row, read_json, sha256_of, write_jsonl, write_text
from recombine.grammar.benchmark_grammar import declared_grammar, grammar_inputs
from recombine.metrics.observations import ObservationTable
from recombine.metrics.score import write_scores
from recombine.metrics.scoring import (
    USE,
    MissingOutputs,
    Whose,
    about_nothing,
    create_metric,
    default_metrics,
    metric_use,
    observation_row,
    score,
)
from recombine.stage import (
    Meta,
    content_by_name,
    content_of,
    difference,
    require_same_key,
    source_hash,
)
from recombine.systems.base import UNKNOWN

# The folder of a cell where metrics keep the scores that they asked for.
ASKED = "asked"


class Unscored(NamedTuple):
    """Translations of one cell and checkpoint that are not scored yet."""

    checkpoint: str | None
    files: list[Path]
    meta: Meta
    fingerprint: dict[str, Any]


def unscored(
    experiment: Experiment,
    benchmark: Benchmark,
    cell: Cell,
    *,
    force: bool,
    sample: int,
    missing: MissingOutputs = "count",
) -> Iterator[Unscored]:
    """Yield what is to be scored in a cell; scores made from other inputs are made again."""
    folder = cell.path / "translations"
    learned = all(
        training_of_system(experiment, name) in TRAINING_SPLITS for name in experiment.system
    )
    paths = sorted(p for p in folder.glob("*.jsonl") if not p.name.endswith(".errors.jsonl"))
    for checkpoint in sorted({_checkpoint_of(path) for path in paths}, key=str):
        files = [path for path in paths if _checkpoint_of(path) == checkpoint]
        metrics = list(experiment.metrics or default_metrics(benchmark, learned=learned))
        fingerprint = {
            "benchmark": benchmark.hash,
            "metrics": metrics,
            # A metric of the user's own that is edited is another metric.
            "code": content_of(metric_files(metrics, experiment.metric, benchmark, cell)),
            "metric_code": metric_code(metrics, experiment.metric),
            **grammar_content(benchmark),
            "options": to_plain(experiment.metric),
            # By content: a translation that goes on after it was scored is another translation.
            "translations": {path.name: sha256_of(path) for path in files},
            "asked": [experiment.sample, experiment.sample_seed, sample],
            "missing": missing,
        }
        meta = Meta(cell.path / "scores" / (f"scores@{checkpoint}" if checkpoint else "scores"))
        if force or not _up_to_date(cell, meta, fingerprint):
            yield Unscored(checkpoint, files, meta, fingerprint)


@alone_in_its_cells
def score_run(
    experiment: Experiment,
    *,
    force: bool = False,
    sample: int = 0,
    missing: MissingOutputs = "count",
) -> int:
    """Score every translation of the run; return how many cells were scored now.

    `sample` scores a stratified subset of each split, for a first look. Sentences that failed or
    are not there yet count as each metric declares, unless `missing` is "skip".
    """
    benchmark = Benchmark.open(experiment.benchmark)
    scored = 0
    failures = Failures()
    for _name, _seed, cell in cells_of(experiment):
        if not any((cell.path / "translations").glob("*.jsonl")):
            nothing = DataError("it has no translations yet", hint="recombine translate ...")
            failures.add(nothing, cell)
            continue
        before = len(failures.found)
        with failures.apart(cell):
            _require_same_system(experiment, benchmark, cell)
        if len(failures.found) > before:
            continue
        with failures.apart(cell):
            for work in unscored(
                experiment, benchmark, cell, force=force, sample=sample, missing=missing
            ):
                _require_same_benchmark(work.files, benchmark)
                _score_cell(experiment, benchmark, cell, work)
                scored += 1
    failures.raise_any()
    return scored


def _require_same_benchmark(files: Iterable[Path], benchmark: Benchmark) -> None:
    """Raise when translations are of a benchmark that was built again in the same place."""
    for path in files:
        made_from = (Meta(path).read() or {}).get("fingerprint", {})
        if "benchmark" in made_from:
            then, now = {"benchmark": made_from["benchmark"]}, {"benchmark": benchmark.hash}
            require_same_key(path, then, now, "restore that benchmark, or translate with --force")


def _require_same_system(experiment: Experiment, benchmark: Benchmark, cell: Cell) -> None:
    """Raise when translations are of a system with other options than the experiment says.

    Options that only one of the two knows are those of another version of the system.
    """
    system = create_system(experiment, cell.system, benchmark)
    now = translation_fingerprint(experiment, cell, system, benchmark)
    for path in sorted((cell.path / "translations").glob("*.meta.json")):
        then = read_json(path).get("fingerprint", {})
        same = ("use", "code", "train_size", "sample_seed")
        shared = {name: now.get(name) for name in same if name in then}
        shared |= {"augment": None, **augmented(experiment, cell.system)}
        options = then.get("options")
        if isinstance(options, dict) and isinstance(now["options"], dict):
            shared["options"] = {name: now["options"].get(name, options[name]) for name in options}
        before = {name: then[name] for name in shared if name in then}
        require_same_key(path.parent, before, shared, "recombine translate EXPERIMENT --force")


def _score_cell(experiment: Experiment, benchmark: Benchmark, cell: Cell, work: Unscored) -> None:
    _drop_stale_scores(cell, work)
    work.meta.path.unlink(missing_ok=True)
    started = time.time()
    there = {path.stem.partition("@")[0] for path in work.files}
    splits = [split for split in benchmark.splits if split in there]
    size, seed, sample = work.fingerprint["asked"]
    asked: set[str] = set()
    for split in splits:
        translated = stratified_sample(benchmark.read(split), size, seed)
        asked.update(example.id for example in stratified_sample(translated, sample, 0))
    hypotheses: dict[str, str] = {}
    for path in work.files:
        stored = stored_hypotheses(path)
        hypotheses |= {name: text for name, text in stored.items() if name in asked}
    results = score(
        benchmark,
        hypotheses,
        work.fingerprint["metrics"],
        splits=splits,
        options=experiment.metric,
        missing=work.fingerprint["missing"],
        asked=asked,
        whose=Whose(cell.system, cell.seed, cell.path / ASKED),
    )
    files = _write_scores(cell, results, work.checkpoint)
    if work.checkpoint is None:
        cell.update_record(
            score={
                "hypotheses": len(hypotheses),
                "asked": len(asked),
                "missing": work.fingerprint["missing"],
                "about_nothing": about_nothing(experiment.metrics, results, experiment.metric),
                "seconds": round(time.time() - started, 2),
            }
        )
    # Last: a kill before it means that all this is done again, a kill after it that all is noted.
    own = [table for table in results if USE in experiment.metric.get(table.metric, {})]
    complete = not any(table.notes().get("ask_again") for table in own)
    work.meta.write(work.fingerprint, complete=complete, files=files)


def _write_scores(
    cell: Cell, tables: Iterable[ObservationTable], checkpoint: str | None = None
) -> dict[str, str]:
    """Write observations and scores.csv; return the SHA-256 of each file."""
    scores = []
    files: dict[str, str] = {}
    for table in tables:
        path = cell.scores(table.metric, table.split, checkpoint)
        files[path.relative_to(cell.path).as_posix()] = write_observations(path, table)
        scores += table.scores()
    path = cell.path / (f"scores@{checkpoint}.csv" if checkpoint else "scores.csv")
    write_scores(path, scores)
    files[path.name] = sha256_of(path)
    return files


def write_cell(
    cell: Cell,
    benchmark: Benchmark,
    hypotheses: Mapping[str, str],
    tables: Sequence[ObservationTable],
    *,
    asked: Collection[str] | None = None,
    missing: MissingOutputs = "count",
    trained_on: str = UNKNOWN,
) -> None:
    """Write what was translated and scored elsewhere into a run, as its stages would have."""
    if cell.path.exists():
        raise StaleOutput(f"{cell.path} is there already", hint="choose another name or run")
    sampled = 0
    translations = {}
    for split in dict.fromkeys(table.split for table in tables):
        examples = benchmark.read(split)
        ids = [example.id for example in examples if asked is None or example.id in asked]
        if len(ids) < len(examples):
            sampled = max(sampled, len(ids))
        path = cell.translations(split)
        rows = [
            {"id": identity, "hyp": hypotheses[identity]}
            for identity in ids
            if identity in hypotheses
        ]
        write_jsonl(path, rows)
        translations[path.name] = sha256_of(path)
    cell.update_record(
        system=cell.system,
        seed=cell.seed,
        benchmark=str(benchmark.path.resolve()),
        benchmark_hash=benchmark.hash,
        trained_on=trained_on,
        versions={"recombine": __version__, "python": platform.python_version()},
    )
    fingerprint = {
        "benchmark": benchmark.hash,
        "translations": translations,
        "asked": [sampled, 0, 0],
        "missing": missing,
    }
    files = _write_scores(cell, tables)
    Meta(cell.path / "scores" / "scores").write(fingerprint, complete=True, files=files)


def _drop_stale_scores(cell: Cell, work: Unscored) -> None:
    """Remove scores of other translations or other sentences, of whatever metric.

    Metrics that are not asked for this time would be reported beside the new scores.
    """
    before = (work.meta.read() or {}).get("fingerprint", {})
    inputs = ("benchmark", "translations", "asked", "missing")
    if all(before.get(name) == work.fingerprint[name] for name in inputs):
        return
    for path in (cell.path / "scores").glob("*.jsonl"):
        if _checkpoint_of(path) == work.checkpoint:
            path.unlink()
            Meta(path).path.unlink(missing_ok=True)


def write_observations(path: Path, table: ObservationTable) -> str:
    """Write the observations of one system, and beside them what a reader of them must know.

    Return the SHA-256 of the observations: they are many, and need not be read for it.
    """
    rows = (observation_row(table.metric, observation) for observation in table.rows())
    observations = "".join(dump_row(row) + "\n" for row in rows)
    write_text(path, observations)
    (failed,) = table.failed.values()
    Meta(path).write(
        {},
        complete=True,
        metric={
            "name": table.metric,
            "options": table.options,
            "declares": table.declares,
        },
        signature=table.signature,
        notes=table.notes(),
        # Of how many keys the score speaks, by the examples of each key that it does not.
        unobserved=[list(ids) for ids in table.unobserved],
        failed=sorted(failed),
    )
    return hashlib.sha256(observations.encode("utf-8")).hexdigest()


def metric_files(
    metrics: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
    benchmark: Benchmark,
    cell: Cell,
) -> list[Path]:
    """Files that scores depend on: code of one's own, programs, scores from elsewhere."""
    paths = []
    for name in metrics:
        given = options.get(name, {})
        paths += registry.own_files([metric_use(name, given)])
        if USE in given:
            metric = create_metric(name, benchmark, given)
            metric.settle(cell.system, cell.seed, None)
            paths += metric.depends_on()
    return paths


# What scores are made with, beside the metrics themselves.
SCORING = tuple(f"recombine.{wing}" for wing in ("benchmark", "corpus", "grammar", "statistics"))


def metric_code(metrics: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> str:
    """What a key knows of the code of metrics, ours and installed ones: its content."""
    packages = {"recombine.metrics", *SCORING}
    for name in metrics:
        package = registry.lookup("metric", metric_use(name, options.get(name, {}))).__module__
        if not package.startswith(("recombine.", "recombine_user_")):
            packages.add(package.partition(".")[0])
    return source_hash(tuple(sorted(packages)))


def grammar_content(benchmark: Benchmark) -> dict[str, dict[str, str]]:
    """What a key knows of the grammar that metrics read a benchmark with: its variants, too."""
    declared = declared_grammar(benchmark)
    if declared is None:
        return {}
    languages = (benchmark.manifest.source, benchmark.manifest.target)
    try:
        files = grammar_inputs(declared.place, declared.edition, languages)
    except RecombineError:
        return {}  # a metric that needs it says that it is not here
    return {"grammar": content_by_name(files)}


def _up_to_date(cell: Cell, meta: Meta, fingerprint: Mapping[str, Any]) -> bool:
    """Scores cost seconds: what was made from other inputs, or is gone, is made again."""
    stored = meta.read()
    return (
        stored is not None
        and bool(stored.get("complete"))
        and difference(stored["fingerprint"], fingerprint) is None
        and all(
            (cell.path / name).is_file() and sha256_of(cell.path / name) == digest
            for name, digest in stored.get("files", {}).items()
        )
    )


def _checkpoint_of(path: Path) -> str | None:
    return path.stem.partition("@")[2] or None
