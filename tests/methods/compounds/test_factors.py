"""The factor analysis of compounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from recombine.benchmark import Example
from recombine.methods.compounds.factors import (
    count_in,
    equal_bins,
    factor_tables,
    frequency_class,
    regression,
)
from recombine.metrics.observations import ObservationTable, measure_of
from recombine.metrics.slices import SplitExamples
from recombine.registry import create
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.report.tables.published import COGNITION, PublishedSetting
from report.compound_run import examples, make_run


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """All tables of the invented run by name."""
    source = open_runs([make_run(tmp_path_factory.mktemp("factors"))])
    return {table.name: table for table in factor_tables(source)}


def rows(table):
    """Return value -> row."""
    return {row[0]: row for row in table.rows}


def test_every_section_of_the_paper_has_a_table(tables):
    """6.1 to 6.6, as far as the benchmark knows the factor."""
    assert {
        "figure-2-compound-frequency", "figure-3-compound-length",
        "atom-frequency-all", "figure-8-atom-frequency-2", "figure-4-atom-frequency-3",
        "figure-5-cooccurrence", "cooccurrence", "figure-6-pattern",
        "figure-6-adjective", "figure-6-modifier", "figure-7-context-length",
    } <= set(tables)  # fmt: skip
    assert "figure-7-context-distance" not in tables  # nobody parsed the sources


def test_rates_are_right(tables):
    """Owls fail always, old things in one of three contexts."""
    by_length = rows(tables["figure-3-compound-length"])
    assert by_length["2"][4] == pytest.approx(25.0)
    old = 3 / 9 * 3 / 8  # old dog, cat, fox: one context of three
    assert by_length["3"][4] == pytest.approx(100 * (0.25 + old * 9 / 9 * 1.0), abs=6)
    frequency = rows(tables["figure-2-compound-frequency"])
    assert frequency["many shot (11+)"][4] == 0.0
    assert frequency["zero shot (0)"][2] == 33


def observed(judged: Sequence[tuple[Example, float]]) -> ObservationTable:
    """Sentences that a system called toy got wrong (1) or right (0)."""
    metric = create("metric", "compound", {})
    errors = np.array([error for _, error in judged])
    voice = ("toy", 1)
    return ObservationTable(
        **measure_of(metric, "gen").facts,
        keys=tuple(example.id for example, _ in judged),
        ids=tuple((example.id,) for example, _ in judged),
        examples=SplitExamples((example.id, example) for example, _ in judged),
        values={voice: errors},
        stats={voice: np.stack([errors, np.ones_like(errors), np.zeros_like(errors)], axis=1)},
    )


def expected(label, kept=lambda example: True):
    """The rate of each value, from what the invented run translates wrongly."""
    wrong, total = Counter(), Counter()
    for example in filter(kept, examples()):
        last = example.source.startswith("at noon")
        bad = "owl" in example.source or (" old " in example.source and last)
        wrong[label(example)] += bad
        total[label(example)] += 1
    return {value: (total[value], 100 * wrong[value] / total[value]) for value in total}


def test_every_rate_is_that_of_its_sentences(tables):
    """Two seeds that fail alike; values in the order of their size."""

    def shown(name):
        return {row[0]: (row[2], pytest.approx(row[4])) for row in tables[name].rows}

    def roles(example):
        return {focus.role for focus in example.focus}

    assert shown("figure-3-compound-length") == expected(lambda e: str(len(e.focus)))
    assert shown("figure-6-pattern") == expected(lambda e: str(e.tags["pattern"]))
    assert shown("figure-6-adjective") == expected(
        lambda e: "with" if "ADJ" in roles(e) else "without"
    )
    assert shown("figure-6-modifier") == expected(lambda e: "without")
    assert shown("figure-7-context-length") == expected(lambda e: str(e.tags["context_length"]))
    frequency = expected(
        lambda e: "many shot (11+)" if e.tags["compound"] == "every dog" else "zero shot (0)"
    )
    assert shown("figure-2-compound-frequency") == frequency
    assert list(shown("figure-2-compound-frequency")) == ["zero shot (0)", "many shot (11+)"]
    assert list(shown("figure-7-context-length")) == ["2", "4", "7"]


def test_the_rarest_atom_is_counted_in_training(tables):
    """The owl stands there once, old things forty times."""

    def rarest(example):
        counts = {"every": 40, "dog": 40, "small": 40, "fox": 40, "old": 40, "cat": 80, "owl": 1}
        return "1" if min(counts[focus.text] for focus in example.focus) == 1 else "40"

    for name, length in (
        ("atom-frequency-all", 0),
        ("figure-8-atom-frequency-2", 2),
        ("figure-4-atom-frequency-3", 3),
    ):
        part = expected(rarest, lambda e, length=length: length in (0, len(e.focus)))
        assert {row[0]: (row[2], pytest.approx(row[4])) for row in tables[name].rows} == part


def test_numbers_in_bins_are_shown_as_they_are():
    """Ranges where several values are together; equal values are never parted."""
    assert equal_bins({"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0}, 2) == {
        "a": "1", "b": "1", "c": "1", "d": "2"
    }  # fmt: skip
    assert equal_bins({"a": 0.5, "b": 1234.0, "c": 1.25, "d": 5000.0}, 2) == {
        "a": "0.50 to 1.25", "c": "0.50 to 1.25", "b": "1,234 to 5,000", "d": "1,234 to 5,000"
    }  # fmt: skip


def test_a_rate_has_the_interval_that_the_page_gives_it(tmp_path):
    """Seeds and compounds are both a sample, in the table of lengths as in the heat map."""
    source = open_runs([make_run(tmp_path)])
    table = next(one for one in factor_tables(source) if one.name == "figure-3-compound-length")
    panel = read_observations(source, "compound", "gen")
    shown = {one.slice: one for one in panel.by_tag("length")}
    assert len(table.rows) == len(shown) > 1
    for length, _, n, _, rate, low, high in table.rows:
        one = shown[length]
        assert (n, rate, low, high) == pytest.approx((one.n, one.value, one.low, one.high))


def test_the_regression_finds_the_planted_factor():
    """Errors that depend on the adjective alone are put down to it."""
    pytest.importorskip("statsmodels")
    generator = np.random.default_rng(2)
    found = []
    for copy in range(6):
        for example in examples():
            chance = 0.7 if example.tags["length"] == 3 else 0.2
            clone = Example.make(
                source=example.source, tags=example.tags, group=f"{example.group} {copy}",
                focus=example.focus, salt=str(copy),
            )  # fmt: skip
            found.append((clone, float(generator.random() < chance)))
    table = regression(observed(found), "toy", count_in(["every small dog"], list(examples())))
    effects = {row[0]: row for row in table.rows}
    assert effects["has ADJ"][1] > 3
    assert effects["has ADJ"][4] < 0.001
    assert effects["context length"][4] > 0.001


def test_a_category_that_is_always_wrong_is_not_the_one_compared_with(recwarn):
    """The first category with right and wrong answers is, and the other gets a dash."""
    pytest.importorskip("statsmodels")
    generator = np.random.default_rng(4)
    found = []
    for copy in range(6):
        for example in examples():
            for category in ("NP", "PP", "VP"):
                clone = Example.make(
                    source=example.source, tags={**example.tags, "category": category},
                    group=f"{example.group} {copy} {category}", focus=example.focus,
                    salt=f"{copy} {category}",
                )  # fmt: skip
                chance = {"NP": 1.0, "PP": 0.3, "VP": 0.6}[category]
                found.append((clone, float(generator.random() < chance)))
    table = regression(observed(found), "toy", count_in(["every small dog"], list(examples())))
    effects = {row[0]: row for row in table.rows}
    assert effects["category NP"][1:] == (None,) * 4
    assert 1.5 < effects["category VP"][2] < 0.6 / 0.4 / (0.3 / 0.7) < effects["category VP"][3]
    assert "categories against PP." in table.notes[0]
    assert "all 216 where 'category NP' holds are wrong" in table.notes[1]
    assert not recwarn.list


def test_a_name_makes_no_benchmark_the_published_one(tables, tmp_path, monkeypatch):
    """The paper's numbers are about its own sentences, whatever another benchmark is called."""
    name = "figure-3-compound-length"
    assert tables[name].notes == ()
    source = open_runs([make_run(tmp_path, seeds=(1,), name="cognition")])
    assert {one.name: one for one in factor_tables(source)}[name].notes == ()
    setting = PublishedSetting(COGNITION, (), ("Transformer",))
    monkeypatch.setattr("recombine.methods.compounds.factors.published_setting", lambda _: setting)
    notes = {one.name: one.notes for one in factor_tables(source)}
    assert any("3: 13.72 (printed)" in note for note in notes[name])
    assert any("3: 12.67 (released" in note for note in notes[name])
    assert any(
        "few shot (1-10): 5.00 (printed)" in note for note in notes["figure-2-compound-frequency"]
    )


def test_co_occurrence_is_cut_by_its_sign_within_each_length(tables):
    """Section 6.4 compares positive and negative PMI of compounds of one length."""
    values = [row[0] for row in tables["figure-5-cooccurrence"].rows]
    assert values == sorted(values)
    assert {value.split(", ")[1] for value in values} <= {"positive", "negative"}
    assert {value.split(" ")[0] for value in values} == {"2", "3"}


def test_a_run_without_compounds_has_no_tables(tmp_path):
    """Other benchmarks are left alone."""
    from report.synthetic import make_run as other

    source = open_runs([other(tmp_path, per_pattern=2, seeds=(1,))])
    assert factor_tables(source) == []


def test_bins_have_equal_sizes():
    """Ties stay together."""
    bins = equal_bins({str(n): float(n) for n in range(10)}, 5)
    assert len(set(bins.values())) == 5
    assert bins["0"] == bins["1"] == "0 to 1"
    assert set(equal_bins(dict.fromkeys("abcd", 1.0), 2).values()) == {"1"}


@pytest.mark.parametrize(("count", "name"), [(0, "zero"), (1, "few"), (10, "few"), (11, "many")])
def test_shots_are_named(count, name):
    """Section 6.1."""
    assert frequency_class(count).startswith(name)
