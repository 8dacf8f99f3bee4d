"""Chart parsing (Earley 1970) over a graph of strings.

Productions of one symbol share their beginnings (a trie instead of dotted rules), and only what can
begin with a string at hand is predicted. Nullable symbols are treated as in Aycock and Horspool
(2002).
"""

from __future__ import annotations

from collections.abc import Sequence

from recombine.grammar.parsing.cfg import Productions
from recombine.grammar.parsing.lattice import Lattice

MAX_ITEMS = (
    2_000_000  # of one sentence; only a very ambiguous grammar on a very long text gets there
)
_MAX_MEMO = 20_000  # sets of terminals

# A symbol that can come next: its number, the state after it, whether it is a terminal, whether it
# can be empty, and the state its own productions begin in.
Next = tuple[int, int, bool, bool, int]


class ChartGrammar:
    """Productions as tries: a state is a beginning of some productions of one symbol."""

    def __init__(self, productions: Productions) -> None:
        self.source = productions
        self.moves: list[dict[int, int]] = []  # state -> symbol -> state
        self.ends: list[list[int]] = []  # state -> productions that end there
        self.left: list[int] = []  # state -> the symbol it builds
        self.paths: list[list[int]] = []  # production -> its states, first to last
        self.first_state: dict[int, int] = {}
        for number, production in enumerate(productions.productions):
            state = self.first_state.get(production.left)
            if state is None:
                state = self.first_state[production.left] = self._new(production.left)
            path = [state]
            for symbol in production.right:
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
        source = self.source
        return tuple(
            (
                symbol,
                following,
                source.is_terminal[symbol],
                source.nullable[symbol],
                self.first_state.get(symbol, -1),
            )
            for symbol, following in self.moves[state].items()
            if source.nullable[symbol] or source.first[symbol] & available
        )


class Chart:
    """The items of one text: at every node, item (state, origin) -> starts of its last symbol."""

    def __init__(
        self,
        grammar: ChartGrammar,
        lattice: Lattice,
        roots: Sequence[int],
        *,
        everywhere: bool = False,
        filtered: bool = True,
        coarse: bool = False,
    ) -> None:
        self.grammar = grammar
        self.lattice = lattice
        size = lattice.size
        self.items: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(size)]
        self.waiting: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(size)]
        self.complete: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(size)]
        self.edges_from: list[list[int]] = [[] for _ in range(size)]
        self.available = [0 if filtered else -1] * size
        self.truncated = False
        source = grammar.source
        self.masks: list[int] = []  # edge -> its terminals as bits; coarse: those of its family
        self._terminals: list[Sequence[int]] = []
        for number, (start, _, entry) in enumerate(lattice.edges):
            self.edges_from[start].append(number)
            mask = source.family_masks[entry.family] if coarse else entry.mask
            self.masks.append(mask)
            self._terminals.append(
                source.family_terminals[entry.family] if coarse else tuple(entry.words)
            )
            self.available[start] |= mask
        self._run(roots, everywhere)

    def _run(self, roots: Sequence[int], everywhere: bool) -> None:
        grammar = self.grammar
        ends, left_of = grammar.ends, grammar.left
        total = 0
        for node in range(self.lattice.size):
            items = self.items[node]
            waiting = self.waiting[node]
            complete = self.complete[node]
            available = self.available[node]
            memo = grammar.memo(available)
            agenda = list(items)
            if node == 0 or everywhere:
                for root in roots:
                    state = grammar.first_state.get(root, -1)
                    if state >= 0 and (state, node) not in items:
                        items[state, node] = []
                        agenda.append((state, node))
            for item in agenda:  # grows while we walk
                state, origin = item
                if ends[state]:
                    left = left_of[state]
                    done = complete.get((left, origin))
                    if done is None:
                        complete[left, origin] = list(ends[state])
                    else:
                        done.extend(ends[state])
                    if origin != node and done is None:
                        # An empty constituent needs no more: whoever waits for it went on already.
                        for moved in self.waiting[origin].get(left, ()):
                            back = items.get(moved)
                            if back is None:
                                items[moved] = [origin]
                                agenda.append(moved)
                            elif origin not in back:
                                back.append(origin)
                following = memo.get(state)
                if following is None:
                    following = memo[state] = grammar.following(state, available)
                for symbol, after, terminal, nullable, start in following:
                    moved = (after, origin)
                    others = waiting.get(symbol)
                    if others is not None:
                        others.append(moved)
                    else:
                        waiting[symbol] = [moved]
                        if not terminal and start >= 0:
                            key = (start, node)
                            if key not in items:
                                items[key] = []
                                agenda.append(key)
                    if nullable:
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
            for number in self.edges_from[node]:
                target = self.items[self.lattice.edges[number][1]]
                for symbol in self._terminals[number]:
                    for moved in waiting.get(symbol, ()):
                        back = target.get(moved)
                        if back is None:
                            target[moved] = [node]
                        elif node not in back:
                            back.append(node)

    def splits(self, production: int, start: int, end: int) -> list[tuple[tuple[int, int], ...]]:
        """All ways a production spans start..end: the (start, end) of each of its symbols."""
        path = self.grammar.paths[production]
        if start == end:
            nullable = self.grammar.source.nullable
            right = self.grammar.source.productions[production].right
            ok = all(nullable[symbol] for symbol in right)
            return [((start, start),) * len(right)] if ok else []
        found: list[tuple[tuple[int, int], ...]] = []
        stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(len(path) - 1, end, ())]
        while stack:
            dot, position, spans = stack.pop()
            if dot == 0:
                if position == start:
                    found.append(spans)
                continue
            for back in self.items[position].get((path[dot], start), ()):
                stack.append((dot - 1, back, ((back, position), *spans)))
        return found

    def expected(self) -> tuple[int, list[int]]:
        """The last node anything reached, and the terminals that could have come there."""
        is_terminal = self.grammar.source.is_terminal
        for node in range(self.lattice.size - 1, -1, -1):
            if self.waiting[node] or self.complete[node]:
                return node, sorted(s for s in self.waiting[node] if is_terminal[s])
        return 0, []
