"""One score type: value, interval, and of how many it speaks; scores.csv is made of it."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from recombine.benchmark import Benchmark, Example
from recombine.draft import Draft
from recombine.metrics.score import (
    COLUMNS,
    Score,
    undecided_share,
    write_scores,
)
from recombine.metrics.scoring import score


@pytest.fixture
def benchmark(small_benchmark):
    """The small benchmark, opened."""
    return Benchmark.open(small_benchmark)


@pytest.fixture
def results(benchmark):
    """Two of three sentences right."""
    examples = benchmark.read("test")
    hypotheses = {e.id: e.references[0] for e in examples[:2]} | {examples[2].id: "?"}
    return score(benchmark, hypotheses, ["exact", "chrf"])


def all_scores(tables):
    """Every score of several tables."""
    return [one for table in tables for one in table.scores()]


def make(**more: object) -> Score:
    """A score of three seeds."""
    given = {"value": 28.0, "low": 20.0, "high": 40.0, "n": 9, "of": 9, "failed": 0, **more}
    return Score(
        metric="exact", split="gen", unit="percent", method="", seeds=(25.0, 31.0, 28.0), **given
    )


def test_the_whole_split_comes_first_with_its_interval(results):
    """The interval holds the score; two sentences have none, unless they are right or wrong."""
    found = all_scores(results)
    assert (found[0].tag, found[0].metric, found[0].n, found[0].of) == ("", "exact", 3, 3)
    known = [one for one in found if one.n > 2 or one.metric == "exact"]
    assert all(one.low <= one.value <= one.high for one in known)
    assert all(math.isnan(one.low) for one in found if one not in known)
    assert [one.tag for one in [score for table in results for score in table.overall()]] == [
        "",
        "",
    ]


def test_the_file_reads_back(tmp_path, results):
    """Plain CSV with the documented columns; the whole split is the row all, all."""
    write_scores(tmp_path / "scores.csv", all_scores(results))
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["tag"], rows[0]["value"]) == ("all", "all")
    assert float(rows[0]["score"]) == pytest.approx(200 / 3, abs=1e-3)


def test_seeds_are_never_best_of():
    """Their sample standard deviation; of one seed there is none."""
    assert make().sd == pytest.approx(3.0)
    alone = Score(
        metric="m", split="s", unit="percent", method="", seeds=(1.0,),
        value=1.0, low=0.0, high=2.0, n=1, of=1, failed=0,
    )  # fmt: skip
    assert math.isnan(alone.sd)


def test_a_score_is_told_as_far_as_it_may_reach():
    """With what could not be judged, and alone where all was judged."""
    assert make(value=28.04).in_digits() == "28.0"
    assert make(value=28.04, undecided=10.01).in_digits(2) == "28.04 to 38.05"


def test_a_score_says_of_how_many_it_speaks():
    """Terminal and page say the same words."""
    assert make(n=1900, of=1900).counted == "n=1,900"
    assert make(n=1894, of=1900, failed=6).counted == "n=1,894 of 1,900, 6 failed"


def test_what_was_sampled_is_drawn_whole(tmp_path):
    """Twenty synonyms of 50 samples, half of them consistent: the interval is of 20, not 1,000."""
    rows, hypotheses = [], {}
    for word in range(20):
        for number in range(50):
            for role in ("base", "synonym"):
                one = Example.make(
                    source=f"{word} {number} {role}",
                    tags={"synonym": f"word {word}"},
                    group=f"{word}-{number}",
                    role=role,
                    salt=role,
                )
                rows.append(one)
                hypotheses[one.id] = "same" if word % 2 or role == "base" else "other"
    draft = Draft(tmp_path / "b", seed=1)
    draft.write("substitutivity", rows)
    head = {"format": 1, "name": "c", "version": "1", "source": "en", "target": "nl"}
    made = draft.finish({**head, "builder": "none", "seed": 1})
    options = {"consistency": {"mode": "official"}}
    (table,) = score(made, hypotheses, ["consistency"], options=options)
    whole, first, *_ = table.scores()
    assert (whole.value, whole.n, whole.method) == (50, 1000, "Student's t over clusters")
    assert whole.low < 33
    assert whole.high > 67
    # What is said of one synonym is about that synonym: its samples are the sample.
    assert (first.tag, first.value, first.n) == ("synonym", 0, 50)
    assert first.high == pytest.approx(7.13, abs=0.01)


def test_what_could_not_be_judged_is_a_share():
    """Of the column that says so, as the mean over seeds; nothing without one or without rows."""
    tables = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])]
    assert undecided_share(tables, 1) == 25.0
    assert undecided_share(tables, 1, scale=1.0) == 0.25
    assert undecided_share(tables, None) == 0.0
    assert undecided_share([tables[0], np.empty((0, 2))], 1) == 0.0
