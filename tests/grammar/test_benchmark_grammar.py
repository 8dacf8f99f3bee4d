"""By which grammar a benchmark knows that it is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.builders.recipe import build
from recombine.errors import ConfigError
from recombine.grammar.benchmark_grammar import (
    DeclaredGrammar,
    declared_grammar,
    grammar_hash,
    load_grammar,
)

RECIPE = """
builder = "generated"
grammar = "../mine"
[benchmark]
name = "tiny"
source = "en"
target = "nl"
[split.train.base]
size = 3
"""


def test_a_third_language_changes_no_benchmark(write: Write) -> None:
    """The hash is of the abstract files and of two languages, so that languages can be added."""
    folder = write()
    before = grammar_hash(str(folder), ("en", "ja"))
    assert before == grammar_hash(str(folder))
    for kind in ("grammar", "lexicon.tsv"):
        (folder / f"nl.{kind}").write_text(SMALL[f"en.{kind}"], encoding="utf-8")
    assert grammar_hash(str(folder), ("en", "ja")) == before
    assert grammar_hash(str(folder)) != before
    assert load_grammar(DeclaredGrammar(str(folder), None, before)).languages == ("en", "ja", "nl")
    (folder / "en.grammar").write_text(SMALL["en.grammar"] + "# changed\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="another hash"):
        load_grammar(DeclaredGrammar(str(folder), None, before))


def test_a_benchmark_carries_what_its_grammar_extends(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of files over another folder is copied with it, and read again from the copy."""
    base = write()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "abstract.grammar").write_text(f'%extends "../{base.name}"\n', encoding="utf-8")
    for kind in ("grammar", "lexicon.tsv"):
        (mine / f"nl.{kind}").write_text(SMALL[f"en.{kind}"], encoding="utf-8")
    recipe = tmp_path / "work" / "recipe.toml"
    recipe.parent.mkdir()
    recipe.write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(recipe.parent)
    benchmark = build(str(recipe), tmp_path / "built")
    for folder in (base, mine):
        folder.rename(folder.with_name(f"moved-{folder.name}"))
    declared = declared_grammar(benchmark)
    assert declared is not None
    assert load_grammar(declared).languages == ("en", "ja", "nl")
