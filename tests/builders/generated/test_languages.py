"""A benchmark between any two languages of its grammar."""

from __future__ import annotations

import json
from pathlib import Path

from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.recipe import build
from recombine.grammar import Grammar


def test_the_card_says_how_the_language_is(tmp_path: Path) -> None:
    """Notes on a language stand on the cards of its benchmarks and on no others."""
    small = ["scale=0.2"]
    spanish = build("sget-mini", tmp_path / "es", overrides=["benchmark.target=es", *small])
    assert "No native speaker" in (spanish.path / "README.md").read_text(encoding="utf-8")
    certificate = json.loads((spanish.path / "certificate.json").read_text(encoding="utf-8"))
    assert len(certificate["patterns"]) == 42
    japanese = build("sget-mini", tmp_path / "ja", overrides=small)
    assert "No native speaker" not in (japanese.path / "README.md").read_text(encoding="utf-8")


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
