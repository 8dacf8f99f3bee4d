"""The counts of a certificate are the same however they are counted."""

from __future__ import annotations

from collections import Counter

from recombine.augment import tokens
from recombine.augment.files.certificate import (
    Overlap,
    card,
    certify,
    count_words,
    remove_known,
    step_kinds,
    track_of,
)
from recombine.augment.files.inputs import read_pairs
from recombine.augment.options import AugmentOptions, Recombined
from recombine.builders.recipe import build

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


def made(source, target, *steps, depth=0):
    """A recombined pair."""
    return Recombined(source, target, (), steps, depth)


def small_benchmark(folder):
    """Twenty pairs of train, and sentences of dev and gen, one of them in both."""
    splits = {
        "train": [(f"A dog saw cat {n}.", f"Ein Hund sah Katze {n}.") for n in range(20)],
        "dev": [("A cat ran.", "Eine Katze lief."), ("A cow ran.", "Eine Kuh lief.")],
        "gen": [("A cat ran.", "Eine Katze rannte."), ("A cat saw a big cow.", "?")],
    }
    overrides = ["benchmark.name=small", "benchmark.source=en", "benchmark.target=de"]
    for split, pairs in splits.items():
        for side, language in ((0, "en"), (1, "de")):
            path = folder / f"{split}.{language}"
            path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
        overrides += [
            f'split.{split}.source="{folder / split}.en"',
            f'split.{split}.references=["{folder / split}.de"]',
        ]
    return build("imported", folder / "benchmark", overrides=overrides)


DRAWN = [
    made("A cow saw a dog.", "Eine Kuh sah einen Hund.", "rule: x", "exchange: y", depth=2),
    made("A cat ran.", "Eine Katze lief.", "rule: x"),
    made("A dog saw cat 3.", "Ein Hund sah Katze 3.", "rule: x", "rule: z", depth=1),
    made("A cat ran.", "Eine Katze rannte.", "rule: x"),
    made("A cat saw a big cow.", "Eine Katze sah eine Kuh."),
    made("A cow saw a zebra.", "Eine Kuh sah ein Zebra.", depth=10),
]


def test_sentences_of_other_splits_are_removed_by_their_source(tmp_path):
    """Of each split that has them; those of train stay."""
    kept = remove_known(DRAWN, small_benchmark(tmp_path))
    assert kept.pairs == [DRAWN[0], DRAWN[2], DRAWN[5]]
    assert kept.drawn == 6
    assert {one.split: one.row() for one in kept.overlaps} == {
        "dev": {
            "sources": 2, "target_as_reference": 1, "other_target": 1,
            "examples": [
                {"source": "A cat ran.", "target": "Eine Katze rannte.",
                 "reference": "Eine Katze lief."}
            ],
        },
        "gen": {
            "sources": 3, "target_as_reference": 1, "other_target": 2,
            "examples": [
                {"source": "A cat ran.", "target": "Eine Katze lief.",
                 "reference": "Eine Katze rannte."},
                {"source": "A cat saw a big cow.", "target": "Eine Katze sah eine Kuh.",
                 "reference": "?"},
            ],
        },
    }  # fmt: skip
    assert remove_known(DRAWN, None) == (DRAWN, 6, [])


def test_a_certificate_counts_what_was_kept(tmp_path):
    """Words of train that are used and others, steps, depths, and how long the sources are."""
    benchmark = small_benchmark(tmp_path)
    source = read_pairs([benchmark.path])
    options = AugmentOptions(n=6, source_language="en", target_language="de")
    certificate = certify(source, options, remove_known(DRAWN, benchmark))
    assert (certificate["drawn"], certificate["kept"], certificate["sources_in_train"]) == (6, 3, 1)
    assert certificate["track"] == "train-only"
    # a dog saw cat . and 20 numbers; "cow" is in two of the new ones, and so before "zebra".
    assert certificate["words"]["source"] == {
        "in_train": 25, "used": 6, "new": 2, "most_frequent_new": ["cow", "zebra"]
    }  # fmt: skip
    assert certificate["words"]["target"]["in_train"] == 25
    assert certificate["steps"] == {"rule": 2, "exchange": 1}
    assert list(certificate["depth"].items()) == [("1", 1), ("2", 1), ("10", 1)]
    assert certificate["source_words"] == {"mean": 6.0, "longest": 6, "longest_in_train": 6}
    text = card(certificate, "new")
    for line in (
        "# new: recombined training pairs",
        "| drawn | 6 |",
        "| removed: the source is a sentence of gen | 3 (1 with the reference as target) |",
        "| kept | 3 |",
        "| of these, with a source that train has too | 1 |",
        "| words of a source, on average | 6.0 |",
        "| words of the longest source (in train) | 6 (6) |",
        "| rule | 2 |",
    ):
        assert line in text.splitlines()
    assert "3 pairs made by `recombine augment`" in text
    assert "of 20 training pairs of the benchmark small" in text
    assert "6 of 25; 2 |" in text


def test_what_a_model_has_learned_from():
    """A method that samples the grammar says so; all others see training pairs alone."""
    assert track_of("grammar") == "grammar"
    assert {track_of(method) for method in ("recombine", "exchange", "words")} == {"train-only"}
