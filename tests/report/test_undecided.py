"""What a metric could not judge: every place that prints its score says how high it may be."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from metrics.compounds import compound
from recombine import score
from recombine.benchmark import Example
from recombine.report.compare import verdict_of
from recombine.report.exports.every_eval_ever import write_every_eval_ever
from recombine.report.exports.genbench import write_genbench_card
from recombine.report.exports.harness import write_harness
from recombine.report.exports.inspect_log import write_inspect_logs
from recombine.report.figures.own import report_figures
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.scorecard import write_scorecard
from recombine.report.tables.own import overall_table, tag_table
from recombine.report.tables.table import UNDECIDED, Estimate, comma_separated, latex, markdown
from recombine.report.write import write_report
from report.scored_run import scored_run, small_benchmark

# Two said right by both. `barks` says the others with a word that no grammar knows, so that nobody
# can say whether it is right; `other` says one of them right and something else for the last.
SAID = {
    "A cat watched a dog.": ("猫は犬を見守った。", "猫は犬を見守った。"),
    "A cat found a dog.": ("猫は犬を見つけた。", "猫は犬を見つけた。"),
    "A dog watched a cat.": ("犬がワンワン!", "犬は猫を見守った。"),
    "A dog found a cat.": ("犬がワンワンワン!", "猫は犬を見つけた。"),
}


@pytest.fixture
def half_judged(tmp_path: Path) -> Path:
    """A run of both systems."""
    rows = [
        Example.make(source=source, references=("?",), tags={"pattern": source[:5]})
        for source in SAID
    ]
    benchmark = small_benchmark(
        tmp_path / "b", {"test": rows}, target="ja", recipe={"grammar": "toy"}
    )
    barks, other = ({row.id: SAID[row.source][place] for row in rows} for place in (0, 1))
    systems = {"barks": lambda *_: barks, "other": lambda *_: other}
    return scored_run(tmp_path / "run", benchmark, systems, metrics=["meaning"])


@pytest.fixture
def report(half_judged: Path) -> Findings:
    """What it found."""
    return build_report(open_runs([half_judged]), ReportOptions())


def test_tables_have_the_range(report: Findings) -> None:
    """The score is 50, and up to 100 if the sentences that nobody understood are right."""
    table = overall_table(report, "test")
    assert table.columns[-1] == "up to"
    assert [(row[5], row[-1]) for row in table.rows] == [(75.0, None), (50.0, 100.0)]
    table = tag_table(report.main, "pattern")
    assert [row[3].upper_if_unjudged for row in table.rows if isinstance(row[3], Estimate)][
        1
    ] == 100.0
    assert "0.0 to 100.0" in markdown(table)
    assert "0.0 to 100.0" in latex(table)
    assert UNDECIDED in markdown(table)
    head = comma_separated(table.columns, table.rows).splitlines()[0]
    assert head == "pattern,n,other,other low,other high,barks,barks low,barks high,barks up to"


def test_the_page_has_the_range_wherever_it_has_the_score(
    half_judged: Path, tmp_path: Path
) -> None:
    """Bars, tiles and what they say on hover, families and tables."""
    paths = write_report([half_judged], tmp_path / "report", ReportOptions())
    page = paths.html.read_text("utf-8")
    assert "<b>50.0–100.0</b>" in page  # the bar
    assert "<span>0–100</span>" in page  # the cell of a pattern
    assert re.search(r'title="[^"]*: 0\.0–100\.0 \(', page)
    assert "50.0 to 100.0" in (tmp_path / "report" / "report.md").read_text("utf-8")
    assert UNDECIDED in page


def test_one_system_has_tiles_with_the_range(half_judged: Path, tmp_path: Path) -> None:
    """A single system has strips of tiles in place of a table."""
    found = score(
        open_runs([half_judged]).benchmark,
        _hypotheses(half_judged),
        "meaning",
        name="barks",
        trained_on="train",
    )
    paths = found.report(tmp_path / "one")
    page = paths.html.read_text("utf-8")
    assert "<b>0–100</b>" in page
    assert "barks says too much that could not be judged" in page
    assert "It gets 50 to 100 of 100 right" in page


def _hypotheses(half_judged: Path) -> dict[str, str]:
    rows = (half_judged / "barks" / "seed-1" / "translations" / "test.jsonl").read_text("utf-8")
    return {row["id"]: row["hyp"] for row in map(json.loads, rows.splitlines())}


def test_what_may_be_right_is_no_loss(report: Findings) -> None:
    """75 is not better than 50 to 100, however small p is; 75 is better than 50 to 60."""
    (one,) = report.main.comparisons
    change = replace(one.overall, p_value=0.0)
    assert (change.value, change.undecided) == (25.0, 50.0)
    assert verdict_of(change, 0.0, True) == "tie"
    assert verdict_of(replace(change, undecided=10.0), 0.0, True) == "win"
    assert "barks" in report.headline.headline  # nobody is called the best
    assert "apart" in report.headline.headline


def test_never_right_is_said_of_what_was_judged(report: Findings) -> None:
    """A kind of sentence of which nothing was understood may be right."""
    alone = replace(report.main, seeds={"barks": (1,)})
    told = replace(report, results=(alone,)).headline
    assert "None of the 2 structures is surely never right" in " ".join(told.sentences)


def test_figures_have_the_range(report: Findings) -> None:
    """In their data, in what marks say of themselves, and in the caption."""
    found = {figure.name: figure for figure in report_figures(report)}
    figure = found["meaning-test-heat-map"]
    rows = {(row["system"], row["value"]): row for row in figure.spec["data"]["values"]}
    assert rows["barks", "A dog"]["up to"] == 100.0
    assert rows["barks", "A dog"]["label"] == "0 to 100"
    assert "0.0 to 100.0" in rows["barks", "A dog"]["told"]
    assert ", at least, on" in figure.caption


def test_the_scorecard_has_the_range(half_judged: Path, tmp_path: Path) -> None:
    """Picture and table."""
    write_scorecard([half_judged], tmp_path / "card")
    page = (tmp_path / "card" / "scorecard.html").read_text("utf-8")
    assert ">50–100</td>" in page
    assert "50.0 to 100.0" in (tmp_path / "card" / "scorecard.md").read_text("utf-8")


def test_exports_have_the_range(report: Findings, tmp_path: Path) -> None:
    """Each in the way of its format."""
    first = json.loads(write_harness(report, tmp_path / "harness")[0].read_text("utf-8"))
    (task,) = first["results"].values()
    assert (task["meaning,none"], task["meaning_up_to,none"]) == (50.0, 100.0)
    card = json.loads(write_genbench_card(report, tmp_path / "card")[0].read_text("utf-8"))
    assert card["scores"]["meaning on test"] == {"barks": [50.0, 100.0], "other": 75.0}
    found = json.loads(write_every_eval_ever(report, tmp_path / "every")[0].read_text("utf-8"))
    details = found["evaluation_results"][0]["score_details"]["details"]
    assert details["up_to_with_unjudged"] == "100.0000"
    rows = (tmp_path / "every" / "barks.samples.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(row)["metadata"]["verdict"] for row in rows] == [
        "same", "same", "outside", "outside",
    ]  # fmt: skip


def test_inspect_logs_have_the_range(report: Findings, tmp_path: Path) -> None:
    """As a metric of its own."""
    from inspect_ai.log import read_eval_log

    found = read_eval_log(str(write_inspect_logs(report, tmp_path / "logs")[0]))
    metrics = found.results.scores[0].metrics
    assert (metrics["mean"].value, metrics["up to"].value) == (50.0, 100.0)


def test_a_notebook_has_the_range(half_judged: Path) -> None:
    """Table, repr and comparison; what could not be judged is neither right nor wrong."""
    benchmark = open_runs([half_judged]).benchmark
    barks = score(benchmark, _hypotheses(half_judged), "meaning", name="barks")
    assert "test meaning 50.0 to 100.0" in repr(barks)
    assert "50.0 to 100.0" in barks._repr_html_()
    assert [len(barks.examples(wrong=wrong)) for wrong in (True, False, None)] == [0, 2, 4]
    assert "could not be judged" not in str(barks.examples(wrong=False))
    other = score(benchmark, _hypotheses(half_judged), "meaning", name="other")
    table = barks.compare(other)
    assert table.columns[-2:] == ("first not judged", "second not judged")
    assert table.rows[0][-2:] == (50.0, 50.0)


def test_scores_of_a_metric_that_judges_all_have_no_range(findings: Findings) -> None:
    """One number, no column more, no note."""
    table = overall_table(findings, "gen")
    assert "up to" not in table.columns
    assert math.isnan(findings.main.overall(findings.systems[0]).upper_if_unjudged)
    assert UNDECIDED not in markdown(tag_table(findings.main, findings.main.main_tag or ""))


def test_a_score_that_is_not_known_is_no_number_in_any_export(
    report: Findings, tmp_path: Path
) -> None:
    """Of outputs of which none could be judged there is no score; JSON knows no NaN."""
    nothing = tuple(replace(one, value=math.nan, undecided=0.0) for one in report.main.scores)
    empty = replace(report, results=(replace(report.main, scores=nothing),))
    for write in (write_harness, write_genbench_card, write_every_eval_ever):
        paths = [one for one in write(empty, tmp_path / write.__name__) if one.suffix == ".json"]
        assert paths
        assert all("NaN" not in path.read_text("utf-8") for path in paths)


def test_doubt_of_the_lower_score_leaves_a_comparison_open(tmp_path: Path) -> None:
    """Of error rates the lower one may be higher: 0 to 100 against 50 is no difference."""
    rows = [
        replace(compound(["every", "small", "dog"], f"{{}} {n}", salt=str(n)), group=f"g{n}")
        for n in range(40)
    ]
    benchmark = small_benchmark(tmp_path / "b", {"gen": rows}, target="de")
    free = {row.id: f"jeder winzige{n} hund ." for n, row in enumerate(rows)}
    poor = {
        row.id: "jeder kleine hund ." if n % 2 else "jeder hund ." for n, row in enumerate(rows)
    }
    systems = {"free": lambda *_: free, "poor": lambda *_: poor}
    run = scored_run(tmp_path / "run", benchmark, systems, metrics=["compound"])
    findings = build_report(open_runs([run]), ReportOptions())
    scores = {name: findings.main.overall(name) for name in ("free", "poor")}
    assert {name: (one.value, one.undecided) for name, one in scores.items()} == {
        "free": (0.0, 100.0), "poor": (50.0, 0.0)
    }  # fmt: skip
    (pair,) = findings.main.comparisons
    assert pair.p_adjusted < 0.01
    assert verdict_of(pair.overall, pair.p_adjusted, higher_is_better=False) == "tie"
    assert "right" not in UNDECIDED + markdown(overall_table(findings, "gen"))
