"""The how-tos that a stranger follows first do what they say, command by command."""

from __future__ import annotations

import lzma
import os
import re
import shlex
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(repository: Path, page: str, kind: str) -> list[str]:
    """The blocks of a page of one kind, in order."""
    text = (repository / "docs" / "how-to" / page).read_text(encoding="utf-8")
    return [block for found, block in BLOCK.findall(text) if found == kind]


def run(script: str, folder: Path) -> str:
    """Run a block as a stranger's shell does, and return what it printed."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_word_is_added(repository: Path, tmp_path: Path) -> None:
    """Four files as the page shows them, then its commands."""
    files, *_ = blocks(repository, "add-a-word.md", "")
    (tmp_path / "mine").mkdir()
    for entry in re.split(r"^(?=mine/)", files, flags=re.MULTILINE)[1:]:
        name, text = entry.split(maxsplit=1)
        lines = [re.sub(r"\s{2,}", "\t", line.strip()) for line in text.strip().splitlines()]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    printed = run(blocks(repository, "add-a-word.md", "sh")[0], tmp_path)
    assert "fr\tLe morse mange la banane.\n" in printed
    sources = (tmp_path / "out" / "walrus" / "train.jsonl").read_text(encoding="utf-8")
    assert "walrus" in sources


def test_outputs_on_a_test_set_are_compared(repository: Path, tmp_path: Path) -> None:
    """The page's second block, with fifty sentences and two systems."""
    lines = [f"Satz {number} ist ein kurzer Satz ." for number in range(50)]
    for name, text in {
        "test.en": [f"Sentence {number} is short ." for number in range(50)],
        "test.de": lines,
        "ours.txt": [line.replace("kurzer", "knapper") for line in lines],
        "theirs.txt": [line.replace("ein kurzer Satz", "kurz") for line in lines],
    }.items():
        (tmp_path / name).write_text("\n".join(text) + "\n", encoding="utf-8")
    printed = run(blocks(repository, "score-outputs.md", "sh")[1], tmp_path)
    assert printed.startswith("split  metric  system")
    assert re.search(r"^theirs +ours +test +chrf +50 .* ours$", printed, re.MULTILINE)
    assert (tmp_path / "out" / "comparison" / "report.html").is_file()


@pytest.mark.slow
@pytest.mark.reference
def test_a_corpus_is_split_and_the_control_asked(
    repository: Path, tmp_path: Path, reference_data: Path
) -> None:
    """From two raw texts to the report, with tiny systems."""
    corpus = reference_data / "dbca" / "europarl-en-de-fr.tsv.xz"
    columns: dict[str, list[str]] = {"en": [], "de": []}
    with lzma.open(corpus, "rt", encoding="utf-8") as table:
        for line in islice(table, 1, 8001):
            english, german = line.split("\t")[:2]
            columns["en"].append(english)
            columns["de"].append(german)
    for language, sentences in columns.items():
        (tmp_path / f"corpus.{language}").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    run(blocks(repository, "divergent-splits.md", "sh")[0], tmp_path)
    experiment = blocks(repository, "divergent-splits.md", "toml")[0]
    (tmp_path / "experiment.toml").write_text(experiment, encoding="utf-8")
    tiny = [
        f"system.{system}.{option}"
        for system in ("own", "control")
        for option in ("preset=tiny", "steps=10", "evaluate_every=10")
    ]
    options = shlex.join(part for option in ["seeds=[1]", *tiny] for part in ("-o", option))
    run(f"recombine run experiment.toml --sample 30 {options}", tmp_path)
    report = (tmp_path / "runs" / "experiment" / "report" / "report.md").read_text("utf-8")
    assert "control" in report
