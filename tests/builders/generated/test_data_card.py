"""The data card says how the data was made and what was proved."""

from __future__ import annotations

from recombine.benchmark import Example
from recombine.builders.generated.certificate import card_of
from recombine.builders.recipe import read_recipe


def test_card_names_grammar_proofs_and_fixes():
    """Edition, overlaps, violations, patterns, examples, and the notes of the grammar."""
    recipe = read_recipe("sget-mini").builder
    certificate = {
        "sources_with_two_translations": 0,
        "overlaps": {"dev in train": 0},
        "violations": {"train": 7},
        "patterns": {
            "p": {"held_out": "a | b", "sentences": 3, "in_train": 0, "new_word_forms": ["lends"]}
        },
    }
    rows = {"gen": [Example.make(source="A.", references=("B。",), tags={"pattern": "p"})]}
    text = card_of(recipe, recipe.load(), certificate, rows)
    for part in (
        "`sget`",
        "dev in train: 0",
        "train 7",
        "| p | `a \\| b` | 3 | 0 | lends |",
        "A. -> B。",
    ):
        assert part in text
    assert "moose" in text
