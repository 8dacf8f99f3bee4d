"""A prompt shows its parts in order, its worked examples are drawn, an answer ends at a stop."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example
from recombine.errors import ConfigError
from recombine.systems.pretrained.prompt import Prompt, cut_at_stop
from recombine.systems.shots import choose_shots


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" hund lief\n### Input: x", "hund lief"),
        ("\n hund", "hund"),
        ("hund ### Output", "hund"),
        ("hund", "hund"),
        ("", ""),
    ],
)
def test_text_is_cut_at_the_first_stop(text, expected):
    """What follows the translation is not part of it."""
    assert cut_at_stop(text, ("\n", "###")) == expected


def test_instruction_and_shots_come_before_the_source():
    """The model continues the last line; all before it is instruction and worked examples."""
    prompt = Prompt(template="{source} =", instruction="Translate.", shots=(("dog", "Hund"),))
    assert prompt.render("cat") == "Translate.\ndog = Hund\ncat ="


def test_braces_and_line_breaks_of_a_source_are_text():
    """A source is neither a format string nor a way to begin a new line of the prompt."""
    assert Prompt(template="{source} =").render("a {source} {0}\nb") == "a {source} {0} b ="


def test_a_prompt_without_the_source_is_refused():
    """A template that never shows the source would ask the same of every sentence."""
    with pytest.raises(ConfigError, match="source"):
        Prompt(template="Translate {0}:")


def test_shots_by_seed_are_repeatable(data):
    """The same seed shows the same examples, another seed others."""
    pool = data.train
    assert choose_shots(pool, 3, 1, "seed") == choose_shots(pool, 3, 1, "seed")
    assert choose_shots(pool, 3, 1, "seed") != choose_shots(pool, 3, 2, "seed")
    assert choose_shots(pool, 99, 1, "cover")[0] in pool


def test_cover_shows_every_structure_before_a_second_one():
    """One example of a rare pattern is worth more than many new words."""
    many = [
        Example.make(source=f"a{n} b{n} c{n} d{n}", references=["x"], tags={"pattern": "common"})
        for n in range(30)
    ]
    rare = Example.make(source="e", references=["x"], tags={"pattern": "rare"})
    for seed in range(3):
        assert rare in choose_shots([*many, rare], 2, seed, "cover")


def test_cover_prefers_new_words_among_equals():
    """With the structures shown, the example with most unseen words comes next."""
    one = Example.make(source="the dog ran", references=["x"])
    same = Example.make(source="the dog ran ran", references=["x"])
    new = Example.make(source="the cat", references=["x"])
    chosen = choose_shots([one, same, new], 2, 0, "cover")
    assert chosen[0] in (one, same)
    assert chosen[1] == new


def test_examples_without_a_reference_are_not_shown():
    """A worked example needs its answer."""
    blank = Example.make(source="a b c d e f")
    told = Example.make(source="a", references=["x"])
    assert choose_shots([blank, told], 2, 0, "seed") == [told]
    assert choose_shots([blank, told], 2, 0, "cover") == [told]
