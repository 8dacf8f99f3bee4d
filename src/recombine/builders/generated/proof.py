"""RowProof: every example of a generated benchmark is what its file says, by the grammar alone.

A sentence is parsed with the benchmark's own grammar. Some analysis must explain the whole row: its
translation is the first reference and its variants are the others, it shows the pattern, the depth
and the target word that the row is labelled with, and it gives the row's tags and focus. The
analysis that is meant is tried first; of an ambiguous sentence any analysis will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from recombine.benchmark import TRAIN, TRAINING_SPLITS, Example
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.judge import Judge
from recombine.builders.generated.pairs import PairReader, reference_of
from recombine.grammar.tree import Tree
from recombine.parallel import cores, run_in_fork
from recombine.progress import progress

EVIDENCE = 3  # offending sentences kept as evidence
MOST_PROCESSES = 8


class Fault(NamedTuple):
    """What is wrong with one row."""

    split: str
    line: int
    label: str  # the pattern it is labelled with
    kind: str
    message: str


class TrainFindings(NamedTuple):
    """What the analyses of training sentences show."""

    shown: dict[str, tuple[int, list[str]]]  # pattern -> how often, and the first sentences
    unparsed: int
    words: dict[str, int]


class RowProof(NamedTuple):
    """What is wrong with rows, what training shows, and what each split has of strange pairs."""

    faults: list[Fault]
    training: dict[str, TrainFindings]  # of train, and of a control
    violations: dict[str, int]  # split -> sentences whose words do not go together


def prove_rows(blueprint: Blueprint, examples: Mapping[str, Sequence[Example]]) -> RowProof:
    """Prove every row, on all cores."""
    training = [split for split in TRAINING_SPLITS if split in examples]
    longest = longest_in_train(blueprint, examples.get(TRAIN, ()))
    rows = [(s, n, row) for s, every in examples.items() for n, row in enumerate(every, start=1)]
    shares = min(MOST_PROCESSES, cores())
    bounds = [len(rows) * number // shares for number in range(shares + 1)]
    parts = [rows[start:end] for start, end in pairwise(bounds)]
    others = [run_in_fork(partial(_prove_share, blueprint, part, longest)) for part in parts[1:]]
    with progress("prove", len(parts[0])) as bar:
        own = _prove_share(blueprint, parts[0], longest, bar.advance)
    found = [own, *(result() for result in others)]
    violations = Counter[str]()
    for proof in found:
        violations.update(proof.violations)
    return RowProof(
        [fault for proof in found for fault in proof.faults],
        {split: _joined([proof.training[split] for proof in found]) for split in training},
        {split: violations[split] for split in examples} if blueprint.options.selection else {},
    )


def look_in_training(
    blueprint: Blueprint, examples: Mapping[str, Sequence[Example]]
) -> dict[str, TrainFindings]:
    """Parse the sentences to train on; count held-out patterns, failures and words of each split.

    A control has most sentences of train: each is parsed once.
    """
    reader = PairReader(blueprint)
    times = {
        split: Counter((row.source, reference_of(row)) for row in examples[split])
        for split in TRAINING_SPLITS
        if split in examples
    }
    looks = {split: _TrainLook(blueprint) for split in times}
    for pair in dict.fromkeys(pair for counted in times.values() for pair in counted):
        tree = reader.analyse(*pair)
        for split, counted in times.items():
            if pair in counted:
                looks[split].add(pair[0], tree, counted[pair])
    return {split: look.findings() for split, look in looks.items()}


class _TrainLook:
    """Counts what training shows, sentence by sentence."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.held = blueprint.held
        self.inventory = blueprint.grammar.inventory
        self.counts: Counter[str] = Counter()
        self.evidence: dict[str, list[str]] = {name: [] for name in self.held.held}
        self.words: Counter[int] = Counter()
        self.unparsed = 0

    def add(self, source: str, tree: Tree | None, times: int = 1) -> None:
        if tree is None:
            self.unparsed += times
            return
        first = self.inventory.first_word
        self.words.update([code for code in tree.codes if code >= first] * times)
        for name in self.held.shown_by(tree.codes):
            self.counts[name] += times
            if len(self.evidence[name]) < EVIDENCE and source not in self.evidence[name]:
                self.evidence[name].append(source)

    def findings(self) -> TrainFindings:
        labels = self.inventory.labels
        return TrainFindings(
            {name: (self.counts[name], self.evidence[name]) for name in self.held.held},
            self.unparsed,
            {labels[code]: count for code, count in self.words.items()},
        )


def _joined(found: Sequence[TrainFindings]) -> TrainFindings:
    shown = {
        name: (
            sum(findings.shown[name][0] for findings in found),
            list(dict.fromkeys(s for findings in found for s in findings.shown[name][1]))[
                :EVIDENCE
            ],
        )
        for name in found[0].shown
    }
    words: Counter[str] = Counter()
    for findings in found:
        words.update(findings.words)
    return TrainFindings(shown, sum(findings.unparsed for findings in found), dict(words))


def longest_in_train(blueprint: Blueprint, train: Sequence[Example]) -> int:
    """The words of the longest training sentence that is not composed."""
    composed = blueprint.labels(TRAIN, composed=True)
    lengths = [row.tags.get("length") for row in train if row.tags.get("pattern") not in composed]
    return max((length for length in lengths if isinstance(length, int)), default=0)


def _prove_share(
    blueprint: Blueprint,
    rows: Sequence[tuple[str, int, Example]],
    longest: int,
    advance: Callable[[], None] = lambda: None,
) -> RowProof:
    judge = Judge(blueprint, longest)
    looks = {split: _TrainLook(blueprint) for split in TRAINING_SPLITS}
    faults = []
    violations = Counter[str]()
    for split, line, example in rows:
        advance()
        tree = judge.reader.read(example.source, reference_of(example))
        if split in looks:
            looks[split].add(example.source, tree)
        if tree is not None and blueprint.violates(tree):
            violations[split] += 1
        label = str(example.tags.get("pattern", ""))
        faults += [
            Fault(split, line, label, kind, message)
            for kind, message in judge.faults(split, label, example, tree)
        ]
    return RowProof(faults, {split: look.findings() for split, look in looks.items()}, violations)


def violation_bounds(blueprint: Blueprint, rows: Sequence[Example]) -> tuple[int, int]:
    """The fewest and the most sentences whose words do not go together, however pairs are read.

    A pair that is ambiguous in both languages does not tell which of its trees was drawn.
    """
    reader = PairReader(blueprint)
    fewest = most = 0
    for example in rows:
        reference = reference_of(example)
        meant = reader.read(example.source, reference)
        if meant is None:
            continue
        found = {blueprint.violates(meant)} | {
            blueprint.violates(tree)
            for tree in reader.others(example.source, reference, meant)
            if reader.translation(tree) == reference
        }
        fewest += found == {True}
        most += True in found
    return fewest, most
