"""Chart parsing (Earley 1970) over a graph of strings.

Nullable symbols are treated as in Aycock and Horspool (2002).
"""

from __future__ import annotations

from collections.abc import Sequence

from recombine.grammar.lattice import Lattice
from recombine.grammar.productions import Productions

MAX_ITEMS = (
    2_000_000  # of one sentence; only a very ambiguous grammar on a very long text gets there
)


class ChartGrammar:
    """Dotted productions as numbers: state + 1 is the dot moved over one symbol."""

    def __init__(self, productions: Productions) -> None:
        self.source = productions
        self.after: list[int] = []  # state -> next symbol; -1 at the end
        self.production_of: list[int] = []
        self.start_state: list[int] = []
        for number, production in enumerate(productions.productions):
            self.start_state.append(len(self.after))
            self.after.extend((*production.right, -1))
            self.production_of.extend([number] * (len(production.right) + 1))
        self.left_of_state = [productions.productions[number].left for number in self.production_of]
        self.firsts: list[int] = []
        for production in productions.productions:
            mask, empty = 0, True
            for symbol in production.right:
                mask |= productions.first[symbol]
                if not productions.nullable[symbol]:
                    empty = False
                    break
            self.firsts.append(-1 if empty else mask)
        self._predictions: dict[tuple[int, int], tuple[int, ...]] = {}

    def predict(self, symbol: int, available: int) -> tuple[int, ...]:
        """The first states of a nonterminal that can begin with one of the available terminals."""
        key = (symbol, available)
        found = self._predictions.get(key)
        if found is None:
            if len(self._predictions) > 500_000:
                self._predictions.clear()
            found = tuple(
                self.start_state[number]
                for number in self.source.by_left.get(symbol, ())
                if self.firsts[number] == -1 or self.firsts[number] & available
            )
            self._predictions[key] = found
        return found


class Chart:
    """The items of one text: at every node, item (state, origin) -> starts of its last symbol."""

    def __init__(self, grammar: ChartGrammar, lattice: Lattice, roots: Sequence[int]) -> None:
        self.grammar = grammar
        self.lattice = lattice
        size = lattice.size
        self.items: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(size)]
        self.waiting: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(size)]
        self.complete: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(size)]
        self.edges_from: list[list[int]] = [[] for _ in range(size)]
        self.available = [0] * size
        self.truncated = False
        for number, edge in enumerate(lattice.edges):
            self.edges_from[edge.start].append(number)
            self.available[edge.start] |= edge.entry.mask
        self._run(roots)

    def _run(self, roots: Sequence[int]) -> None:
        grammar, lattice = self.grammar, self.lattice
        after, nullable = grammar.after, grammar.source.nullable
        is_terminal = grammar.source.is_terminal
        left_of_state, production_of = grammar.left_of_state, grammar.production_of
        total = 0
        for node in range(lattice.size):
            items = self.items[node]
            waiting = self.waiting[node]
            complete = self.complete[node]
            available = self.available[node]
            agenda = list(items)
            if node == 0:
                for root in roots:
                    for state in grammar.predict(root, available):
                        if (state, 0) not in items:
                            items[state, 0] = []
                            agenda.append((state, 0))
            position = 0
            while position < len(agenda):
                item = agenda[position]
                position += 1
                state, origin = item
                symbol = after[state]
                if symbol < 0:
                    left = left_of_state[state]
                    complete.setdefault((left, origin), []).append(production_of[state])
                    if origin == node:
                        continue  # an empty constituent: whoever waits for it went on already
                    for other_state, other_origin in self.waiting[origin].get(left, ()):
                        moved = (other_state + 1, other_origin)
                        back = items.get(moved)
                        if back is None:
                            items[moved] = [origin]
                            agenda.append(moved)
                        elif origin not in back:
                            back.append(origin)
                    continue
                others = waiting.get(symbol)
                if others is None:
                    waiting[symbol] = [item]
                    if not is_terminal[symbol]:
                        for start in grammar.predict(symbol, available):
                            key = (start, node)
                            if key not in items:
                                items[key] = []
                                agenda.append(key)
                else:
                    others.append(item)
                if nullable[symbol]:
                    moved = (state + 1, origin)
                    back = items.get(moved)
                    if back is None:
                        items[moved] = [node]
                        agenda.append(moved)
                    elif node not in back:
                        back.append(node)
            total += len(agenda)
            if total > MAX_ITEMS:
                self.truncated = True
                return
            self._scan(node, waiting)

    def _scan(self, node: int, waiting: dict[int, list[tuple[int, int]]]) -> None:
        is_terminal = self.grammar.source.is_terminal
        wanted = [symbol for symbol in waiting if is_terminal[symbol]]
        for number in self.edges_from[node]:
            edge = self.lattice.edges[number]
            mask = edge.entry.mask
            target = self.items[edge.end]
            for symbol in wanted:
                if mask >> symbol & 1:
                    for state, origin in waiting[symbol]:
                        moved = (state + 1, origin)
                        back = target.get(moved)
                        if back is None:
                            target[moved] = [node]
                        elif node not in back:
                            back.append(node)

    def splits(self, production: int, start: int, end: int) -> list[list[tuple[int, int]]]:
        """All ways a production spans start..end: the (start, end) of each of its symbols."""
        grammar = self.grammar
        right = grammar.source.productions[production].right
        first = grammar.start_state[production]
        if start == end:
            ok = all(grammar.source.nullable[symbol] for symbol in right)
            return [[(start, start)] * len(right)] if ok else []
        found: list[list[tuple[int, int]]] = []
        stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(len(right), end, ())]
        while stack:
            dot, position, spans = stack.pop()
            if dot == 0:
                if position == start:
                    found.append(list(spans))
                continue
            for back in self.items[position].get((first + dot, start), ()):
                stack.append((dot - 1, back, ((back, position), *spans)))
        return found

    def expected(self) -> tuple[int, list[int]]:
        """The last node anything reached, and the terminals that could have come there."""
        is_terminal = self.grammar.source.is_terminal
        for node in range(self.lattice.size - 1, -1, -1):
            if self.waiting[node] or self.complete[node]:
                return node, sorted(s for s in self.waiting[node] if is_terminal[s])
        return 0, []
