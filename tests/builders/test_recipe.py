"""Recipes: found by name or path, built once, stale ones refused."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.check import check_benchmark
from recombine.builders.compounds.assemble import paper_roles
from recombine.builders.recipe import (
    NOT_STATED,
    PLACE,
    build,
    is_recipe,
    read_recipe,
    recipe_names,
)
from recombine.errors import ConfigError, Problems, StaleOutput
from recombine.registry import data_path


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


def test_a_killed_build_ends_in_the_same_bytes(tmp_path):
    """It leaves no half benchmark; building again gives the same bytes (more: make test-faults)."""
    (tmp_path / "big.en").write_text("".join(f"sentence number {n}\n" for n in range(4000)))
    recipe = tmp_path / "big.toml"
    recipe.write_text(f'builder = "imported"\n[split.test]\nsource = "{tmp_path / "big.en"}"\n')
    out = tmp_path / "b"
    for delay in np.random.default_rng(2).uniform(0.0, 0.12, size=3):
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


def presets(folder, **files):
    """Write recipe files."""
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


SMALL = """\
exposures = 2
[benchmark]
version = "7"
[split]
train.base.size = 50
[preset]
name = "sget"
scale = 0.001
without = ["split.train.concat_*", "split.dev", "split.test"]
"""


def test_a_recipe_may_be_another_one_in_small(tmp_path):
    """Tables are merged, sizes scaled, parts left out; the name is not inherited."""
    presets(tmp_path, mine=SMALL, further='preset = "mine.toml"\nzipf = 1.2\n')
    recipe = read_recipe(str(tmp_path / "further.toml"))
    assert (recipe.head.name, recipe.head.version, recipe.head.target) == ("further", "7", "ja")
    builder = recipe.builder
    assert (builder.zipf, builder.exposures, builder.scale) == (1.2, 2, 1.0)
    assert {split: list(parts) for split, parts in builder.split.items() if split != "gen"} == {
        "train": ["base"]
    }
    assert builder.split["train"]["base"].size == 50
    assert {part.size for part in builder.split["gen"].values()} == {1, 2}
    assert builder.split["gen"]["pp_depth_3"].depth == {"pp": "3"}


def test_a_preset_is_stored_resolved(tmp_path):
    """The benchmark does not say where an option came from, and is up to date either way."""
    (tmp_path / "s.en").write_text("a dog\n")
    base = f'builder = "imported"\n[split.test]\nsource = "{tmp_path / "s.en"}"\n'
    presets(tmp_path, base=base, mine='preset = "base.toml"\n[benchmark]\nname = "base"\n')
    built = build(str(tmp_path / "base.toml"), tmp_path / "b")
    assert build(str(tmp_path / "mine.toml"), tmp_path / "b").hash == built.hash
    assert "preset" not in built.manifest.recipe


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('preset = "nosuch"', "no preset 'nosuch'"),
        ('preset = "nosuch.toml"', "no preset 'nosuch.toml'"),
        (f'preset = "{"n" * 3000}"', "no preset 'nnn"),
        (f'preset = {{ name = "sget", scale = 1{"0" * 400} }}', "preset.scale"),
        ("preset = 3", "name of a preset"),
        ('preset = "mine.toml"', "in a circle: mine.toml -> mine.toml"),
        ('preset = "other.toml"', "in a circle: mine.toml -> other.toml -> mine.toml"),
        ('preset = { name = "sget", without = ["split.nosuch.*"] }', "has no 'split.nosuch.*'"),
        ('preset = { name = "sget", scael = 2 }', "preset.scael"),
    ],
)
def test_bad_presets_are_refused_with_their_line(tmp_path, text, message):
    """A circle, a missing file, a typo."""
    presets(tmp_path, mine=f"# mine\n{text}\n", other='preset = "mine.toml"\n')
    with pytest.raises(ConfigError) as caught:
        read_recipe(str(tmp_path / "mine.toml"))
    assert message in caught.value.message
    line = 1 if "other" in text else 2  # the last link of a circle closes it
    assert f"{'other' if 'other' in text else 'mine'}.toml:{line}" in str(caught.value.where)


def test_a_typo_in_a_preset_is_shown_there(tmp_path):
    """An error names the file and line that it comes from."""
    presets(
        tmp_path,
        base='builder = "imported"\ncolums = ["source"]\n',
        mine='# nothing wrong here\npreset = "base.toml"\n',
    )
    with pytest.raises(ConfigError) as caught:
        read_recipe(str(tmp_path / "mine.toml"))
    assert str(caught.value.where).startswith(f"{tmp_path / 'base.toml'}:2")


def test_a_file_with_a_preset_is_what_the_preset_is(tmp_path):
    """`recombine check` must know a recipe from an experiment."""
    presets(
        tmp_path,
        mine='preset = "sget"\n',
        further='preset = "mine.toml"\n',
        run='benchmark = "b"\n[system.s]\nuse = "copy"\n',
        again='preset = "run.toml"\n',
        circle='preset = "circle.toml"\n',
    )
    kinds = {path.stem: is_recipe(path) for path in tmp_path.glob("*.toml")}
    assert kinds == {"mine": True, "further": True, "run": False, "again": False, "circle": False}


def test_the_small_recipe_does_not_repeat_the_large_one():
    """What they share is written once."""
    lines = data_path("recipes", "sget-mini.toml").read_text(encoding="utf-8").split("\n")
    assert len(lines) < 120
    large, small = read_recipe("sget").builder, read_recipe("sget-mini").builder
    assert list(small.split["gen"]) == list(large.split["gen"])
    for name, part in small.split["gen"].items():
        assert dataclasses.replace(part, size=40 * part.size) == large.split["gen"][name]


def test_problems_of_head_and_builder_are_found_at_once(tmp_path):
    """A typo in one table does not hide one in another."""
    presets(
        tmp_path,
        mine='builder = "imported"\ncolums = ["source"]\nsplits = 3\n[benchmark]\nnaem = "x"\n',
    )
    with pytest.raises(Problems) as caught:
        read_recipe(str(tmp_path / "mine.toml"))
    assert [problem.where.line for problem in caught.value.problems] == [5, 2, 3]


def test_a_benchmark_is_not_built_inside_another(tmp_path, recipe):
    """The other one would not be the same any more."""
    outer = build(recipe, tmp_path / "b")
    with pytest.raises(ConfigError, match="inside the benchmark"):
        build(recipe, tmp_path / "b" / "inner")
    assert outer.verify() == []


def test_one_number_of_a_table_of_the_builder_can_be_set():
    """Nobody has to write down the defaults to change one of them."""
    overrides = ["corpus=x.tsv", "roles.MOD.coverage=0.3"]
    roles = read_recipe("compounds", overrides).builder.roles
    assert (roles["MOD"].coverage, roles["MOD"].count) == (0.3, 2)
    assert roles == {**paper_roles(), "MOD": roles["MOD"]}


def test_two_raw_texts_are_a_corpus():
    """The same options for every builder that reads one; languages come from their names."""
    texts = ["text.en=c.en", "text.fr=c.fr"]
    found = read_recipe("divergent", [*texts, "parser=spacy:en_any"])
    assert (found.head.source, found.head.target) == ("en", "fr")
    assert (str(found.builder.corpus), str(found.builder.target_corpus)) == ("c.en", "c.fr")
    assert found.builder.target_language == "fr"
    turned = read_recipe("compounds", [*texts, "parser=spacy:fr_any", "benchmark.source=fr"])
    assert (turned.head.target, str(turned.builder.corpus)) == ("en", "c.fr")
    tests = read_recipe("consistency", texts)
    assert tests.builder.data == ("synthetic", "natural")
    assert (str(tests.builder.text), str(tests.builder.translations)) == ("c.en", "c.fr")
    assert tests.head.target == "fr"


def test_a_text_without_a_parser_is_told_how_to_get_one():
    """What is installed, what could be, and what needs none."""
    with pytest.raises(ConfigError, match="raw text") as caught:
        read_recipe("divergent", ["text.en=c.en", "text.fr=c.fr"])
    for part in ("installed here for 'en': ", "spacy download en_core_web_sm", "parser=words"):
        assert part in (caught.value.hint or "")
    with pytest.raises(ConfigError, match="raw text") as caught:
        read_recipe("compounds", ["text.en=c.en", "text.fr=c.fr"])
    assert "parser=words" not in (caught.value.hint or "")  # it would be refused
    with pytest.raises(ConfigError, match="does not say its language"):
        read_recipe("divergent", ["text=c.en", "parser=spacy:en_any"])
    for parser in ("ginza", "stanza:fr", "spacy:de_core_news_sm"):
        with pytest.raises(ConfigError, match=f"parser '{parser}' reads .* is 'en'"):
            read_recipe("divergent", ["text.en=c.en", "text.fr=c.fr", f"parser={parser}"])
    with pytest.raises(ConfigError, match="takes no text"):
        read_recipe("sget-mini", ["text.en=c.en"])
    with pytest.raises(ConfigError, match="3 languages"):
        read_recipe("divergent", ["text.en=a", "text.fr=b", "text.de=c"])


def test_words_alone_are_refused_where_relations_are_needed():
    """A split by relations that nobody found would be a split by nothing."""
    for name in ("divergent", "compounds"):
        with pytest.raises(ConfigError, match="only cuts text into words") as caught:
            read_recipe(name, ["corpus=x", "parser=words"])
        assert "parser=words" not in (caught.value.hint or "")
        assert ("definition=ngrams" in (caught.value.hint or "")) is (name == "divergent")
    assert read_recipe("divergent", ["corpus=x", "parser=words", "definition=ngrams"])


def test_the_licence_of_own_text_is_not_ours_to_give():
    """Templates are in the public domain; somebody's corpus is not, unless somebody says so."""
    texts = ["text.en=c.en", "text.fr=c.fr"]
    assert read_recipe("consistency").head.licence == "CC0-1.0"
    assert read_recipe("consistency", texts).head.licence == NOT_STATED
    given = read_recipe("consistency", [*texts, "benchmark.licence=CC-BY-4.0"])
    assert given.head.licence == "CC-BY-4.0"


def test_two_languages_of_one_side_are_refused(tmp_path):
    """A corpus read in one language under the name of another would be labelled wrongly."""
    with pytest.raises(ConfigError, match="target_language is 'fr'") as caught:
        read_recipe("dbca-max", [f"corpus={tmp_path}", "target_language=fr"])
    assert "-o benchmark.target=fr" in caught.value.hint
    found = read_recipe("dbca-max", [f"corpus={tmp_path}", "benchmark.target=fr"])
    assert found.builder.target_language == found.head.target == "fr"
