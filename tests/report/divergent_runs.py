"""Runs on a minimal, a random and a maximal split, made by a system that knows half."""

from __future__ import annotations

from pathlib import Path

from parsed_corpora import made_up, write_conllu
from recombine.builders.recipe import build
from recombine.experiment.experiment import Experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate

KINDS = {"min": ("0", "search"), "random": ("0.5", "random"), "max": ("1", "search")}
# Source and reference share no letters, so a copy is scored 0; half a reference is not.
HALF = """
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(kw_only=True)
class Half:
    trained_on = "train"
    benchmark: str

    def translate(self, sources):
        rows = map(json.loads, (Path(self.benchmark) / "test.jsonl").open(encoding="utf-8"))
        known = {row["source"]: row for row in rows}
        for source in sources:
            words = known[source]["references"][0].split()
            novel = known[source]["tags"].get("novel_compounds", 0)
            yield " ".join(words[: len(words) // 2] if novel > 0.5 else words)
"""


def make_runs(folder: Path) -> list[Path]:
    """Return the three run directories, scored with chrf++."""
    corpus = write_conllu(folder / "c.conllu", made_up(400, words=100))
    (folder / "half.py").write_text(HALF)
    runs = []
    for kind, (divergence, method) in KINDS.items():
        options = [
            f"corpus={corpus}", "edition=all", "passes=10", "benchmark.target=de",
            f"benchmark.name=small-{kind}", f"target_divergence={divergence}", f"method={method}",
            "train_size=240", "test_size=40",
        ]  # fmt: skip
        build("divergent", folder / kind, overrides=options)
        system = {"use": f"{folder}/half.py:Half", "benchmark": str(folder / kind)}
        experiment = Experiment(
            benchmark=folder / kind,
            run=folder / "runs" / kind,
            system={"half": system},
            metrics=("chrf++",),
        )
        translate(experiment)
        score_run(experiment)
        runs.append(experiment.run)
    return runs
