"""Exports that other tools read."""

from __future__ import annotations

import json

import pytest
from pyarrow import parquet

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError
from recombine.export import export


def test_tsv_has_three_columns(tmp_path, small_benchmark):
    """COGS style: source, reference, first tag."""
    export(Benchmark.open(small_benchmark), "tsv", tmp_path / "out")
    lines = (tmp_path / "out" / "test.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "A dog slept.\tEin Hund schlief.\ttest"


def test_further_references_are_carried(tmp_path):
    """Behind the tag in a TSV, in numbered files as text, in the list of a parquet row."""
    from recombine.builders.recipe import build

    for name, text in (("en", "A dog slept."), ("de", "Ein Hund schlief."), ("2", "Es schlief.")):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    options = ["benchmark.name=two", "benchmark.source=en", "benchmark.target=de"]
    options += [f'split.test.source="{tmp_path / "en"}"', 'split.test.tags.pattern="p"']
    options += [f'split.test.references=["{tmp_path / "de"}", "{tmp_path / "2"}"]']
    benchmark = build("imported", tmp_path / "two", overrides=options)
    for form in ("tsv", "text", "parquet"):
        export(benchmark, form, tmp_path / form)
    row = (tmp_path / "tsv" / "test.tsv").read_text(encoding="utf-8")
    assert row == "A dog slept.\tEin Hund schlief.\tp\tEs schlief.\n"
    assert (tmp_path / "text" / "test.de.2").read_text(encoding="utf-8") == "Es schlief.\n"
    (example,) = parquet.read_table(tmp_path / "parquet" / "data" / "test.parquet").to_pylist()
    assert example["references"] == ["Ein Hund schlief.", "Es schlief."]


def test_an_export_is_of_one_benchmark(tmp_path, small_benchmark):
    """Files of another one beside it would pass for its splits; the same files are replaced."""
    benchmark = Benchmark.open(small_benchmark)
    out = tmp_path / "out"
    export(benchmark, "tsv", out, sample=1)
    assert len((out / "test.tsv").read_text(encoding="utf-8").splitlines()) == 1
    export(benchmark, "tsv", out)
    assert len((out / "test.tsv").read_text(encoding="utf-8").splitlines()) == 3
    (out / "gen.tsv").write_text("of another\n")
    with pytest.raises(ConfigError, match=r"gen\.tsv, which is no part of this export"):
        export(benchmark, "tsv", out, sample=1)
    assert len((out / "test.tsv").read_text(encoding="utf-8").splitlines()) == 3
    assert not list(tmp_path.glob("out.*"))


def test_text_is_line_aligned(tmp_path, small_benchmark):
    """One file per language."""
    export(Benchmark.open(small_benchmark), "text", tmp_path / "out")
    source = (tmp_path / "out" / "test.en").read_text(encoding="utf-8").splitlines()
    target = (tmp_path / "out" / "test.de").read_text(encoding="utf-8").splitlines()
    assert next(zip(source, target, strict=True)) == (
        "The king saw a queen.",
        "Der König sah eine Königin.",
    )


def test_the_parquet_folder_loads_as_a_dataset(tmp_path, small_benchmark, caplog):
    """`datasets.load_dataset(folder)` just works, with every split and column, and no warning."""
    datasets = pytest.importorskip("datasets", reason="the dev extra installs it")
    export(Benchmark.open(small_benchmark), "parquet", tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert [one.message for one in caplog.records if one.name.startswith("datasets")] == []
    assert {name: len(split) for name, split in loaded.items()} == {"train": 2, "test": 3}
    row = loaded["test"][1]
    assert row["references"] == ["Ein Hund schlief."]
    assert json.loads(row["tags"]) == {"pattern": "test"}


def test_the_croissant_metadata_lists_every_file(tmp_path, small_benchmark):
    """Hashes and columns of each parquet file."""
    export(Benchmark.open(small_benchmark), "parquet", tmp_path / "out")
    croissant = json.loads((tmp_path / "out" / "croissant.json").read_text(encoding="utf-8"))
    assert croissant["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert [one["contentUrl"] for one in croissant["distribution"]] == [
        "data/train.parquet",
        "data/test.parquet",
    ]


def test_the_croissant_metadata_have_no_warning(tmp_path, small_benchmark):
    """The specification's own reader has nothing to say, and reads the rows."""
    reader = pytest.importorskip("mlcroissant", reason="the dev extra installs it")
    export(Benchmark.open(small_benchmark), "parquet", tmp_path / "out")
    found = reader.Dataset(jsonld=str(tmp_path / "out" / "croissant.json"))
    issues = found.metadata.ctx.issues
    assert (set(issues.errors), set(issues.warnings)) == (set(), set())
    rows = list(found.records(record_set="test"))
    assert rows[1]["test/source"] == b"A dog slept."


def test_the_card_says_what_the_hub_asks_for(tmp_path, small_benchmark):
    """Licence, configuration, features and sizes."""
    export(Benchmark.open(small_benchmark), "parquet", tmp_path / "out")
    head = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---")[1]
    for line in ("license: other", 'license_name: "not stated"', "- config_name: default",
                 "  features:", "    num_examples: 3", "- n<1K"):  # fmt: skip
        assert f"\n{line}\n" in head


def test_an_unknown_format_is_refused(tmp_path, small_benchmark):
    """With the formats there are."""
    with pytest.raises(ConfigError, match="xlsx"):
        export(Benchmark.open(small_benchmark), "xlsx", tmp_path / "out")


@pytest.mark.parametrize("form", ["tsv", "text", "parquet"])
@pytest.mark.parametrize("below", [".", "export", "a/b"])
def test_nothing_is_written_into_a_benchmark(small_benchmark, form, below):
    """An export over its own benchmark would replace its data card."""
    before = Benchmark.open(small_benchmark)
    with pytest.raises(ConfigError, match="inside the benchmark"):
        export(before, form, small_benchmark / below)
    assert Benchmark.open(small_benchmark).verify() == []


def test_nothing_is_written_among_the_results_of_a_run(tmp_path, small_benchmark):
    """Nor into a run, or one of its systems; a folder of its own within it is fine."""
    cell = tmp_path / "run" / "system" / "seed-1"
    cell.mkdir(parents=True)
    (cell / "run.json").write_text("{}", encoding="utf-8")
    for out in (tmp_path / "run", cell, cell / "translations"):
        with pytest.raises(ConfigError, match="results of a run"):
            export(Benchmark.open(small_benchmark), "tsv", out)
    assert export(Benchmark.open(small_benchmark), "tsv", tmp_path / "run" / "export")
