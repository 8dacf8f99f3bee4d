"""Recipes: found by name or path, built once, stale ones refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.recipe import PLACE, build, check_benchmark, read_recipe, recipe_names
from recombine.errors import ConfigError, Problems, StaleOutput


@pytest.fixture
def recipe(tmp_path):
    """A recipe file over two lines of text."""
    (tmp_path / "s.en").write_text("a dog\na cat\n")
    path = tmp_path / "two.toml"
    path.write_text(
        'builder = "imported"\n[benchmark]\ntarget = "de"\nlicence = "CC0"\n'
        f'[split.test]\nsource = "{tmp_path / "s.en"}"\n'
    )
    return str(path)


def test_an_existing_benchmark_is_left_alone_or_refused(tmp_path, recipe):
    """Same recipe: kept. Another: refused with the field. Another kind of folder: never touched."""
    first = build(recipe, tmp_path / "b")
    assert build(recipe, tmp_path / "b").hash == first.hash
    with pytest.raises(StaleOutput, match="'seed'"):
        build(recipe, tmp_path / "b", seed=2)
    with pytest.raises(StaleOutput, match=r"recipe\.split"):
        build(recipe, tmp_path / "b", overrides=["split.test.tags.x=1"])
    assert build(recipe, tmp_path / "b", seed=2, force=True).manifest.seed == 2
    (tmp_path / "other").mkdir()
    for force in (False, True):
        with pytest.raises(ConfigError, match="not a benchmark"):
            build(recipe, tmp_path / "other", force=force)


def test_where_it_is_built_is_no_part_of_a_benchmark(tmp_path):
    """Engine, workers and cache change no byte, so they are neither stored nor compared."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(200, words=60))
    options = [f"corpus={corpus}", "edition=all", "passes=2"]
    first = build("divergent", tmp_path / "b", overrides=options)
    assert PLACE.isdisjoint(first.manifest.recipe)
    again = build("divergent", tmp_path / "b", overrides=[*options, "workers=2"])
    assert again.hash == first.hash


def test_the_name_comes_from_the_file(tmp_path, recipe):
    """Unless the recipe says otherwise."""
    assert build(recipe, tmp_path / "b").manifest.name == "two"
    assert check_benchmark(build(recipe, tmp_path / "b")) == []


def test_unknown_recipes_list_the_known_ones():
    """A typo is helped with."""
    with pytest.raises(ConfigError) as caught:
        read_recipe("sgte")
    assert "imported" in (caught.value.hint or "")


@pytest.mark.parametrize("name", recipe_names())
def test_every_shipped_recipe_reads(name):
    """Strictly: no unknown key in any of them."""
    found = []
    try:
        read_recipe(name)
    except Problems as error:
        found = error.problems
    except ConfigError as error:
        found = [error]
    # A recipe for a user's own corpus asks for its files and for nothing else.
    assert [problem for problem in found if "missing key" not in str(problem)] == []


SCRIPT = """
import sys
from recombine.builders.recipe import build
print("ready", flush=True)
build(sys.argv[1], sys.argv[2])
"""


def test_killed_at_ten_moments_a_build_ends_in_the_same_bytes(tmp_path):
    """A killed build leaves no half benchmark; building again gives the same bytes."""
    (tmp_path / "big.en").write_text("".join(f"sentence number {n}\n" for n in range(4000)))
    recipe = tmp_path / "big.toml"
    recipe.write_text(f'builder = "imported"\n[split.test]\nsource = "{tmp_path / "big.en"}"\n')
    out = tmp_path / "b"
    for delay in np.random.default_rng(2).uniform(0.0, 0.12, size=10):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(recipe), str(out)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if out.exists():
            assert check_benchmark(build(str(recipe), out)) == []
    finished = build(str(recipe), out)
    assert finished.hash == build(str(recipe), tmp_path / "undisturbed").hash
