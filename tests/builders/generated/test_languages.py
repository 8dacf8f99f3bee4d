"""A benchmark between any two languages of its grammar."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.recipe import build
from recombine.grammar import Grammar, find_grammar


def test_the_card_says_how_the_language_is(tmp_path: Path) -> None:
    """Notes on a language stand on the cards of its benchmarks and on no others."""
    small = ["scale=0.2"]
    spanish = build("sget-mini", tmp_path / "es", overrides=["benchmark.target=es", *small])
    assert "Written for Recombine" in (spanish.path / "README.md").read_text(encoding="utf-8")
    certificate = json.loads((spanish.path / "certificate.json").read_text(encoding="utf-8"))
    assert len(certificate["patterns"]) == 42
    assert "unmarked" not in certificate
    japanese = build("sget-mini", tmp_path / "ja", overrides=small)
    assert "Written for Recombine" not in (japanese.path / "README.md").read_text(encoding="utf-8")


def test_what_a_language_does_not_mark_is_certified(tmp_path: Path) -> None:
    """Chinese verbs of saying and wanting have no tense: card and certificate name the patterns."""
    names = [
        "present_infinitive",
        "present_complement",
        "transitive_to_present_infinitive",
        "transitive_to_present_complement",
    ]
    pair = ["benchmark.source=zh", "benchmark.target=en", "scale=0.2"]
    made = build("sget-mini", tmp_path / "zh", overrides=pair).path
    certificate = json.loads((made / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["unmarked"] == {"zh": names}
    assert "Not marked in zh: what `present_inf" in (made / "README.md").read_text("utf-8")


def test_notes_of_a_users_grammar_stand_on_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the grammar lies and however its folder is named."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(find_grammar("toy"), "mytoy")
    Path("mytoy/NOTES.de.md").write_text("## German\n\nRead by nobody.\n", "utf-8")
    recipe = '[benchmark]\nname = "t"\nversion = "1"\nsource = "en"\ntarget = "de"\n'
    Path("t.toml").write_text(
        'builder = "generated"\ngrammar = "mytoy"\n' + recipe + "[split.train.base]\nsize = 20\n"
    )
    assert "Read by nobody." in (build("t.toml", "out").path / "README.md").read_text("utf-8")


def test_a_form_of_several_words_is_known_word_by_word() -> None:
    """The present of a target word is no unexpected form because it is three words long."""
    lexicon = Lexicon(Grammar.load("sget"), "es")
    assert {"tiene", "intención"} <= lexicon.forms_of(["mean_to"])
    assert lexicon.strange({"tiene"}, lexicon.lemmas({"tenía"})) == []


def test_a_homograph_is_known_as_either_word() -> None:
    """*pasa*, passes, is no new word because *pasa*, raisin, would be one."""
    lexicon = Lexicon(Grammar.load("sget"), "es")
    assert lexicon.strange({"pasa"}, lexicon.lemmas({"pasó"})) == []
    assert lexicon.strange({"pasa"}, lexicon.lemmas({"dio"})) == ["pasa", "pasar"]


def test_elision_and_a_capital_make_no_new_word() -> None:
    """Training that shows *que*, *Alex* and *à qui* shows the words of *À qui ... qu'Alex*."""
    lexicon = Lexicon(Grammar.load("sget"), "fr")
    words = lexicon.words("Qu'est-ce qu'Alex a appris d'un ami ?", ())
    assert words == ["qu'", "est-ce", "qu'", "Alex", "a", "appris", "d'", "un", "ami"]
    assert lexicon.tokens(["À qui est-ce que Léa l'a dit ?"]) >= {"à", "Léa", "l'"}
    assert {"asseoir", "assise"} <= lexicon.forms_of(["sit"])


def test_french_builds_from_and_into_english(tmp_path: Path) -> None:
    """All 42 patterns ask for something that French marks, and the certificate holds."""
    for source, target in (("en", "fr"), ("fr", "en")):
        pair = [f"benchmark.source={source}", f"benchmark.target={target}", "scale=0.2"]
        made = build("sget-mini", tmp_path / source, overrides=pair).path
        certificate = json.loads((made / "certificate.json").read_text(encoding="utf-8"))
        assert len(certificate["patterns"]) == 42
        assert "unmarked" not in certificate
        for pattern in certificate["patterns"].values():
            assert pattern["lemmas_not_in_train"] == []
