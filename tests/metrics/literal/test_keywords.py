"""Lists of words that betray a literal rendering."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Example, Focus
from recombine.errors import DataError
from recombine.metrics.base import Scored
from recombine.metrics.literal.keywords import (
    own_translations,
    read_dictionary,
    read_lemmas,
    without_phrases,
)


def test_bad_lists(tmp_path: Path) -> None:
    """A line without a tab is named."""
    path = tmp_path / "list.tsv"
    path.write_text("while poos\n", encoding="utf-8")
    for read in (read_dictionary, read_lemmas):
        with pytest.raises(DataError, match="1 columns, expected 2") as caught:
            read(path)
        assert "separated by tabs" in caught.value.render()


@pytest.mark.parametrize(("words", "frame"), [(2, True), (3, False), (20, False)])
def test_the_frame_of_a_probe_is_no_rendering(words: int, frame: bool) -> None:
    """What stands in the translations of more than two words, and of a tenth, betrays none."""
    probes = [
        Scored(
            Example.make(source=f"w{n} .", focus=(Focus(text=f"Word{n}", role="word"),)),
            f"Das ist Ding{n} !",
        )
        for n in range(words)
    ]
    other = Scored(Example.make(source="x", focus=(Focus(text="x", role="idiom"),)), "y")
    found = own_translations([*probes, other])
    for n in range(words):
        own = [("das",), ("ist",)] * frame + [(f"ding{n}",)]
        assert list(found[f"word{n}"]) == own
    assert len(found) == words


def test_one_word_in_ten_may_share_a_rendering() -> None:
    """Two probes of one word are one word."""
    texts = [("a", "eins"), ("a", "uno"), *((f"w{n}", f"eins x{n}") for n in range(2))]
    texts += [(f"v{n}", f"y{n}") for n in range(27)]
    probes = [
        Scored(Example.make(source=f"{word} {text}", focus=(Focus(text=word, role="word"),)), text)
        for word, text in texts
    ]
    found = own_translations(probes)
    assert found["a"] == (("eins",), ("uno",))
    assert found["w1"] == (("eins",), ("x1",))


def test_phrases_are_taken_out_as_a_whole() -> None:
    """In any case and place, overlapping or not; a part of one stays."""
    words = ["De", "temps", "en", "temps", "en", "Temps", "il", "joue", "de", "temps"]
    assert without_phrases(words, [("temps", "en", "temps")]) == ["De", "il", "joue", "de", "temps"]
    assert without_phrases(words, [(), ("joue", "de", "temps")]) == words[:7]
    assert without_phrases(words, []) == words


def test_lists_are_read_in_lower_case(tmp_path: Path) -> None:
    """A word that stands twice has the translations of both lines, in order."""
    path = tmp_path / "list.tsv"
    path.write_text("While\tPoos; een wijl\nwhile\ttijd\n", encoding="utf-8")
    assert read_dictionary(path) == {"while": (("poos",), ("een", "wijl"), ("tijd",))}
    path.write_text("Pozen\tPoos\n# x\tY\n", encoding="utf-8")
    assert read_lemmas(path) == {"pozen": "poos", "# x": "y"}
