"""Draw trees: every choice comes from the stream of (seed, name, candidate).

Candidates are numbered from 0. A candidate is drawn top down from the product of grammar and
constraints (product.py), one word of its random stream per choice, so patterns, depths and counts
hold by construction and nothing is thrown away for them. What depends on two words at once is no
matter of states: words that do not go together (selection.py) or that repeat a word form, where the
split forbids that, are drawn again from the choice they came from. A candidate is dropped if some
word still repeats after REDRAWS rounds. The n-th tree is the n-th candidate that was kept, whatever
machine draws it and however many are drawn at a time.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.sampling.automaton import Automaton
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.sampling.product import Product, ProductBuilder
from recombine.grammar.sampling.random_stream import Stream
from recombine.grammar.sampling.selection import WordFitter, selector_of
from recombine.grammar.tree import Tree

REDRAWS = 24  # rounds of drawing repeated words again
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
        selector = selector_of(inventory) if constraints.select else None
        is_restricted = selector is not None and bool(inventory.abstract.selections)
        self._fitter = WordFitter(selector, product.choices) if selector and is_restricted else None
        self._mender = selector.mender if selector else None
        self._no_repeat = realiser(constraints.no_repeat) if constraints.no_repeat else None
        # A clause of a language may have no form by itself; its words are then told by their names.
        start = constraints.start
        self._is_sayable = self._no_repeat is None or all(
            self._no_repeat.compiled.line(code, self._no_repeat.root) is not None
            for code in (inventory.rules_of.get(start, ()) if start else ())
        )
        # Articles and the like: words of the class "closed" may come again.
        self._closed = frozenset(
            code
            for code, word in enumerate(inventory.words, start=inventory.first_word)
            if "closed" in word.classes
        )

    def drawable(self) -> frozenset[int]:
        """The rules and words that some tree has, and what mending may put into their place."""
        codes = {code for choice in self.product.choices for code in choice.codes if code >= 0}
        fallback = {
            word for mending in self.inventory.abstract.mendings for word in mending.fallback
        }
        return frozenset(codes | {self.inventory.code(word) for word in fallback})

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
        if not (self._fitter or self._mender or self._no_repeat):
            yield from self._plain(count, Stream(seed, stream), first)
            return
        left, dropped = count, 0
        for number, codes in self._mended(Stream(seed, stream), first):
            if left <= 0:
                return
            if codes is not None:
                left -= 1
                dropped = 0
                yield number, codes
                continue
            dropped += 1
            if dropped >= PATIENCE:
                raise GrammarError(
                    f"found {count - left} of {count} trees, then {PATIENCE} candidates in a row"
                    " repeated a word (no_repeat) or had words that do not go together (%select)",
                    hint="ask for fewer trees, allow more structures or words (deep clauses need"
                    " a verb each), words that repeat (no_repeat = false) or that do not go"
                    " together (selection = false); `sample` takes --any-words",
                )

    def _plain(
        self, count: int, stream: Stream, first: int
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Walk the product top down, one word of the stream per real choice, in preorder."""
        tables = [
            (choice.thresholds, choice.codes, choice.children) for choice in self.product.choices
        ]
        start = self.product.root
        for number, random in islice(stream.rows(first), count):
            codes: list[int] = []
            emit = codes.append
            stack = [start]
            pop = stack.pop
            push = stack.extend
            while stack:
                thresholds, alternatives, children = tables[pop()]
                picked = bisect_right(thresholds, next(random)) if thresholds else 0
                emit(alternatives[picked])
                push(children[picked])
            yield number, tuple(codes[1:])

    def _mended(self, stream: Stream, first: int) -> Iterator[tuple[int, tuple[int, ...] | None]]:
        """The same walk, keeping where each word was drawn from; None where words do not fit."""
        choices = self.product.choices
        tables = [(choice.thresholds, choice.codes, choice.children) for choice in choices]
        start, first_word = self.product.root, self.inventory.first_word
        fitter, mender = self._fitter, self._mender
        for number, random in stream.rows(first):
            codes: list[int] = []
            sources: list[int] = []  # per node: the choice it was drawn from
            stack = [start]
            while stack:
                symbol = stack.pop()
                thresholds, alternatives, children = tables[symbol]
                picked = bisect_right(thresholds, next(random)) if thresholds else 0
                codes.append(alternatives[picked])
                sources.append(symbol)
                stack.extend(children[picked])
            del codes[0], sources[0]
            shape = tuple([code if code < first_word else -1 for code in codes])
            for _ in range(REDRAWS):
                if fitter is not None and not fitter.fit(shape, codes, sources, random):
                    yield number, None
                    break
                if mender is not None:
                    for tie in mender.ties(shape, codes):
                        mender.mend(codes, tie, choices[sources[tie.dependent]].codes, random)
                repeated = self._repeated(codes)
                if not repeated:
                    yield number, tuple(codes)
                    break
                for node in repeated:
                    choice = choices[sources[node]]
                    codes[node] = choice.codes[bisect_right(choice.thresholds, next(random))]
            else:
                yield number, None

    def _repeated(self, codes: list[int]) -> list[int]:
        """The nodes of words whose form stands in the sentence before."""
        if self._no_repeat is None:
            return []
        labels, first_word = self.inventory.labels, self.inventory.first_word
        if self._is_sayable:
            slots = self._no_repeat.form_slots(codes)
            said = [column[codes[node]] for node, column in slots]
            if len(set(said)) == len(said):
                return []  # as in most sentences, no piece of any word comes twice
            pieces: dict[int, str] = {}
            for (node, _), form in zip(slots, said, strict=True):
                # A word in pieces (a verb and its particle) is all of them.
                pieces[node] = f"{pieces[node]}\0{form}" if node in pieces else form
        else:
            pieces = {n: labels[code] for n, code in enumerate(codes) if code >= first_word}
        first: dict[str, int] = {}
        closed = self._closed
        return [
            node
            for node, form in pieces.items()
            if codes[node] not in closed and first.setdefault(form, node) != node
        ]


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
