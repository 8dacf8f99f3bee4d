"""From a stub to a language: what is written, what is still missing, how much is covered."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.builders.recipe import read_recipe
from recombine.cli import main
from recombine.errors import ConfigError
from recombine.grammar import Grammar, check_grammar
from recombine.grammar.coverage import coverage
from recombine.grammar.new_language import new_language


def test_a_stub_has_every_line_and_every_word(tmp_path: Path) -> None:
    """A folder that extends the grammar, with a commented line per rule and a row per word."""
    folder = tmp_path / "toy-it"
    files = new_language("toy", "it", folder)
    assert [path.name for path in files][:2] == ["abstract.grammar", "it.grammar"]
    assert (folder / "abstract.grammar").read_text(encoding="utf-8") == "%extends toy\n"
    lines = (folder / "it.grammar").read_text(encoding="utf-8")
    toy = Grammar.load("toy")
    for rule in toy.abstract.rules:
        assert f"\n# {rule} : " in lines
    nouns = (folder / "it.N.lexicon.tsv").read_text(encoding="utf-8").splitlines()
    assert nouns[0].startswith("id\tform\t")
    assert nouns[0].endswith("\tclass\tnote")
    cat = next(row for row in nouns if row.startswith("cat\t"))
    assert "en: cat" in cat
    assert cat.endswith((".", "?"))  # a sentence
    grammar = Grammar.load(folder)
    found = coverage(grammar.concrete("it"))
    assert (len(found.missing_words), len(found.missing_rules)) == (found.words, found.rules)
    assert found.describe().startswith("it says 0 of 21 (0%) words and 0 of 18 (0%) rules")


def test_a_stub_has_columns_for_features(tmp_path: Path) -> None:
    """Gender is no form that is said, and still every German noun needs it."""
    new_language("toy", "nl", tmp_path / "toy-nl", like="de")
    nouns = (tmp_path / "toy-nl" / "nl.N.lexicon.tsv").read_text(encoding="utf-8")
    assert "gender" in nouns.split("\n")[0].split("\t")


def test_a_filled_stub_is_a_language(tmp_path: Path, write: Write) -> None:
    """Lines without their # and cells that are filled make the language; the rest is listed."""
    base = write()
    folder = tmp_path / "mine"
    new_language(str(base), "nl", folder, like="en")
    text = (folder / "abstract.grammar").read_text(encoding="utf-8")
    assert text == f'%extends "../{base.name}"\n'
    lines = (folder / "nl.grammar").read_text(encoding="utf-8").splitlines()
    said = [line[1:] if line.startswith("#") and line[1:2] != " " else line for line in lines]
    (folder / "nl.grammar").write_text("\n".join(said), encoding="utf-8")
    messages = [problem.message for problem in check_grammar(folder)]
    assert any("'cat' has no 'form'" in message for message in messages)
    for path in folder.glob("nl.*.lexicon.tsv"):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows[1:]:
            row[1] = row[0]
        path.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    assert check_grammar(folder) == []
    grammar = Grammar.load(folder)
    assert grammar.languages == ("en", "ja", "nl")
    assert coverage(grammar.concrete("nl")).is_complete


def test_every_verb_takes_an_unfinished_language(tmp_path: Path, capsys) -> None:
    """Empty rows of a stub are no mistakes; what is not said yet is left out, not an error."""
    folder = tmp_path / "toy-it"
    new_language("toy", "it", folder)
    path = folder / "it.grammar"
    said = {"say", "decl", "past", "pres", "intrans", "def"}
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line[1:] if line[1:].split(" ")[0].split(".")[0] in said else line for line in lines]
    path.write_text("\n".join(kept).replace("_do[Tense.key, subj.num] ", "") + "\n")
    for name, word in (("N", "cat\tgatto"), ("V1", "sleep\tdormì")):
        table = folder / f"it.{name}.lexicon.tsv"
        rows = table.read_text(encoding="utf-8").splitlines()
        columns = rows[0].split("\t")
        word_id, form = word.split("\t")
        filled = "\t".join([word_id, *[form] * (len(columns) - 3), "", ""])
        rows = [filled if row.startswith(word_id + "\t") else row for row in rows]
        table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert check_grammar(folder, partial=True) == []
    assert check_grammar(folder) != []
    assert main(["sample", str(folder), "-n", "2", "--languages", "en,it"]) == 0
    assert "gatto dormì." in capsys.readouterr().out
    assert main(["sample", str(folder), "--review"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    shown = {row[1]: row[-1] for row in rows if row[0] == "construction"}
    assert "dormì" in shown["intrans"]
    assert shown["ask"] == ""
    page = tmp_path / "it.html"
    assert main(["explore", str(folder), "--out", str(page)]) == 0
    assert "dormì" in page.read_text(encoding="utf-8")


def test_a_stub_alone_says_that_it_has_no_sentence(tmp_path: Path, capsys) -> None:
    """Not that some weights are wrong."""
    new_language("toy", "it", tmp_path / "toy-it")
    assert main(["sample", str(tmp_path / "toy-it")]) == 2
    assert "no complete sentence can be generated yet" in capsys.readouterr().err
    for verb in (["sample", "--review"], ["explore"]):
        command = [verb[0], str(tmp_path / "toy-it"), *verb[1:]]
        command += ["--out", str(tmp_path / "p.html")] if verb == ["explore"] else []
        assert main(command) == 0


def test_what_is_unmarked_is_shown_by_what_is_said(tmp_path: Path) -> None:
    """`%unmarked` of a language that is not finished drew sentences that it cannot say."""
    folder = tmp_path / "toy-xx"
    new_language("toy", "xx", folder)
    path = folder / "xx.grammar"
    path.write_text("%unmarked pres\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert check_grammar(folder, partial=True) == []
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line[1:] if line.startswith(("#pres", "#past")) else line for line in lines]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert check_grammar(folder, partial=True) == []


def test_a_recipe_asks_for_a_part(tmp_path: Path, capsys) -> None:
    """Only the words that it draws, with their classes; alike rules once, and right if taken over.

    A whole stub of SGET is 206 rules, 85 of them of adjectives, and 900 words.
    """
    folder = tmp_path / "pt"
    folder.mkdir()  # an empty folder is no obstacle
    assert main(["new-language", "sget", "pt", "--out", str(folder), "--recipe", "sget-mini"]) == 0
    assert "benchmark.target=pt" in capsys.readouterr().err
    rows = [path.read_text(encoding="utf-8") for path in folder.glob("pt.*.lexicon.tsv")]
    words = {line.split("\t")[0] for text in rows for line in text.splitlines()} - {"id"}
    sget = Grammar.load("sget")
    needed = read_recipe("sget-mini").builder.needs()
    assert words == {word.id for word in sget.inventory.words} & needed
    assert len(words) < len(sget.inventory.words) / 3
    nouns = (folder / "pt.N.lexicon.tsv").read_text(encoding="utf-8")
    assert "animate" in next(line for line in nouns.splitlines() if line.startswith("child\t"))
    path = folder / "pt.grammar"
    lines = path.read_text(encoding="utf-8").splitlines()
    active = [line for line in lines if line.startswith("#") and not line.startswith("# ")]
    assert len(active) < 130
    path.write_text("\n".join(line.removeprefix("#") for line in lines if line[:2] != "# "))
    source = Grammar.load(folder).source
    taken_over, english = source.languages["pt"].lines, sget.source.languages["en"].lines
    assert {rule for rule, _ in taken_over} == {rule for rule, _ in english} & needed
    assert all(line.variants == english[key].variants for key, line in taken_over.items())


def test_a_recipe_without_a_grammar_asks_for_nothing(tmp_path: Path, capsys) -> None:
    """It is said, and nothing is written."""
    command = ["new-language", "sget", "pt", "--out", str(tmp_path / "pt"), "--recipe", "paradox"]
    assert main(command) == 2
    assert not (tmp_path / "pt").exists()


def test_a_half_written_language_gets_the_rest(write: Write) -> None:
    """In its own folder, what a language still lacks is written into files of its own."""
    folder = write(
        {
            "nl.grammar": 'decl = subj VP + "."\nsleep_ = V1\ndef = "de" N\n',
            "nl.lexicon.tsv": "id\tform\ncat\tkat\n",
        }
    )
    files = new_language(str(folder), "nl", folder)
    assert sorted(path.name for path in files) == [
        "nl.todo.N.lexicon.tsv",
        "nl.todo.V1.lexicon.tsv",
        "nl.todo.V2.lexicon.tsv",
        "nl.todo.grammar",
    ]
    rows = (folder / "nl.todo.N.lexicon.tsv").read_text(encoding="utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == ["id", "dog", "house"]
    with pytest.raises(ConfigError, match="exists"):
        new_language(str(folder), "nl", folder)


@pytest.mark.parametrize(
    ("code", "like", "said"),
    [
        ("abstract", "", "cannot name a language"),
        ("it", "fr", "no language 'fr'"),
        ("en", "", "has the language 'en' already"),
    ],
)
def test_what_cannot_be_begun_is_refused(tmp_path: Path, code: str, like: str, said: str) -> None:
    """Nothing is written over, and the model must be there."""
    with pytest.raises(ConfigError, match=said):
        new_language("toy", code, tmp_path / "new", like)
    assert not (tmp_path / "new").exists()


def test_missing_words_are_one_list(write: Write) -> None:
    """More than a few words or rules that a language lacks are one problem each, not a cascade."""
    words = "".join(f"w{n}\tN\n" for n in range(30))
    folder = write({"abstract.lexicon.tsv": SMALL["abstract.lexicon.tsv"] + words})
    problems = [p for p in check_grammar(folder) if p.message.startswith("en:")]
    assert len(problems) == 1
    assert "en: 30 of 33 words of N have no row: w0, w1, w2" in problems[0].message
    assert problems[0].message.endswith("and 6 more")
    decl_only = SMALL["en.grammar"].split("sleep_")[0]
    messages = [p.message for p in check_grammar(write({"en.grammar": decl_only}))]
    assert any(message.startswith("en: 4 of 5 rules have no line: ") for message in messages)


def test_words_without_a_row_are_named_where_a_feature_is_looked_up(write: Write) -> None:
    """A word that is not there has no gender either: the word is the problem, not the table."""
    english = SMALL["en.grammar"].replace('"the" N', "_the[N.gender] N")
    lexicon = "id\tform\tgender\ncat\tcat\tf\nid\tform\nsee\tsaw\nsleep\tslept\nid\tf\n_the\tthe\n"
    messages = [
        problem.message
        for problem in check_grammar(write({"en.grammar": english, "en.lexicon.tsv": lexicon}))
    ]
    assert messages == [
        "the word 'dog' has no row in a lexicon of 'en'",
        "the word 'house' has no row in a lexicon of 'en'",
    ]
