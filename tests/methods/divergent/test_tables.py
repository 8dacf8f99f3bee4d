"""The ratio of scores on max and min, and what else differs between them."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from recombine.errors import DataError
from recombine.experiment.run import Run
from recombine.files import read_json, write_json
from recombine.methods.divergent import tables
from recombine.methods.divergent.family import (
    CORPUS_FACTS,
    Family,
    are_of_one_corpus,
    make_family,
    missing_members,
)
from recombine.methods.divergent.figures import response_figures
from recombine.methods.divergent.page import family_headline
from recombine.methods.divergent.tables import (
    PAPER,
    divergent_tables,
    equal_length_ratio,
    family_tables,
    generalisation_table,
    published_splits,
)
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.tables.published import DBCA, PublishedSetting
from recombine.report.write import joint_method, series_runs
from report.divergent_runs import make_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three runs, one per kind of split."""
    return make_runs(tmp_path_factory.mktemp("divergent"))


@pytest.fixture(scope="module")
def family(runs) -> Family:
    """Their findings together."""
    return read_family(runs, ReportOptions(trials=50))


def read_family(runs, options) -> Family:
    """Return the findings of several runs together."""
    return make_family([build_report(open_runs([run]), options, examples=False) for run in runs])


def column(table, name):
    """Return the values of a column."""
    return [row[table.columns.index(name)] for row in table.rows]


def test_runs_on_different_divergent_splits_are_a_family(runs, findings):
    """Two runs on one split are compared as usual, and one run alone has nothing beside it."""
    assert joint_method(runs) is not None
    assert joint_method([runs[0], runs[0]]) is None
    assert joint_method(runs[:1]) is None
    assert joint_method([runs[0], findings.source.runs[0]]) is None


def test_the_run_of_a_series_is_its_members(runs):
    """An experiment on a series has a run below its own for every member."""
    assert series_runs(runs[0]) == []
    assert series_runs(runs[0].parent) == sorted(runs)


def test_the_score_is_a_ratio_with_both_beside_it(family):
    """The ratio; a toy corpus has no published one, the paper's splits have."""
    table = generalisation_table(family)
    low, high = column(table, "min")[0], column(table, "max")[0]
    (ratio,) = column(table, "max / min")
    assert ratio.value == pytest.approx(high.value / low.value)
    assert 0 < ratio.low < ratio.value < ratio.high
    assert high.value < low.value
    assert PAPER not in table.columns


def test_the_ratio_of_the_control_stands_beside(runs, family, tmp_path):
    """Of the same system trained on the control; without one a note says what that means."""
    alone = generalisation_table(family)
    assert column(alone, "control's max / min") == [None]
    assert "No control: part of what is lost may be difficulty: half." in alone.notes
    copies = []
    for run in runs:
        copies.append(tmp_path / run.name)
        shutil.copytree(run, copies[-1])
        shutil.copytree(run / "half", copies[-1] / "held")
        record = read_json(copies[-1] / "half" / "seed-1" / "run.json")
        options = {**record["options"], "train": "control"}
        Run(copies[-1]).cell("held", 1).update_record(system="held", options=options)
    controlled = read_family(copies, ReportOptions(trials=50))
    table = generalisation_table(controlled)
    own, held = table.rows
    # The headline is about a system, with its control behind it; the control is no rival.
    assert re.fullmatch(
        r"half keeps (\d+) of .* are new, its control \1", family_headline(controlled)
    )
    assert (own[0], held[0]) == ("half", "held")
    assert own[7] == own[6]  # it says the same
    assert own[8].value == pytest.approx(1)
    assert own[9].value == 0
    assert held[7] is None
    assert not any("No control" in note and "half" in note for note in table.notes)


def test_a_neutral_system_gives_a_ratio_of_ratios(runs, tmp_path):
    """It keeps more of its score on max, so part of the loss is of the split; no points, though."""
    copies = []
    for run in runs:
        copies.append(tmp_path / run.name)
        shutil.copytree(run, copies[-1])
        shutil.copytree(run / "half", copies[-1] / "aside")
        Run(copies[-1]).cell("aside", 1).update_record(system="aside")
    options = ReportOptions(trials=50, control_system="aside")
    table = generalisation_table(read_family(copies, options))
    (own,) = [row for row in table.rows if row[0] == "half"]
    assert own[7] == own[6]  # it says the same
    assert own[8].value == pytest.approx(1)
    assert own[9] is None
    assert any("aside is a neutral system" in note for note in table.notes)
    assert not any("No control" in note for note in table.notes)


def test_the_papers_ratio_stands_beside_transformers_on_its_splits(family, monkeypatch):
    """Not beside other systems on the same splits."""
    for kind, shown in (("Transformer", [0.92]), ("LSTM", None)):
        setting = PublishedSetting(DBCA, (), (kind,))
        home = "recombine.methods.divergent.tables.published_setting"
        monkeypatch.setattr(home, lambda _, setting=setting: setting)
        table = generalisation_table(family)
        assert (column(table, PAPER) if PAPER in table.columns else None) == shown


def test_lengths_are_weighted_as_in_max(family, monkeypatch):
    """Min's scores are averaged over the length classes of max; classes of one side are left."""
    classes = {
        "low": {"1-10 words": (90, 80.0), "11-20 words": (10, 40.0)},
        "high": {"1-10 words": (10, 60.0), "11-20 words": (90, 30.0), "21-30 words": (5, 9.0)},
    }
    monkeypatch.setattr(tables, "_by_length", lambda family, side, system: classes[side])
    ratio = equal_length_ratio(family, "low", "high", "half")
    assert ratio == pytest.approx((10 * 60 + 90 * 30) / (10 * 80 + 90 * 40))


def test_no_ratio_without_both_ends(family):
    """Random and max alone give a curve, but no generalisation score."""
    part = Family(family.divisions[1:], family.metric)
    assert generalisation_table(part) is None
    assert "dose-response" in [table.name for table in family_tables(part)]


def test_confounders_come_from_the_certificates(family):
    """The least divergent split first, with length, vocabulary and novelty."""
    tables = {table.name: table for table in family_tables(family)}
    splits = tables["table-2-splits"]
    assert column(splits, "split")[:3] == ["min", "random", "max"]
    assert len(splits.rows) == 3
    assert column(splits, "D_C")[:3] == sorted(column(splits, "D_C")[:3])
    assert all(value > 0 for value in column(splits, "test lemmas")[:3])


def test_sentences_are_set_apart_by_novelty(family):
    """Within one test set, novel sentences were made worse, and that is seen."""
    table = next(one for one in family_tables(family) if one.name == "novelty-within-test")
    random = {row[3]: row for row in table.rows if row[0] == "random"}
    at = table.columns.index("half")
    assert random["none novel"][at].value > random["all novel"][at].value


def test_the_curve_runs_over_the_divergence_that_was_reached(family):
    """One point per kind of split."""
    (figure,) = response_figures(family)
    values = figure.spec["data"]["values"]
    assert len(values) == 3
    assert all(row["low"] <= row["score"] <= row["high"] for row in values)


def test_runs_without_a_shared_metric_are_refused(family):
    """There is nothing to divide."""
    reports = [one.report for one in family.divisions]
    other = type(reports[0])(reports[0].source, reports[0].options, (), ())
    with pytest.raises(DataError, match="share no metric"):
        make_family([other, reports[1]])


def test_no_certificate_no_table(findings):
    """A benchmark that is not a split of a corpus has no Table 2."""
    assert divergent_tables(findings) == []


def test_the_certificate_is_the_row(findings):
    """Sizes and divergences of this split; the paper's stand below its own splits only."""
    path = findings.source.benchmark.path / "certificate.json"
    size = {
        "sentences": 9, "words": 50, "lemmas": 20, "mean_length": 5.5, "novel_compound_share": 0.5,
    }  # fmt: skip
    found = {"atom_divergence": 0.01, "compound_divergence": 0.9, "target_divergence": 1.0}
    write_json(path, {**found, "splits": {"train": size, "test": {**size, "sentences": 3}}})
    try:
        (table,) = divergent_tables(findings)
    finally:
        path.unlink()
    assert table.rows[0] == ("max", "ja", 0, 9, 3, 50, 5.5, 20, 0.5, 0.01, 0.9)
    assert len(table.rows) == 1


def test_the_paper_prints_eleven_splits():
    """Three random ones, three minimal, three maximal, and two of other papers."""
    rows = published_splits()
    assert len(rows) == 11
    row = next(one for one in rows if str(one[0]).startswith("Europarl max D_C split #2"))
    assert row == (
        "Europarl max D_C split #2 (paper)", None, None, "198k", "22k", "390k", None, "34k", None,
        0.002, 1.0,
    )  # fmt: skip


def test_splits_of_other_corpora_are_no_family(family):
    """Max of one corpus over min of another is no generalisation score."""
    first, *rest = [one.report for one in family.divisions]
    assert are_of_one_corpus([first, *rest])
    for fact in CORPUS_FACTS:
        division = family.divisions[0]
        stored = dict(division.certificate)
        path = division.report.source.benchmark.path / "certificate.json"
        write_json(path, {**stored, fact: 7})
        with pytest.raises(DataError, match=f"not splits of one corpus.*: {fact} 7 and"):
            make_family([first, *rest])
        assert not are_of_one_corpus([first, *rest])
        write_json(path, stored)


def test_a_family_has_one_metric(family):
    """ChrF of words and chrF without are not put together."""
    first, *rest = [one.report for one in family.divisions]
    all_results = tuple(replace(one, signature=f"{one.signature}|nw:9") for one in first.results)
    with pytest.raises(DataError, match="not the same metric"):
        make_family([replace(first, results=all_results), *rest])


def test_members_of_a_series_that_were_not_run_are_named(family):
    """A series that was stopped is not shown as a whole one."""
    assert missing_members(family) == []
    folder = family.divisions[0].report.source.benchmark.path.parent
    member = "target_divergence = 0.5\nseed = 1\natom_divergence = 0.0\ncompound_divergence = 0.5\n"
    text = 'format = 1\nname = "s"\n'
    for name in ("min", "random", "max", "c-0.75-seed-1"):
        text += f'[[member]]\nbenchmark = "{name}"\n{member}'
    (folder / "series.toml").write_text(text)
    (note,) = missing_members(family)
    assert note.startswith("1 of the 4 splits of ")
    assert note.endswith("are not in this report: c-0.75-seed-1")
    (folder / "series.toml").unlink()


def test_splits_of_one_corpus_are_no_independent_experiments(family):
    """Their test sets share sentences: the mean of two has the interval of one, and no narrower."""
    (division, *_) = family.kinds("de")["max"]
    one, two = (family.measured([division] * count, "half") for count in (1, 2))
    assert (one.splits, two.splits) == (1, 2)
    assert two.span == pytest.approx(one.span)
