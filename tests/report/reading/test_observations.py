"""Reading runs: alignment, refusals, tags."""

from __future__ import annotations

import dataclasses
import json
import shutil

import numpy as np
import pytest

from recombine.errors import DataError, StaleOutput
from recombine.files import read_jsonl, write_jsonl
from recombine.metrics.surface import Bleu
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from report.synthetic import make_run


def test_panel_is_aligned_and_scaled(run):
    """Every system and seed has the same keys; the score is that of the metric itself."""
    panel = read_observations(open_runs([run]), "exact", "gen")
    assert panel.systems == ("lstm", "oracle-ish", "transformer")
    assert len(panel.keys) == 320
    scores = panel.seed_scores("oracle-ish")
    assert set(scores) == {1, 2, 3}
    assert all(90 < score <= 100 for score in scores.values())
    assert sum(len(rows) for rows in panel.slices("pattern").values()) == 320


def test_missing_keys_are_left_out_and_counted(run, tmp_path):
    """Only keys that all have are compared, and the report says how many are not."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    path = copy / "lstm" / "seed-1" / "scores" / "exact.gen.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[5:]) + "\n")
    panel = read_observations(open_runs([copy]), "exact", "gen")
    assert len(panel.keys) == 315
    assert panel.left_out["transformer, seed 2"] == 5


def test_changed_benchmark_is_refused(run, tmp_path):
    """Scores of another version of the benchmark are stale."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    record = copy / "lstm" / "seed-1" / "run.json"
    record.write_text(record.read_text().replace('"benchmark_hash": "', '"benchmark_hash": "0'))
    with pytest.raises(StaleOutput, match="with another 'benchmark'"):
        open_runs([copy])


def test_folder_that_is_no_run(tmp_path):
    """An empty folder gets a hint."""
    with pytest.raises(DataError, match="not a run"):
        open_runs([tmp_path])
    with pytest.raises(DataError, match="no run was given"):
        open_runs([])


def test_a_low_score_is_not_taken_for_a_share(run):
    """BLEU 0.327 is 0.327, not 32.7: the unit is the metric's to say."""
    panel = read_observations(open_runs([run]), "bleu", "gen")
    row = np.array([10, 10, 1, 0, 0, 0, 10, 9, 8, 7], dtype=np.float64)
    stats = np.tile(np.r_[row[:2], np.zeros(4), row[6:]], (320, 1))
    stats[0] = row
    one = dataclasses.replace(panel, stats={("one", 1): stats})
    (score,) = one.seed_scores("one").values()
    assert 0 < score < 1
    assert score == pytest.approx(Bleu(tokenize="char").aggregate(stats))


def test_what_is_not_judged_late_in_a_file_does_not_count(tmp_path):
    """The first 2,000 rows do not say what kind of score it is: a true 50.0 was 26.2."""
    run = make_run(
        tmp_path, per_pattern=500, seeds=(1,), systems={"one": [0.5] * 8}, metrics=("exact",)
    )
    scores = run / "one" / "seed-1" / "scores"
    rows = list(read_jsonl(scores / "exact.gen.jsonl"))
    for number, row in enumerate(rows):
        value = float(number % 2)
        row |= {"value": value, "stats": [value, 1.0] if number < 2_000 else [0.0, 0.0]}
    write_jsonl(scores / "literal.gen.jsonl", rows)
    panel = read_observations(open_runs([run]), "literal", "gen")
    assert panel.seed_scores("one") == {1: 50.0}
    (found,) = panel.overall()
    assert found.low > 47
    assert found.high < 53


def test_a_metric_that_is_not_installed_is_aggregated_by_its_declaration(run, tmp_path):
    """A mean needs nothing else; sums need the metric itself, and that is said."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    for path in copy.rglob("exact.gen.meta.json"):
        path.write_text(path.read_text().replace('"name": "exact"', '"name": "elsewhere"'))
    for path in copy.rglob("bleu.gen.meta.json"):
        path.write_text(path.read_text().replace('"name": "bleu"', '"name": "elsewhere"'))
    expected = read_observations(open_runs([run]), "exact", "gen").seed_scores("lstm")
    panel = read_observations(open_runs([copy]), "exact", "gen")
    assert panel.seed_scores("lstm") == expected
    assert panel.right_value == 1
    with pytest.raises(DataError, match="not known here"):
        read_observations(open_runs([copy]), "bleu", "gen")


def test_scores_by_other_options_are_not_one_metric(run, tmp_path):
    """BLEU over characters is not compared with, or signed as, BLEU over words."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    meta = copy / "transformer" / "seed-2" / "scores" / "bleu.gen.meta.json"
    meta.write_text(meta.read_text().replace("tok:", "tok:other-"))
    source = open_runs([copy])
    with pytest.raises(DataError, match="not the same metric for lstm, seed 1, and for transf"):
        read_observations(source, "bleu", "gen")
    assert read_observations(source, "exact", "gen").systems


def test_a_metric_of_ones_own_is_aggregated_where_it_is_named(tmp_path):
    """No run has code executed by naming it; the user has, and code that changed is refused."""
    path = tmp_path / "mine.py"
    text = (
        "from dataclasses import dataclass\nfrom recombine.metrics.surface import Chrf\n"
        "@dataclass(kw_only=True)\nclass Mine(Chrf):\n    name = 'mine'\n"
    )
    path.write_text(text)
    run = make_run(tmp_path, per_pattern=2, seeds=(1,), metrics=("exact", f"{path}:Mine"))
    options = ReportOptions(splits=("gen",))
    with pytest.raises(DataError, match="not known here") as caught:
        build_report(open_runs([run]), options)
    assert "own=" in (caught.value.hint or "")
    own = dataclasses.replace(options, own=(f"{path}:Mine",))
    report = build_report(open_runs([run]), own)
    assert report.results_of("mine", "gen").overall("lstm").value > 0
    path.write_text(text + "    higher_is_better = False\n")
    with pytest.raises(StaleOutput, match="declares something else"):
        build_report(open_runs([run]), own)


def test_a_name_does_not_make_a_metric(run, tmp_path):
    """A metric of one's own called `bleu` is what it declared, a mean, not sums of n-grams."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    for path in copy.rglob("bleu.gen.meta.json"):
        stored = json.loads(path.read_text())
        stored["metric"]["declares"] |= {"kind": "mean", "unit": "points"}
        path.write_text(json.dumps(stored))
    panel = read_observations(open_runs([copy]), "bleu", "gen")
    assert panel.seed_scores("lstm")[1] == pytest.approx(panel.stats["lstm", 1][:, 0].mean())


def test_keys_that_one_seed_lacks_are_among_those_it_is_of(run, tmp_path):
    """A score of 300 of 320 sentences says so."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    path = copy / "lstm" / "seed-2" / "scores" / "exact.gen.jsonl"
    rows = list(read_jsonl(path))
    write_jsonl(path, rows[20:])
    panel = read_observations(open_runs([copy]), "exact", "gen")
    for one in panel.overall():
        assert (one.n, one.of) == (300, 320)
    first = panel.by_tag("pattern")[0]
    assert (first.n, first.of) == (20, 40)


def test_options_of_somebodys_own_are_known(tmp_path):
    """Published numbers are of the metric as it comes."""
    options = {"per_pattern": 2, "seeds": (1,), "metrics": ("exact", "chrf")}
    run = make_run(tmp_path, **options)
    for metric in ("exact", "chrf"):
        assert read_observations(open_runs([run]), metric, "gen").as_shipped
    for path in tmp_path.rglob("chrf.gen.meta.json"):
        path.write_text(path.read_text().replace('"char_order": 6', '"char_order": 3'))
    assert not read_observations(open_runs([run]), "chrf", "gen").as_shipped
