"""Published numbers: complete, with their origin, and beside the published benchmark only."""

from __future__ import annotations

import csv
import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Benchmark, Example, Manifest
from recombine.builders.recipe import read_recipe
from recombine.report.reading.runs import SystemRun
from recombine.report.tables.published import (
    COGNITION,
    DBCA,
    PARADOX,
    SGET,
    find,
    kind_of,
    lookup,
    published_benchmark,
    read_published,
)

PRINTED = {SGET: 457, COGNITION: 116, DBCA: 112, PARADOX: 565}


@pytest.mark.parametrize("name", PRINTED)
def test_every_number_says_where_it_is_from(name):
    """Paper and origin of each; everything that the four papers print is there."""
    rows = read_published(name)
    assert all(row.paper and row.text for row in rows)
    assert {row.origin for row in rows} <= {"printed", "released", "recomputed"}
    first = rows[0].paper
    own = [row for row in rows if row.paper == first and row.origin == "printed"]
    assert len(own) == PRINTED[name]


def test_the_tables_of_sget_are_complete():
    """All 408 numbers of Tables 2 to 7, 10 and 11."""
    tables = Counter(row.table for row in read_published(SGET) if row.origin == "printed")
    wanted = {"2": 12, "3": 12, "4": 12, "5": 8, "6": 32, "7": 8, "10": 252, "11": 72}
    assert {table: tables[table] for table in wanted} == wanted
    patterns = {row.value for row in read_published(SGET) if row.table == "10" and row.value}
    assert patterns == set(read_recipe("sget").builder.split["gen"])


def test_the_numbers_are_those_of_the_papers(reference_data: Path):
    """Each printed number is the one that was copied from the paper."""
    for name, count in PRINTED.items():
        with (reference_data / "published" / f"{name}.tsv").open(encoding="utf-8") as stream:
            copied = list(csv.DictReader(stream, delimiter="\t"))
        ours = [row for row in read_published(name) if row.origin == "printed"][:count]
        for row, theirs in zip(ours, copied, strict=True):
            assert row.table == theirs["table"]
            assert row.sd == (float(theirs["sd"]) if theirs["sd"] else None)
            if row.text != theirs["value"]:  # a share as a percentage
                assert row.score == pytest.approx(100 * float(theirs["value"]))


def test_printed_comes_before_released():
    """Table 4 of Dankers et al. prints .73 where the released results give 75.8."""
    where = {"metric": "consistency", "tag": "condition", "value": "s1p semi-natural"}
    full = {"system": "Transformer, full data", **where}
    assert lookup(PARADOX, **full) == 73
    assert lookup(PARADOX, origin="released", **full) == 75.8
    assert find(SGET, table="2", system="LSTM", tag="split", value="gen", metric="bleu").sd == 8.3
    assert lookup(SGET, metric="exact", tag="pattern", value="no such pattern") is None


def benchmark(recipe: str, splits: dict[str, int], overrides=(), **head: Any) -> Benchmark:
    """A benchmark as far as its manifest says what it is."""
    found = read_recipe(recipe, overrides)
    fields = {f.name for f in dataclasses.fields(Manifest)}
    told = {key: value for key, value in found.manifest(1).items() if key in fields}
    return Benchmark(Path("none"), Manifest(**{**told, "splits": splits, "files": {}, **head}), "")


SIZES = {"train": 44_100, "dev": 5_000, "test": 5_000, "gen": 76_000}


@pytest.mark.parametrize(
    ("overrides", "without"),
    [
        ((), ()),
        (("edition=official", "benchmark.name=anything"), ()),
        (("concatenation=false",), ("concatenation",)),
        (("selection=false",), ("selection",)),
    ],
)
def test_sget_is_known_by_its_recipe_and_sizes(overrides, without):
    """Under any name, in either edition, and as the variants that the paper trains on."""
    assert published_benchmark(benchmark("sget", SIZES, overrides)) == (SGET, without)


@pytest.mark.parametrize(
    "made",
    [
        benchmark("sget-mini", SIZES, ("benchmark.name=sget",)),
        benchmark("sget", SIZES, ("exposures=1",)),
        benchmark("sget", SIZES, ("split.gen.cp_depth_3.size=10",)),
        benchmark("sget", {**SIZES, "gen": 1_900}),
        benchmark("sget", SIZES, sample=100),
        benchmark("sget", SIZES, ("benchmark.target=en", "benchmark.source=ja")),
        benchmark("dbca-max", {"train": 240, "test": 40}, ("corpus=c.conllu",)),
        benchmark("dbca-max", {"train": 197_000, "dev": 3_000, "test": 22_900},
                  ("corpus=c.conllu", "edition=all")),
        benchmark("dbca-max", {"train": 197_000, "dev": 3_000, "test": 22_900},
                  ("corpus=c.conllu", "benchmark.target=ja")),
    ],
)  # fmt: skip
def test_what_differs_is_not_the_published_benchmark(made):
    """Other words, exposures, sizes, languages or editions have no published number."""
    assert published_benchmark(made) is None


@pytest.mark.parametrize(
    ("recipe", "test"), [("dbca-min", 37_000), ("dbca-random", 30_000), ("dbca-max", 22_900)]
)
def test_splits_of_the_papers_sizes(recipe, test, monkeypatch):
    """The recipes of Moisio et al. at their sizes, from Europarl wherever it lies."""
    splits = {"train": 197_000, "dev": 3_000, "test": test}
    made = benchmark(recipe, splits, ("corpus=c.conllu",))
    for said, known in (("Thank you, Mr President .", (DBCA, ())), ("A dog barks .", None)):
        found = [Example.make(source=f"{said} {n}", tags={}) for n in range(9)]
        monkeypatch.setattr(Benchmark, "iterate", lambda self, split, found=found: iter(found))
        assert published_benchmark(made) == known


@pytest.mark.parametrize(
    ("recipe", "folder", "name"),
    [("cognition", "cognition", COGNITION), ("paradox", "paradox/inputs", PARADOX)],
)
def test_released_data_is_known_by_its_sentences(recipe, folder, name, reference_data, tmp_path):
    """One sentence less, and it is another benchmark."""
    from recombine.builders.recipe import build

    made = build(recipe, tmp_path / "b", overrides=[f"path={reference_data / folder}"])
    assert published_benchmark(made) == (name, ())
    for split in {COGNITION: ("gen", "test"), PARADOX: ("systematicity", "substitutivity")}[name]:
        path = made.split_path(split)
        whole = path.read_text()
        path.write_text("".join(whole.splitlines(keepends=True)[1:]))
        assert published_benchmark(made) is None
        path.write_text(whole)


@pytest.mark.parametrize(
    ("options", "track", "kind"),
    [
        ({"use": "transformer"}, "plain", "Transformer"),
        ({"use": "transformer"}, "train-only", ""),
        ({"use": "transformer", "train_size": 1000}, "plain", ""),
        ({"use": "lstm"}, "plain", "LSTM"),
        ({"use": "llm", "model": "meta-llama/Llama-2-7b-hf"}, "pretrained", "Llama 2"),
        ({"use": "llm", "model": "smollm2"}, "pretrained", ""),
        ({"use": "toy"}, "", ""),
    ],
)
def test_a_kind_is_what_was_declared(options, track, kind):
    """A system called transformer that is something else, or learned from other pairs, is none."""
    record = {"options": options, "track": track}
    assert kind_of(SystemRun("transformer", 1, record)) == kind
