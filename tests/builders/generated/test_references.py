"""Further references: variants of the translation, on demand."""

from __future__ import annotations

from recombine.builders.recipe import build
from recombine.grammar import Grammar
from recombine.grammar.variants.wordings import wordings_of


def test_variants_become_further_references(tmp_path):
    """The first reference and all of training stay what they are; the others say the same."""
    plain = build("sget-mini", tmp_path / "plain", overrides=["scale=0.2"])
    more = build("sget-mini", tmp_path / "more", overrides=["scale=0.2", "references=3"])
    assert more.read("train") == plain.read("train")
    examples = more.read("gen")
    assert [one.references[0] for one in examples] == [
        one.references[0] for one in plain.read("gen")
    ]
    assert sum(len(one.references) == 3 for one in examples) > 0.9 * len(examples)
    grammar = Grammar.load("sget")
    wordings = wordings_of(grammar, "sget", "ja")
    for one in examples[::7]:
        trees = list(grammar.parse(one.source, "en").trees())
        for text in one.references:
            assert any(wordings.accepts(tree, text) for tree in trees), (one.source, text)
    assert "references" not in (plain.path / "benchmark.toml").read_text(encoding="utf-8")
