"""What a headline rests on: who learned from the benchmark, how much was translated and judged.

A report says so beside its headline. Below a stated completeness it concludes nothing: half of a
test set is not the test set, and the half that a service refused is seldom the easy one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recombine.metrics.score import Score
from recombine.systems.base import NOTHING, UNKNOWN
from recombine.templates import listed

# Shares of what a metric is about, below which nothing is concluded: with an output, and judged.
COMPLETE, JUDGED = 0.95, 0.5
# Cells of fewer sentences are too small to be read alone.
TINY = 5
# Shares of the references that a metric may reject before a reader is told.
REJECTED = 0.02


def incomplete(score: Score) -> str:
    """Why nothing can be concluded from a score; empty where something can."""
    return lacking(score.failed, score.n, score.of, len(score.seeds))


def lacking(failed: int, judged: int, of: int, seeds: int = 1) -> str:
    """Why nothing can be concluded from so many judged of all; empty where something can."""
    if failed > (1 - COMPLETE) * of:
        return f"has no output for {failed:,} of {of:,}{_of_some_seed(seeds)}"
    if judged < JUDGED * of:
        return f"could be judged on {judged:,} of {of:,} only"
    return ""


def _of_some_seed(seeds: int) -> str:
    """What to add to a count of keys that any of several seeds lacks."""
    return " with some seed" if seeds > 1 else ""


def no_verdict(reasons: Mapping[str, str]) -> str:
    """A headline where there is none: the first system that lacks something."""
    system, reason = next(iter(reasons.items()))
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"No verdict: {system} {reason}{more}"


def training_caveats(trained_on: Mapping[str, str]) -> list[str]:
    """What to beware of with systems that did not learn from the benchmark."""
    unknown = [name for name, what in trained_on.items() if what == UNKNOWN]
    nothing = [name for name, what in trained_on.items() if what == NOTHING]
    sentences = []
    if unknown:
        sentences.append(
            f"Nobody knows what {listed(unknown)} learned from, so nothing here is surely new to "
            f"{'it' if len(unknown) == 1 else 'them'} (contamination unknown; "
            "recombine contamination searches text that you have for these sentences)."
        )
    if nothing:
        sentences.append(f"{listed(nothing)} learned from no text, so nothing is generalised.")
    return sentences


def wording_caveats(trained_on: Mapping[str, str], metrics: Sequence[str]) -> list[str]:
    """Which metrics count other words than the benchmark's as wrong, and for whom."""
    untaught = [name for name, what in trained_on.items() if what in (UNKNOWN, NOTHING)]
    if not untaught or not metrics:
        return []
    named = listed(metrics)
    return [
        f"{named[:1].upper()}{named[1:]} {'knows' if len(metrics) == 1 else 'know'} the wording of "
        f"the references alone: what {listed(untaught)} "
        f"{'says' if len(untaught) == 1 else 'say'} otherwise counts as wrong there."
    ]


def output_caveats(scores: Iterable[Score]) -> list[str]:
    """Which systems left sentences without an output, or could not be judged on some."""
    lost = [
        f"{score.system} {score.failed:,} of {score.of:,}{_of_some_seed(len(score.seeds))}"
        for score in scores
        if score.failed
    ]
    return [f"Without output: {', '.join(lost)}."] if lost else []


def reference_caveats(metric: str, rejected: tuple[int, int]) -> list[str]:
    """How many references a metric itself rejects."""
    wrong, of = rejected
    if not of or wrong <= REJECTED * of:
        return []
    return [
        f"{metric} rejects {100 * wrong / of:.1f}% of the references themselves "
        f"({wrong:,} of {of:,}), so as many of the outputs that it rejects may be right."
    ]


def cell_caveats(sizes: Sequence[int], named: str) -> list[str]:
    """How many cells are too small to be read alone."""
    tiny = sum(size < TINY for size in sizes)
    if not tiny:
        return []
    which = "All" if tiny == len(sizes) else f"{tiny} of the"
    return [f"{which} {len(sizes)} {named} have fewer than {TINY} sentences: too few for each."]
