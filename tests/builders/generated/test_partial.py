"""A benchmark in a language that is not complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recombine.builders.check import check_benchmark
from recombine.builders.recipe import build, read_recipe
from recombine.errors import RecombineError
from recombine.grammar import Grammar

RECIPE = """
builder = "generated"
grammar = "{grammar}"
selection = false
no_repeat = false
{partial}
[benchmark]
name = "half"
source = "en"
target = "nl"
[split.train.base]
size = 40
exclude = ["_.subj = cat", "rc_subj"]
[split.gen.cat_as_subject]
size = 5
category = "Words"
targets = ["frog", "cat"]
pattern = ["_.subj = $target"]
[split.gen.relatives]
size = 5
category = "Structures"
pattern = ["rc_subj"]
"""
DUTCH = """
%post capitalise
%each tense num = past sg | past pl | pres sg | pres pl
say = S + "."
decl = subj VP[Tense.key, subj.num]
past.key = "past"
pres.key = "pres"
intrans.$tense.$num = V1.form
trans.$tense.$num = V2.form obj
def = "de" N
def.num = "sg"
indef = "een" N
indef.num = "sg"
plural = "alle" N
plural.num = "pl"
name = Name
name.num = "sg"
"""
WORDS = ("cat", "dog", "child", "house", "Emma", "Ali", "sleep", "run", "see", "find")


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """Dutch without subordinate clauses, prepositions, questions and half of the words."""
    folder = tmp_path / "half"
    folder.mkdir()
    (folder / "abstract.grammar").write_text("%extends toy\n", encoding="utf-8")
    (folder / "nl.grammar").write_text(DUTCH, encoding="utf-8")
    rows = "".join(f"{word}\t{word}\n" for word in WORDS)
    (folder / "nl.lexicon.tsv").write_text(f"id\tform\n{rows}", encoding="utf-8")
    return folder


def write_recipe(folder: Path, partial: str) -> Path:
    """The recipe, beside the grammar."""
    path = folder.parent / "half.toml"
    text = RECIPE.format(grammar=folder.as_posix(), partial=partial)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_partial_benchmark_draws_what_both_languages_say(half: Path, tmp_path: Path) -> None:
    """Words, target words and parts that one language lacks are left out and said so."""
    benchmark = build(str(write_recipe(half, "partial = true")), tmp_path / "built")
    left_out = json.loads((benchmark.path / "certificate.json").read_text(encoding="utf-8"))[
        "left_out"
    ]
    assert {"frog", "rc_subj", "beside", "tell"} <= set(left_out["unsaid"])
    assert list(left_out["parts"]) == ["gen.relatives"]
    card = (benchmark.path / "README.md").read_text(encoding="utf-8")
    assert "## Left out" in card
    assert "`gen.relatives`" in card
    grammar = Grammar.load(half)
    gen = list(benchmark.read("gen"))
    assert len(gen) == 5
    assert all(" cat" in f" {one.references[0].lower()}" for one in gen)
    for one in (*benchmark.read("train"), *gen):
        assert grammar.parse(one.references[0], "nl").ok
    assert check_benchmark(benchmark) == []


def test_without_it_everything_missing_is_listed_at_once(half: Path, tmp_path: Path) -> None:
    """A build of an unfinished language is refused with all words it lacks, and the way out."""
    with pytest.raises(RecombineError) as caught:
        build(str(write_recipe(half, "")), tmp_path / "built")
    text = caught.value.render()
    assert "words without a row in a lexicon of 'nl': " in text
    assert all(word in text for word in ("frog", "elephant", "tell", "watch"))
    assert "partial = true" in text


def test_nothing_to_train_on_is_refused(half: Path, tmp_path: Path) -> None:
    """A language that says no whole sentence makes no benchmark."""
    (half / "nl.grammar").write_text(DUTCH.replace("say =", "#say ="), encoding="utf-8")
    with pytest.raises(RecombineError, match="no part of 'train' can be drawn"):
        build(str(write_recipe(half, "partial = true")), tmp_path / "built")


def test_a_target_without_words_to_go_with_is_left_out(half: Path, tmp_path: Path) -> None:
    """What a target word needs beside it may be missing: other targets are drawn, and it builds."""
    path = write_recipe(half, "partial = true")
    text = path.read_text(encoding="utf-8").replace("selection = false\n", "")
    text += 'weights = { trans = 1 }\n[split.gen.chosen]\nsize = 3\ncategory = "Words"\n'
    text += 'targets = ["see", "find"]\npattern = ["trans.V2 = $target"]\n'
    path.write_text(text, encoding="utf-8")
    (half / "abstract.grammar").write_text(
        "%extends toy\n%select object : trans.V2 trans.obj\n", encoding="utf-8"
    )
    (half / "abstract.pairs.tsv").write_text(
        "role\tgovernor\tdependent\nobject\tsee\telephant\n", encoding="utf-8"
    )
    benchmark = build(str(path), tmp_path / "built")
    chosen = [one for one in benchmark.read("gen") if one.tags["pattern"] == "chosen"]
    assert {one.tags["target_word"] for one in chosen} == {"find"}


def test_coverage_names_what_a_recipe_still_needs(half: Path) -> None:
    """Target words first, then whatever else a recipe could use, even when nothing can be drawn."""
    recipe = write_recipe(half, "")
    text = read_recipe(str(recipe)).builder.describe_coverage()
    assert "needs the target words frog" in text
    assert "rc_subj" in text.partition("more words and rules")[2]
    (half / "nl.grammar").write_text(DUTCH.replace("say =", "#say ="), encoding="utf-8")
    text = read_recipe(str(recipe)).builder.describe_coverage()
    assert text.startswith("no part of 'train' can be drawn")
    assert "needs the target words frog" in text
