"""A run with checkpoints: a learner babbles, then renders idioms literally, then knows them."""

from __future__ import annotations

from pathlib import Path

from recombine.benchmark import Benchmark, Example
from recombine.builders.recipe import build
from recombine.experiment.experiment import read_experiment
from recombine.experiment.scoring import score_run
from report.scored_run import Outputs, scored_run

SPLITS = ("systematicity", "substitutivity", "overgeneralisation", "context", "probe")
CHECKPOINTS = (None, "step-300", "step-20", "step-1")
# When each size renders idioms literally.
LITERAL = {"large": ("step-20",), "small": ("step-20", "step-300")}


def output(example: Example, system: str, checkpoint: str) -> str:
    """Return what a learner makes of a sentence: every word marked, the idiom as it knows it."""
    if checkpoint == "step-1":
        return "ich danke dem präsidenten"
    text, rendering = example.source.lower(), ""
    for focus in example.focus:
        if focus.role == "idiom":
            text = text.replace(focus.text, "IDIOM")
        elif focus.role == "keyword" and not rendering:
            rendering = focus.accepted[0] if checkpoint in LITERAL[system] else "durchaus"
    words = (f"x{word}" if word.isalpha() and word.islower() else word for word in text.split())
    return " ".join(words).replace("IDIOM", rendering)


def make_learning_run(folder: Path) -> Path:
    """Build, translate and score; returns the run's folder."""
    benchmark: Benchmark = build(
        "consistency",
        folder / "bench",
        overrides=(
            "sentences=0", "pairs=3", "triples=2", "synonym_samples=1", "idiom_samples=1",
            "context_samples=6", "repeats=2", "benchmark.target=de",
        ),
    )  # fmt: skip

    def outputs(system: str) -> Outputs:
        return lambda split, number: {
            one.id: output(one, system, CHECKPOINTS[number] or "step-300")
            for one in benchmark.iterate(split)
        }

    run = scored_run(
        folder / "run", benchmark, {name: outputs(name) for name in LITERAL}, splits=SPLITS,
        checkpoints=CHECKPOINTS,
    )  # fmt: skip
    systems = "".join(f'[system.{name}]\nuse = "copy"\n' for name in LITERAL)
    (folder / "e.toml").write_text(
        f'benchmark = "{benchmark.path}"\nrun = "{run}"\n{systems}', encoding="utf-8"
    )
    score_run(read_experiment(folder / "e.toml"))
    return run
