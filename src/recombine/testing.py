"""Contract suites that outside authors run on their own systems, metrics and builders.

    from recombine.testing import check_system
    check_system(MySystem())

Each raises AssertionError with the broken rule.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recombine.benchmark import Benchmark, Example
from recombine.builders.check import proof_faults
from recombine.config import to_plain
from recombine.draft import Draft
from recombine.metrics.base import Metric, Observation, Scored, require_declared, require_kind
from recombine.metrics.scoring import by_key
from recombine.systems.base import Failure, System

SENTENCES = (
    "The dog saw a cat .",
    "A child that a teacher knew ran.",
    "Ünïcode, “quotes” and a full-width space\u3000stay.",
    "one",
    "The dog saw a cat .",
)


def check_system(system: System, sources: Sequence[str] = SENTENCES) -> None:
    """Assert what every system promises: length, order, text, repeatability, empty input."""
    answers = list(system.translate(list(sources)))
    assert len(answers) == len(sources), (
        f"{len(answers)} translations for {len(sources)} sources: there must be one for each"
    )
    for source, answer in zip(sources, answers, strict=True):
        assert isinstance(answer, (str, Failure)), f"{source!r} gave {type(answer).__name__}"
        if isinstance(answer, str):
            assert "\n" not in answer, f"{source!r} gave a translation with a line break"
    assert list(system.translate([])) == [], "no source must give no translation"
    assert list(system.translate(list(sources))) == answers, "a second call gave other output"
    backwards = list(system.translate(list(reversed(sources))))
    assert backwards == answers[::-1], "the order of the sources changed their translations"


def check_metric(metric: Metric, items: Sequence[Scored], better: Sequence[Scored] = ()) -> None:
    """Assert what every metric promises: keys, observations, and that what it declares is so.

    `better` are the same examples with perfect hypotheses; they must not score lower.
    """
    require_declared(metric, type(metric).__name__)
    assert metric.name, "a metric needs a name"
    assert metric.signature(), "a metric needs a signature"
    observations = _observe(metric, items)
    for observation in observations:
        assert isinstance(observation, Observation), f"observe returned {type(observation)}"
        assert observation.ids, "an observation needs the ids it is about"
        assert len(observation.stats) == len(observations[0].stats), "stats of unequal length"
        assert all(np.isfinite(observation.stats)), "stats must be finite"
    if not observations:
        return
    stats = np.array([observation.stats for observation in observations])
    score = metric.aggregate(stats)
    assert np.isfinite(score), "the score must be finite"
    assert np.isclose(metric.aggregate(stats[::-1]), score), "the score depends on the order"
    again = _observe(metric, items)
    assert [observation.value for observation in again] == [
        observation.value for observation in observations
    ], "not repeatable"
    blank = [Scored(item.example, "", missing=True) for item in items]
    _observe(metric, blank)  # a missing output counts, it never crashes
    perfect = _observe(metric, better)
    _check_declaration(metric, [*observations, *perfect])
    if perfect:
        best = metric.aggregate(np.array([observation.stats for observation in perfect]))
        sign = 1 if metric.higher_is_better else -1
        assert sign * best >= sign * score - 1e-9, "perfect hypotheses score lower"


def _check_declaration(metric: Metric, observations: Sequence[Observation]) -> None:
    """Kind, range, direction and right value, against the numbers."""
    stats = np.array([observation.stats for observation in observations])
    values = np.array([observation.value for observation in observations])
    for part in (stats, stats[: len(stats) // 2 + 1], *stats[:, None]):
        require_kind(metric, part)
        score = metric.aggregate(part)
        inside = metric.limits[0] - 1e-9 <= score <= metric.limits[1] + 1e-9
        assert inside or np.isnan(score), f"a score of {score} is outside the declared limits"
    right = values == metric.right_value
    if right.any() and not right.all():
        sign = 1 if metric.higher_is_better else -1
        apart = [sign * metric.aggregate(stats[which]) for which in (right, ~right)]
        assert not apart[0] < apart[1], (
            f"observations with the right value {metric.right_value:g} score worse than the others"
        )


def _observe(metric: Metric, items: Sequence[Scored]) -> list[Observation]:
    metric.prepare(items)
    groups = by_key(metric, items)
    assert all(isinstance(key, str) for key in groups), "a key is text or None"
    observations = [metric.observe(group) for group in groups.values()]
    return [observation for observation in observations if observation is not None]


def check_builder(make: Callable[[], Any], seed: int = 1) -> None:
    """Assert what every builder promises: valid examples, and the same bytes for the same seed."""
    assert isinstance(getattr(make(), "plan", dict)(), dict), "a plan is a table"
    with tempfile.TemporaryDirectory() as folder:
        first = _build(make(), Path(folder) / "first", seed)
        second = _build(make(), Path(folder) / "second", seed)
        assert first.verify() == [], "the built benchmark has problems"
        assert first.manifest.files == second.manifest.files, "the same seed gave other bytes"
        if hasattr(make(), "prove"):
            faults = proof_faults(first, make().prove(first))
            assert not faults, "the builder's own proof fails on its own output"


def _build(builder: Any, out: Path, seed: int) -> Benchmark:
    draft = Draft(out, seed=seed)
    builder.build(draft)
    return draft.finish(
        {
            "format": 1,
            "name": "contract",
            "version": "1",
            "source": "en",
            "target": getattr(builder, "target_language", "") or "xx",
            "builder": type(builder).__name__,
            "seed": seed,
            "recipe": to_plain(builder) if dataclasses.is_dataclass(builder) else {},
        }
    )


def example_pairs() -> tuple[list[Scored], list[Scored]]:
    """Return imperfect and perfect items on a few made-up examples, for trying a metric."""
    examples = [
        Example.make(source="a dog ran", references=["ein Hund lief"], tags={"pattern": "plain"}),
        Example.make(
            source="a cat slept", references=["eine Katze schlief"], tags={"pattern": "x"}
        ),
        Example.make(source="the king saw a queen", references=["der König sah eine Königin"]),
    ]
    hypotheses = ["ein Hund lief", "eine Katze", ""]
    items = [Scored(e, h) for e, h in zip(examples, hypotheses, strict=True)]
    return items, [Scored(e, e.references[0]) for e in examples]
