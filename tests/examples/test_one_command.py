"""One command per paper: `run.sh --scale small` goes from nothing to the report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("reproduce-*/run.sh"))
COMMAND = Path(sys.executable).with_name("recombine")


def run(script: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Call a script in a folder, with the commands of this environment."""
    named = {"RECOMBINE": str(COMMAND), "PYTHON": sys.executable}
    return subprocess.run(
        ["sh", str(script), *arguments],
        cwd=folder, env={**os.environ, **named}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_paper_has_one() -> None:
    """Four papers."""
    assert [path.parent.name.removeprefix("reproduce-") for path in SCRIPTS] == [
        "cognition", "dbca", "paradox", "sget",
    ]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parent.name)
def test_a_wrong_call_says_how_to_call_it(script: Path, tmp_path: Path) -> None:
    """Nothing is begun, and every way to call it is named."""
    done = run(script, "--wrong", folder=tmp_path)
    assert done.returncode == 2
    assert f"sh examples/{script.parent.name}/run.sh" in done.stdout
    assert "--scale small" in done.stdout
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_sget_small(tmp_path: Path) -> None:
    """Three benchmarks, four tiny models, a report with the gap, and the paper's tables."""
    done = run(EXAMPLES / "reproduce-sget" / "run.sh", "--scale", "small", folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    out = tmp_path / "out" / "reproduce-sget" / "small"
    tables = (out / "tables.md").read_text(encoding="utf-8")
    assert "| pattern of Table 10 | seed 1 | mean | paper | difference |" in tables
    assert "without, 70,000" in tables
    assert (out / "report" / "tables" / "gap-exact-gen.csv").is_file()


@pytest.mark.slow
def test_dbca_small(tmp_path: Path) -> None:
    """Three splits with a random control, one with a covering control, and both ratios."""
    people = ("man", "woman", "child", "king", "baker", "friend", "doctor", "farmer")
    deeds = (("sees", "sieht"), ("finds", "findet"), ("knows", "kennt"), ("helps", "liebt"))
    kinds = (("small", "kleine"), ("old", "alte"), ("good", "gute"), ("young", "junge"))
    german = dict(
        zip(
            people,
            ("Mann", "Frau", "Kind", "König", "Bäcker", "Freund", "Arzt", "Bauer"),
            strict=True,
        )
    )
    lines = ["en\tde\tlemmas\trelations\theads"]
    for first in people:
        for last in people:
            for deed, tut in deeds:
                for kind, art in kinds:
                    for other, andere in kinds:
                        source = f"the {kind} {first} {deed} the {other} {last} ."
                        target = f"der {art} {german[first]} {tut} den {andere}n {german[last]} ."
                        relations = "det amod nsubj ROOT det amod dobj punct"
                        lines.append(f"{source}\t{target}\t{source}\t{relations}\t3 3 4 0 7 7 4 4")
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run(
        EXAMPLES / "reproduce-dbca" / "run.sh", str(corpus), "--scale", "small", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = tmp_path / "out" / "reproduce-dbca" / "small-de" / "report"
    table = (report / "tables" / "generalisation-scores.csv").read_text(encoding="utf-8")
    assert "control's max / min" in table


def test_frequent_words_stay(tmp_path: Path) -> None:
    """A copy of the template grammar without words that the text has seldom, two of each class."""
    text = tmp_path / "training.tsv"
    rows = ["en\tnl"] + ["the boy and the boys and the man and the men saw\tx"] * 5
    text.write_text("\n".join(rows) + "\n", encoding="utf-8")
    script = EXAMPLES / "reproduce-paradox" / "frequent_words.py"
    out = tmp_path / "frequent"
    subprocess.run(
        [sys.executable, str(script), str(text), str(out), "--least", "5"],
        check=True,
        capture_output=True,
    )
    left = (out / "en.nouns.lexicon.tsv").read_text(encoding="utf-8")
    words = {line.split("\t")[0] for line in left.splitlines()[1:]}
    assert {"boy", "man"} <= words
    assert "butcher" not in words or "baker" not in words
    people = [w for w in ("athlete", "butcher", "baker", "uncle", "aunt", "painter") if w in words]
    assert not people
