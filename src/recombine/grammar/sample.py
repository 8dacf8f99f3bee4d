"""Draw trees: every choice comes from the stream of (seed, name, candidate).

Candidates are numbered from 0. A candidate is built from the product of grammar and constraints
(so patterns, depths and roles hold by construction), then repaired where words do not go
together, then dropped if it repeats a word or a sentence and the split forbids that. The n-th
tree is the n-th candidate that was kept.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Iterator

from recombine.errors import GrammarError
from recombine.grammar.automaton import Automaton
from recombine.grammar.constraints import Constraints
from recombine.grammar.inventory import Inventory
from recombine.grammar.product import Choice, Product, ProductBuilder
from recombine.grammar.realise import Realiser
from recombine.grammar.selection import selector_of
from recombine.grammar.stream import WORDS, Stream
from recombine.grammar.tree import Tree

MAX_NODES = 20_000  # of one tree
PATIENCE = 20_000  # candidates dropped in a row before we say that it is hopeless


class Sampler:
    """Draws the trees of one set of constraints."""

    def __init__(
        self,
        inventory: Inventory,
        constraints: Constraints,
        realiser: Callable[[str], Realiser],
    ) -> None:
        self.inventory = inventory
        self.constraints = constraints
        product = ProductBuilder(inventory, constraints).build()
        if product is None:
            raise GrammarError(*explain_impossible(inventory, constraints))
        self.product: Product = product
        self._selector = selector_of(inventory) if constraints.select else None
        self._no_repeat = realiser(constraints.no_repeat) if constraints.no_repeat else None
        # Articles and the like: words of the class "closed" may come again.
        self._closed = frozenset(
            code
            for code, word in enumerate(inventory.words, start=inventory.first_word)
            if "closed" in word.classes
        )
        # A word with one form that is drawn twice repeats it: no need to spell the sentence out.
        self._invariable = self._words_of_one_form() if self._no_repeat is not None else frozenset()
        self._unique: Callable[[tuple[int, ...]], object] | None = None
        if constraints.unique == "tree":
            self._unique = lambda codes: codes
        elif constraints.unique is not None:
            self._unique = realiser(constraints.unique).fill

    @property
    def acceptance(self) -> float:
        """The share of the grammar's trees that the constraints admit."""
        return self.product.acceptance

    @property
    def trees(self) -> float:
        """How many different trees there are (infinite for recursive grammars)."""
        return self.product.trees

    def draw(
        self, count: int, *, seed: int = 0, stream: str = "", first: int = 0
    ) -> Iterator[Tree]:
        """Yield trees; raises GrammarError when too many candidates in a row had to be dropped."""
        inventory = self.inventory
        for _, codes in self.draw_codes(count, seed=seed, stream=stream, first=first):
            yield Tree(inventory, codes)

    def draw_codes(
        self, count: int, *, seed: int = 0, stream: str = "", first: int = 0
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield (candidate number, codes of the tree)."""
        if self._unique is not None and count > self.trees:
            raise GrammarError(
                f"{count} different trees are asked for, but only {self.trees:.0f} exist",
                hint="ask for fewer, or allow more structures or words",
            )
        if not (self._selector or self._no_repeat or self._unique):
            yield from self._plain(count, Stream(seed, stream), first)
            return
        seen: set[object] = set()
        left, dropped_repeats, dropped_known = count, 0, 0
        candidates = self._plain(None, Stream(seed, stream), first)
        if self._selector is not None:
            candidates = self._repaired(Stream(seed, stream), first)
        for number, codes in candidates:
            if left <= 0:
                return
            if self._no_repeat is not None and (
                self._drawn_twice(codes) or _repeats(self._no_repeat, codes, self._closed)
            ):
                dropped_repeats += 1
            else:
                key = self._unique(codes) if self._unique is not None else None
                if key is None or key not in seen:
                    if key is not None:
                        seen.add(key)
                    left -= 1
                    dropped_repeats = dropped_known = 0
                    yield number, codes
                    continue
                dropped_known += 1
            if dropped_repeats + dropped_known >= PATIENCE:
                raise self._hopeless(count, left, dropped_repeats, dropped_known)

    def _words_of_one_form(self) -> frozenset[int]:
        assert self._no_repeat is not None
        forms = self._no_repeat.concrete.word_forms
        return frozenset(
            code
            for code in range(self.inventory.first_word, len(self.inventory.labels))
            if code not in self._closed and set(forms(code)) == {"form"}
        )

    def _drawn_twice(self, codes: tuple[int, ...]) -> bool:
        words = [code for code in codes if code in self._invariable]
        return len(words) != len(set(words))

    def _hopeless(self, count: int, left: int, repeats: int, known: int) -> GrammarError:
        reasons = []
        if repeats:
            reasons.append(f"{repeats} repeated a word (no_repeat)")
        if known:
            reasons.append(f"{known} were there already (unique)")
        return GrammarError(
            f"found {count - left} of {count} trees, then {PATIENCE} candidates in a row failed: "
            + " and ".join(reasons),
            hint="ask for fewer trees, or allow more structures or words",
        )

    def _plain(
        self, count: int | None, stream: Stream, first: int
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Walk the product top down, one word of the stream per real choice, in preorder."""
        tables = [
            (choice.thresholds, choice.codes, choice.children, choice.is_word)
            for choice in self.product.choices
        ]
        root = self.product.root
        bisect = bisect_right
        limit = WORDS
        left = -1 if count is None else count
        if left == 0:
            return
        for number, words in stream.rows(first):
            codes: list[int] = []
            emit = codes.append
            stack = [root]
            pop = stack.pop
            push = stack.extend
            used = 0
            while stack:
                thresholds, alternatives, children, is_word = tables[pop()]
                if thresholds:
                    if used == limit:
                        stream.extend(number, words)
                        limit = len(words)
                        if limit > MAX_NODES:
                            raise self._too_large()
                    picked = bisect(thresholds, words[used])
                    used += 1
                else:
                    picked = 0
                if is_word:
                    emit(alternatives[picked])
                else:
                    code = alternatives[picked]
                    if code >= 0:
                        emit(code)
                    push(children[picked])
            limit = WORDS
            yield number, tuple(codes)
            left -= 1
            if left == 0:
                return

    def _repaired(self, stream: Stream, first: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The same walk, keeping where each word may be drawn from, then mending word pairs."""
        choices = self.product.choices
        selector = self._selector
        assert selector is not None
        for number, words in stream.rows(first):
            codes: list[int] = []
            sources: list[int] = []  # per node: the choice it was drawn from
            shape: list[int] = []  # like codes, but -1 for words
            stack = [self.product.root]
            used = 0
            while stack:
                symbol = stack.pop()
                choice = choices[symbol]
                picked = 0
                if choice.thresholds:
                    if used == len(words):
                        stream.extend(number, words)
                        if len(words) > MAX_NODES:
                            raise self._too_large()
                    picked = bisect_right(choice.thresholds, words[used])
                    used += 1
                code = choice.codes[picked]
                if choice.is_word:
                    codes.append(code)
                    sources.append(symbol)
                    shape.append(-1)
                    continue
                if code >= 0:
                    codes.append(code)
                    sources.append(symbol)
                    shape.append(code)
                stack.extend(choice.children[picked])
            for governor, dependent, selection in selector.ties(tuple(shape), codes):
                if used == len(words):
                    stream.extend(number, words)
                words_of = choices[sources[dependent]].codes
                if selector.mend(codes, governor, dependent, selection, words_of, words[used]):
                    used += 1
            yield number, tuple(codes)

    def _too_large(self) -> GrammarError:
        return GrammarError(
            f"a tree needs more than {MAX_NODES} choices",
            hint="recursive rules weigh too much; lower their weights or bound their depth",
        )


def _repeats(realiser: Realiser, codes: tuple[int, ...], closed: frozenset[int]) -> bool:
    slots = [slot for slot in realiser.form_slots(codes) if codes[slot[0]] not in closed]
    forms = {column[codes[node]] for node, column in slots}
    if len(forms) == len(slots):
        return False
    return len({node for node, _ in slots}) != len(forms)


def explain_impossible(inventory: Inventory, constraints: Constraints) -> tuple[str, None, str]:
    """Say which demand cannot be met: alone, or together with which other."""
    singles: list[tuple[str, Constraints]] = []
    bare = Constraints(weights=constraints.weights, start=constraints.start)
    if ProductBuilder(inventory, bare).build() is None:
        raised = [name for name, rule in inventory.abstract.rules.items() if rule.weight == 0]
        return (
            f"no tree can be built from '{constraints.start or inventory.abstract.start[0]}'"
            " with these weights",
            None,
            "rules of weight 0 need a weight: " + ", ".join(raised[:8])
            if raised
            else "some category can never end",
        )
    for text in constraints.require:
        singles.append((f'require "{text}"', dataclasses.replace(bare, require=(text,))))
    for text in constraints.exclude:
        singles.append((f'exclude "{text}"', dataclasses.replace(bare, exclude=(text,))))
    for tag, bound in constraints.depth.items():
        singles.append((f"depth of {tag}: {bound}", dataclasses.replace(bare, depth={tag: bound})))
    for tag, bound in constraints.count.items():
        singles.append((f"count of {tag}: {bound}", dataclasses.replace(bare, count={tag: bound})))
    for word, roles in constraints.only.items():
        singles.append(
            (f"only {word}: {list(roles)}", dataclasses.replace(bare, only={word: roles}))
        )
    for name, alone in singles:
        if ProductBuilder(inventory, alone).build() is None:
            return f"no tree of the grammar meets: {name}", None, _zero_hint(inventory, alone)
    for index, (name, one) in enumerate(singles):
        for other_name, other in singles[index + 1 :]:
            if ProductBuilder(inventory, _both(one, other)).build() is None:
                return f"no tree meets both: {name} and {other_name}", None, "drop one of the two"
    names = "; ".join(name for name, _ in singles)
    return f"no tree meets all of: {names}", None, "each two of them go together, but not all"


def _both(one: Constraints, other: Constraints) -> Constraints:
    return dataclasses.replace(
        one,
        require=one.require + other.require,
        exclude=one.exclude + other.exclude,
        depth={**one.depth, **other.depth},
        count={**one.count, **other.count},
        only={**one.only, **other.only},
    )


def _zero_hint(inventory: Inventory, constraints: Constraints) -> str:
    zero = [
        name
        for name, rule in inventory.abstract.rules.items()
        if rule.weight == 0 and not constraints.weights.get(name)
    ]
    helpful = [
        name
        for name in zero
        if ProductBuilder(
            inventory, dataclasses.replace(constraints, weights={**constraints.weights, name: 1.0})
        ).build()
        is not None
    ]
    if helpful:
        return f"rule '{helpful[0]}' has weight 0 here; give it a weight for this split"
    return "the rules do not allow such a tree"


def admits(inventory: Inventory, constraints: Constraints, tree: Tree) -> bool:
    """Whether a tree meets the demands that are about trees."""
    return Automaton(inventory, constraints).admits(tree.codes, tree.positions)


__all__ = ["Choice", "Sampler", "admits", "explain_impossible"]
