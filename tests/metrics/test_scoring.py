"""Observations classed by tag, that can be written and read again."""

from __future__ import annotations

import pytest

from recombine.benchmark import Benchmark
from recombine.metrics.scoring import create_metrics, observation_row, score


@pytest.fixture
def benchmark(small_benchmark):
    """The small benchmark, opened."""
    return Benchmark.open(small_benchmark)


def test_observations_are_classed_by_tag(benchmark):
    """One row of statistics for each observation."""
    examples = benchmark.read("test")
    hypotheses = {e.id: e.references[0] for e in examples[:2]} | {examples[2].id: "?"}
    (result,) = score(benchmark, hypotheses, ["exact"])
    assert result.metric.aggregate(result.stats) == pytest.approx(200 / 3)
    assert result.groups()["pattern"] == {"test": [0, 1, 2]}


def test_a_subset_is_scored_alone(benchmark):
    """What has no hypothesis is not wrong, it is not there."""
    one = benchmark.read("test")[0]
    (result,) = score(benchmark, {one.id: one.references[0]}, ["exact"])
    assert [o.value for o in result.observations] == [1]


def test_bleu_of_unspaced_languages_brings_the_character_figure(tmp_path, benchmark):
    """Ja and zh get both, other languages one."""
    assert [m.name for m in create_metrics(["bleu"], benchmark)] == ["bleu"]
    manifest = benchmark.path / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace('target = "de"', 'target = "ja"'))
    japanese = Benchmark.open(benchmark.path)
    assert [m.name for m in create_metrics(["bleu"], japanese)] == ["bleu", "bleu-char"]


def test_observation_rows_name_ids_or_one_id(benchmark):
    """The documented shape: metric, key, id or ids, value, stats, detail."""
    one = benchmark.read("test")[0]
    (result,) = score(benchmark, {one.id: "?"}, ["exact"])
    assert observation_row("exact", result.observations[0]) == {
        "metric": "exact",
        "key": one.id,
        "id": one.id,
        "value": 0.0,
        "stats": [0.0],
        "detail": {},
    }
