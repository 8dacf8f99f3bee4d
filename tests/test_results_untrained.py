"""docs/results/untrained: what its notes say, and the verdicts of its raw files."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from recombine.metrics.meaning.metric import MeaningMatch


def raw(repository: Path, name: str) -> list[dict[str, str]]:
    """The rows of a raw file."""
    path = repository / "docs" / "results" / "untrained" / name
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_what_the_notes_say_in_words(repository: Path) -> None:
    """Of outputs that were read: how many, and how they were read."""
    text = (repository / "docs" / "results" / "untrained" / "notes.md").read_text("utf-8")
    read = Counter(row["read as"].split(":")[0] for row in raw(repository, "apertium-es-read.tsv"))
    right = {verdict: n for verdict, n in read.items() if verdict.startswith("right")}
    told = f"**{sum(right.values())} right, {read['doubtful']} doubtful,\n{read['wrong']} wrong**"
    assert read.total() == 200
    assert told in text
    assert f"{sum(right.values()) - right['right']} of the right ones have a fault" in text
    smollm = Counter(row["read as"] for row in raw(repository, "smollm2-ja.tsv"))
    assert smollm["no Japanese sentence"] == 10


@pytest.mark.slow
@pytest.mark.parametrize("target", ["ja", "es"])
def test_what_was_read_is_judged_as_it_was_read(repository: Path, target: str) -> None:
    """What was read as right is same; the words that made a Spanish one doubtful are gone.

    The outputs are of a former edition. A row is asked for if its reference is still right.
    """
    metric = MeaningMatch(grammar="sget", source_language="en", target_language=target, workers=1)
    rows = [row for row in raw(repository, "models-read.tsv") if row["target"] == target]
    read = raw(repository, "apertium-es-read.tsv") if target == "es" else []

    def same(row: dict[str, str], text: str) -> bool:
        (verdict,) = metric.judge_block([(row["source"], (row["reference"],), row[text])])
        return verdict is not None and verdict["class"] == "same"

    rows, read = ([row for row in kept if same(row, "reference")] for kept in (rows, read))
    assert len(rows) >= 85
    assert [row for row in rows if not same(row, "output")] == []
    assert [row for row in read
            if same(row, "output") is row["read as"].startswith("doubtful")] == []  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [("en", "fr"), ("fr", "en")])
def test_opus_is_judged_as_the_page_says(repository: Path, source: str, target: str) -> None:
    """Every verdict of the raw file is the one that is given today."""
    metric = MeaningMatch(grammar="sget", source_language=source, target_language=target, workers=1)
    rows = [row for row in raw(repository, "opus-fr.tsv") if row["target"] == target]
    asked = [(row["source"], (row["reference"],), row["output"]) for row in rows]
    for row, verdict in zip(rows, metric.judge_block(asked), strict=True):
        assert row["exact"] == ("yes" if row["output"] == row["reference"] else "no")
        assert verdict is not None
        assert verdict["class"] == row["meaning"], row
