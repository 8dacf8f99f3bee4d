"""How far the rules go: combinations of training are hidden, and made again from the rest.

Nothing but training pairs is used, so thresholds can be chosen here without a look at any test set.
All pairs are read with the rules learnt from all of them (derivation.py). A combination is a word
in a frame (*passed* in `X1 _ X2 to X3.`; a form when it is left in no other frame), a head in a
slot (*hedgehog* as a subject), a row of modifiers in a slot, or clauses and modifiers deeper than
one. In each fold some combinations are chosen by a hash, and every pair that has one of them is
hidden. Then it is asked of the rules learnt from the rest: is the source of a hidden pair derived,
and with the target that it has?
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recombine.augment.options import AugmentOptions, TrainingPair
from recombine.augment.recombiner import Recombiner
from recombine.augment.trial.derivation import Reading, Use
from recombine.errors import DataError
from recombine.progress import progress

# A combination that is seen less often may be an error of alignment.
FEWEST_PAIRS = 3
# Of each combination so many pairs are asked for, so that no frequent word decides.
MOST_PAIRS = 5
DEEP = 2


@dataclass
class TrialRow:
    """Of the hidden pairs with one kind of combination: how many are derived, and rightly."""

    kind: str
    combinations: int = 0
    pairs: int = 0
    derived: int = 0
    # Where a source has several derivations, the share of them that give the pair's own target.
    right: float = 0.0

    @property
    def coverage(self) -> float:
        """The share of the hidden pairs whose source is derived."""
        return self.derived / self.pairs if self.pairs else 0.0

    @property
    def precision(self) -> float:
        """Of those that are derived, the share with the right target."""
        return self.right / self.derived if self.derived else 0.0


@dataclass(frozen=True)
class HeldOutFold:
    """Pairs to learn from, and by kind and combination the hidden ones to ask for."""

    train: list[TrainingPair]
    asked: dict[str, dict[Use, list[TrainingPair]]]


def read_pairs(method: Recombiner, pairs: Sequence[TrainingPair]) -> list[Reading | None]:
    """Return the reading of each pair that gives its own target, by the rules of all pairs."""
    if method.repertoire.inflector is not None:
        raise DataError(
            "where articles and forms agree with nouns, pairs are not read backwards yet",
            hint="--held-out is for pairs in which one language has no articles",
        )
    found: list[Reading | None] = []
    with progress("read the pairs", len(pairs)) as bar:
        for pair in pairs:
            found.append(method.own_reading(pair))
            bar.advance()
    return found


def folds(
    pairs: Sequence[TrainingPair],
    readings: Sequence[Reading | None],
    parts: int = 10,
    numbers: Iterable[int] = (0,),
) -> list[HeldOutFold]:
    """Return folds in each of which one in `parts` combinations is hidden."""
    users: dict[Use, list[int]] = defaultdict(list)
    for number, reading in enumerate(readings):
        for use in _uses(reading):
            users[use].append(number)
    places: dict[tuple[str, ...], set[Use]] = defaultdict(set)
    for use in users:
        places[use.filler].add(use)
    made = []
    for fold in numbers:
        hidden = {
            use
            for use, seen in users.items()
            if use.filler and len(seen) >= FEWEST_PAIRS and _part(use, parts) == fold
        }
        # A head that is left nowhere cannot be known; of a word another form may be left.
        gone = {use for use in hidden if use.kind != "modifiers" and places[use.filler] <= hidden}
        hidden -= {use for use in gone if use.kind == "head"}
        asked: dict[str, dict[Use, list[TrainingPair]]] = defaultdict(dict)
        for use in sorted(hidden):
            kind = "form" if use in gone else use.kind
            asked[kind][use] = [pairs[number] for number in users[use]]
        without = {number for use in hidden for number in users[use]}
        made.append(HeldOutFold([p for n, p in enumerate(pairs) if n not in without], dict(asked)))
    return made


def deep_fold(pairs: Sequence[TrainingPair], readings: Sequence[Reading | None]) -> HeldOutFold:
    """Return the fold that hides all clauses in clauses and modifiers in modifiers."""
    asked: dict[str, dict[Use, list[TrainingPair]]] = {"depth": defaultdict(list)}
    train = []
    for pair, reading in zip(pairs, readings, strict=True):
        if reading is None or (reading.clauses < DEEP and reading.modifiers < DEEP):
            train.append(pair)
        else:
            shape = f"clauses {reading.clauses}, modifiers {reading.modifiers}"
            asked["depth"][Use("modifiers", shape, ())].append(pair)
    return HeldOutFold(train, asked)


def trial(held: HeldOutFold, options: AugmentOptions, into: Mapping[str, TrialRow]) -> None:
    """Learn from what is left of a fold and count what is derived of the rest."""
    method = Recombiner.learn(held.train, options)
    for kind, combinations in held.asked.items():
        row = into[kind]
        for hidden in combinations.values():
            row.combinations += 1
            for pair in _some(hidden):
                row.pairs += 1
                targets = method.derived(pair)
                row.derived += bool(targets)
                row.right += targets.count(True) / max(1, len(targets))


def trial_rows() -> dict[str, TrialRow]:
    """Return an empty row for each kind: a form is a word that is left in no other place."""
    return {kind: TrialRow(kind) for kind in ("word", "form", "head", "modifiers", "depth")}


def held_out_trial(
    pairs: Sequence[TrainingPair],
    options: AugmentOptions,
    parts: int = 10,
    numbers: Iterable[int] = (0, 1),
) -> list[TrialRow]:
    """Hide combinations in several folds; return a row for each kind of combination."""
    readings = read_pairs(Recombiner.learn(pairs, options), pairs)
    if not any(readings):
        raise DataError("none of the pairs can be read with what was learnt from them")
    rows = trial_rows()
    for held in [*folds(pairs, readings, parts, numbers), deep_fold(pairs, readings)]:
        trial(held, options, rows)
    return list(rows.values())


def _uses(reading: Reading | None) -> set[Use]:
    return set(reading.uses) if reading else set()


def _part(use: Use, parts: int) -> int:
    text = "\0".join((use.kind, use.place, *use.filler))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % parts


def _some(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    """Return a few pairs, spread over all."""
    if len(pairs) <= MOST_PAIRS:
        return list(pairs)
    return [pairs[len(pairs) * n // MOST_PAIRS] for n in range(MOST_PAIRS)]
