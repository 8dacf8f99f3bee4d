"""Coverage of intervals and size of tests, in experiments whose truth is known.

python benchmarks/interval_coverage.py  # prints the tables of docs/results/statistics/notes.md
python benchmarks/interval_coverage.py --experiments 200 # a quick look

Sentences of one cluster share ease and a taste of each system; seeds have luck of their own, on the
whole and on each cluster. Cells are the lowest and highest share over 5, 20, 50, 80 and 95% right
and over two spreads of seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
from scipy import special

from recombine.statistics.aggregate import Aggregator, Array
from recombine.statistics.intervals import TOO_FEW
from recombine.statistics.luck import luck_of_slices
from recombine.statistics.paired import holm
from recombine.statistics.sample import Sample

SHARES = (0.05, 0.2, 0.5, 0.8, 0.95)
SEED_SPREADS = (0.1, 0.3)
CLUSTERS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 60)
PER_CLUSTER = 5
ITEMS = 200
SEEDS = (1, 2, 3, 5)
PAIRINGS = ((1, 1), (1, 2), (1, 3), (1, 5), (2, 2), (2, 3), (2, 5), (3, 3), (3, 5), (5, 5))
SYSTEMS = (2, 5, 10, 15, 20, 30)
# Standard deviations of ease, taste and a seed's luck with a cluster; noise has 1 (probit).
EASE, TASTE, LUCK = 0.5, 0.5, 0.2
VERDICTS = Aggregator("mean")
# Slices of one comparison, and their luck: of all together, of each, and how much slices differ.
SLICES = (5, 10, 42)
PER_SLICE = 50
SLICE_PAIRINGS = ((1, 3), (2, 2), (3, 3), (5, 5))
SLICE_LUCK = {
    "of all slices": (0.3, 0.0, 0.0),
    "of each": (0.1, 0.3, 0.0),
    "unequal": (0.1, 0.3, 1.0),
}


class World:
    """Sentences that any number of systems translate."""

    def __init__(self, generator: np.random.Generator, clusters: int | None) -> None:
        self.generator = generator
        self.clusters = None if clusters is None else np.repeat(np.arange(clusters), PER_CLUSTER)
        members = np.arange(ITEMS) if self.clusters is None else self.clusters
        self.members, self.count = members, int(members.max()) + 1
        self.ease = generator.normal(0, EASE, self.count)

    def system(self, seeds: int, share: float, spread: float) -> list[Array]:
        """Verdicts of the seeds of one system that has this share right in the long run.

        The luck of a single seed is part of what it is: with one seed the truth is that seed's.
        """
        draw = self.generator.normal
        spread = spread if seeds > 1 else 0.0
        taste = draw(0, TASTE, self.count)
        luck = draw(0, LUCK if seeds > 1 else 0.0, (seeds, self.count))
        own = draw(0, spread, (seeds, 1))
        total = np.sqrt(1 + EASE**2 + TASTE**2 + (LUCK**2 if seeds > 1 else 0.0) + spread**2)
        level = special.ndtri(share) * total + self.ease + taste + luck + own
        noise = draw(0, 1, (seeds, len(self.members)))
        return [row[:, None].astype(float) for row in level[:, self.members] + noise > 0]

    def pair(self, seeds: tuple[int, int], share: float, spread: float) -> dict[str, list[Array]]:
        """Two equal systems; a system with one seed beside one with several has luck, too."""
        several = max(seeds) > 1
        made = {}
        for name, count in zip("ab", seeds, strict=True):
            drawn = self.system(max(count, 2 if several else 1), share, spread)
            made[name] = drawn[:count]
        return made


def coverage(
    experiments: int, clusters: int | None, seeds: int, share: float, spread: float
) -> tuple[float, float]:
    """Percent of intervals that hold the truth, and percent of experiments that have one."""
    generator = np.random.default_rng([clusters or 0, seeds, int(1000 * share), int(100 * spread)])
    hits = given = 0
    for _ in range(experiments):
        world = World(generator, clusters)
        sample = Sample({"a": world.system(seeds, share, spread)}, VERDICTS, world.clusters)
        span = sample.interval("a")
        if span.method != TOO_FEW:
            given += 1
            hits += span.low <= 100 * share <= span.high
    return 100 * hits / max(given, 1), 100 * given / experiments


def graded(experiments: int, clusters: int, share: float) -> float:
    """Percent of intervals that hold the truth where sentences are graded, of one seed.

    Grades crowd at both ends of the scale, and clusters have 1 to 15 sentences (4 in the mean).
    """
    generator = np.random.default_rng([clusters, int(1000 * share)])
    spread = np.hypot(EASE, TASTE)
    long_run = generator.normal(special.ndtri(share) * np.hypot(1, spread), spread, 1_000_000)
    shape, rest = 3.0, 0.05
    truth = 100 * (shape * special.ndtr(long_run).mean() + rest) / (shape + 2 * rest)
    hits = 0
    for _ in range(experiments):
        sizes = np.minimum(generator.geometric(0.25, clusters), 15)
        members = np.repeat(np.arange(clusters), sizes)
        level = generator.normal(special.ndtri(share) * np.hypot(1, spread), spread, clusters)
        right = special.ndtr(level)[members]
        grades = generator.beta(shape * right + rest, shape * (1 - right) + rest)
        span = Sample({"a": [grades[:, None]]}, VERDICTS, members).interval("a")
        hits += span.low <= truth <= span.high
    return 100 * hits / experiments


def comparison(
    experiments: int, clusters: int | None, seeds: tuple[int, int], share: float, spread: float
) -> tuple[float, float, float]:
    """Percent of false alarms, of covering intervals, and of what is not too few to tell."""
    generator = np.random.default_rng([clusters or 0, *seeds, int(1000 * share), int(100 * spread)])
    alarms = hits = given = 0
    for _ in range(experiments):
        world = World(generator, clusters)
        found = Sample(
            world.pair(seeds, share, spread), VERDICTS, world.clusters, trials=999
        ).difference("a", "b")
        if found.method != TOO_FEW:
            given += 1
            alarms += found.p_value < 0.05
            hits += found.low <= 0 <= found.high
    below = max(given, 1)
    return 100 * alarms / below, 100 * hits / below, 100 * given / experiments


def families(experiments: int, systems: int, seeds: int) -> tuple[float, float]:
    """Percent of experiments in which equal systems differ, and that see one far better."""
    generator = np.random.default_rng([systems, seeds])
    alarms = seen = 0
    for _ in range(experiments):
        world = World(generator, 20)
        names = [str(number) for number in range(systems)]
        tables = {name: world.system(seeds, 0.5, 0.1) for name in names}
        pairs = list(combinations(names, 2))
        sample = Sample(tables, VERDICTS, world.clusters, trials=999)
        alarms += min(holm([sample.difference(*pair).p_value for pair in pairs])) < 0.05
        tables[names[-1]] = world.system(seeds, 0.999, 0.1)
        tables[names[0]] = world.system(seeds, 0.02, 0.1)
        sample = Sample(tables, VERDICTS, world.clusters, trials=999)
        adjusted = holm([sample.difference(*pair).p_value for pair in pairs])
        seen += adjusted[pairs.index((names[0], names[-1]))] < 0.05
    return 100 * alarms / experiments, 100 * seen / experiments


def sliced(
    experiments: int, slices: int, seeds: tuple[int, int], luck: tuple[float, float, float]
) -> tuple[float, float, float, float, float]:
    """Two systems that are equal on all slices but one, where they have 30 and 70% right.

    Percent of false alarms on a slice, of experiments with any after Holm, of intervals that hold
    the truth, and of experiments that see the last slice: by itself, and by the luck of all.
    """
    generator = np.random.default_rng([slices, *seeds, *(int(100 * part) for part in luck)])
    common, own, unequal = luck
    alarms = families = hits = told = alone = together = 0
    for _ in range(experiments):
        levels = special.ndtri(generator.choice(SHARES, slices + 1))
        spread = own * np.exp(generator.normal(0, unequal, slices + 1) - unequal**2 / 2)
        ease = generator.normal(0, EASE, (slices + 1, PER_SLICE))
        tables = {}
        for name, count in zip("ab", seeds, strict=True):
            level = levels.copy()
            level[-1] = special.ndtri(0.3 if name == "a" else 0.7)
            total = np.sqrt(1 + EASE**2 + TASTE**2 + common**2 + spread**2)
            taste = generator.normal(0, TASTE, (1, slices + 1, PER_SLICE))
            luck_drawn = generator.normal(0, 1, (count, slices + 1)) * spread
            luck_drawn += generator.normal(0, common, (count, 1))
            noise = generator.normal(0, 1, (count, slices + 1, PER_SLICE))
            right = (level * total + luck_drawn)[:, :, None] + ease + taste + noise > 0
            tables[name] = right[..., None].astype(float)
        samples = [
            Sample({name: list(table[:, place]) for name, table in tables.items()}, VERDICTS)
            for place in range(slices + 1)
        ]
        lucks = luck_of_slices([sample.seeds_of("a", "b") for sample in samples])
        found = [
            sample.difference("a", "b", part) for sample, part in zip(samples, lucks, strict=True)
        ]
        adjusted = holm([one.p_value for one in found])
        equal = [one for one in found[:-1] if one.method != TOO_FEW]
        told += len(equal)
        alarms += sum(one.p_value < 0.05 for one in equal)
        hits += sum(one.low <= 0 <= one.high for one in equal)
        families += min(adjusted[:-1]) < 0.05
        together += adjusted[-1] < 0.05
        before = [sample.difference("a", "b").p_value for sample in samples]
        alone += holm(before)[-1] < 0.05
    counts = (alarms / told, families / experiments, hits / told)
    shares = (*counts, alone / experiments, together / experiments)
    return tuple(100 * share for share in shares)


def spans(values: Sequence[float]) -> str:
    """Lowest to highest."""
    return f"{min(values):.1f} to {max(values):.1f}"


def single_rows(experiments: int) -> Iterator[str]:
    """Coverage of one system's interval: a row per number of units, a column per seeds."""
    yield "| units | " + " | ".join(f"{seeds} seed{'s' * (seeds > 1)}" for seeds in SEEDS) + " |"
    yield "| --- |" + " --- |" * len(SEEDS)
    for clusters in (*CLUSTERS, None):
        cells = []
        for seeds in SEEDS:
            spreads = SEED_SPREADS if seeds > 1 else (0.0,)
            found = [
                coverage(experiments, clusters, seeds, *rest) for rest in product(SHARES, spreads)
            ]
            told = [covered for covered, given in found if given]
            cells.append(spans(told) if told else TOO_FEW)
        yield f"| {_units(clusters)} | " + " | ".join(cells) + " |"


def graded_rows(experiments: int) -> Iterator[str]:
    """Coverage where sentences are graded and clusters are of unequal sizes."""
    yield "| clusters | one seed |"
    yield "| --- | --- |"
    for clusters in CLUSTERS[1:]:
        covered = spans([graded(experiments, clusters, share) for share in SHARES])
        yield f"| {clusters} | {covered} |"


def pair_rows(experiments: int) -> Iterator[str]:
    """Size and coverage of differences: a row per seeds of both, a column per number of units.

    Cells in which fewer than one experiment in five had enough to tell are left out.
    """
    units = (6, 10, 20, 60, None)
    yield f"| seeds | {' | '.join(map(_units, units))} | coverage |"
    yield "| --- |" + " --- |" * (len(units) + 1)
    for seeds in PAIRINGS:
        spreads = SEED_SPREADS if max(seeds) > 1 else (0.0,)
        alarms, covered = [], []
        for clusters in units:
            found = [
                comparison(experiments, clusters, seeds, *rest) for rest in product(SHARES, spreads)
            ]
            told = [row for row in found if row[2] >= 20]
            alarms.append(spans([row[0] for row in told]) if told else "-")
            covered += [row[1] for row in told]
        yield f"| {seeds[0]}, {seeds[1]} | {' | '.join(alarms)} | {spans(covered)} |"


def family_rows(experiments: int) -> Iterator[str]:
    """What Holm's correction leaves of false alarms, and of one clear difference."""
    yield "| systems | false alarms, 1 seed | 3 seeds | clear difference seen, 1 seed | 3 seeds |"
    yield "| --- | --- | --- | --- | --- |"
    for systems in SYSTEMS:
        count = max(50, 10 * experiments // systems**2) if systems > 5 else experiments
        found = [families(count, systems, seeds) for seeds in (1, 3)]
        cells = [f"{found[seeds][place]:.1f}" for place in (0, 1) for seeds in (0, 1)]
        yield f"| {systems} | {' | '.join(cells)} |"


def slice_rows(experiments: int) -> Iterator[str]:
    """Differences on slices whose luck over seeds is learned from all of them."""
    yield (
        "| slices | seeds | luck | false alarms on a slice | on any, Holm | coverage | 30 against "
        "70% seen by itself | by all |"
    )
    yield "| --- |" + " --- |" * 7
    for slices, seeds, (kind, luck) in product(SLICES, SLICE_PAIRINGS, SLICE_LUCK.items()):
        found = sliced(max(40, 3 * experiments // slices), slices, seeds, luck)
        cells = " | ".join(f"{share:.1f}" for share in found)
        yield f"| {slices} | {seeds[0]}, {seeds[1]} | {kind} | {cells} |"


def _units(clusters: int | None) -> str:
    return f"{ITEMS} sentences" if clusters is None else f"{clusters} clusters"


TABLES = {
    "single": single_rows,
    "graded": graded_rows,
    "pairs": pair_rows,
    "families": family_rows,
    "slices": slice_rows,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=1_000, help="per cell (1,000)")
    parser.add_argument("--only", choices=TABLES, help="one table of them")
    options = parser.parse_args()
    for name, rows in TABLES.items():
        for row in rows(options.experiments) if options.only in (None, name) else ():
            print(row, flush=True)
        print()
