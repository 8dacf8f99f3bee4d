"""The counts of a certificate are the same however they are counted."""

from __future__ import annotations

from collections import Counter

from recombine.augment import tokens
from recombine.augment.files.certificate import Overlap, count_words, step_kinds
from recombine.augment.options import Recombined

TEXTS = [f"The {n} dogs saw {n % 7} cats." for n in range(50)]


def test_words_are_counted_alike_in_one_block_and_in_many(monkeypatch):
    """Processes count blocks; a word counts once for each text that has it."""
    whole = count_words(TEXTS)
    monkeypatch.setattr(tokens, "BLOCK", 10)
    assert count_words(TEXTS) == whole
    assert whole.texts_with["dogs"] == len(TEXTS)
    assert whole.texts_with["the"] == len(TEXTS)  # first words as they are written elsewhere
    assert (whole.total, whole.longest) == (7 * len(TEXTS), 7)
    assert count_words(["Coco", "A dog saw Coco."]).texts_with["coco"] == 2


def test_a_pair_counts_once_for_each_kind_of_step():
    """What stands before the colon."""
    steps = ("rule: X _ X", "rule: the N", "exchange: dog|犬")
    assert step_kinds(Recombined("a", "b", (), steps, 0)) == {"rule", "exchange"}


def test_targets_of_removed_pairs_are_compared_with_every_reference():
    """The first that differ are kept to be read."""
    found = Overlap("gen")
    for target in ("x", "y", *"abcdefgh"):
        found.add(Recombined("s", target, (), (), 0), ("x", "y"))
    row = found.row()
    counts = Counter(sources=row["sources"], same=row["target_as_reference"])
    assert counts == {"sources": 10, "same": 2}
    assert row["other_target"] == 8
    assert row["examples"][0] == {"source": "s", "target": "a", "reference": "x"}
    assert len(row["examples"]) == 5
