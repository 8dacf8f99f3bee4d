"""RowProof: every example of a generated benchmark is what its file says, by the grammar alone.

A sentence is parsed with the benchmark's own grammar. Some analysis must explain the whole row: its
translation is the first reference and its variants are the others, it shows the pattern, the depth
and the target word that the row is labelled with, and it gives the row's tags and focus. The
analysis that is meant is tried first; of an ambiguous sentence any analysis will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Example, Focus, normalise
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.held_out import named_words
from recombine.builders.generated.parts import Draw
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Pattern
from recombine.grammar.sampling.automaton import Automaton
from recombine.grammar.sampling.constraints import read_bound
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings, wordings_of
from recombine.parallel import beside, cores
from recombine.progress import progress

EVIDENCE = 3  # offending sentences kept as evidence
READINGS = 100  # analyses of one sentence that are tried
MOST_PROCESSES = 8
MAX_KEPT = 100_000  # sentences whose analysis is kept


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
    rows = [(s, n, one) for s, every in examples.items() for n, one in enumerate(every, start=1)]
    shares = min(MOST_PROCESSES, cores())
    bounds = [len(rows) * number // shares for number in range(shares + 1)]
    parts = [rows[start:end] for start, end in pairwise(bounds)]
    others = [beside(partial(_prove_share, blueprint, part, longest)) for part in parts[1:]]
    with progress("prove", len(parts[0])) as bar:
        own = _prove_share(blueprint, parts[0], longest, bar.advance)
    found = [own, *(result() for result in others)]
    violations = Counter[str]()
    for one in found:
        violations.update(one.violations)
    return RowProof(
        [fault for one in found for fault in one.faults],
        {split: _joined([one.training[split] for one in found]) for split in training},
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
        split: Counter((one.source, reference_of(one)) for one in examples[split])
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


def reference_of(example: Example) -> str:
    """The first reference; empty where there is none."""
    return example.references[0] if example.references else ""


class PairReader:
    """Finds what a sentence means: of several analyses, the one that its translation has too."""

    def __init__(self, blueprint: Blueprint) -> None:
        grammar, options = blueprint.grammar, blueprint.options
        self._parse = grammar.parser(options.source_language).parse
        # Made when it is asked for: few sentences leave open what they mean.
        self._target_parser = partial(grammar.parser, options.target_language)
        self._source = grammar.realiser(options.source_language).fill
        self._target = grammar.realiser(options.target_language).fill
        self._kept: dict[tuple[str, str], Tree | None] = {}

    def read(self, source: str, reference: str) -> Tree | None:
        """The analysis that explains the pair, else the likeliest; None without any."""
        key = source, reference
        if key not in self._kept:  # training repeats its sentences
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[key] = self.analyse(source, reference)
        return self._kept[key]

    def analyse(self, source: str, reference: str) -> Tree | None:
        """The same for pairs that do not come again."""
        parse = self._parse(source)
        tree = parse.tree
        if tree is None or parse.is_only or self.translation(tree) == reference:
            return tree
        others = self.others(source, reference, tree)
        return next((one for one in others if self.translation(one) == reference), tree)

    def translation(self, tree: Tree) -> str:
        """What the grammar says in the other language."""
        return normalise(self._target(tree.codes))

    def others(self, source: str, reference: str, but: Tree) -> Iterator[Tree]:
        """Further analyses; where the source leaves much open, the reference tells which."""
        for tree in self._parse(source).trees(READINGS):
            if tree != but:
                yield tree
        for tree in self._target_parser().parse(reference).trees(READINGS) if reference else ():
            if tree != but and normalise(self._source(tree.codes)) == source:
                yield tree


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
            sum(one.shown[name][0] for one in found),
            list(dict.fromkeys(s for one in found for s in one.shown[name][1]))[:EVIDENCE],
        )
        for name in found[0].shown
    }
    words: Counter[str] = Counter()
    for one in found:
        words.update(one.words)
    return TrainFindings(shown, sum(one.unparsed for one in found), dict(words))


def longest_in_train(blueprint: Blueprint, train: Sequence[Example]) -> int:
    """The words of the longest training sentence that is not composed."""
    composed = {one.name for one in blueprint.parts if one.split == TRAIN and one.part.compose}
    lengths = [one.tags.get("length") for one in train if one.tags.get("pattern") not in composed]
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


class Judge:
    """Compares rows with what the grammar says of their sentences."""

    def __init__(self, blueprint: Blueprint, longest: int) -> None:
        grammar, options = blueprint.grammar, blueprint.options
        self.blueprint = blueprint
        self.longest = longest
        self.inventory = grammar.inventory
        self.reader = PairReader(blueprint)
        self._target = grammar.realiser(options.target_language)
        self._admits: dict[tuple[str, str], list[tuple[int, Admission | Composition]]] = {}
        for one in (*blueprint.parts, *blueprint.control):
            drawn = one.draws
            if one.part.compose:
                root = self.inventory.code(one.part.compose)
                slots = [Admission(self.inventory, draw) for draw in drawn]
                self._admits[one.split, one.name] = [(0, Composition(root, slots))]
                drawn = ()
            for draw in (*drawn, *one.exposures):
                # Only rows that are judged say on which side of a clause they stand.
                side = draw.inside if one.part.category and one.split != CONTROL else 0
                ways = self._admits.setdefault((draw.split, draw.label), [])
                ways.append((side, Admission(self.inventory, draw)))
            self._admits.setdefault((one.split, one.name), [])

    @cached_property
    def _wordings(self) -> Wordings:
        grammar, options = self.blueprint.grammar, self.blueprint.options
        return wordings_of(grammar, options.grammar or grammar.name, options.target_language)

    def faults(
        self, split: str, label: str, example: Example, meant: Tree | None
    ) -> list[tuple[str, str]]:
        """What no analysis explains: that of the analysis that is meant."""
        if meant is None:
            # Of training, the certificate counts them.
            outside = [("grammar", "the sentence is outside the grammar")]
            return [] if split in TRAINING_SPLITS else outside
        if split == CONTROL and (split, label) not in self._admits:
            split = TRAIN  # a control has most of its sentences from there
        if (split, label) not in self._admits:
            return [("label", f"the recipe has no part '{label}' in {split}")]
        found = list(self._of_tree(split, label, example, meant))
        if not found:
            return []
        for tree in self.reader.others(example.source, reference_of(example), meant):
            if next(self._of_tree(split, label, example, tree), None) is None:
                return []
        return found

    def _of_tree(
        self, split: str, label: str, example: Example, tree: Tree
    ) -> Iterator[tuple[str, str]]:
        """What is wrong with a row if its sentence means a tree."""
        codes = tree.codes
        translation = self.reader.translation(tree)
        if example.references[:1] != (translation,):
            given = reference_of(example)
            yield "reference", f"the grammar translates it '{translation}', not '{given}'"
        elif len(example.references) > 1:
            variants = {normalise(text) for text in self._target.variants(tree)}
            for other in example.references[1:]:
                if other not in variants and not self._wordings.accepts(tree, other):
                    yield "variant", f"'{other}' is no variant of its translation"
        inside = example.tags.get(self.blueprint.options.inside_tag, 0)
        ways = self._admits[split, label]
        if not any(side == inside and way.admits(tree) for side, way in ways):
            yield "part", f"the sentence is not what '{label}' asks for"
        finder = self.blueprint.finders.get((split, label))
        is_pattern = finder is not None and bool(finder.part.category)
        tags: dict[str, str | int | float] = {"pattern": label}
        if finder is not None and is_pattern:
            held = self.blueprint.held.held.get(label)
            if held is not None and held.defined and not held.shows(tree):
                yield "pattern", f"the sentence does not show its pattern: {held.describe()}"
            targets = finder.target_words(codes)
            if finder.part.targets and len(targets) != 1:
                yield "target", f"the sentence has {len(targets)} target words instead of one"
            tags |= finder.tags(codes, 1 if inside == 1 else 0)
        if is_pattern or split in TRAINING_SPLITS:
            length = tags["length"] = len(self.blueprint.lexicon.words(example.source, codes))
            if is_pattern:
                tags["longer_than_train"] = "yes" if length > self.longest else "no"
        if example.tags != tags:
            wrong = [k for k in {**tags, **example.tags} if example.tags.get(k) != tags.get(k)]
            said = ", ".join(f"{k} is {tags.get(k)!r}, not {example.tags.get(k)!r}" for k in wrong)
            yield "tags", f"wrong tags: {said}"
        focus: tuple[Focus, ...] = ()
        if finder is not None and is_pattern:
            focus = finder.focus(codes, example.source, translation)
        if example.focus != focus:
            said = "; ".join(f"'{one.text}' as {one.role}" for one in focus) or "nothing"
            yield "focus", f"its pattern is about {said}, which is not its focus"


class Composition:
    """Whether a tree is composed by a rule, of what each of its slots asks for."""

    def __init__(self, root: int, slots: Sequence[Admission]) -> None:
        self._root = root
        self._slots = slots

    def admits(self, tree: Tree) -> bool:
        """Whether it is."""
        return tree.codes[0] == self._root and all(
            slot.admits(part) for slot, part in zip(self._slots, tree.children, strict=True)
        )


class Admission:
    """Whether a tree could have come from a draw."""

    def __init__(self, inventory: Inventory, draw: Draw) -> None:
        self.inventory = inventory
        self._limits = [(t, read_bound(t, b)) for t, b in draw.limits.items()]
        self._automaton = Automaton(inventory, draw.constraints)
        texts = (*draw.constraints.require, *draw.constraints.exclude)
        # Words that no pattern names cannot decide: trees that differ in those are judged once.
        self._telling = frozenset(
            code for text in texts for code in named_words(Pattern.parse(text), inventory)
        )
        self._shapes: dict[tuple[int, ...], bool] = {}

    def admits(self, tree: Tree) -> bool:
        """Whether it could."""
        first, telling = self.inventory.first_word, self._telling
        shape = tuple([code if code < first or code in telling else -1 for code in tree.codes])
        found = self._shapes.get(shape)
        if found is None:
            found = all(
                allowed.admits(tree.depth(tag)) for tag, allowed in self._limits
            ) and self._automaton.admits(tree.codes, tree.positions)
            self._shapes[shape] = found
        return found
