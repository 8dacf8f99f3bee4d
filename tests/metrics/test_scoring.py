"""Observations classed by tag, that can be written and read again."""

from __future__ import annotations

import contextlib
import unicodedata
from collections import Counter
from dataclasses import replace

import pytest

from recombine.benchmark import Benchmark, Example, Focus
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError
from recombine.metrics.scoring import (
    about_nothing,
    create_metric,
    create_metrics,
    default_metrics,
    observation_row,
    score,
)


def write(folder, split, rows):
    """A benchmark of one split."""
    draft = Draft(folder / "b", seed=1)
    draft.write(split, rows)
    head = {"format": 1, "name": "c", "version": "1", "source": "en", "target": "de"}
    return draft.finish({**head, "builder": "none", "seed": 1})


def overall(tables):
    """The scores of whole splits."""
    return [one for table in tables for one in table.overall()]


@pytest.fixture
def benchmark(small_benchmark):
    """The small benchmark, opened."""
    return Benchmark.open(small_benchmark)


def test_observations_are_classed_by_tag(benchmark):
    """One row of statistics for each observation."""
    examples = benchmark.read("test")
    hypotheses = {e.id: e.references[0] for e in examples[:2]} | {examples[2].id: "?"}
    (result,) = score(benchmark, hypotheses, ["exact"])
    assert result.mean("") == pytest.approx(200 / 3)
    assert {value: list(rows) for value, rows in result.slices("pattern").items()} == {
        "test": [0, 1, 2]
    }


@pytest.mark.parametrize(
    ("metric", "counted", "skipped"),
    [("exact", 100 / 3, 100), ("bleu", 36.8, 100), ("chrf", 50, 100)],
)
def test_what_has_no_output_counts(benchmark, metric, counted, skipped):
    """A system does not gain by refusing: exact is 0 there, BLEU and chrF see an empty string."""
    one, *rest = benchmark.read("test")
    said = {one.id: one.references[0]}
    (whole,) = overall(score(benchmark, said, metric))
    empty = score(benchmark, said | {other.id: "" for other in rest}, metric)
    assert whole.value == overall(empty)[0].value < skipped
    assert (whole.n, whole.of, whole.failed) == (3, 3, 2)
    (part,) = overall(score(benchmark, said, metric, missing="skip"))
    assert (part.value, part.n, part.of, part.failed) == (pytest.approx(skipped), 1, 3, 2)


def test_only_what_was_asked_for_is_missing(benchmark):
    """A sample is complete when every sentence of the sample has an output."""
    one, two, _ = benchmark.read("test")
    said = {one.id: one.references[0]}
    (found,) = overall(score(benchmark, said, "exact", asked={one.id, two.id}))
    assert (found.value, found.n, found.of, found.failed) == (50, 2, 2, 1)


def test_a_pair_with_a_missing_output_is_inconsistent(tmp_path):
    """Of base or variant; two missing outputs are not the same translation."""
    rows = [
        Example.make(source=f"{n} {role}", group=f"g{n}", role=role, salt=role)
        for n in range(4)
        for role in ("base", "synonym")
    ]
    made = write(tmp_path, "substitutivity", rows)
    said = {one.id: "same" for one in rows if not one.source.startswith("0")}
    said = {name: text for name, text in said.items() if name != rows[2].id}
    for mode in ("official", "neutral"):
        (result,) = score(made, said, "consistency", options={"consistency": {"mode": mode}})
        (found,) = result.overall()
        assert (found.value, found.n, found.failed) == (50, 4, 2)


def test_a_rate_of_a_fault_leaves_out_what_is_missing(tmp_path):
    """Nothing said is neither literal nor a paraphrase."""
    rows = [
        Example.make(
            source=f"{who} kicked the bucket over there .",
            references=[f"{who} starb gestern dort ."],
            focus=[
                Focus(text="kicked the bucket", role="idiom"),
                Focus(text="bucket", role="keyword", accepted=("Eimer",)),
            ],
        )
        for who in ("Mary", "Tom", "Ann", "Joe")
    ]
    made = write(tmp_path, "overgeneralisation", rows)
    said = {rows[0].id: "Mary trat dort den Eimer um .", rows[1].id: "Tom starb gestern dort ."}
    (found,) = overall(score(made, said, "literal"))
    assert (found.value, found.n, found.of, found.failed) == (50, 2, 4, 2)


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
    (result,) = score(benchmark, {one.id: "?"}, ["exact"], missing="skip")
    assert observation_row("exact", next(result.rows())) == {
        "metric": "exact",
        "key": one.id,
        "id": one.id,
        "value": 0.0,
        "stats": [0.0],
        "detail": {},
    }


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"nonsense": {"key": 1}}, "'nonsense', which is not scored"),
        ({"grammar": "x"}, "no metric"),
    ],
)
def test_options_of_what_is_not_scored_are_refused(benchmark, options, told):
    """A misspelt metric does not leave another at its defaults without a word."""
    with pytest.raises(ConfigError, match=told):
        create_metrics(["exact"], benchmark, options)


def test_one_metric_may_be_named_without_a_list(benchmark):
    """Python users write metrics="exact"."""
    one = benchmark.read("test")[0]
    (result,) = score(benchmark, {one.id: "?"}, "exact")
    assert result.metric == "exact"


@pytest.mark.parametrize("metric", ["exact", "bleu", "chrf"])
def test_the_way_letters_are_composed_costs_nothing(benchmark, metric):
    """A hypothesis in NFD is as right for BLEU and chrF as it is for exact match."""
    said = {e.id: unicodedata.normalize("NFD", e.references[0]) for e in benchmark.read("test")}
    (found,) = overall(score(benchmark, said, metric))
    assert found.value == pytest.approx(100)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"nope": "x"}, "1 of 1 hypotheses are of no example"),
        (["x", "y", "z"], "not list"),
        ({"ID": None}, "is NoneType instead of text"),
        ({"ID": "a\ud800"}, "half a character"),
    ],
)
def test_hypotheses_that_cannot_be_judged_are_refused(benchmark, said, told):
    """What belongs to no example, and what is no text, is never just left out."""
    first = benchmark.read("test")[0].id
    if isinstance(said, dict):
        said = {first if name == "ID" else name: text for name, text in said.items()}
    with pytest.raises(DataError, match=told):
        score(benchmark, said, "exact", splits="test")


def test_a_misspelt_way_with_missing_outputs_is_refused(benchmark):
    """It is not silently the other one."""
    one = benchmark.read("test")[0]
    with pytest.raises(ConfigError, match="'Skip'"):
        score(benchmark, {one.id: "x"}, "exact", missing="Skip")


def test_a_split_changed_by_hand_is_not_scored(small_benchmark):
    """The score would be attributed to the benchmark whose name it bears."""
    path = small_benchmark / "test.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    changed = Benchmark.open(small_benchmark)
    with pytest.raises(DataError, match="SHA-256 differs"):
        score(changed, {one.id: "x" for one in changed.read("test")}, "exact")


def test_two_metrics_of_one_name_are_refused(tmp_path, benchmark):
    """Their scores would stand in one file and in one column."""
    code = tmp_path / "mine.py"
    code.write_text("from recombine.metrics.exact import Exact\n\nclass Mine(Exact):\n    pass\n")
    with pytest.raises(ConfigError, match="are both called 'exact'"):
        create_metrics(["exact", f"{code}:Mine"], benchmark)


def test_options_of_a_metric_of_your_own(benchmark, tmp_path):
    """`-o Name.option=value` reaches ./file.py:Name, whose path no key can hold."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from recombine.metrics.surface import Chrf\n\n"
        "@dataclass(kw_only=True)\n"
        "class Mine(Chrf):\n"
        "    name = 'mine'\n"
    )
    (metric,) = create_metrics([f"{path}:Mine"], benchmark, {"Mine": {"char_order": 3}})
    assert metric.char_order == 3
    with pytest.raises(ConfigError, match="'Other', which is not scored"):
        create_metrics([f"{path}:Mine"], benchmark, {"Other": {"char_order": 3}})


def test_a_benchmark_is_opened_by_its_path(benchmark):
    """`score("path", ...)` does what `evaluate` does."""
    said = {one.id: one.references[0] for one in benchmark.read("test")}
    for path in (benchmark.path, str(benchmark.path)):
        (result,) = score(path, said, "exact")
        assert result.mean("") == 100


def test_metrics_about_nothing_are_found(benchmark):
    """One of several metrics that no sentence is for is not just absent."""
    said = {one.id: one.references[0] for one in benchmark.read("test")}
    results = score(benchmark, said, ["exact", "literal"])
    assert about_nothing(["exact", "literal"], results) == ["literal"]


def test_a_metric_is_told_what_it_asks_to_know(benchmark):
    """The target language, unless another one is given."""
    assert create_metric("bleu", benchmark, {}).target_language == "de"
    assert create_metric("bleu", benchmark, {"target_language": "ja"}).target_language == "ja"


def test_without_a_word_the_usual_metrics_are_scored(benchmark):
    """What the benchmark recommends, or what every benchmark with references has."""
    assert default_metrics(benchmark) == ("exact", "bleu", "chrf")
    recommended = replace(benchmark.manifest, metrics=("chrf",))
    assert default_metrics(Benchmark(benchmark.path, recommended, "")) == ("chrf",)


def test_progress_counts_what_is_observed(benchmark, monkeypatch):
    """One step for each key, of as many as there are."""
    counted: Counter[str] = Counter()

    class Bar(contextlib.nullcontext):
        def advance(self):
            counted[self.enter_result] += 1

        def __enter__(self):
            return self

    monkeypatch.setattr(
        "recombine.metrics.scoring.progress", lambda what, total: Bar(f"{what}: {total}")
    )
    score(benchmark, {one.id: "?" for one in benchmark.read("test")}, ["exact"])
    assert counted == {"score exact test: 3": 3}
