"""Estimates of time and where they come from."""

from __future__ import annotations

import time

from recombine.systems.cost import Cost, assumed, from_record, time_some


def test_a_measured_rate_is_scaled():
    """Twice the work takes twice the time, and the basis says what was measured."""
    cost = from_record(200, 100, 5.0, "sentences", "in this run")
    assert cost.seconds == 10
    assert cost.basis == "measured in this run: 100 sentences in 5.0 s"


def test_what_is_paid_once_is_not_multiplied():
    """The first step loads; only the others give the rate."""

    def steps():
        time.sleep(0.4)
        yield 1
        for _ in range(10):
            time.sleep(0.01)
            yield 1

    cost = time_some(steps(), 101, "sentences")
    # Sleeping takes longer on a busy machine, but never 101 times the first step.
    assert 0.4 < cost.seconds < 20
    assert cost.basis.startswith("timed now on ")


def test_a_trial_is_cut_short():
    """A dry run takes no longer than its patience and one step."""

    def steps():
        while True:
            time.sleep(0.02)
            yield 1

    began = time.perf_counter()
    assert time_some(steps(), 10_000, "lines", patience=0.1).seconds > 100
    assert time.perf_counter() - began < 2


def test_nothing_to_do_takes_no_time():
    """No step, no division by zero."""
    assert time_some(iter(()), 0, "sentences") == Cost(0.0, "no sentences")


def test_an_assumption_calls_itself_one():
    """A number nobody measured is not shown as if somebody had."""
    assert assumed(20, "sentences").basis.startswith("assumed: ")


def test_a_row_is_short():
    """Seconds in tenths below a hundred, whole ones above."""
    assert Cost(1.234, "x").row() == {"estimated_seconds": 1.2, "estimated_from": "x"}
    assert Cost(1234.5678, "x").row()["estimated_seconds"] == 1235
