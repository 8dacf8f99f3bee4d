"""Chart parsing (Earley 1970) over a lattice.

The input is no row of words but a lattice: nodes are places in the text, an edge is a string of
the language between two of them. An item (state, origin) at a node says that from the origin up to
here the beginning of some production has been read. Nodes are visited from left to right, and
three steps are repeated until nothing new comes up:

- predict: an item waits for a symbol, so the productions of that symbol begin at this node;
- complete: a production was read to its end, so every item that waited for its symbol at its
  origin moves on to this node;
- scan: an edge carries a terminal, so every item that waits for it moves on to the edge's end.

Three things differ from the textbook. Productions of one symbol share their beginnings: a state is
a node in a trie of right-hand sides instead of a dotted rule. Only symbols that can begin with a
terminal at hand are predicted (FIRST sets, first_sets.py). And an item that waits for a symbol that
can be empty moves on at once (Aycock and Horspool 2002), so completion never has to come back to a
node for empty constituents. Every item keeps the nodes at which its last symbol can begin; from
these back pointers `splits` reads off where the symbols of a production stand.

Nothing in this needs left to be before right. Read backwards, a language that ends its clauses with
the verb says first what the clause is, and a fifth of the items is left.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.parsing.lattice import Edge, Lattice

MAX_ITEMS = 2_000_000  # of one text; only a very ambiguous grammar on a very long text gets there
_MAX_MEMO = 20_000  # sets of terminals

# An item is one number, state * PLACES + origin: numbers are made and looked up in half the time of
# pairs, and this is the innermost loop of parsing.
Item = int
SHIFT = 12
PLACES = 1 << SHIFT
MASK = PLACES - 1

# A symbol that can come next: its number, the item after it but for the origin, whether it can be
# empty, and the item its own productions begin in (-1: it has none, being a terminal).
Next = tuple[int, int, bool, int]


class ChartGrammar:
    """Productions as tries: a state is a beginning of some productions of one symbol.

    Backwards, what begins is the end.
    """

    def __init__(self, cfg: ContextFreeGrammar, *, backwards: bool = False) -> None:
        self.cfg = cfg
        self.backwards = backwards
        self._first = cfg.last if backwards else cfg.first
        self.moves: list[dict[int, int]] = []  # state -> symbol -> state
        self.ends: list[list[int]] = []  # state -> productions that end there
        self.left: list[int] = []  # state -> the symbol it builds
        self.paths: list[list[int]] = []  # production -> its states, first to last
        self.first_state: dict[int, int] = {}
        for number, production in enumerate(cfg.productions):
            state = self.first_state.get(production.left)
            if state is None:
                state = self.first_state[production.left] = self._new(production.left)
            path = [state]
            for symbol in production.right[::-1] if backwards else production.right:
                following = self.moves[state].get(symbol)
                if following is None:
                    following = self.moves[state][symbol] = self._new(production.left)
                state = following
                path.append(state)
            self.ends[state].append(number)
            self.paths.append(path)
        self._next: dict[int, dict[int, tuple[Next, ...]]] = {}  # by terminals, then by state

    def _new(self, left: int) -> int:
        self.moves.append({})
        self.ends.append([])
        self.left.append(left)
        return len(self.moves) - 1

    def memo(self, available: int) -> dict[int, tuple[Next, ...]]:
        """What `following` found for the terminals that the text offers, by state."""
        found = self._next.get(available)
        if found is None:
            if len(self._next) > _MAX_MEMO:
                self._next.clear()
            found = self._next[available] = {}
        return found

    def following(self, state: int, available: int) -> tuple[Next, ...]:
        """What can come after a state, given the terminals that the text offers."""
        cfg = self.cfg
        return tuple(
            (
                symbol,
                following * PLACES,
                cfg.nullable[symbol],
                self.first_state[symbol] * PLACES if symbol in self.first_state else -1,
            )
            for symbol, following in self.moves[state].items()
            if cfg.nullable[symbol] or self._first[symbol] & available
        )


class Chart:
    """The items of one text: at every node, item -> starts of its last symbol."""

    def __init__(
        self,
        grammar: ChartGrammar,
        lattice: Lattice,
        roots: Sequence[int],
        *,
        filtered: bool = True,
        most_items: int = sys.maxsize,
    ) -> None:
        self.grammar = grammar
        self.lattice = lattice = _mirrored(lattice) if grammar.backwards else lattice
        size = lattice.size
        self.items: list[dict[Item, list[int]]] = [{} for _ in range(size)]
        # Per node: symbol -> the items that wait for it there, as they will be once they have it.
        self.waiting: list[dict[int, list[Item]]] = [{} for _ in range(size)]
        # Per node: (symbol, origin) -> the productions that end there.
        self.complete: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(size)]
        self.edges_from: list[list[int]] = [[] for _ in range(size)]
        self.available = [0 if filtered else -1] * size  # per node: terminals at hand, as bits
        self.truncated = False
        self._most_items = min(MAX_ITEMS, most_items)
        for number, (start, _, entry) in enumerate(lattice.edges):
            self.edges_from[start].append(number)
            self.available[start] |= entry.mask
        self._run(roots)
        if grammar.backwards:
            self._turn()

    def _run(self, roots: Sequence[int]) -> None:
        begins = self.grammar.first_state
        if self.lattice.size > PLACES:
            self.truncated = True
            return
        for root in roots:
            if root in begins:
                self.items[0][begins[root] * PLACES] = []
        total = 0
        for node in range(self.lattice.size):
            total += self._predict_and_complete(node)
            if total > self._most_items:
                self.truncated = True
                return
            self._scan(node)

    def _predict_and_complete(self, node: int) -> int:
        """Find the items of a node and return how many there are.

        One loop for two steps, as each gives work to the other; it is the innermost loop of
        parsing, and a call per item and step would cost a sixth of its time.
        """
        grammar = self.grammar
        ends, left_of = grammar.ends, grammar.left
        items, waiting, complete = self.items[node], self.waiting[node], self.complete[node]
        available = self.available[node]
        memo = grammar.memo(available)
        agenda = list(items)
        for item in agenda:  # grows while we walk
            state, origin = item >> SHIFT, item & MASK
            # Complete: what ends in this state is found, and those who waited for it move on.
            if ends[state]:
                left = left_of[state]
                done = complete.get((left, origin))
                if done is None:
                    complete[left, origin] = list(ends[state])
                    # An empty constituent needs no more: whoever waits for it went on already.
                    for moved in self.waiting[origin].get(left, ()) if origin != node else ():
                        back = items.get(moved)
                        if back is None:
                            items[moved] = [origin]
                            agenda.append(moved)
                        elif origin not in back:
                            back.append(origin)
                else:
                    done.extend(ends[state])
            # Predict: begin what can come next, and skip what can be empty.
            following = memo.get(state)
            if following is None:
                following = memo[state] = grammar.following(state, available)
            for symbol, after, nullable, start in following:
                moved = after + origin
                others = waiting.get(symbol)
                if others is not None:
                    others.append(moved)
                else:
                    waiting[symbol] = [moved]
                    if start >= 0 and start + node not in items:
                        items[start + node] = []
                        agenda.append(start + node)
                if nullable:
                    back = items.get(moved)
                    if back is None:
                        items[moved] = [node]
                        agenda.append(moved)
                    elif node not in back:
                        back.append(node)
        return len(agenda)

    def _scan(self, node: int) -> None:
        """Move the items that wait for a string at hand over its edge."""
        waiting = self.waiting[node]
        for number in self.edges_from[node]:
            _, end, entry = self.lattice.edges[number]
            target = self.items[end]
            for symbol in entry.words:
                for moved in waiting.get(symbol, ()):
                    back = target.get(moved)
                    if back is None:
                        target[moved] = [node]
                    elif node not in back:
                        back.append(node)

    def _turn(self) -> None:
        """Tell what was found backwards in the places of the text."""
        last = self.lattice.size - 1
        self.lattice = _mirrored(self.lattice)
        self.edges_from = [[] for _ in range(self.lattice.size)]
        for number, edge in enumerate(self.lattice.edges):
            self.edges_from[edge.start].append(number)
        complete: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(self.lattice.size)]
        for end, found in enumerate(self.complete):
            for (symbol, start), productions in found.items():
                complete[last - start][symbol, last - end] = productions
        self.complete = complete

    def splits(self, production: int, start: int, end: int) -> list[tuple[tuple[int, int], ...]]:
        """All ways a production spans start..end: the (start, end) of each of its symbols."""
        path = self.grammar.paths[production]
        if start == end:
            nullable = self.grammar.cfg.nullable
            right = self.grammar.cfg.productions[production].right
            ok = all(nullable[symbol] for symbol in right)
            return [((start, start),) * len(right)] if ok else []
        backwards, last = self.grammar.backwards, self.lattice.size - 1
        if backwards:
            start, end = last - end, last - start
        found: list[tuple[tuple[int, int], ...]] = []
        stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(len(path) - 1, end, ())]
        while stack:
            dot, position, spans = stack.pop()
            if dot == 0:
                if position == start:
                    found.append(spans)
                continue
            for back in self.items[position].get(path[dot] * PLACES + start, ()):
                if backwards:
                    spans_so_far = (*spans, (last - position, last - back))
                else:
                    spans_so_far = ((back, position), *spans)
                stack.append((dot - 1, back, spans_so_far))
        return found

    def expected(self) -> tuple[int, list[int]]:
        """The last node anything reached, and the terminals that could have come there."""
        is_terminal = self.grammar.cfg.is_terminal
        for node in range(self.lattice.size - 1, -1, -1):
            if self.waiting[node] or self.complete[node]:
                return node, sorted(s for s in self.waiting[node] if is_terminal[s])
        return 0, []


def _mirrored(lattice: Lattice) -> Lattice:
    """A lattice from its other end, its edges in the same order."""
    last = lattice.size - 1
    edges = [Edge(last - end, last - start, entry) for start, end, entry in lattice.edges]
    return lattice._replace(edges=edges)
