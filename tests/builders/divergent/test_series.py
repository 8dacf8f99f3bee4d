"""A series holds one benchmark per divergence and seed, all of one size."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.divergent.series import build_series, read_series
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, StaleOutput


def test_a_series_in_one_run(tmp_path: Path) -> None:
    """Targets are met in order, sizes are equal, files check, and a second run changes nothing."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(600, words=120))
    recipe = read_recipe("divergent", [f"corpus={corpus}", "edition=all", "passes=20"])
    series = build_series(recipe, tmp_path / "s", divergences=(0.3, 0.5, 0.7), seeds=(1, 2))
    read = read_series(tmp_path / "s" / "series.toml")
    assert [m.compound_divergence for m in read.member] == [
        m.compound_divergence for m in series.member
    ]
    assert len(read.member) == 6
    sizes = set()
    for member in read.member:
        assert member.compound_divergence == pytest.approx(member.target_divergence, abs=0.03)
        benchmark = Benchmark.open(member.benchmark)
        sizes.add(benchmark.manifest.splits["test"])
        assert check_benchmark(benchmark) == []
    assert max(sizes) - min(sizes) <= 5
    before = {m.benchmark: Benchmark.open(m.benchmark).hash for m in read.member}
    build_series(recipe, tmp_path / "s", divergences=(0.3, 0.5, 0.7), seeds=(1, 2))
    assert before == {m.benchmark: Benchmark.open(m.benchmark).hash for m in read.member}
    assert not list((tmp_path / "s").glob("shared*"))
    # A member can be built again from what its manifest says.
    manifest = Benchmark.open(read.member[0].benchmark).manifest
    builder = type(recipe.builder)(**{**manifest.recipe, "corpus": corpus})
    again = build(type(recipe)(recipe.head, "divergent", builder), tmp_path / "again")
    assert again.manifest.files == manifest.files


def test_a_member_of_another_definition_is_stale(tmp_path: Path) -> None:
    """A series never mixes two definitions, and --force makes all of its members anew."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(600, words=120))

    def series(definition: str, force: bool = False) -> set[str]:
        options = [f"corpus={corpus}", "edition=all", "passes=5", f"definition={definition}"]
        recipe = read_recipe("divergent", options)
        found = build_series(recipe, tmp_path / "s", divergences=(0.3, 0.5), force=force)
        members = [Benchmark.open(tmp_path / "s" / one.benchmark) for one in found.member]
        return {member.manifest.recipe["definition"] for member in members}

    assert series("dependencies") == {"dependencies"}
    with pytest.raises(StaleOutput, match=r"another 'recipe\.definition'"):
        series("pairs")
    assert series("pairs", force=True) == {"pairs"}


def test_only_divergent_splits_make_a_series(tmp_path: Path) -> None:
    """Another builder, or no divergence at all, is refused."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(20))
    recipe = read_recipe("divergent", [f"corpus={corpus}"])
    with pytest.raises(ConfigError, match="at least one"):
        build_series(recipe, tmp_path / "s", divergences=())
    other = type(recipe)(recipe.head, "imported", object())
    with pytest.raises(ConfigError, match="'divergent'"):
        build_series(other, tmp_path / "s")
