"""How far the rules go: combinations of training are hidden, and derived again from the rest.

Nothing but training pairs is used, so thresholds can be chosen here without a look at any test set.
A combination is a word in a rule's source (*passed* in `X _ X to X.`), a word that a phrase in a
slot is about (*hedgehog* as a subject), a modifier in a slot, or clauses and modifiers deeper than
one. Some are chosen by a hash, and every pair that has one of them is hidden. Then it is asked of
the grammar learnt from the rest: is the source of a hidden pair derived, and with its own target?
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recombine.augment.grammar.constituents import PHRASE
from recombine.augment.grammar.rules import Derivation
from recombine.augment.options import AugmentOptions, TrainingPair
from recombine.augment.recombiner import Recombiner, depth_of
from recombine.errors import DataError

# A combination that is seen less often may be an error of alignment.
FEWEST_PAIRS = 3
# Of each combination so many pairs are asked for, so that no frequent word decides.
MOST_PAIRS = 5
# One in so many combinations is hidden.
PARTS = 10
KINDS = ("word", "phrase", "modifier", "depth")

Combination = tuple[str, str]


@dataclass
class HeldOutRow:
    """Of the hidden pairs with one kind of combination: how many are derived, and rightly."""

    kind: str
    combinations: int = 0
    pairs: int = 0
    derived: int = 0
    # Those whose first derivation, the one with the most frequent rules, has the pair's target.
    right: int = 0

    @property
    def coverage(self) -> float:
        """The share of the hidden pairs whose source is derived."""
        return self.derived / self.pairs if self.pairs else 0.0

    @property
    def precision(self) -> float:
        """Of those that are derived, the share with the right target."""
        return self.right / self.derived if self.derived else 0.0


def held_out_trial(
    pairs: Sequence[TrainingPair], options: AugmentOptions, parts: int = PARTS
) -> list[HeldOutRow]:
    """Hide combinations of pairs, learn from the rest, and count what is derived."""
    whole = Recombiner.learn(pairs, options)
    users: dict[Combination, list[int]] = defaultdict(list)
    for number, derivation in sorted(whole.grammar.derivations.items()):
        for combination in dict.fromkeys(_combinations(derivation)):
            users[combination].append(number)
    hidden = {
        combination: numbers
        for combination, numbers in users.items()
        if len(numbers) >= FEWEST_PAIRS
        and (combination[0] == "depth" or _part(combination, parts) == 0)
    }
    if not hidden:
        raise DataError(f"{len(pairs):,} pairs have no combination that could be hidden")
    rows = {kind: HeldOutRow(kind) for kind in KINDS}
    # What is deep is hidden apart: it would take too many of the other combinations along.
    for deep in (False, True):
        asked = {c: numbers for c, numbers in hidden.items() if (c[0] == "depth") == deep}
        _ask(pairs, asked, options, rows)
    return list(rows.values())


def _ask(
    pairs: Sequence[TrainingPair],
    asked: Mapping[Combination, Sequence[int]],
    options: AugmentOptions,
    rows: Mapping[str, HeldOutRow],
) -> None:
    without = {number for numbers in asked.values() for number in numbers}
    sources = {pairs[number].source for number in without}
    rest = [pair for pair in pairs if pair.source not in sources]
    method = Recombiner.learn(rest, options)
    for (kind, _), numbers in sorted(asked.items()):
        row = rows[kind]
        row.combinations += 1
        few = numbers if len(numbers) <= MOST_PAIRS else numbers[:: len(numbers) // MOST_PAIRS]
        for number in few[:MOST_PAIRS]:
            row.pairs += 1
            found = method.derived(pairs[number])
            row.derived += bool(found)
            row.right += bool(found) and found[0]


def _combinations(derivation: Derivation) -> Iterator[Combination]:
    for part in derivation.walk():
        kind, source = part.rule.frame()
        frame = f"{kind}: {' '.join(map(str, source))}"
        for slot, child in enumerate(part.children):
            if not isinstance(child, Derivation):
                yield "word", f"{frame} {slot} {child[0]}"
            elif child.rule.kind == PHRASE:
                yield "phrase", f"{frame} {slot} {child.core()[0]}"
                if child.rule.head() is not None:
                    yield "modifier", f"{frame} {slot} {child.rule.frame()[1]}"
    depth = depth_of(derivation)
    if depth > 1:
        yield "depth", str(depth)


def _part(combination: Combination, parts: int) -> int:
    digest = hashlib.sha256("\0".join(combination).encode()).digest()
    return int.from_bytes(digest[:8], "big") % parts
