"""docs/results/sget-appendix.md: training set, LSTM, corrected edition, judges, language model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from sget_results import (
    CORRECTED,
    GROUPS,
    LARGE,
    LSTMS,
    OFFICIAL,
    PLACES,
    page,
    printed,
    printed_at,
    raw,
    rows_below,
    scores,
)


@pytest.fixture(scope="module")
def appendix(repository: Path) -> str:
    """The appendix."""
    return page(repository, "sget-appendix")


def test_the_training_set(repository: Path, appendix: str) -> None:
    """Depths, single words and overlaps, released and built."""
    rows = rows_below(appendix, "sentences of train")
    at = {(row["what"], row["value"]): row for row in raw(repository, "training-shares")}
    places = [(f"depth of {kind}", ("1", "2", "4")) for kind in ("pp", "ce", "adj")]
    places += [("depth of cp", ("1", "2", "3", "4"))]
    places += [("single words shown so often", ("25", "22", "21", "16"))]
    places += [("different sentences", ("train",)), ("also in train", ("dev",))]
    for row, (what, values) in zip(rows, places, strict=True):
        assert row[1:] == [
            ", ".join(f"{int(at[what, value][name] or 0):,}" for value in values)
            for name in ("released", "official", "corrected")
        ]
    for name in ("released", "official", "corrected"):
        counted = [int(row[name] or 0) for (what, _), row in at.items() if what == "depth of pp"]
        assert sum(counted) == 42_600
    assert (
        f"and {int(at['also in train', 'test']['official']):,} in the authors' edition" in appendix
    )


def test_learnt_and_lost_again(repository: Path, appendix: str) -> None:
    """The caption of the curve, and three patterns that rise with training."""
    at = {
        (row["value"], row["step"]): float(row["score"])
        for row in raw(repository, "transformer-256-seed-4-curve")
        if row["split"] == "gen" and row["metric"] == "exact"
    }
    deep, every = (
        [at[value, step] for step in ("20000", "70000")] for value in ("cp_depth_3", "all")
    )
    told = f"{deep[0]:.1f}% right at step 20,000 and {deep[1]:.1f}% at step 70,000"
    told += f", while the score over all patterns rises from {every[0]:.1f} to {every[1]:.1f}"
    assert told in appendix
    text = " ".join(appendix.split())
    first, *later = (f"{at['cp_depth_5_6', s]:.1f}" for s in ("5000", "10000", "20000", "70000"))
    told = f"*CP recursion deeper* has {first} at step 5,000, {later[0]} at 10,000, "
    assert f"{told}{later[1]} at 20,000 and {later[2]} at 70,000" in text
    steps = ("5000", "20000", "70000")
    for name, value in (
        ("PP", "pp_depth_3"),
        ("CE", "embedding_depth_3"),
        ("indirect-object RC", "recipient_rc"),
    ):
        first, middle, last = (f"{at[value, step]:.1f}" for step in steps)
        assert f"{name} {first}, {middle} and {last}" in text


def test_other_models(repository: Path, appendix: str) -> None:
    """BLEU of the authors' edition, and the models of the corrected edition."""
    rows = rows_below(appendix, "BLEU")
    for row, place in zip(rows, PLACES, strict=True):
        ours = scores(repository, OFFICIAL, place, "bleu")
        assert row[1:] == [ours, printed_at(place, "Transformer", "bleu")], place
    rows = rows_below(appendix, "corrected edition, a former build")
    for row, place in zip(rows, PLACES, strict=True):
        assert row[1:] == [
            scores(repository, names, place, metric)
            for metric in ("exact", "bleu")
            for names in (CORRECTED, LARGE, LSTMS)
        ], place


def test_why_the_lstm_is_another(repository: Path, appendix: str) -> None:
    """The differences taken one at a time: every number of the table is in the raw file."""
    found = [row for row in raw(repository, "lstm-variants") if not row["tag"]]

    def said(variant: str, early: bool, split: str, metric: str) -> str:
        """The scores of all seeds at step 5,000, or at the step that dev chose."""
        return ", ".join(
            f"{float(row['score']):.1f}"
            for row in sorted(found, key=lambda row: row["seed"])
            if (row["variant"], row["split"], row["metric"]) == (variant, split, metric)
            and (row["step"] == "5000") == early
        )

    rows = rows_below(appendix, "LSTM")
    places = [(split, metric) for metric in ("exact", "bleu") for split in ("test", "gen")]
    for row, variant in zip(rows[:4], ("paper", "fed", "unscaled", "released"), strict=True):
        assert row[1:] == [
            said(variant, early, *place) for early in (True, False) for place in places
        ]
    assert rows[4][5:] == [printed("2", "LSTM", metric, split) for split, metric in places]
    text = " ".join(appendix.split())
    dev = [row for row in raw(repository, "lstm-variants") if row["split"] == "dev"]

    def first(variant: str, seed: str, share: int) -> int | None:
        """The first thousand of steps where so many dev sentences are right."""
        return min(
            (
                int(row["step"])
                for row in dev
                if (row["variant"], row["seed"]) == (variant, seed) and float(row["score"]) >= share
            ),
            default=None,
        )

    runs = [("paper", "1"), ("paper", "2"), ("fed", "1"), ("unscaled", "1"), ("unscaled", "2")]
    runs += [("released", "1")]
    assert [first(*run, 50) for run in runs] == [3000, 3000, 3000, 8000, 7000, 8000]
    assert [first(*run, 90) for run in runs] == [5000, 5000, 10000, None, None, None]
    best = {
        variant: mean(map(float, said(variant, False, "gen", "exact").split(", ")))
        for variant in ("paper", "fed", "unscaled", "released")
    }
    less = [best["paper"] - best[name] for name in ("fed", "unscaled", "released")]
    told = "has {:.1f} at its best of 10,000 steps; input feeding takes {:.1f} points of that, "
    told += "embeddings that are not scaled {:.1f}, both with beta2 .999 {:.1f}."
    assert told.format(best["paper"], *less) in text


def test_llama_of_the_paper(repository: Path, appendix: str) -> None:
    """The row that stands below our language model."""
    rows = {row[0]: row[1:] for row in rows_below(appendix, "| test exact")}
    whole = [
        printed("2", "Llama 2", metric, split)
        for split in ("test", "gen")
        for metric in ("exact", "bleu")
    ]
    parts = [printed("3", "Llama 2", "exact", group) for group in GROUPS]
    assert rows["Llama 2 (paper)"] == [*whole, "-", *parts]
    ours = [
        scores(repository, ["smollm2-lora-seed-1"], place, metric)
        for place, metric in (
            *((place, metric) for place in PLACES[:2] for metric in ("exact", "bleu")),
            (PLACES[1], "partial"),
            *((place, "exact") for place in PLACES[2:]),
        )
    ]
    assert rows["SmolLM2-135M, LoRA"] == ours


def test_two_partial_matches(repository: Path, appendix: str) -> None:
    """How often they agree, by how much more than by chance, and what both give."""
    rows = raw(repository, "partial-agreement")
    told = rows_below(appendix, "outputs")
    for line, sample in zip(told, ("any", "no exact match"), strict=True):
        cells = []
        for model in ("released", "paper-lstm"):
            said = Counter[tuple[str, str]]()
            for row in rows:
                if (row["model"], row["sample"]) == (model, sample):
                    said[row["partial"], row["partial_ginza"]] += int(row["n"])
            n, same = said.total(), said["1", "1"] + said["0", "0"]
            ours, ginza = (said["1", "1"] + said[only] for only in (("1", "0"), ("0", "1")))
            chance = (ours * ginza + (n - ours) * (n - ginza)) / n**2
            kappa = f"{(same / n - chance) / (1 - chance):.3f}".removeprefix("0")
            both = f"{100 * ours / n:.1f} and {100 * ginza / n:.1f}"
            cells += [f"{same} of {n}", kappa, both]
        assert line[1:] == cells
