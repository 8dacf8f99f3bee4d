"""How was this made: the benchmark, every system, and the commands to make it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from markupsafe import Markup

from recombine import __version__
from recombine.config import dump_toml
from recombine.files import read_json
from recombine.report.findings import Findings
from recombine.report.page.shown import SystemLook, look
from recombine.report.reading.runs import SystemRun
from recombine.templates import listed, render

# What systems are called in a sentence; any other by its name.
KINDS = {
    "transformer": "Transformer from scratch",
    "lstm": "LSTM from scratch",
    "llm": "language model",
    "hf-seq2seq": "pretrained encoder-decoder",
    "command": "program",
    "http": "service",
    "file": "outputs from a file",
    "oracle": "the grammar itself",
    "copy": "copy of the source",
    "dictionary": "dictionary",
}
# Options that a sentence names in words.
USE, PRESET, STEPS, AUGMENT, TRAIN = "use", "preset", "steps", "augment", "train"


class Chip(NamedTuple):
    """A word beside the headline that opens what it means; some are a warning."""

    name: str
    about: str
    warns: bool = False


class MadeCard(NamedTuple):
    """A card: whose it is, and facts by name."""

    title: str
    system: SystemLook | None
    facts: Mapping[str, str]


def day(report: Findings) -> str:
    """The day of the newest score: the same runs say the same."""
    newest = max(scores.modified for scores in report.source.scores)
    scored = datetime.fromtimestamp(newest, UTC)
    return f"{scored.day} {scored:%B %Y}"


def chips(report: Findings) -> list[Chip]:
    """How many seeds, and what systems learned from, each with its meaning."""
    main, words = report.main, report.words
    counts = {len(seeds) for seeds in main.seeds.values()}
    alone = [name for name, seeds in main.seeds.items() if len(seeds) == 1]
    warned = [name for name in alone if name in report.source.trained]
    low, high = min(counts), max(counts)
    name = f"{low if low == high else f'{low} to {high}'} seed{'' if high == 1 else 's'}"
    if warned:
        about = (
            f"{listed(warned)} {'was' if len(warned) == 1 else 'were'} trained with one seed. "
            "Intervals cover the choice of sentences, not the luck of training, which is often "
            "larger."
        )
    else:
        about = "Scores are means over seeds; intervals cover seeds and sentences."
    # Outputs of what was not trained here have no seed.
    chips_of = [Chip(name, about, bool(warned))] if warned or high > 1 else []
    tracks = dict.fromkeys(_track(cell) for cell in report.source.cells)
    for track in filter(None, tracks):
        wording = words.find("track", track)
        if wording.trained:
            chips_of.append(Chip(wording.label, wording.trained))
    return chips_of


def _track(cell: SystemRun) -> str:
    return str(cell.record.get("track") or "")


def _options(report: Findings) -> dict[str, dict[str, Any]]:
    """The options of every system, of its first seed."""
    options: dict[str, dict[str, Any]] = {}
    for cell in report.source.cells:
        options.setdefault(cell.name, dict(cell.record.get("options") or {}))
    return {name: options[name] for name in report.best_first}


def what_was_done(report: Findings) -> str:
    """In one or two sentences what the systems are, and in what they differ."""
    options = _options(report)
    # A program of one's own is known by its name alone, which stands beside its score.
    if not any(given.get(USE) in KINDS for given in options.values()):
        return ""
    shared = set.intersection(*(set(map(str, given.items())) for given in options.values()))
    first = next(iter(options.values()))
    common = {key: value for key, value in first.items() if str((key, value)) in shared}
    pairs = report.source.benchmark.manifest.splits.get("train", 0)
    if USE not in common:
        kinds = [f"{name}: {_kind(given, pairs)}" for name, given in options.items()]
        return "; ".join(kinds[:4]) + ("; ..." if len(kinds) > 4 else "") + "."
    many = len(options) > 1
    who = "" if not many else "Both: " if len(options) == 2 else "All: "
    lines = [f"{who}{_kind(common, pairs)}."]
    for name, given in options.items():
        own = {key: value for key, value in given.items() if key not in common}
        if own and many:
            lines.append(f"{name}: {'; '.join(_differs(key, own[key]) for key in own)}.")
    return " ".join(lines[:5])


def _kind(given: Mapping[str, Any], pairs: int) -> str:
    use = str(given.get(USE, ""))
    parts = [KINDS.get(use, use.rpartition(":")[2])]
    if given.get(PRESET):
        parts.append(f"preset {given[PRESET]}")
    if given.get("model"):
        parts.append(str(given["model"]).rpartition("/")[2])
    if given.get(STEPS):
        parts.append(f"{given[STEPS]:,} steps")
    if use in ("transformer", "lstm") and pairs:
        size = given.get("train_size") or pairs
        parts.append(f"{min(size, pairs):,} training pairs")
    return ", ".join(parts)


def _differs(key: str, value: Any) -> str:
    """An option that sets a system apart, in words."""
    if key == AUGMENT and isinstance(value, Mapping):
        method = value.get("method", "recombine")
        ratio = value.get("ratio")
        more = f", {ratio:g} for each of these" if isinstance(ratio, (int, float)) else ""
        kind = "recombined from its training pairs" if method == "recombine" else f"by {method}"
        return f"it learns from pairs {kind}, too{more}"
    if key == TRAIN:
        return f"trained on {value}"
    return f"{key.replace('_', ' ')} {value}"


def made_section(report: Findings, notes: Sequence[str]) -> Markup:
    """The benchmark, every system, the commands, and what a metric's numbers depend on."""
    signatures = dict.fromkeys((results.metric, results.signature) for results in report.results)
    return render(
        "made",
        cards=[
            _benchmark_card(report),
            *(_system_card(report, name) for name in report.best_first),
        ],
        commands=_commands(report),
        experiments=_experiments(report),
        statistics={
            "Intervals": f"{100 * report.options.confidence:g}%",
            "Paired tests": f"{report.options.trials:,} trials where outputs are exchanged, "
            f"seed {report.options.seed}",
            "Units of the sample": ", ".join(
                dict.fromkeys(results.sampled for results in report.results)
            ),
        },
        signatures=[(metric, text or "none") for metric, text in signatures],
        notes=notes,
    )


def _benchmark_card(report: Findings) -> MadeCard:
    manifest = report.source.benchmark.manifest
    splits = ", ".join(f"{name} {size:,}" for name, size in manifest.splits.items())
    return MadeCard(
        f"{manifest.name} {manifest.version}",
        None,
        {
            "Languages": f"{manifest.source} → {manifest.target or 'any'}",
            "Sentences": splits,
            "Builder and seed": f"{manifest.builder}, seed {manifest.seed}",
            "Licence": manifest.licence or "not stated",
            "Citation": manifest.citation or "not stated",
            "Identity": report.source.benchmark.hash,
        },
    )


def _system_card(report: Findings, system: str) -> MadeCard:
    cells = [cell for cell in report.source.cells if cell.name == system]
    record = cells[0].record
    options = dict(record.get("options") or {})
    track = report.words.find("track", _track(cells[0]))
    seconds = [cell.record.get("train_seconds") for cell in cells]
    trained = [time for time in seconds if isinstance(time, (int, float))]
    facts = {
        "What it is": KINDS.get(str(options.get(USE, "")), str(options.get(USE, "not recorded"))),
        "Learned from": track.trained or track.label,
        "Options": ", ".join(f"{k} {_short(v)}" for k, v in options.items() if k != USE),
        "Seeds": ", ".join(str(cell.seed) for cell in cells),
        "Training": f"{sum(trained) / len(trained):,.0f} s for each seed" if trained else "",
        "Made with": ", ".join(f"{k} {v}" for k, v in (record.get("versions") or {}).items()),
        "Machine": str(record.get("platform") or ""),
    }  # fmt: skip
    return MadeCard(
        system, look(report, system), {name: text for name, text in facts.items() if text}
    )


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} {_short(option)}" for key, option in value.items()) + "}"
    return str(value)


def _commands(report: Findings) -> list[tuple[str, str]]:
    """What makes this page again, and what proves the benchmark."""
    runs = " ".join(shlex.quote(run.name) for run in report.source.runs)
    asked = []
    if report.options.metrics:
        asked.append(f"-o {shlex.quote(f'metrics={json.dumps(report.options.metrics)}')}")
    if report.options.sample:
        asked.append(f"--sample {report.options.sample}")
    commands = [("This page", " ".join(["recombine report", runs, *asked]))]
    if _experiments(report):
        commands.insert(0, ("Everything, with the file below", "recombine run experiment.toml"))
    benchmark = shlex.quote(report.source.benchmark.path.name)
    return [*commands, ("What is proved of the benchmark", f"recombine check {benchmark}")]


def _experiments(report: Findings) -> list[tuple[str, str]]:
    """The experiment of every run as a file to run again."""
    experiments = []
    for run in report.source.runs:
        path = run / "experiment.json"
        given = read_json(path) if path.is_file() else {}
        if given.get("system"):
            kept = {
                key: value for key, value in given.items() if value not in (None, "", [], {}, 0)
            }
            experiments.append((run.name, dump_toml(kept)))
    return experiments


def eyebrow(report: Findings, sentences: int) -> str:
    """What the page is about: benchmark, languages, sentences, day and version."""
    manifest = report.source.benchmark.manifest
    systems = len(report.systems)
    return " · ".join(
        [
            f"{manifest.name} {manifest.version}",
            f"{manifest.source} → {manifest.target or 'any'}",
            f"{systems} system{'' if systems == 1 else 's'}",
            f"{sentences:,} sentences",
            day(report),
            f"Recombine {__version__}",
        ]
    )


def source_line(*reports: Findings) -> str:
    """What stands below a chart: the benchmarks, what scored them, and when."""
    manifests = [report.source.benchmark.manifest for report in reports]
    names = [
        f"{manifest.name} {manifest.version}, {manifest.source} → {manifest.target or 'any'}"
        for manifest in manifests
    ]
    return f"{'; '.join(dict.fromkeys(names))}; Recombine {__version__}, {day(reports[0])}"
