"""Verbs for grammars."""

from __future__ import annotations

import io
import json

import pytest

from recombine.cli import main
from recombine.registry import data_path

SENTENCE = "Liam saw the cat in the box."
TINY = """builder = "generated"
grammar = "{}"
[benchmark]
name = "tiny"
source = "en"
target = "ja"
[split.train.base]
size = 20
"""


def test_parse_draws_every_reading(capsys, tmp_path):
    """Meaning, all languages, a drawn tree, and a picture on request."""
    picture = tmp_path / "liam.svg"
    shown = ["--languages", "en,ja", "--svg", str(picture)]
    assert main(["parse", "sget", "en", SENTENCE, *shown]) == 0
    out = capsys.readouterr().out
    assert "meaning 1 of 1: tell(act(agent_name(Liam), past_tr(" in out
    assert "ja\tリアムは箱の中の猫を見た。" in out
    assert "└─ N: box       box                           箱" in out
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


def test_parse_shows_all_readings_of_an_ambiguous_sentence(capsys):
    """The one that is meant comes first; -n limits them."""
    text = "猫は眠った。"
    assert main(["parse", "toy", "ja", text, "--languages", "en"]) == 0
    out = capsys.readouterr().out
    assert out.count("meaning ") > 1
    assert "meaning 1 of" in out
    assert main(["parse", "toy", "ja", text, "-n", "1", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert len(row["readings"]) == 1 < row["count"]
    nodes = row["readings"][0]["nodes"]
    assert {"label": "cat", "ja": "猫", "en": "cat"}.items() <= nodes[4].items()


def test_what_cannot_be_read_says_how_far_it_got(capsys, monkeypatch):
    """Line, sentence, what was read, and what could have come in words of the lexicon."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SENTENCE}\n\nThe dogg slept.\nLiam slept\n"))
    assert main(["parse", "sget", "en", "--json"]) == 2
    captured = capsys.readouterr()
    rows = [json.loads(line) for line in captured.out.splitlines()]
    assert [row["count"] for row in rows] == [1, 0, 0]
    assert (
        "standard input:3: this is no sentence of the grammar in 'en': unknown word 'dogg'"
        in captured.err
    )
    assert "did you mean 'dog'?" in captured.err
    assert "read so far: The" in captured.err
    assert "  N<animate>: child, friend, mother, girl, father, patient, ..." in captured.err
    assert (
        "standard input:4: this is no sentence of the grammar in 'en': the sentence ends too early"
        in captured.err
    )
    assert 'possible here: "."' in captured.err


def test_words_that_could_have_come_agree(capsys):
    """After *die* these are feminine nouns: what was found is not among them."""
    assert main(["parse", "toy", "de", "Die Hund schlief.", "--languages", "de"]) == 2
    told = capsys.readouterr().err
    assert "unexpected 'Hund'" in told
    assert "  N<animate>.sg.nom: Katze\n" in told


def test_tree_draws_what_is_written(capsys, tmp_path):
    """A tree by its rules; several pictures are numbered; a wrong tree is refused."""
    tree = "say(decl(past, def(cat), intrans(sleep)))"
    picture = tmp_path / "t.svg"
    assert main(["tree", "toy", tree, tree, "--languages", "en,ja", "--svg", str(picture)]) == 0
    assert "└─ V1: sleep" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t-2.svg", "t.svg"]
    assert main(["tree", "toy", "A cat slept."]) == 2
    assert "recombine parse toy" in capsys.readouterr().err
    assert main(["tree", "toy", "say(cat)"]) == 2
    assert "'cat' cannot fill say.S" in capsys.readouterr().err
    assert main(["tree", "toy", tree, "--languages", "xx"]) == 2
    assert "has no language 'xx'" in capsys.readouterr().err


def test_sample_shows_what_is_left_to_splits_when_it_is_asked_for(capsys):
    """A rule or word of weight 0 that a pattern requires is let in; nothing else is."""
    pattern = "_.subj > agent_mod > living_pp"
    assert main(["sample", "sget", "-n", "3", "--require", pattern, "--json", "--trees"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 3
    assert all("agent_mod(living_pp" in row["tree"] for row in rows)
    assert main(["sample", "sget", "-n", "2", "--require", "_.subj = thief"]) == 0
    assert capsys.readouterr().out.count("thief") == 2
    assert main(["sample", "toy", "-n", "1", "--require", "trans & !trans"]) == 2


def test_sample_draws_trees(capsys):
    """`--trees` draws; without it there are only sentences."""
    assert main(["sample", "toy", "-n", "1", "--languages", "en,ja", "--trees"]) == 0
    assert "└─ S: decl" in capsys.readouterr().out
    assert main(["sample", "toy", "-n", "1", "--languages", "en"]) == 0
    assert "└─" not in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["parse", "tree", "sample"])
def test_help_has_an_example(capsys, verb):
    """Every verb shows how it is called."""
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert f"recombine {verb} " in capsys.readouterr().out


def test_new_language_and_how_much_of_it_there_is(capsys, tmp_path):
    """The stub is written and listed; `check` tells what is covered before what is missing."""
    folder = tmp_path / "toy-it"
    assert main(["new-language", "toy", "it", "--out", str(folder)]) == 0
    captured = capsys.readouterr()
    assert str(folder / "it.grammar") in captured.out
    assert f"recombine check {folder}" in captured.err
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("note: it says 0 of 21 (0%) words and 0 of 18 (0%) rules\n")
    assert main(["new-language", "toy", "it", "--out", str(folder)]) == 2


def test_check_says_what_a_recipe_needs_of_a_stub(capsys, tmp_path):
    """A stub made for a recipe is checked for that recipe: the command is printed, and holds."""
    recipe = tmp_path / "tiny.toml"
    recipe.write_text(TINY.format("toy"), encoding="utf-8")
    folder = tmp_path / "toy-it"
    made = ["new-language", "toy", "it", "--recipe", str(recipe), "--out", str(folder)]
    assert main(made) == 0
    assert f"recombine check {folder} --partial --recipe {recipe}" in capsys.readouterr().err
    assert main(["check", str(folder), "--partial", "--recipe", str(recipe)]) == 0
    said = capsys.readouterr().err
    assert f"note: recipe '{recipe}': no part of 'train' can be drawn" in said
    assert "more words and rules: Ali, Deniz, Emma, " in said


def test_nonce_of_a_language_of_ones_own_is_built_into_it(capsys, tmp_path):
    """A folder that adds one language to a grammar is about that language."""
    recipe = tmp_path / "tiny.toml"
    recipe.write_text(TINY.format("toy"), encoding="utf-8")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "abstract.grammar").write_text("%extends toy\n", encoding="utf-8")
    for path in data_path("grammars", "toy").glob("de.*"):
        (mine / path.name.replace("de.", "bar.")).write_bytes(path.read_bytes())
    folder = tmp_path / "new"
    assert main(["nonce", str(mine), "--out", str(folder), "--build", str(recipe)]) == 0
    assert "from en into bar" in capsys.readouterr().err


def test_nonce_makes_a_benchmark_in_one_command(capsys, tmp_path):
    """A grammar of invented words, and the benchmark of a recipe drawn from it."""
    recipe = tmp_path / "tiny.toml"
    recipe.write_text(TINY.format("toy"), encoding="utf-8")
    folder = tmp_path / "new"
    made = ["nonce", "toy", "--seed", "2", "--out", str(folder), "--build", str(recipe)]
    assert main(made) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [str(folder), str(folder / "benchmark")]
    assert "en: 21 words invented, none of them in the lexicons" in captured.err
    text = (folder / "benchmark" / "train.jsonl").read_text(encoding="utf-8")
    assert not {"cat", "Emma", "sleep"} & set(text.replace('"', " ").replace(".", " ").split())
    assert main(["check", str(folder / "benchmark")]) == 0


def test_explore_writes_a_page(capsys, tmp_path):
    """The path is printed, and the page is whole."""
    path = tmp_path / "toy.html"
    assert main(["explore", "toy", "--out", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


def test_sample_draws_what_an_unfinished_language_says(capsys, tmp_path):
    """A language with a word or two can be looked at; how much is left out is said."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "abstract.grammar").write_text("%extends toy\n", encoding="utf-8")
    lines = (
        'say = S + "."\ndecl = subj VP\npast = ""\npres = ""\nintrans = V1\nname = Name\n'
        'def = "la" N\nindef = "una" N\nplural = "las" N\n'
    )
    (folder / "xx.grammar").write_text(lines, encoding="utf-8")
    rows = "id\tform\ncat\tgata\nEmma\tEmma\nsleep\tduerme\n"
    (folder / "xx.lexicon.tsv").write_text(rows, encoding="utf-8")
    assert main(["sample", str(folder), "-n", "20", "--languages", "en,xx"]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("xx\t") == 20
    assert "note: drawn without" in captured.err
