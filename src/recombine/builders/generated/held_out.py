"""What a part holds out of training: its pattern, ready to be looked for in many trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recombine.builders.generated.parts import RecipePart, with_targets
from recombine.grammar import Grammar, Tree
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Formula, Matcher, Pattern, PatternNode
from recombine.grammar.sampling.constraints import Allowed, read_bound


class HeldOut:
    """The pattern of one part, ready to be looked for in many trees."""

    def __init__(self, grammar: Grammar, part: RecipePart) -> None:
        self.inventory = grammar.inventory
        # Empty where only depths define it.
        self.text = " | ".join(with_targets(text, part.targets) for text in part.pattern)
        self.depth: dict[str, Allowed] = {t: read_bound(t, b) for t, b in part.depth.items()}
        self._matcher: Matcher | None = None
        self._needs: list[list[frozenset[int]]] = []
        self.words: frozenset[int] = frozenset()
        if self.text:
            pattern = Pattern.parse(self.text)
            self._matcher = pattern.compile(self.inventory)
            self._needs = [self._needed(formula) for formula in _alternatives(pattern.formula)]
            self.words = named_words(pattern, self.inventory)

    @property
    def defined(self) -> bool:
        """Whether there is anything to look for."""
        return self._matcher is not None or bool(self.depth)

    def describe(self) -> str:
        """The pattern and depths as text."""
        depths = [
            f"depth of {tag} in {sorted(allowed.values)}" for tag, allowed in self.depth.items()
        ]
        return " and ".join([*([self.text] if self.text else []), *depths])

    @property
    def needs(self) -> list[list[frozenset[int]]]:
        """Ways to show it: sets of codes of which a tree has at least one each."""
        return self._needs if self._matcher is not None else [[]]

    def shows(self, tree: Tree) -> bool:
        """Whether a tree shows it."""
        return all(allowed.admits(tree.depth(tag)) for tag, allowed in self.depth.items()) and (
            self._matcher is None or self._matcher.matches(tree)
        )

    def needs_one_of(self, rules: frozenset[int]) -> bool:
        """Whether no tree shows it without one of some rules."""
        return all(any(codes <= rules for codes in way) for way in self.needs)

    def _needed(self, formula: Formula) -> list[frozenset[int]]:
        """Sets of codes of which a matching tree has at least one each (nothing for negations)."""
        if formula.node is not None:
            return self._needed_of(formula.node)
        if formula.kind == "and":
            return [codes for part in formula.parts for codes in self._needed(part)]
        return []

    def _needed_of(self, node: PatternNode) -> list[frozenset[int]]:
        found = [] if node.atom.kind == "any" else [node.atom.codes(self.inventory)]
        for branch in node.branches:
            if not branch.negated:
                found.extend(self._needed_of(branch.target))
        return found


class HeldOuts:
    """What the parts of a recipe hold out of training."""

    def __init__(self, inventory: Inventory, held: Mapping[str, HeldOut]) -> None:
        self.inventory = inventory
        self.held = held
        # The words that some pattern names.
        self.words = frozenset().union(*(held_out.words for held_out in held.values()))
        self._shapes: dict[tuple[int, ...], tuple[str, ...]] = {}
        # Most trees lack what most patterns need. One bit per needed set of codes says so at once.
        defined = {name: held_out for name, held_out in held.items() if held_out.defined}
        sets = {codes for held_out in defined.values() for way in held_out.needs for codes in way}
        bits = {codes: 1 << number for number, codes in enumerate(sets)}
        self._bits = dict.fromkeys(range(len(inventory.labels)), 0)
        for codes, bit in bits.items():
            for code in codes:
                self._bits[code] |= bit
        self._ways = {
            name: tuple(sum(bits[codes] for codes in set(way)) for way in held_out.needs)
            for name, held_out in defined.items()
        }

    def shown_by(self, codes: tuple[int, ...]) -> tuple[str, ...]:
        """The parts whose pattern a tree shows."""
        first = self.inventory.first_word
        # Words that no pattern names cannot decide, so trees that differ in those are judged once.
        shape = tuple([c if c < first or c in self.words else -1 for c in codes])
        found = self._shapes.get(shape)
        if found is None:
            tree, has = Tree(self.inventory, codes), 0
            for code in set(codes):
                has |= self._bits[code]
            found = tuple(
                name
                for name, ways in self._ways.items()
                if any(way & has == way for way in ways) and self.held[name].shows(tree)
            )
            self._shapes[shape] = found
        return found


def _alternatives(formula: Formula) -> Sequence[Formula]:
    return formula.parts if formula.kind == "or" else (formula,)


def named_words(pattern: Pattern, inventory: Inventory) -> frozenset[int]:
    """Every word that a pattern names, wanted or not."""
    return frozenset(filter(inventory.is_word, _named(pattern.formula, inventory)))


def _named(formula: Formula, inventory: Inventory) -> Iterator[int]:
    for part in formula.parts:
        yield from _named(part, inventory)
    waiting = [] if formula.node is None else [formula.node]
    while waiting:
        node = waiting.pop()
        if node.atom.kind != "any":
            yield from node.atom.codes(inventory)
        waiting.extend(branch.target for branch in node.branches)
