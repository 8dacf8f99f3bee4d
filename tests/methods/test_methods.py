"""Kinds of benchmark: each declares what its report says, and a new one comes from outside."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint

import pytest

from recombine import registry
from recombine.benchmark import Example
from recombine.registry import lookup, names
from recombine.report.figures.figure import Figure
from recombine.report.findings import build_report
from recombine.report.gap import gap_sentences
from recombine.report.method import BenchmarkMethod, Headline, TaxonomyPlace, method_of
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.tables.table import Table
from recombine.report.write import write_report
from report.scored_run import scored_run, small_benchmark
from report.synthetic import make_run


class RiddlesMethod(BenchmarkMethod):
    """A fifth kind of benchmark, which no file of the package knows."""

    name = "riddles"
    builders = ("riddles",)
    taxonomy = TaxonomyPlace("Cognitive", "Structural", "Full", "Generated shift", "Train-test")
    main_tags = ("trick",)
    first_splits = ("hard",)
    hidden_splits = ("gen",)

    def headline(self, report) -> Headline:
        """Say how many riddles are solved."""
        score = report.main.overall(report.main.systems[0])
        return Headline(f"{score.value:.0f} of 100 riddles are solved", ("None was seen before.",))

    def first_screen(self, report) -> str:
        """Show that this is another page."""
        return '<p id="riddles">Riddles by trick</p>'

    def tables(self, report) -> list[Table]:
        """Return a table of its own."""
        return [Table("sphinxes", "Sphinxes", ("sphinx",), (("of Thebes",),))]

    def figures(self, report, tables) -> list[Figure]:
        """Return a figure of its own, drawn from that table."""
        ((sphinx,),) = tables[0].rows
        spec = {"data": {"values": [{"x": sphinx}]}, "mark": "point"}
        return [Figure("sphinx", "A sphinx.", spec)]


@pytest.fixture
def riddles(monkeypatch):
    """An installed package that has the fifth kind."""
    entry = EntryPoint("riddles", f"{__name__}:RiddlesMethod", "recombine.methods")
    found = registry._entry_points
    monkeypatch.setattr(
        registry,
        "_entry_points",
        lambda kind: (entry,) if kind == "method" else found(kind),
    )
    monkeypatch.setattr(RiddlesMethod, "words", ())
    return RiddlesMethod


def test_a_fifth_method_is_one_class_from_outside(riddles, tmp_path):
    """Its headline, first screen, main tag and order of splits are those of the report."""

    def examples(split):
        tags = [{"length_class": n % 3, "trick": "pun" if n % 2 else "name"} for n in range(8)]
        return [
            Example.make(source=f"{split} {n} ?", references=("so",), tags=tags[n])
            for n in range(8)
        ]

    words = tmp_path / "riddles.tsv"
    words.write_text("of\tvalue\tlabel\ntag\ttrick\tsleight of tongue\n", encoding="utf-8")
    riddles.words = (words,)
    splits = {name: examples(name) for name in ("easy", "gen", "hard")}
    benchmark = small_benchmark(tmp_path / "b", splits, metrics=["exact"], builder="riddles")
    assert isinstance(method_of(benchmark), RiddlesMethod)
    run = scored_run(
        tmp_path / "run",
        benchmark,
        {"sphinx": lambda split, seed: {one.id: "so" for one in benchmark.iterate(split)}},
        metrics=("exact",),
    )
    options = ReportOptions(exports=("genbench",), figures=("svg",))
    paths = write_report([run], tmp_path / "report", options)
    page = paths.html.read_text(encoding="utf-8")
    assert "<h1>100 of 100 riddles are solved</h1>" in page
    assert '<p id="riddles">Riddles by trick</p>' in page
    assert paths.verdict[0] == "100 of 100 riddles are solved."
    shown = paths.csv.read_text(encoding="utf-8")
    assert shown.index("\nhard,") < shown.index("\neasy,")
    assert "\ngen," not in shown
    card = next(path for path in paths.exports if path.name == "card.json")
    assert "Cognitive" in card.read_text(encoding="utf-8")
    assert (tmp_path / "report" / "tables" / "exact-hard-by-trick.csv").is_file()
    assert "sleight of tongue" in page
    assert (tmp_path / "report" / "tables" / "sphinxes.csv").is_file()
    assert any(path.stem == "sphinx" for path in paths.figures)


@pytest.mark.parametrize("name", names("builder"))
def test_every_builder_has_a_method(name):
    """Exactly one claims it."""
    kinds = [lookup("method", one) for one in names("method")]
    assert sum(name in kind.builders for kind in kinds) == 1
    assert all(kind.name == one for kind, one in zip(kinds, names("method"), strict=True))


def test_what_nobody_claims_is_like_imported_text(tmp_path):
    """A builder of one's own has a report without a method of its own."""
    splits = {"gen": [Example.make(source="a", references=("b",))]}
    own = small_benchmark(tmp_path / "b", splits, builder="./own.py:Builder")
    assert method_of(own).name == "imported"


def test_no_name_of_a_builder_is_tested_elsewhere(repository):
    """Reports, metrics and stages ask what a method declares."""
    tested = re.compile(r"builder\.startswith|manifest\.builder (?:==|!=|in)|isinstance\(\S*method")
    for chapter in ("report", "metrics", "experiment", "export"):
        for path in (repository / "src" / "recombine" / chapter).rglob("*.py"):
            assert not tested.search(path.read_text(encoding="utf-8")), path


def test_how_a_control_is_had_is_told(findings_of):
    """Where a gap cannot be taken apart the report says what would."""
    report = findings_of
    alone = [parts for parts in report.gaps if not parts.control]
    assert alone
    hint = lookup("method", "generated").control
    (told,) = gap_sentences(alone, hint)
    assert told.endswith(
        "No control: part of it may be difficulty (build one with: -o control=true)."
    )
    assert gap_sentences(alone)[0].endswith("part of it may be difficulty.")


@pytest.fixture
def findings_of(tmp_path):
    """Findings on systems that learned from the benchmark and have no control."""
    run = make_run(tmp_path, per_pattern=4, seeds=(1,), metrics=("exact",))
    return build_report(open_runs([run]), ReportOptions(), examples=False)
