"""list, check, build and export from the command line."""

from __future__ import annotations

import json
import os

import pytest

from recombine.cli import main


@pytest.fixture
def recipe(tmp_path):
    """A recipe over a text file."""
    (tmp_path / "s.en").write_text("a dog\na cat\n")
    path = tmp_path / "two.toml"
    path.write_text(f'builder = "imported"\n[split.test]\nsource = "{tmp_path / "s.en"}"\n')
    return path


def test_list_shows_names_and_options(capsys):
    """For people and as JSON."""
    assert main(["list", "metrics"]) == 0
    assert "  exact" in capsys.readouterr().out
    assert main(["list", "systems", "--options", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    noise = next(one for one in found["systems"]["noisy-oracle"] if one["name"] == "noise")
    assert (noise["type"], noise["default"]) == ("number", "0.1")


def test_everything_listed_says_what_it_is(capsys):
    """A line each, that fits a terminal; one of them is described with its options."""
    assert main(["list"]) == 0
    told = capsys.readouterr().out
    rows = [line.split(maxsplit=1) for line in told.splitlines() if line.startswith("  ")]
    assert len(rows) > 50
    assert [row for row in rows if len(row) < 2 or len(row[1]) > 130] == []
    assert main(["list", "transformer"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("system transformer: A Transformer trained from scratch")
    assert "\nfeed_forward  " in told
    assert told.endswith("small, tiny\n")
    assert main(["list", "sget"]) == 0
    told = capsys.readouterr().out
    assert "recipe sget: " in told
    assert "grammar sget: " in told
    assert main(["list", "sgte"]) == 2
    assert "did you mean 'sget'?" in capsys.readouterr().err


def test_build_check_and_export(tmp_path, recipe, capsys):
    """The way from a recipe to a shared data set."""
    out = str(tmp_path / "b")
    assert main(["build", str(recipe), "--out", out, "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["splits"] == {"test": 2}
    assert main(["build", str(recipe), "--out", out]) == 0
    assert "built (test 2)" in capsys.readouterr().err
    assert main(["build", str(recipe), "--out", out]) == 0
    assert "up to date" in capsys.readouterr().err
    assert main(["check", out]) == 0
    assert main(["export", out, "--format", "tsv", "--out", str(tmp_path / "tsv")]) == 0
    assert capsys.readouterr().out.strip().endswith("test.tsv")


def test_check_reports_every_problem_and_exits_2(tmp_path, recipe, capsys):
    """Also as JSON."""
    main(["build", str(recipe), "--out", str(tmp_path / "b")])
    (tmp_path / "b" / "test.jsonl").write_text("nonsense\n")
    capsys.readouterr()
    assert main(["check", str(tmp_path / "b")]) == 2
    text = capsys.readouterr().err
    assert "SHA-256" in text
    assert "not JSON" in text
    assert main(["check", str(tmp_path / "b"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_check_notes_ambiguous_directions(capsys):
    """A source with two translations is told and is no problem."""
    assert main(["check", "toy"]) == 0
    told = capsys.readouterr().err
    assert "note: ja-en: " in told
    assert "note: en-" not in told
    assert told.endswith("toy: no problem found\n")
    assert main(["check", "toy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert [note[:5] for note in found["notes"]] == ["ja-de", "ja-en", "ja-tr"]


@pytest.mark.parametrize("arguments", [["nowhere"], ["none.toml"]])
def test_checking_nothing_is_an_error(arguments, capsys):
    """Exit 2 and a sentence."""
    assert main(["check", *arguments]) == 2
    assert "error:" in capsys.readouterr().err


def test_a_recipe_can_be_checked_without_building(recipe, capsys):
    """No side effect."""
    assert main(["check", str(recipe)]) == 0
    recipe.write_text(recipe.read_text().replace("builder =", "bilder ="))
    assert main(["check", str(recipe)]) == 2


def test_a_disk_that_cannot_be_written_is_said_so(tmp_path, recipe, monkeypatch, capsys):
    """A full disk: exit 1, a sentence, no traceback, nothing half-made."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "b")

    monkeypatch.setattr(os, "fsync", full)
    assert main(["build", str(recipe), "--out", str(tmp_path / "b")]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_a_read_only_place_is_said_so(recipe, capsys):
    """The proc file system cannot be written even by root."""
    assert main(["build", str(recipe), "--out", "/proc/recombine/b"]) == 1
    assert "error: /proc/recombine" in capsys.readouterr().err


def test_several_kinds_can_be_listed(capsys):
    """As the hint of `check` says."""
    assert main(["list", "recipes", "grammars"]) == 0
    printed = capsys.readouterr().out
    assert "recipes:" in printed
    assert "grammars:" in printed
    assert main(["list", "recipes", "grammer"]) == 2


@pytest.mark.parametrize("number", ["-3", "0", "many"])
def test_a_sample_of_nothing_is_refused(number, capsys):
    """With what was given, before anything is read."""
    with pytest.raises(SystemExit):
        main(["report", "run", "--sample", number])
    assert f"{number}" in capsys.readouterr().err


def test_one_raw_text_cannot_be_cleaned(tmp_path, capsys):
    """It is told to be raw, not a table with one column."""
    path = tmp_path / "corpus.en"
    path.write_text("A cat slept.\n")
    command = ["clean", str(path), "--source", "en", "--target", "fr", "--out", str(tmp_path / "o")]
    assert main(command) == 2
    assert f"recombine clean {path} TRANSLATION" in capsys.readouterr().err
