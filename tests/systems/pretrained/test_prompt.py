"""A prompt shows its parts in order, and an answer ends at the first stop."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError
from recombine.systems.pretrained.prompt import Prompt, cut_at_stop


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
