"""Training with recombined pairs: how many, beside the training pairs, and which weights to use.

A dev set of training's own kind is translated without a fault long before training ends, and cannot
choose: among equals the earliest wins. So the last weights are used, `choose = "last"`: recombined
pairs are many and each is seen a few times, so that none is learned by heart. Or a dev set is made
that is not perfect so soon, `choose = "held-out"`: some combinations of two words that recombining
made and training never shows are held out, and with them every recombined pair that has one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from recombine.augment.files.certificate import track_of, words_of
from recombine.augment.options import AugmentOptions, Recombined
from recombine.benchmark import Example
from recombine.config import Document, parse_config, to_plain
from recombine.errors import ConfigError, DataError


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """What `augment = { ... }` of a system says besides the options of a method.

    ratio: so many recombined pairs for each training pair, instead of `n` in all.
    copies: how often the training pairs themselves are there.
    choose: the weights that are used: the last, the best on held-out recombinations, the best on
        the benchmark's dev set. held_out: how many recombinations are held out.
    """

    ratio: float = 0.0
    copies: int = 2
    choose: Literal["last", "held-out", "dev"] = "last"
    held_out: int = 500

    def __post_init__(self) -> None:
        if self.ratio < 0 or self.copies < 0 or self.held_out < 1:
            raise ConfigError("'ratio' and 'copies' must not be negative, 'held_out' at least 1")


class AugmentedTraining(NamedTuple):
    """`augment = { ... }` of a system: how to mix, and the options of the method."""

    mixture: Mixture
    options: dict[str, Any]

    def number(self, pairs: int) -> int:
        """Return how many recombined pairs are asked for beside so many training pairs."""
        if self.mixture.ratio:
            return max(1, round(self.mixture.ratio * pairs))
        asked: int = self.options.get("n", AugmentOptions.n)
        return asked

    def fingerprint(self) -> dict[str, Any]:
        """Return all that a model depends on, defaults included."""
        options = AugmentOptions(**self.options)
        track = track_of(options.method, options.grammar)
        said = {"track": track, **to_plain(self.mixture), **options.said()}
        # The languages are the benchmark's where nothing is said.
        for name in ("source_language", "target_language"):
            if name not in self.options:
                del said[name]
        if self.mixture.ratio:
            del said["n"]
        return said


def read_mixture(
    given: Any, *, prefix: str = "augment", document: Document | None = None
) -> AugmentedTraining:
    """Read `augment = { ... }`; a typo is found before any work begins."""
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"'{prefix}' must be a table", hint="augment = { n = 250000 }, or { ratio = 5 }"
        )
    mine = {field.name for field in fields(Mixture)}
    known = {*mine, *(field.name for field in fields(AugmentOptions))}
    if unknown := [key for key in given if key not in known]:
        parse_config(AugmentOptions, {unknown[0]: 0}, document=document, prefix=prefix)
    mixing = {key: value for key, value in given.items() if key in mine}
    rest = {key: value for key, value in given.items() if key not in mine}
    mixture = parse_config(Mixture, mixing, document=document, prefix=prefix)
    options = parse_config(AugmentOptions, rest, document=document, prefix=prefix)
    if mixture.ratio and "n" in rest:
        raise ConfigError(
            f"'{prefix}' has both n and ratio", hint="n in all, or ratio for each training pair"
        )
    return AugmentedTraining(mixture, {key: getattr(options, key) for key in rest})


class HeldOutPairs(NamedTuple):
    """Pairs to learn from, and pairs with combinations of words that those do not have."""

    train: list[Recombined]
    held_out: list[Recombined]


def hold_out(
    pairs: Sequence[Recombined], trained: Sequence[str], size: int, seed: int = 0
) -> HeldOutPairs:
    """Hold out combinations of neighbouring words until `size` pairs or more have one.

    A combination is one that recombining made: `trained` sources do not have it. Each has a number
    by a hash of it. The pairs with the smallest numbers are held out, which are all the pairs that
    have one of the combinations up to the last number.
    """
    seen = {two for source in trained for two in pairwise(words_of(source))}
    numbers: dict[tuple[str, str], int] = {}

    def number(two: tuple[str, str]) -> int:
        if two not in numbers:
            digest = hashlib.sha256(f"{seed}\0{two[0]}\0{two[1]}".encode()).digest()
            numbers[two] = int.from_bytes(digest[:8], "big")
        return numbers[two]

    least = [
        min((number(two) for two in pairwise(words_of(pair.source)) if two not in seen), default=-1)
        for pair in pairs
    ]
    ranked = sorted(one for one in least if one >= 0)
    if not ranked:
        raise DataError(
            f"of {len(pairs):,} recombined pairs none has two words together that training lacks",
            hint='choose = "last"',
        )
    # Half of these pairs at the most: there must be something to learn from.
    last = ranked[min(size, max(1, len(ranked) // 2)) - 1]
    held = [pair for pair, one in zip(pairs, least, strict=True) if 0 <= one <= last]
    return HeldOutPairs(
        [pair for pair, one in zip(pairs, least, strict=True) if not 0 <= one <= last], held[:size]
    )


def as_examples(pairs: Sequence[Recombined]) -> list[Example]:
    """Return pairs as training examples."""
    return [
        Example.make(source=pair.source, references=(pair.target,), tags={"pattern": "recombined"})
        for pair in pairs
    ]
