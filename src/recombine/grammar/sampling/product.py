"""The grammar times the constraints: a weighted grammar that derives only admitted trees.

The product of a context-free grammar and an automaton is again a context-free grammar (Bar-Hillel
et al. 1961 for automata on strings; ours runs on trees): its symbols are pairs (symbol, state), and
a rule A -> B C with weight w becomes (A, s) -> (B, p) (C, q) with weight w for all states p and q
from which the automaton steps to s. Only pairs that some tree reaches are made, from the words up
(`_explore`).

How often is each to be drawn? The inside weight of a pair is the total weight of its trees, and the
weights are the least solution of one equation per pair: its weight is the sum over its productions
of w times the inside weights of the parts (Nederhof and Satta 2008, section 3), found by iterating
from zero (`_inside`). A production of a pair is then drawn with its share of that sum (`_tables`):
top down, each choice already knows how much lies below it. So admitted trees are drawn with exactly
the probability the grammar gives them among each other, and a pattern that one tree in a thousand
shows costs no more than any other. The same recursion without weights counts the trees.

Shares become integer thresholds on 64-bit words, and words chosen by rank get their share of a Zipf
law by decimal arithmetic, so that the same seed gives the same trees on every machine.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Symbol
from recombine.grammar.pattern import parse_atom
from recombine.grammar.sampling.automaton import Automaton, State
from recombine.grammar.sampling.constraints import Constraints

MAX_PRODUCTIONS = 600_000
MAX_NODES = 200_000  # of a smallest tree: parts that double at every level have no end in practice
_ITERATIONS = 20_000
_TOLERANCE = 1e-14
_FULL = 1 << 64

Pair = tuple[Symbol, State]


@dataclass(frozen=True, slots=True)
class Choice:
    """The alternatives of one symbol: thresholds on a 64-bit word, codes, children (last first)."""

    thresholds: list[int]
    codes: list[int]  # -1: nothing is emitted
    children: list[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Product:
    """A grammar ready to be sampled; `root` indexes `choices`."""

    choices: list[Choice]
    root: int
    acceptance: float  # share of the grammar's trees that is admitted
    trees: float  # how many different trees there are; infinite for recursive grammars


def weigh(inventory: Inventory, constraints: Constraints) -> list[float | None]:
    """The weight of every code after overrides; None for words chosen by rank."""
    weights: list[float | None] = [rule.weight for rule in inventory.rules]
    zipf = inventory.abstract.zipf
    weights.extend(
        None if word.category in zipf and word.weight else word.weight for word in inventory.words
    )
    for name, weight in constraints.weights.items():
        if not 0 <= weight < 1e12:
            raise GrammarError(f"weight {weight} of '{name}' must be 0 or more")
        for code in sorted(parse_atom(name).codes(inventory)):
            if inventory.is_word(code) and inventory.word(code).category in zipf and weight:
                weights[code] = None  # a word chosen by rank is in or out
            else:
                weights[code] = float(weight)
    return weights


def word_weights(
    inventory: Inventory, symbol: Symbol, weights: list[float | None], constraints: Constraints
) -> dict[int, float]:
    """The words of a symbol that can be drawn, with their weights."""
    codes = inventory.choices(symbol)
    exponent = inventory.abstract.zipf.get(symbol.category)
    if exponent is not None:
        exponent = constraints.zipf or exponent
        # Words of weight 0 in the lexicon do not belong to the list; one that a split lets in takes
        # the share of the last rank. Leaving a listed word out does not promote the others.
        listed = [code for code in codes if inventory.word(code).weight]
        ranked = zipf_weights(len(listed), exponent) or (1.0,)
        shares = dict(zip(listed, ranked, strict=False))
        return {code: shares.get(code, ranked[-1]) for code in codes if weights[code] is None}
    return {code: weights[code] or 0.0 for code in codes if weights[code]}


class ProductBuilder:
    """Finds the reachable pairs of symbol and state, and their productions."""

    def __init__(self, inventory: Inventory, constraints: Constraints) -> None:
        self.inventory = inventory
        self.constraints = constraints
        self.automaton = Automaton(inventory, constraints)
        self.weights = weigh(inventory, constraints)
        self.start = Symbol(constraints.start or inventory.abstract.start[0])
        if not inventory.choices(self.start):
            raise GrammarError(f"no category '{self.start}' to start from")
        nodes = inventory.smallest.get(self.start.category, 0)
        if nodes > MAX_NODES:
            first = inventory.rule(inventory.rules_of[self.start.category][0])
            raise GrammarError(
                f"the smallest tree of '{self.start}' has {float(nodes):.3g} nodes; at most"
                f" {MAX_NODES:,} can be drawn",
                first.where,
                "add rules that end sooner: every level doubles what is below it",
            )
        self._pairs: dict[Pair, int] = {}
        self._states: dict[Symbol, list[State]] = {}
        self._lhs: list[int] = []
        self._codes: list[int] = []
        self._weights: list[float] = []
        self._children: list[tuple[int, ...]] = []

    def build(self) -> Product | None:
        """Return the product, or None where no tree is admitted."""
        self._explore()
        inside = self._inside()
        accepted = [
            (self._pairs[self.start, state], inside[self._pairs[self.start, state]])
            for state in self._states.get(self.start, ())
            if self.automaton.accepts(state)
        ]
        accepted = [(pair, weight) for pair, weight in accepted if weight > 0]
        if not accepted:
            return None
        return self._tables(inside, accepted)

    def _symbols(self) -> tuple[list[Symbol], dict[Symbol, list[tuple[int, int]]]]:
        """All symbols below the start, and in which rules and places each occurs."""
        found = {self.start: None}
        uses: dict[Symbol, list[tuple[int, int]]] = {}
        queue = [self.start]
        while queue:
            symbol = queue.pop()
            if self.inventory.is_lexical(symbol):
                continue
            for code in self.inventory.choices(symbol):
                if not self.weights[code]:
                    continue
                for index, part in enumerate(self.inventory.rule(code).parts):
                    uses.setdefault(part.symbol, []).append((code, index))
                    if part.symbol not in found:
                        found[part.symbol] = None
                        queue.append(part.symbol)
        return list(found), uses

    def _explore(self) -> None:
        symbols, uses = self._symbols()
        queue: deque[Pair] = deque()
        seen: set[tuple[int, tuple[State, ...]]] = set()
        scale: dict[str, float] = {}

        def discover(symbol: Symbol, state: State) -> int:
            pair = (symbol, state)
            number = self._pairs.get(pair)
            if number is None:
                number = len(self._pairs)
                self._pairs[pair] = number
                queue.append(pair)
            return number

        def produce(number: int, code: int, weight: float, children: tuple[int, ...]) -> None:
            if len(self._lhs) >= MAX_PRODUCTIONS:
                raise GrammarError(
                    "the constraints of this split are too many to combine",
                    hint="ask for fewer depths and patterns at once, or split the split",
                )
            self._lhs.append(number)
            self._codes.append(code)
            self._weights.append(weight)
            self._children.append(children)

        step = self.automaton.step
        for symbol in symbols:
            if self.inventory.is_lexical(symbol):
                words = word_weights(self.inventory, symbol, self.weights, self.constraints)
                total = sum(words.values())
                numbers: dict[State, int] = {}
                for code, weight in words.items():
                    state = step(code, ())
                    if state is not None:
                        if state not in numbers:
                            numbers[state] = discover(symbol, state)
                        produce(numbers[state], code, weight / total, ())
                continue
            rules = [code for code in self.inventory.choices(symbol) if self.weights[code]]
            scale[symbol.category] = sum(self.weights[code] or 0.0 for code in rules)
            for code in rules:
                state = None if self.inventory.rule(code).parts else step(code, ())
                if state is not None:
                    share = (self.weights[code] or 0.0) / scale[symbol.category]
                    produce(discover(symbol, state), code, share, ())
        while queue:
            symbol, state = queue.popleft()
            self._states.setdefault(symbol, []).append(state)
            for code, index in uses.get(symbol, ()):
                rule = self.inventory.rule(code)
                options = [
                    [state] if place == index else self._states.get(part.symbol, [])
                    for place, part in enumerate(rule.parts)
                ]
                size = 1
                for option in options:
                    size *= len(option)
                if size > MAX_PRODUCTIONS:
                    raise GrammarError(
                        f"rule '{rule.name}': the constraints give {size} combinations",
                        hint="ask for fewer depths and patterns at once",
                    )
                share = (self.weights[code] or 0.0) / scale[rule.category]
                left = Symbol(rule.category)
                for children in itertools.product(*options):
                    if (code, children) in seen:
                        continue
                    seen.add((code, children))
                    found = step(code, children)
                    if found is not None:
                        below = zip(rule.parts, children, strict=True)
                        numbered = tuple([self._pairs[part.symbol, child] for part, child in below])
                        produce(discover(left, found), code, share, numbered)

    def _inside(self) -> Any:
        """The least solution of the inside equations, by iteration from zero."""
        count = len(self._pairs)
        values = np.zeros(count + 1)
        if not self._lhs:
            return values
        values[count] = 1.0  # stands for absent children
        width = max(1, max(len(children) for children in self._children))
        table = np.full((len(self._children), width), count, dtype=np.int64)
        for row, children in enumerate(self._children):
            table[row, : len(children)] = children
        lhs = np.array(self._lhs, dtype=np.int64)
        weights = np.array(self._weights)
        for _ in range(_ITERATIONS):
            terms = weights.copy()
            for column in range(width):
                terms *= values[table[:, column]]
            new = np.bincount(lhs, weights=terms, minlength=count + 1)
            new[count] = 1.0
            change = np.abs(new - values)
            values[:] = new
            if not np.any(change > _TOLERANCE * np.maximum(new, 1e-300)):
                break
        return values

    def _tables(self, inside: Any, accepted: list[tuple[int, float]]) -> Product:
        by_lhs: dict[int, list[int]] = {}
        for production, lhs in enumerate(self._lhs):
            by_lhs.setdefault(lhs, []).append(production)
        numbers: dict[int, int] = {}
        order: list[int] = []

        def number(pair: int) -> int:
            if pair not in numbers:
                numbers[pair] = len(order) + 1
                order.append(pair)
            return numbers[pair]

        acceptance = sum(weight for _, weight in accepted)
        root_children: list[tuple[int, ...]] = [(number(pair),) for pair, _ in accepted]
        root = Choice(
            _thresholds([weight for _, weight in accepted]),
            [-1] * len(accepted),
            root_children,
        )
        choices = [root]
        position = 0
        while position < len(order):
            pair = order[position]
            position += 1
            rows: list[tuple[int, float, tuple[int, ...]]] = []
            for production in by_lhs[pair]:
                weight = self._weights[production]
                for child in self._children[production]:
                    weight *= float(inside[child])
                if weight > 0:
                    rows.append((self._codes[production], weight, self._children[production]))
            choices.append(
                Choice(
                    _thresholds([weight for _, weight, _ in rows]),
                    [code for code, _, _ in rows],
                    [
                        tuple(number(child) for child in reversed(children))
                        for _, _, children in rows
                    ],
                )
            )
        return Product(choices, 0, acceptance, _count_trees(choices))


def _thresholds(weights: list[float]) -> list[int]:
    """Split the 64-bit words in shares; the last alternative takes what is left."""
    total = 0.0
    for weight in weights:
        total += weight
    found: list[int] = []
    running = 0.0
    for weight in weights[:-1]:
        running += weight
        found.append(min(_FULL, int(running / total * _FULL)))
    return found


def _count_trees(choices: list[Choice]) -> float:
    """How many trees the product derives: exact below 2**53, infinite if it is recursive."""
    counts: list[float | None] = [None] * len(choices)
    open_now = [False] * len(choices)
    stack = [0]
    while stack:
        symbol = stack[-1]
        if counts[symbol] is not None:
            stack.pop()
            continue
        waiting = [
            child
            for children in choices[symbol].children
            for child in children
            if counts[child] is None
        ]
        if waiting and not open_now[symbol]:
            open_now[symbol] = True
            if any(open_now[child] for child in waiting):
                return float("inf")
            stack.extend(dict.fromkeys(waiting))
            continue
        if waiting:
            return float("inf")
        total = 0.0
        for children in choices[symbol].children:
            product = 1.0
            for child in children:
                product *= counts[child] or 0.0
            total += product
        counts[symbol] = total
        stack.pop()
    return counts[0] or 0.0


# Powers come from decimal arithmetic, which is correctly rounded everywhere; the C library's pow()
# may differ in the last bit between systems and would change samples.
_CONTEXT = Context(prec=40)


_BERNOULLI = (  # B(2j) / (2j)! of the Euler-Maclaurin formula
    Decimal(1) / 12,
    Decimal(-1) / 720,
    Decimal(1) / 30240,
    Decimal(-1) / 1209600,
)


_CUT = 50  # terms summed one by one before the Euler-Maclaurin tail; error below 1e-18


@lru_cache(maxsize=256)
def zipf_weights(count: int, exponent: float) -> tuple[float, ...]:
    """p(k) = zipf.pmf(k, a) + (1 - sum of pmf(1..n)) / n: COGS (Kim and Linzen 2020, appendix A).

    The Zipf law has infinitely many ranks; what lies beyond n is spread evenly, as SLOG's and
    SGET's word counts show (SGET: child .290, friend .121 with a = 1.4 and n = 100).
    """
    a = Decimal(repr(exponent))
    total = _zeta(a)
    mass = [_CONTEXT.divide(_power(k, a), total) for k in range(1, count + 1)]
    rest = (1 - sum(mass, Decimal(0))) / max(count, 1)
    return tuple(float(p + rest) for p in mass)


@lru_cache(maxsize=4096)
def _power(k: int, a: Decimal) -> Decimal:
    return _CONTEXT.power(Decimal(k), -a)


@lru_cache(maxsize=256)
def _zeta(a: Decimal) -> Decimal:
    """Riemann's zeta by Euler-Maclaurin summation."""
    cut = Decimal(_CUT)
    total = sum((_power(k, a) for k in range(1, _CUT)), Decimal(0))
    total += _CONTEXT.power(cut, 1 - a) / (a - 1) + _CONTEXT.power(cut, -a) / 2
    rising = a
    for j, factor in enumerate(_BERNOULLI, start=1):
        total += factor * rising * _CONTEXT.power(cut, -a - 2 * j + 1)
        rising *= (a + 2 * j - 1) * (a + 2 * j)
    return total
