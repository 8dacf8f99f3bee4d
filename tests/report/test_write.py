"""Writing a report: what is in the folder, and what a former report left there."""

from __future__ import annotations

import csv
import json

import pytest

from recombine.errors import ConfigError, DataError
from recombine.files import write_text
from recombine.report import ReportOptions, power_plan, write_report
from recombine.report.reading.runs import open_runs
from recombine.report.scorecard import write_scorecard
from recombine.report.write import WRITTEN, replace_former


def test_everything_is_written(run, tmp_path):
    """Page, Markdown, tidy CSV, tables and figures of a run with two metrics."""
    paths = write_report([run], tmp_path, ReportOptions(figures=("svg",)))
    assert paths.html.is_file()
    assert "# synthetic" in paths.markdown.read_text()
    with paths.csv.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    overall = [row for row in rows if row["split"] == "gen" and not row["tag"]]
    assert {row["metric"] for row in overall} == {"exact", "bleu", "bleu-char"}
    for row in overall:
        assert float(row["ci_low"]) <= float(row["score"]) <= float(row["ci_high"])
        assert row["signature"]
    assert any(path.name == "table-10-patterns.tex" for path in paths.tables)
    assert any(path.suffix == ".svg" for path in paths.figures)


def test_power_plan_of_a_run(run):
    """`--power` gives seeds for the gain asked for."""
    plan = power_plan([run], gain=2.0)
    assert plan["seeds_per_system"][0]["gain"] == 2.0
    assert plan["seeds_per_system"][0]["seeds"] >= 2


def test_nothing_is_written_into_a_benchmark_or_a_run(run):
    """A report has a folder of its own; a scorecard too."""
    benchmark = open_runs([run]).benchmark.path
    for write in (write_report, write_scorecard):
        for out in (run, benchmark, benchmark / "report"):
            with pytest.raises(ConfigError, match="nothing"):
                write([run], out)


def files_of(folder):
    """Every file below a folder, by its path in it."""
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}


def write(out, kind, **texts):
    """Write a report of these files."""
    paths = [out / name.replace("__", "/") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        write_text(path, text)
    return replace_former(out, kind, paths)


def test_a_second_report_leaves_only_its_own_files(run, tmp_path):
    """Tables and figures of metrics that are not reported any more are gone; ours are listed."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "mine.csv").write_text("kept")
    first = write_report([run], tmp_path, ReportOptions(figures=("svg",)))
    assert files_of(tmp_path) == {
        "tables/mine.csv",
        WRITTEN,
        *(path.relative_to(tmp_path).as_posix() for path in first.files),
    }
    second = write_report([run], tmp_path, ReportOptions(figures=(), metrics=("exact",)))
    assert set(second.files) < set(first.files)
    assert files_of(tmp_path) == {
        "tables/mine.csv",
        WRITTEN,
        *(path.relative_to(tmp_path).as_posix() for path in second.files),
    }


def test_what_was_changed_since_is_not_ours(tmp_path):
    """A table somebody edited stays, an untouched one goes, and so does its empty folder."""
    write(tmp_path, "report", a="1", tables__b="2", tables__deep__c="3")
    (tmp_path / "a").write_text("edited")
    removed = write(tmp_path, "report", d="4")
    assert removed == [tmp_path / "tables" / "b", tmp_path / "tables" / "deep" / "c"]
    assert files_of(tmp_path) == {"a", "d", WRITTEN}
    assert not (tmp_path / "tables").exists()


def test_kinds_of_report_share_a_folder(tmp_path):
    """A scorecard does not remove a report, nor what both of them wrote."""
    write(tmp_path, "report", report="1", both="2")
    assert write(tmp_path, "scorecard", scorecard="3", both="2") == []
    assert write(tmp_path, "report", report="4") == []
    assert files_of(tmp_path) == {"report", "scorecard", "both", WRITTEN}


def test_a_list_cannot_reach_outside(tmp_path):
    """A list that names other folders, or is no list, removes nothing."""
    out = tmp_path / "out"
    write(tmp_path, "report", precious="1")
    digest = json.loads((tmp_path / WRITTEN).read_text())["report"]["precious"]
    write_text(out / WRITTEN, json.dumps({"report": {"../precious": digest, "gone": "0"}}))
    assert write(out, "report", a="2") == []
    write_text(out / WRITTEN, "not a list")
    assert write(out, "report", b="3") == []
    assert (tmp_path / "precious").is_file()
    assert files_of(out) == {"a", "b", WRITTEN}


@pytest.mark.parametrize("asked", [{"metrics": ("exact", "nosuch")}, {"splits": ("gen", "nosuch")}])
def test_what_was_not_scored_is_not_left_out_silently(run, tmp_path, asked):
    """A metric or split that was asked for is in the report, or the report is refused."""
    with pytest.raises(DataError, match=r"no scores of (metric|split) 'nosuch'"):
        write_report([run], tmp_path / "out", ReportOptions(**asked))


def test_a_confidence_of_95_is_refused():
    """It is a share, not a percentage."""
    with pytest.raises(ConfigError, match="between 0 and 1, not 95"):
        ReportOptions(confidence=95)


def test_the_page_counts_the_sentences_it_is_about(run, tmp_path):
    """A look at 16 examples of each split is not one at 400."""
    options = {"metrics": ("exact",), "figures": ()}
    for sample, told in ((0, "400 sentences"), (16, "32 sentences")):
        paths = write_report([run], tmp_path, ReportOptions(sample=sample, **options))
        assert told in paths.html.read_text(encoding="utf-8")
