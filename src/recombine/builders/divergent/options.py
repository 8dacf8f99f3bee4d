"""The options of a divergent split: what it is to be like, and how it is found.

Sizes are hard bounds. They come from what the recipe gives, or from the paper's own shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path
from typing import Literal

from recombine.builders.divergent.measure import MeasureOptions
from recombine.builders.divergent.split import Bounds, Goal
from recombine.corpus.parsers import require_relations
from recombine.errors import ConfigError

ControlKind = Literal["random", "covering"]
Size = int | tuple[int, ...] | None
TRIES = 20  # sentences that are compared for every one that is placed

# Moisio et al. 2023, Table 2 and section 3 of their experiments: of the sentences with a
# controlled atom about 80% are used for the minimal and 73.3% for the maximal split (their
# iterations 240,000 and 220,000 of 300,000), and test is 10-20% of what is used: near 20% for the
# minimal split, near 10% for the maximal one.
USED_SHARE = (0.80, 0.733)
TEST_SHARE_LEAST = (0.195, 0.10)
TEST_SHARE_MOST = (0.20, 0.11)
# Room for single moves between used and unused, as a share of all rows.
SLACK = 0.001


@dataclass(frozen=True, kw_only=True)
class DivergentOptions(MeasureOptions):
    """All options of a divergent recipe; `Divergent` builds with them."""

    corpus: Path
    target_corpus: Path | None = None
    target_language: str = ""
    target_divergence: float = 1.0
    target_atom_divergence: float = 0.0
    atom_weight: float = 1.0
    method: Literal["search", "published", "random"] = "search"
    train_size: int | tuple[int, ...] | None = None
    test_size: int | tuple[int, ...] | None = None
    used_share: float | None = None
    test_share: tuple[float, ...] | None = None
    # Take the default sizes of a split of this divergence (those of a series are all alike).
    sizes_as: float | None = None
    dev_size: int = 0
    keep_rest: bool = False
    # A second training set, for which what is tested is not kept out.
    control: ControlKind | None = None
    groups: Literal["none", "document"] = "none"
    fixed_train: Path | None = None
    fixed_train_target: Path | None = None
    start: Path | None = None
    # A split made elsewhere: a folder with train.txt, test.txt (dev.txt), a sentence number a line.
    given: Path | None = None
    given_first: int | None = None  # the number of the first sentence there: 1 unless told
    passes: int | None = None
    tries: int = TRIES
    candidates: int = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("target_divergence", "target_atom_divergence"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} = {getattr(self, name)} is not between 0 and 1")
        if self.method == "published" and (
            self.groups != "none" or self.fixed_train or self.start or self.train_size
        ):
            raise ConfigError(
                "method = 'published' takes no groups, fixed_train, start or train_size"
            )
        if self.definition != "ngrams":
            sequences = "count sequences of words (-o definition=ngrams), or give a parser; "
            require_relations(self.parser, f"definition = {self.definition!r}", sequences)
        if self.given is not None and (self.fixed_train or self.start or self.dev_size):
            raise ConfigError("a given split has its own train, dev and test")

    @property
    def way(self) -> str:
        """How the split comes about, in a word."""
        return "given" if self.given else self.method

    @property
    def goal(self) -> Goal:
        """What the split is to be like."""
        return Goal(self.target_divergence, self.target_atom_divergence, self.atom_weight)

    def bounds(self, available: int, fixed: int = 0) -> Bounds:
        """Return the sizes that a split of so many sentences keeps; `fixed` more are train.

        What is not given comes from the paper's sizes for such a divergence.
        """
        divergence = self.target_divergence if self.sizes_as is None else self.sizes_as
        available += fixed
        train = (fixed, fixed) if fixed else _span(self.train_size, available, "train_size")
        test = _span(self.test_size, available, "test_size")
        if train is None or test is None:
            share = _between(USED_SHARE, divergence) if self.used_share is None else self.used_share
            if not 0 < share <= 1:
                raise ConfigError(f"used_share = {share} is not between 0 and 1")
            low, high = _test_share(divergence, self.test_share)
            if train is None:
                most = floor(share * available)
                least = max(0, most - ceil(SLACK * available))
                if test is None:
                    smallest = max(1, ceil(low * most))
                    # In a corpus too small for the slack there is one size.
                    test = (smallest, max(smallest, floor(high * least)))
                return Bounds(train=(0, most), test=test, used=(least, most))
            test = (
                max(1, ceil(low / (1 - low) * train[0])),
                max(1, floor(high / (1 - high) * train[1])),
            )
        return Bounds(train=train, test=test, used=(train[0] + test[0], train[1] + test[1]))


def _test_share(target: float, given: tuple[float, ...] | None) -> tuple[float, float]:
    if given is None:
        return _between(TEST_SHARE_LEAST, target), _between(TEST_SHARE_MOST, target)
    low, high = (given[0], given[-1]) if given else (0.0, 0.0)
    if not 0 < low <= high < 1:
        raise ConfigError(f"test_share = {list(given)}: two shares between 0 and 1 are needed")
    return low, high


def _between(ends: tuple[float, float], target: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * min(1.0, max(0.0, target))


def _span(size: Size, available: int, name: str) -> tuple[int, int] | None:
    if size is None:
        return None
    span = (size, size) if isinstance(size, int) else tuple(size)
    if len(span) == 1:
        span = (span[0], span[0])
    if len(span) != 2 or not 0 < span[0] <= span[1]:
        raise ConfigError(f"{name} = {size}: give a number, or the least and the most")
    if span[0] > available:
        raise ConfigError(
            f"infeasible bounds: {name} = {size}, but {available:,} sentences have a "
            "controlled atom"
        )
    return span[0], span[1]
