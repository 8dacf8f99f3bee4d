"""The languages of the grammar sget, sentence by sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from recombine.grammar import Grammar
from recombine.grammar.sampling.constraints import Constraints

LANGUAGES = ("es", "de", "fr", "zh")


@pytest.fixture(scope="module")
def sget() -> Grammar:
    """The grammar, its parsers made once."""
    return Grammar.load("sget")


@pytest.fixture(scope="module")
def sentences(repository: Path) -> list[dict[str, str]]:
    """English sentences that were read beside their translations; see NOTES.*.md."""
    path = repository / "tests" / "golden" / "sget" / "sentences.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_sentences_show_every_construction(sget: Grammar, sentences: list[dict[str, str]]) -> None:
    """No rule of the grammar is without a sentence that somebody read."""
    first = sget.inventory.first_word
    trees = [sget.parse(one["en"], "en").tree for one in sentences]
    shown = {code for tree in trees if tree is not None for code in tree.codes if code < first}
    assert [sget.inventory.labels[code] for code in range(first) if code not in shown] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_said_and_understood(
    sget: Grammar, sentences: list[dict[str, str]], language: str
) -> None:
    """Each sentence is said as it was read, and its translation means what it means."""
    for one in sentences:
        tree = sget.parse(one["en"], "en").tree
        assert tree is not None, one["en"]
        assert sget.text(tree, language) == one[language]
        assert tree in sget.parse(one[language], language).trees(50), one[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_is_understood(sget: Grammar, language: str) -> None:
    """Whatever is drawn parses back to its tree."""
    for tree in sget.sample(400, seed=5, constraints=Constraints(depth={"rc": 2, "cp": 2})):
        text = sget.text(tree, language)
        assert tree in sget.parse(text, language).trees(50), text
