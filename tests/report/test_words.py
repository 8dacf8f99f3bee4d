"""What things are called in front of people."""

from __future__ import annotations

import re

from recombine.builders.recipe import read_recipe
from recombine.report.words import read_words


def test_every_pattern_of_sget_has_a_label_and_an_example():
    """42 patterns, each with a name, what was trained and what is asked."""
    words = read_words()
    patterns = list(read_recipe("sget").builder.split["gen"])
    assert len(patterns) == 42
    for pattern in patterns:
        one = words.find("pattern", pattern)
        assert one.trained, pattern
        assert one.asked, pattern
        assert len(one.label) <= 36, pattern
    assert len({words.label("pattern", pattern) for pattern in patterns}) == 42


def test_no_label_is_a_name_for_programs():
    """Slots and rules of a grammar are not shown: no io, VD, in_cp, pp."""
    for (of, value), one in read_words().known.items():
        assert not re.search(r"\b(io|subj|obj|VD|VC|VN|cp|pp|rc|gen)\b|_", one.label), (of, value)


def test_what_nobody_named_is_shown_as_it_is():
    """Underscores become spaces; compounds are named by the kinds of their words."""
    words = read_words()
    assert words.label("pattern", "my_own_pattern") == "my own pattern"
    assert words.label("pattern", "DET ADJ N") == "article adjective noun"
    assert words.metric("mine") == "mine"


def test_a_split_is_called_by_what_it_is_in_its_method():
    """The test set of one method is familiar text, that of another is new."""
    words = read_words()
    assert words.split("generated", "test") == "familiar structures"
    assert words.split("divergent", "test") == "new combinations"
    assert words.split("imported", "test") == "familiar sentences"
    assert words.split("imported", "own_split") == "own split"


def test_words_of_ones_own_stand_above_those_shipped(tmp_path):
    """A file names new patterns and renames known ones; the rest stays."""
    own = tmp_path / "words.tsv"
    own.write_text("of\tvalue\tlabel\ttrained\tasked\npattern\tmine\tmy pattern\tA.\tB.\n")
    words = read_words(own)
    assert words.hint("pattern", "mine") == "trained: A. · asked: B."
    assert words.metric("exact") == "exact match"
