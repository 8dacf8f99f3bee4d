"""docs/results/untrained/notes.md says what the raw files beside it say."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from recombine.metrics.meaning.metric import MeaningMatch


@pytest.fixture
def page(repository: Path) -> str:
    """The page."""
    path = repository / "docs" / "results" / "untrained" / "notes.md"
    return path.read_text(encoding="utf-8")


def raw(repository: Path, name: str) -> list[dict[str, str]]:
    """The rows of a raw file."""
    path = repository / "docs" / "results" / "untrained" / name
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def shares(n: int, exact: int, classes: Counter[str]) -> str:
    """The cells of a row of the zero-shot table."""
    same, outside, different = (
        100 * classes[name] / n for name in ("same", "outside", "different")
    )
    told = f"| {n:,} | {100 * exact / n:.1f} | {same:.1f} to {same + outside:.1f} "
    return f"{told}| {outside:.1f}% | {different:.1f}% |"


def test_apertium_and_smollm2(repository: Path, page: str) -> None:
    """Exact beside meaning, with what is outside and what is different."""
    sums: Counter[str] = Counter()
    for row in raw(repository, "apertium-es.tsv"):
        sums.update({name: int(n) for name, n in row.items() if name != "pattern"})
    assert sums["n"] == sums["same"] + sums["outside"] + sums["different"]
    assert shares(sums["n"], sums["exact"], sums) in page
    rows = raw(repository, "smollm2-ja.tsv")
    exact = sum(row["output"] == row["reference"] for row in rows)
    assert shares(len(rows), exact, Counter(row["meaning"] for row in rows)) in page
    assert Counter(row["read as"] for row in rows)["no Japanese sentence"] == 10


def test_outputs_that_were_read(repository: Path, page: str) -> None:
    """Right, doubtful and wrong, of trained models by language and of Apertium."""
    rows = raw(repository, "models-read.tsv")
    for target, name in (("ja", "Japanese"), ("es", "Spanish")):
        found = Counter(
            row["read as"].split(":")[0].split(",")[0] for row in rows if row["target"] == target
        )
        told = " | ".join(str(found[verdict]) for verdict in ("right", "doubtful", "wrong"))
        assert f"| {name} | {found.total()} | {told} |" in page
        assert found["right"] >= 0.95 * found.total()
    read = Counter(row["read as"].split(":")[0] for row in raw(repository, "apertium-es-read.tsv"))
    right = {verdict: n for verdict, n in read.items() if verdict.startswith("right")}
    told = f"**{sum(right.values())} right, {read['doubtful']} doubtful,\n{read['wrong']} wrong**"
    assert read.total() == 200
    assert told in page
    assert f"{sum(right.values()) - right['right']} of the right ones have a fault" in page
    assert len({row["model"] for row in rows}) == 7
    assert len({row["pattern"] for row in rows}) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("target", ["ja", "es"])
def test_what_was_read_is_judged_as_it_was_read(repository: Path, target: str) -> None:
    """What was read as right is same; the words that made a Spanish one doubtful are gone."""
    metric = MeaningMatch(grammar="sget", source_language="en", target_language=target, workers=1)
    rows = [row for row in raw(repository, "models-read.tsv") if row["target"] == target]
    read = raw(repository, "apertium-es-read.tsv") if target == "es" else []

    def same(row: dict[str, str]) -> bool:
        (verdict,) = metric.judge_block([(row["source"], (row["reference"],), row["output"])])
        return verdict is not None and verdict["class"] == "same"

    assert [row for row in rows if not same(row)] == []
    assert [row for row in read if same(row) is row["read as"].startswith("doubtful")] == []


def test_opus_between_english_and_french(repository: Path, page: str) -> None:
    """The zero-shot rows, what was read, and how many of each pattern are right."""
    rows = raw(repository, "opus-fr.tsv")
    patterns: dict[str, dict[str, Counter[str]]] = {}
    for target, name in (("fr", "French"), ("en", "English")):
        own = [row for row in rows if row["target"] == target]
        exact = sum(row["exact"] == "yes" for row in own)
        assert shares(len(own), exact, Counter(row["meaning"] for row in own)) in page
        for verdict in ("same", "outside"):
            read = Counter(row["read as"] for row in own if row["meaning"] == verdict)
            counts = [read.total(), read["right"], read["doubtful"], read["wrong"]]
            assert f"| {name} | {verdict} | {' | '.join(map(str, counts))} |" in page
            assert sum(counts[1:]) == counts[0]
        for row in own:
            counted = patterns.setdefault(row["pattern"], {}).setdefault(target, Counter())
            counted.update([row["meaning"]] + ["exact"] * (row["exact"] == "yes"))
    assert len(patterns) == 42
    for pattern, both in patterns.items():
        sides = [str(both[t][kind]) for t in ("fr", "en") for kind in ("exact", "same", "outside")]
        assert f"| {pattern} | {' | '.join(sides)} |" in page


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


def test_who_composes(repository: Path) -> None:
    """The table of systems is that of the raw file, row by row."""
    folder = repository / "docs" / "results" / "untrained"
    text = (folder / "who-composes.md").read_text(encoding="utf-8")
    rows = json.loads((folder / "who-composes.json").read_text(encoding="utf-8"))
    names = (
        "system", "learned from", "suite", "test", "metric", "score", "95% interval", "of",
    )  # fmt: skip
    told = [line for line in text.splitlines() if "| n=" in line]
    assert told == ["| " + " | ".join(row[name] for name in names) + " |" for row in rows]
