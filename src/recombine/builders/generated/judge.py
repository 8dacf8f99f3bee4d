"""Judge: whether a row is what its file says, if its sentence means a given tree.

Nothing here is code that draws rows. Tags are read off the part and the tree, the focus off the
sentence spelt out node by node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Example, Tag, normalise
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.held_out import named_words
from recombine.builders.generated.lexicon import MARKS
from recombine.builders.generated.pairs import PairReader, reference_of
from recombine.builders.generated.parts import Draw, RecipePart, with_targets
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Pattern
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.sampling.automaton import Automaton
from recombine.grammar.sampling.constraints import read_bound
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings, wordings_of

Faults = Iterator[tuple[str, str]]  # a kind, and what is wrong


class Judge:
    """Compares rows with what the grammar says of their sentences."""

    def __init__(self, blueprint: Blueprint, longest: int) -> None:
        grammar, options = blueprint.grammar, blueprint.options
        self.blueprint = blueprint
        self.options = options
        self.longest = longest
        self.inventory = grammar.inventory
        self.reader = PairReader(blueprint)
        self._source = grammar.realiser(options.source_language)
        self._target = grammar.realiser(options.target_language)
        self._parts = {(part.split, part.name): part.recipe for part in blueprint.parts}
        self._places = {
            key: FocusPlaces(self.inventory, part)
            for key, part in self._parts.items()
            if part.category
        }
        # By split and label: on which side of a clause a pattern stands, and what it must be.
        self._admits: dict[tuple[str, str], list[tuple[int, Admission | Composition]]] = {}
        for part in (*blueprint.parts, *blueprint.control):
            ways = self._admits.setdefault((part.split, part.name), [])
            draws = (*part.draws, *part.exposures)
            if part.recipe.compose:
                ways.append((0, Composition(self.inventory, part.recipe.compose, part.draws)))
                draws = part.exposures
            for draw in draws:
                # Only rows that are judged say on which side of a clause they stand.
                side = draw.inside if part.recipe.category and part.split != CONTROL else 0
                ways = self._admits.setdefault((draw.split, draw.label), [])
                ways.append((side, Admission(self.inventory, draw)))

    @cached_property
    def _wordings(self) -> Wordings:
        grammar, options = self.blueprint.grammar, self.options
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
        faults = list(self._of_tree(split, label, example, meant))
        if not faults:
            return []
        for tree in self.reader.others(example.source, reference_of(example), meant):
            if next(self._of_tree(split, label, example, tree), None) is None:
                return []
        return faults

    def _of_tree(self, split: str, label: str, example: Example, tree: Tree) -> Faults:
        """What is wrong with a row if its sentence means a tree."""
        part = self._parts.get((split, label))
        pattern = part if part is not None and part.category else None
        inside = example.tags.get(self.options.inside_tag, 0)
        yield from self._reference_faults(example, tree)
        if not any(side == inside and way.admits(tree) for side, way in self._admits[split, label]):
            yield "part", f"the sentence is not what '{label}' asks for"
        tags: dict[str, Tag] = {"pattern": label}
        if pattern is not None:
            yield from self._pattern_faults(label, pattern, tree)
            tags |= self._tags_of_pattern(pattern, tree)
            tags[self.options.inside_tag] = 1 if inside == 1 else 0
        if pattern is not None or split in TRAINING_SPLITS:
            words = len(self.blueprint.lexicon.words(example.source, tree.codes))
            tags["length"] = words
            if pattern is not None:
                tags["longer_than_train"] = "yes" if words > self.longest else "no"
        if example.tags != tags:
            wrong = [k for k in {**tags, **example.tags} if example.tags.get(k) != tags.get(k)]
            said = ", ".join(f"{k} is {tags.get(k)!r}, not {example.tags.get(k)!r}" for k in wrong)
            yield "tags", f"wrong tags: {said}"
        yield from self._focus_faults(self._places.get((split, label)), example, tree)

    def _reference_faults(self, example: Example, tree: Tree) -> Faults:
        translation = self.reader.translation(tree)
        if example.references[:1] != (translation,):
            given = reference_of(example)
            yield "reference", f"the grammar translates it '{translation}', not '{given}'"
        elif len(example.references) > 1:
            variants = {normalise(text) for text in self._target.variants(tree)}
            for other in example.references[1:]:
                if other not in variants and not self._wordings.accepts(tree, other):
                    yield "variant", f"'{other}' is no variant of its translation"

    def _pattern_faults(self, label: str, part: RecipePart, tree: Tree) -> Faults:
        held = self.blueprint.held.held.get(label)
        if held is not None and held.defined and not held.shows(tree):
            yield "pattern", f"the sentence does not show its pattern: {held.describe()}"
        targets = [word for word in tree.words() if word in part.targets]
        if part.targets and len(targets) != 1:
            yield "target", f"the sentence has {len(targets)} target words instead of one"

    def _tags_of_pattern(self, part: RecipePart, tree: Tree) -> dict[str, Tag]:
        tags: dict[str, Tag] = {"category": part.category, "group_name": part.group}
        target = next((word for word in tree.words() if word in part.targets), None)
        if target is not None:
            tags["target_word"] = self.blueprint.lexicon.citation(self.inventory.code(target))
            if part.irregular:
                tags["regularity"] = "irregular" if target in part.irregular else "regular"
        if part.depth:
            tags["depth"] = tree.depth(next(iter(part.depth)))
        return tags

    def _focus_faults(self, places: FocusPlaces | None, example: Example, tree: Tree) -> Faults:
        place = None if places is None else places.find(tree)
        if place is None:
            if example.focus:
                yield "focus", "its pattern is about nothing, which is not its focus"
            return
        node, slot = place
        stretches = self._stretches(self._source, tree, node)
        focus = example.focus[0] if len(example.focus) == 1 else None
        if (
            focus is None
            or (focus.start, focus.end) not in stretches
            or (focus.text, focus.role) != (example.source[focus.start : focus.end], slot)
        ):
            start, end = stretches[-1]
            text = example.source[start:end]
            yield "focus", f"its pattern is about '{text}' as {slot}, which is not its focus"
            return
        reference = reference_of(example)
        targets = self._stretches(self._target, tree, node)
        renderings = {reference[start:end] for start, end in targets}
        # A word may change where it meets the next: que and qu'.
        below = range(node, node + len(tree.at(node).codes))
        forms = (column[tree.codes[at]] for at, column in self._target.form_slots(tree.codes)
                 if at in below)  # fmt: skip
        if len(focus.accepted) != 1 or focus.accepted[0] not in {*renderings, *forms}:
            said = " or ".join(sorted(renderings))
            yield "focus", f"'{focus.text}' is rendered as '{said}', which is not its focus"

    def _stretches(self, realiser: Realiser, tree: Tree, node: int) -> list[tuple[int, int]]:
        """Where a sentence has a constituent: a word without what it brings with it (*que*, a
        particle), a phrase with or without the mark that closes it.
        """
        realisation = realiser.realise(tree)
        text, spans = realisation.text, realisation.stretches(node)
        word = node
        while not self.inventory.is_word(tree.codes[word]) and len(tree.positions[word]) == 1:
            word = tree.positions[word][0]
        if own := realiser.own_form(tree.codes, word):
            for start, end in spans:
                place = text[start:end].casefold().find(own.casefold())
                if place >= 0:
                    return [(start + place, start + place + len(own))]
        start, end = spans[-1]
        return [(start, start + len(text[start:end].rstrip(MARKS))), (start, end)]


class FocusPlaces:
    """Finds what a part is about in trees; those that differ in words alone are searched once."""

    def __init__(self, inventory: Inventory, part: RecipePart) -> None:
        self.inventory = inventory
        patterns = [Pattern.parse(with_targets(look.find, part.targets)) for look in part.look]
        self._looks = [
            (pattern.compile(inventory), look)
            for pattern, look in zip(patterns, part.look, strict=True)
        ]
        self._named = frozenset(c for p in patterns for c in named_words(p, inventory))
        self._places: dict[tuple[int, ...], tuple[int, str] | None] = {}

    def find(self, tree: Tree) -> tuple[int, str] | None:
        """The node that the part is about, and the slot that it fills."""
        shape = shape_of(tree, self._named)
        if shape not in self._places:
            self._places[shape] = self._search(tree)
        return self._places[shape]

    def _search(self, tree: Tree) -> tuple[int, str] | None:
        for matcher, look in self._looks:
            if nodes := matcher.find(tree):
                node = tree.node(look.take, nodes[0])
                head = tree.head(node) if look.head else None
                return node if head is None else head, look.take
        return None


class Composition:
    """Whether a tree is composed by a rule, of what each of its slots asks for."""

    def __init__(self, inventory: Inventory, rule: str, draws: Sequence[Draw]) -> None:
        self._root = inventory.code(rule)
        self._slots = [Admission(inventory, draw) for draw in draws]

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
        # Trees of one shape are judged once.
        self._named = frozenset(
            code for text in texts for code in named_words(Pattern.parse(text), inventory)
        )
        self._shapes: dict[tuple[int, ...], bool] = {}

    def admits(self, tree: Tree) -> bool:
        """Whether it could."""
        shape = shape_of(tree, self._named)
        admitted = self._shapes.get(shape)
        if admitted is None:
            admitted = all(
                allowed.admits(tree.depth(tag)) for tag, allowed in self._limits
            ) and self._automaton.admits(tree.codes, tree.positions)
            self._shapes[shape] = admitted
        return admitted


def shape_of(tree: Tree, named: frozenset[int]) -> tuple[int, ...]:
    """A tree without the words that no pattern names: those cannot decide."""
    first = tree.inventory.first_word
    return tuple([code if code < first or code in named else -1 for code in tree.codes])
