"""What papers print, as data (data/published/*.tsv), and when it may stand beside our numbers.

Each row says where it stands (table, row), whose number it is, and its origin: `printed` in the
paper, `released` (a mean over the authors' result files, which the paper does not print or prints
otherwise) or `recomputed` (from other printed numbers, or with this software). Shares that a paper
prints as .73 are 73 here. `tag` and `value` say what we call the row.

A published number stands beside ours only where the benchmark is the published one, by what it
holds and not by its name, and only for systems of the same kind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from recombine.benchmark import Benchmark
from recombine.builders.recipe import read_recipe
from recombine.files import read_table
from recombine.registry import data_path
from recombine.report.method import method_of
from recombine.report.reading.runs import ReportRuns, SystemRun
from recombine.stage import identity_of

SGET, COGNITION, DBCA, PARADOX = "sget", "cognition", "dbca", "paradox"
# Variants of SGET that the paper trains on, too: the recipe key that makes them.
CONCATENATION, SELECTION = "concatenation", "selection"


class Published(NamedTuple):
    """One published number."""

    paper: str
    table: str
    row: str
    system: str
    metric: str
    tag: str
    value: str
    text: str
    sd: float | None
    origin: str
    note: str

    @property
    def score(self) -> float | None:
        """The number, where it is one: some papers print "200k" or a range."""
        return _number(self.text)


@cache
def read_published(name: str) -> tuple[Published, ...]:
    """Everything known of one benchmark: printed numbers first."""
    path = data_path("published", f"{name}.tsv")
    return tuple(
        Published(
            row["paper"], row["table"], row["row"], row["system"], row["metric"], row["tag"],
            row["value"], row["score"], _number(row["sd"]), row["origin"], row["note"],
        )
        for row in read_table(path, ("paper", "score", "origin"))
    )  # fmt: skip


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def find(name: str, **wanted: str) -> Published | None:
    """The first number whose fields are these; printed ones come before others."""
    return next(iter(find_all(name, **wanted)), None)


def find_all(name: str, **wanted: str) -> list[Published]:
    """All numbers whose fields are these."""
    return [
        row
        for row in read_published(name)
        if all(getattr(row, field) == value for field, value in wanted.items())
    ]


def lookup(name: str, **wanted: str) -> float | None:
    """The first number whose fields are these, or None."""
    row = find(name, **wanted)
    return row.score if row is not None else None


class PublishedSetting(NamedTuple):
    """The published experiment that runs repeat: its benchmark, variant and kinds of system."""

    name: str
    # Recipe keys in which it differs from the main one: concatenation, selection.
    without: tuple[str, ...]
    kinds: tuple[str, ...]


def published_setting(source: ReportRuns) -> PublishedSetting | None:
    """Whose numbers may stand beside those of these runs; None where nobody's may."""
    published = published_benchmark(source.benchmark)
    kinds = tuple(dict.fromkeys(kind for cell in source.cells if (kind := kind_of(cell))))
    return None if published is None else PublishedSetting(*published, kinds)


def kind_of(cell: SystemRun) -> str:
    """The kind of a system as papers name it, by what it was declared to be; "" for others.

    The papers' own models learned from the training pairs as they are: no recombined ones, no part.
    """
    record = cell.record
    options: Mapping[str, Any] = record.get("options") or {}
    use = str(options.get("use", ""))
    if record.get("track") in ("train-only", "grammar", "control") or options.get("train_size"):
        return ""
    if use == "llm":
        model = str(options.get("model", "")).lower()
        return "Llama 2" if "llama-2" in model or "llama2" in model else ""
    return {"transformer": "Transformer", "lstm": "LSTM"}.get(use, "")


# Released data, recognised by the sentences of its splits: builder, languages, digests. The first
# split must be there; of the others those that are.
_RELEASED = {
    ("generated-release", "en", "ja"): (
        SGET,
        {"dev": "0daf2865e848ad8c10cb9cfff8f01ce96d33b1b9cf1609399727f44b0df96221"},
    ),
    ("compound-release", "en", "zh"): (
        COGNITION,
        {
            "gen": "0fad945f6ffe3b56035387b9e35e1807ab3e9fd70f3f9017b609de2fd18e1f71",
            "test": "5cbfca0284e370827e29bb9a59ee3ca425c42e9a2bb395457ee744dee50c4f6d",
        },
    ),
    ("consistency-release", "en", "nl"): (
        PARADOX,
        {
            "systematicity": "dc4113639697b0a98fd8e7cec4262949d9bc76f2333b78c9e630d0b9903b8da6",
            "substitutivity": "fd8ac65aa3a7a824a3ff2e91370faee1e710df90ef67dcdbf3f22e1d96f8c369",
            "overgeneralisation":
                "f67ae905c521366931672b9316255a3e1c2cff69844f3a498299c10b91f65b37",
        },
    ),
}  # fmt: skip


def published_benchmark(benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
    """The published benchmark that this one is, and in what it varies; None if it is none."""
    return None if benchmark.manifest.sample else method_of(benchmark).published(benchmark)


def published_release(benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
    """Released data, by the sentences of its splits."""
    manifest = benchmark.manifest
    languages = (manifest.builder, manifest.source, manifest.target)
    if languages in _RELEASED:
        name, digests = _RELEASED[languages]
        there = [split for split in digests if split in benchmark.splits]
        if next(iter(digests)) in there and all(
            sentences_digest(example.source for example in benchmark.iterate(split))
            == digests[split]
            for split in there
        ):
            return name, ()
    return None


def sentences_digest(sources: Iterable[str]) -> str:
    """The SHA-256 of different sentences in sorted order, one a line."""
    return hashlib.sha256("\n".join(sorted(set(sources))).encode("utf-8")).hexdigest()


def follows(recipe: Mapping[str, Any], shipped: str, free: tuple[str, ...]) -> bool:
    """Whether options are those of a shipped recipe, but for those that are free."""
    overrides = [f"corpus={recipe['corpus']}"] if "corpus" in recipe else []
    wanted = read_recipe(shipped, overrides).manifest(seed=0)["recipe"]
    return identity_of(_given(recipe, free)) == identity_of(_given(wanted, free))


def _given(value: Any, free: tuple[str, ...] = ()) -> Any:
    """Options without those that are free or not set."""
    if isinstance(value, Mapping):
        return {k: _given(v) for k, v in value.items() if v is not None and k not in free}
    if isinstance(value, (list, tuple)):
        return [_given(part) for part in value if part is not None]
    return value
