"""A synthetic run with known accuracies per pattern, for tests and benchmarks of the report."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recombine.benchmark import Benchmark, Example, Focus
from recombine.builders.recipe import read_recipe
from recombine.experiment.run import Run
from recombine.files import read_jsonl
from report.scored_run import Outputs, scored_run, small_benchmark

NOUNS = (
    ("cat", "猫"), ("dog", "犬"), ("girl", "少女"), ("king", "王"), ("baker", "パン屋"),
    ("fish", "魚"), ("friend", "友達"), ("mother", "母"), ("tiger", "トラ"), ("nurse", "看護師"),
)  # fmt: skip
VERBS = (("saw", "見た"), ("found", "見つけた"), ("held", "持った"), ("called", "呼んだ"))
PATTERNS = (
    ("Subj→Obj common", "Primitive substitution", "lexical", 0),
    ("Prim→Subj proper", "Primitive substitution", "lexical", 0),
    ("Active→Passive", "Argument structure", "lexical+morphological", 0),
    ("Past→Present", "Tense", "lexical+morphological", 0),
    ("PP: DObj→Subj", "Phrase recombination", "structural", 1),
    ("PP 3", "Recursion", "structural", 3),
    ("PP 5, 6", "Recursion", "structural", 5),
    ("CE 5, 6", "Recursion", "structural", 6),
)
ACCURACY = {
    "transformer": (0.95, 0.55, 0.70, 0.40, 0.20, 0.75, 0.10, 0.05),
    "lstm": (0.90, 0.30, 0.50, 0.20, 0.02, 0.30, 0.01, 0.00),
    "oracle-ish": (1.00, 0.99, 0.98, 0.99, 0.97, 0.99, 0.95, 0.93),
}


def sentence(generator: np.random.Generator, depth: int) -> tuple[str, str, tuple[Focus, ...]]:
    """One English sentence with its Japanese translation and its subject as focus."""
    subject, object_ = generator.choice(len(NOUNS), 2, replace=False)
    verb = VERBS[int(generator.integers(len(VERBS)))]
    english, japanese = "", ""
    for _ in range(depth):
        place = NOUNS[int(generator.integers(len(NOUNS)))]
        english += f" beside the {place[0]}"
        japanese = f"{place[1]}の横の" + japanese
    source = f"The {NOUNS[subject][0]} {verb[0]} the {NOUNS[object_][0]}{english}."
    target = f"{NOUNS[subject][1]}が{japanese}{NOUNS[object_][1]}を{verb[1]}。"
    word = NOUNS[subject]
    focus = Focus(
        text=word[0], role="subject", accepted=(word[1] + "が",), start=4, end=4 + len(word[0])
    )
    return source, target, (focus,)


def examples(per_pattern: int, seed: int = 0) -> Iterator[Example]:
    """Examples of every pattern, half of them inside a complement clause."""
    generator = np.random.default_rng(seed)
    for pattern, category, group, depth in PATTERNS:
        for number in range(per_pattern):
            source, target, focus = sentence(generator, depth)
            tags: dict[str, str | int] = {
                "pattern": pattern,
                "category": category,
                "group_name": group,
                "in_cp": number % 2,
                "target_word": f"{pattern[:4]}-{number % 5}",
            }
            if depth:
                tags["depth"] = depth
            salt = f"{pattern}{number}"
            yield Example.make(
                source=source, references=(target,), tags=tags, focus=focus, salt=salt
            )


def corrupt(text: str, generator: np.random.Generator) -> str:
    """A wrong translation that looks like one a model makes."""
    kind = int(generator.integers(3))
    if kind == 0 and "の横の" in text:
        head, _, tail = text.partition("の横の")
        return head.rpartition("が")[0] + "が" + tail
    if kind == 1:
        return text.replace("が", "を", 1)
    return text.replace("見", "聞", 1) if "見" in text else text[:-2] + "る。"


def build_benchmark(
    path: Path, per_pattern: int, name: str = "synthetic", recipe: Mapping[str, Any] | None = None
) -> Benchmark:
    """A benchmark with a gen and a test split."""
    splits = {"gen": examples(per_pattern), "test": examples(max(2, per_pattern // 4), seed=1)}
    return small_benchmark(
        path, splits, name=name, target="ja", metrics=["exact", "bleu"], recipe=dict(recipe or {})
    )


def hypotheses(
    benchmark: Benchmark, split: str, accuracy: Sequence[float], seed: int, luck: float
) -> dict[str, str]:
    """Translations that are right with each pattern's probability, moved by the seed's luck."""
    generator = np.random.default_rng([seed, len(split)])
    shift = float(generator.normal(0, luck))
    by_pattern = {row[0]: share for row, share in zip(PATTERNS, accuracy, strict=True)}
    found = {}
    for example in benchmark.iterate(split):
        share = by_pattern[str(example.tags["pattern"])]
        if split == "test":
            share = 0.98
        right = generator.random() < min(1.0, max(0.0, share + shift))
        reference = example.references[0]
        found[example.id] = reference if right else corrupt(reference, generator)
    return found


def make_run(
    root: Path,
    *,
    per_pattern: int = 40,
    seeds: Sequence[int] = (1, 2, 3),
    systems: Mapping[str, Sequence[float]] = ACCURACY,
    metrics: Sequence[str] = ("exact", "bleu"),
    benchmark: Benchmark | None = None,
    name: str = "run",
    luck: float = 0.03,
) -> Path:
    """A benchmark and a scored run of it; returns the run's folder."""
    made = benchmark or build_benchmark(root / "benchmark", per_pattern)

    def outputs(system: str, accuracy: Sequence[float]) -> Outputs:
        return lambda split, seed: hypotheses(made, split, accuracy, seed + len(system) * 7, luck)

    voices = {system: outputs(system, accuracy) for system, accuracy in systems.items()}
    return scored_run(root / name, made, voices, metrics=metrics, seeds=seeds)


def read_hypotheses(run: Path, system: str, seed: int) -> dict[str, str]:
    """What a system of a run said, on all splits."""
    folder = Run(run).cell(system, seed).path / "translations"
    return {row["id"]: row["hyp"] for path in folder.glob("*.jsonl") for row in read_jsonl(path)}


def make_sget_like_run(root: Path, recipe: Mapping[str, Any] | None = None) -> Path:
    """Two systems on a few sentences of SGET's 42 patterns; `first` is right on the half in CP."""
    found = read_recipe("sget").builder.split["gen"]
    made = []
    for pattern, part in found.items():
        for number in range(8):
            tags: dict[str, str | int] = {
                "pattern": pattern, "category": part.category, "group_name": part.group,
                "in_cp": number % 2,
                "longer_than_train": "yes" if number < 2 else "no",
            }  # fmt: skip
            salt = f"{pattern}{number}"
            made.append(Example.make(source=f"{salt} .", references=("gut",), tags=tags, salt=salt))
    test = [Example.make(source=f"{n} .", references=("gut",), tags={"n": n}) for n in range(4)]
    benchmark = small_benchmark(
        root / "benchmark", {"gen": made, "test": test}, name="sget-like", metrics=["exact"],
        recipe=dict(recipe or {}),
    )  # fmt: skip

    def outputs(half: int) -> Outputs:
        return lambda split, seed: {
            one.id: "gut" if one.tags.get("in_cp", half) == half else "schlecht"
            for one in benchmark.iterate(split)
        }

    voices = {"first": outputs(1), "second": outputs(0)}
    return scored_run(root / "run", benchmark, voices, metrics=("exact",))


def unpack(text: str) -> dict[str, Any]:
    """What the browser unpacks."""
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found
