"""The headline: what was found, in plain words."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from recombine.methods.consistency.method import consistency_headline
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.headline import familiar_results, how_it_composes, of_hundred
from recombine.report.reading.runs import open_runs
from report import compound_run, synthetic


def test_shares_are_said_of_a_hundred():
    """All and none are said only where they are true."""
    said = [of_hundred(one) for one in (95.4, 100.0, 99.7, 0.0, 0.2)]
    assert said == ["95 of 100", "100 of 100", "over 99 of 100", "0 of 100", "under 1 of 100"]


def test_composing_is_measured_by_familiar_sentences():
    """The same score on new sentences is much for one system and little for another."""
    assert how_it_composes(90, 95) == "composes: new combinations cost it little"
    assert how_it_composes(60, 95) == "composes, but not everywhere"
    assert how_it_composes(16, 95) == "remembers more than it composes"
    assert how_it_composes(2, 95) == "remembers, and hardly composes"
    assert how_it_composes(16, 30) == "has not learnt the familiar sentences yet"


def test_nothing_is_said_of_remembering_where_nothing_familiar_was_scored():
    """A run of new sentences alone was said to remember."""
    assert how_it_composes(2, math.nan) == "gets at most half of the new combinations right"
    assert how_it_composes(98, math.nan) == "gets most of the new combinations right"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The findings on one system with one seed."""
    accuracy = {"lstm": (0.9, 0.3, 0.5, 0.2, 0.0, 0.3, 0.0, 0.0)}
    root = tmp_path_factory.mktemp("alone")
    run = synthetic.make_run(root, systems=accuracy, seeds=(1,), metrics=("exact",), luck=0.0)
    return build_report(open_runs([run]), ReportOptions(trials=50))


def test_one_system_has_familiar_new_and_never(alone):
    """What a system knows, what it makes of new sentences, what it never gets right."""
    told = alone.headline
    assert told.headline == "lstm remembers more than it composes"
    assert "right on familiar sentences, and" in told.sentences[0]
    assert "3 of the 8 structures are never right, 2 are right" in told.sentences[1]


def test_the_method_says_which_sentences_are_familiar(findings, monkeypatch):
    """A split called `test` is not familiar text of every kind of benchmark."""
    assert familiar_results(findings).split == "test"
    monkeypatch.setattr(type(findings.method), "familiar_split", "")
    assert familiar_results(findings) is None


def test_a_system_that_is_better_on_one_kind_of_sentence_is_said_to_be(tmp_path):
    """Two systems are equal in all and far apart on two kinds; the headline said that nobody can
    tell them apart, and no more.
    """
    systems = {
        "a": (0.9, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5),
        "b": (0.1, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5),
    }
    run = synthetic.make_run(tmp_path, systems=systems, seeds=(1,), metrics=("exact",), luck=0.0)
    told = build_report(open_runs([run]), ReportOptions(trials=50)).headline
    assert "cannot tell" in told.headline
    best, other = ("a", "b") if told.sentences[0].startswith("a ") else ("b", "a")
    places = {"a": "Subj→Obj common", "b": "Prim→Subj proper"}
    assert told.sentences[0] == (
        f"{best} against {other}: better on 1 ({places[best]}) of the 8 structures, worse on 1 "
        f"({places[other]}); the others are undecided."
    )


def test_several_systems_name_who_is_ahead_or_that_nobody_is(findings):
    """One system ahead is named; systems that the data cannot tell apart are said to be so."""
    assert findings.headline.headline.startswith("oracle-ish composes best: 9")
    tied = replace(findings.main, comparisons=())
    told = replace(findings, results=(tied, *findings.results[1:])).headline
    assert "cannot tell oracle-ish, transformer and lstm apart" in told.headline
    *wins, best, worst = findings.headline.sentences
    assert [one.partition(":")[0] for one in wins] == [
        "oracle-ish against transformer", "oracle-ish against lstm",
    ]  # fmt: skip
    assert best == "oracle-ish: all 8 structures are right at least half of the time."
    assert worst.startswith("lstm: all 8 structures are right at least once, ")


def test_compounds_have_instance_and_aggregate_error(tmp_path):
    """The two errors of the method are its headline."""
    run = compound_run.make_run(tmp_path)
    told = build_report(open_runs([run]), ReportOptions(trials=50)).headline
    assert told.headline == "toy: 50 of 100 new compounds go wrong at least once"
    assert "wrong in 33 of 100 translations" in told.sentences[0]


def test_consistency_says_which_change_of_the_source_does_harm():
    """One bad test does not speak for the other; what could not be judged is not told."""
    assert consistency_headline({"systematicity": 100.0, "substitutivity": 0.0}) == (
        "An exchanged part rarely changes the rest, a synonym often changes the translation"
    )
    both = consistency_headline({"systematicity": 20.0, "substitutivity": 30.0})
    assert both == "A small change of the source often changes the rest of the translation"
    assert "little else" in consistency_headline(
        {"systematicity": 95.0, "substitutivity": math.nan}
    )
    assert consistency_headline({"systematicity": math.nan}) == ""


def test_a_headline_does_not_switch_where_the_interval_does_not(tmp_path):
    """Of three sentences of each kind nobody knows whether a system composes or remembers."""
    accuracy = {"lstm": (1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.3)}
    run = synthetic.make_run(
        tmp_path, systems=accuracy, per_pattern=3, seeds=(1,), metrics=("exact",), luck=0.0
    )
    told = build_report(open_runs([run]), ReportOptions(trials=50)).headline
    assert re.fullmatch(r"lstm gets \d+ of 100 right on new combinations", told.headline)
