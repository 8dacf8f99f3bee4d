"""The verb score on outputs of systems that learned elsewhere."""

from __future__ import annotations

import json

import pytest

from recombine.benchmark import Example
from recombine.cli import main
from recombine.cli.options import TRAINED_ON
from recombine.systems import base
from report.scored_run import small_benchmark


@pytest.fixture
def toy(tmp_path):
    """A benchmark of the toy grammar with another wording for its one reference."""
    row = Example.make(source="A cat watched a dog.", references=("猫が犬を見守った。",))
    small_benchmark(tmp_path / "b", {"gen": [row]}, target="ja", recipe={"grammar": "toy"})
    (tmp_path / "hyps.txt").write_text("猫は犬を見守った。\n", encoding="utf-8")
    return ["score", str(tmp_path / "b"), "--hyps", str(tmp_path / "hyps.txt")]


@pytest.mark.parametrize(
    ("more", "metrics"),
    [
        ([], ["meaning", "exact", "bleu", "bleu-char", "chrf"]),
        (["--trained-on", "nothing"], ["meaning", "exact", "bleu", "bleu-char", "chrf"]),
        (["--trained-on", "train"], ["exact", "bleu", "bleu-char", "chrf"]),
        (["--metric", "exact"], ["exact"]),
    ],
)
def test_what_learned_elsewhere_is_scored_by_meaning_first(toy, capsys, more, metrics):
    """As compare does: nobody told such a system the one wording of the references."""
    assert main([*toy, *more, "--json"]) == 0
    captured = capsys.readouterr()
    rows = [row for row in json.loads(captured.out) if row["tag"] == "all"]
    assert [row["metric"] for row in rows] == metrics
    assert ("--trained-on train leaves it out" in captured.err) == (not more)


def test_what_a_system_may_have_learned_from_is_said_once():
    """The help of two verbs imports no system, so it has the words again."""
    assert TRAINED_ON == base.TRAINED_ON
