"""Packed analyses: families of similar strings, preferences, counting."""

from __future__ import annotations

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar
from recombine.grammar.parsing.first_sets import bits, find_families


def test_bits() -> None:
    """The numbers of the bits of a mask."""
    assert bits(0b10110) == (1, 2, 4)


def test_similar_strings_are_one_family() -> None:
    """Masks that share more than a third belong together; others do not."""
    families = find_families([], [True] * 8, [0] * 8, [0b0011, 0b0111, 0b110000, 0b1000000])
    assert families.of_mask[0b0011] == families.of_mask[0b0111]
    assert families.of_mask[0b0011] != families.of_mask[0b110000]
    assert families.masks[families.of_mask[0b0011]] == 0b0111


def test_twin_literals_are_told_apart(write: Write) -> None:
    """Literals that stand in the same places share a chart but not an analysis."""
    folder = write(
        {
            "abstract.grammar": SMALL["abstract.grammar"] + "indef : NP -> N\n",
            "en.grammar": SMALL["en.grammar"] + 'indef = "a" N\n',
            "ja.grammar": SMALL["ja.grammar"] + "indef = N\n",
        }
    )
    grammar = Grammar.load(folder)
    productions = grammar.parser("en").productions
    assert productions.entries["the"].family != productions.entries["beside"].family
    for text, rule in (("A cat slept.", "indef"), ("The cat slept.", "def")):
        parse = grammar.parse(text, "en")
        assert parse.count == 1
        tree = parse.tree
        assert tree is not None
        assert tree["subj"].label == rule
    assert grammar.parse("猫が眠った。", "ja").count == 2


def test_shared_charts_keep_words_apart(toy: Grammar) -> None:
    """Texts of one family, parsed one after the other, do not disturb each other."""
    texts = [
        "Ali sah die Katze an.",
        "Ali fand die Katze.",
        "Ali sah die Katze.",
        "Ali fand die Katze an.",
    ]
    for _ in range(2):
        words = [t.tree.words()[1] if t.tree else None for t in (toy.parse(x, "de") for x in texts)]
        assert words == ["watch", "find", "see", None]
