"""Match a text against a tree: is it one of its wordings?

The language of all wordings is never made: `_ends` says where a field of a node can end if it
begins at a place, and remembers the answer. As the tree is given, nothing is ambiguous and nothing
has to be searched but the text's own beginnings: the work is at most nodes x places, whatever the
text.

What agrees with a phrase (*un cajón fue encontrado*) depends on the sense in which a word deep in
it is said. So a node has *states*: a word has its senses, a phrase of one part the states of that
part, and any other phrase the feature values that it can have. A set of states is a number with a
bit for each; `ALL` stands for every one.

The states of a phrase do not say in which senses its words are. Where a line asks a phrase for two
fields, an adjective that has its place before the noun in one sense and behind it in another could
be said in both, or in none. So a text that was matched is matched again with the senses of one
place at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from recombine.grammar.compiled import Construction, Values
from recombine.grammar.realise.spelling import SpelledText
from recombine.grammar.tree import Tree, construction_slots
from recombine.grammar.variants.table import LineUse, RowTrie, WordingTable

ALL = -1
MAX_STATES = 64  # of a phrase


class WordingMatch:
    """One text against one tree."""

    def __init__(self, wordings: WordingTable, tree: Tree, text: SpelledText) -> None:
        self.wordings = wordings
        self.compiled = wordings.compiled
        self.tree = tree
        self.text = text
        self._first_word = wordings.inventory.first_word
        self._known: dict[tuple[int, str, int, int], frozenset[int]] = {}
        self._senses: dict[int, int] = {}  # word -> the only senses it may have
        self._said: dict[int, int] = {}
        self._slots: dict[tuple[int, tuple[str, ...]], list[int] | None] = {}
        self._states: list[tuple[Values, ...]] = [()] * len(tree.codes)
        for node in range(len(tree.codes) - 1, -1, -1):
            self._states[node] = self._states_of(node)

    def whole(self) -> bool:
        """Whether the whole text is a way to say the tree."""
        if not self._is_matched():
            return False
        placed = {
            node: self._heard_placements(node)
            for node, code in enumerate(self.tree.codes)
            if code >= self._first_word and self.wordings.placements(code)
        }
        if not placed:
            return True
        for senses in itertools.islice(itertools.product(*placed.values()), MAX_STATES):
            self._senses = dict(zip(placed, senses, strict=True))
            self._known.clear()
            if self._is_matched():
                return True
        return False

    def _is_matched(self) -> bool:
        root = self.compiled.language.root
        return self.text.finish in self._ends(0, root, 0, ALL)

    def _heard_placements(self, node: int) -> list[int]:
        """The placements of a word of which a form is in the text; the first if there is none."""
        code = self.tree.codes[node]
        senses, placements = self.wordings.senses(code), self.wordings.placements(code)
        heard = 0
        for number, sense in enumerate(senses):
            texts = {self.wordings.cleaned(text) for forms in sense.values() for text in forms}
            if any(text and self.text.has(text) for text in texts):
                heard |= 1 << number
        return [bits & heard for bits in placements if bits & heard] or [placements[0]]

    # States.

    def _states_of(self, node: int) -> tuple[Values, ...]:
        code, compiled = self.tree.codes[node], self.compiled
        if code >= self._first_word:
            return compiled.every_word_values(code)
        construction = compiled.construction(code)
        children = self.tree.positions[node]
        if len(children) == 1:
            return tuple(
                [
                    compiled.constituent(construction, (values,)).values
                    for values in self._states[children[0]]
                ]
            )
        if not compiled.features.get(self.wordings.inventory.category(code)):
            return ((),)
        options = [dict.fromkeys(self._states[child]) for child in children]
        ways = itertools.islice(itertools.product(*options), MAX_STATES)
        every = (compiled.constituent(construction, below).values for below in ways)
        return tuple(dict.fromkeys(every))

    def _said_states(self, node: int) -> int:
        """The states in which a word is said at all: of sixty senses one or two."""
        found = self._said.get(node)
        if found is None:
            leaf = node
            while len(self.tree.positions[leaf]) == 1:
                leaf = self.tree.positions[leaf][0]
            code = self.tree.codes[leaf]
            found = ALL
            if code >= self._first_word:
                found = 0
                for number in range(len(self._states[leaf])):
                    forms = self.wordings.sense_forms(code, number)
                    if not forms or any(self.text.has(form) for form in forms):
                        found |= 1 << number
            self._said[node] = found
        return found

    def _by_values(self, node: int, states: int) -> Iterator[tuple[Values, int]]:
        """The feature values that a node can have, each with its states."""
        every = self._states[node]
        if len(every) == 1:
            yield every[0], ALL
            return
        found: dict[Values, int] = {}
        for number, values in enumerate(every):
            if states >> number & 1:
                found[values] = found.get(values, 0) | 1 << number
        yield from found.items()

    # Places.

    def _ends(self, node: int, field: str, start: int, states: int) -> frozenset[int]:
        """Where a field of a node can end if it begins at a place and has one of some states."""
        key = (node, field, start, states)
        found = self._known.get(key)
        if found is None:
            code = self.tree.codes[node]
            if code >= self._first_word:
                states &= self._senses.get(node, ALL)
                found = frozenset(self._heard(code, field, start, states))
            else:
                ends: set[int] = set()
                for construction in self.compiled.constructions(code):
                    slots = self._slots_of(node, construction)
                    use = self.wordings.use(construction, field)
                    if slots is not None and use is not None:
                        ends |= self._said_by(node, construction, slots, use, field, start, states)
                found = frozenset(ends)
            self._known[key] = found
        return found

    def _slots_of(self, node: int, construction: Construction) -> list[int] | None:
        if len(construction.chain) == 1:
            return self.tree.positions[node]
        key = (node, construction.chain)
        if key not in self._slots:
            self._slots[key] = construction_slots(self.tree, node, construction.chain)
        return self._slots[key]

    def _heard(self, code: int, field: str, start: int, states: int) -> Iterator[int]:
        """Where a form of a word can end."""
        text, join = self.text, self.wordings.join
        strings = self.wordings.strings(code, field, states)
        if "" in strings:
            yield start
        if text.is_plain:
            begin = start + (bool(join) and text.letters.startswith(join, start))
            for string in strings.get(text.letters[begin], ()):
                if text.letters.startswith(string, begin):
                    yield begin + len(string)
            return
        for string in itertools.chain(*strings.values()):
            if string:
                yield from text.follow(string, start, join)

    def _said_by(
        self,
        node: int,
        construction: Construction,
        slots: Sequence[int],
        use: LineUse,
        field: str,
        start: int,
        states: int,
    ) -> set[int]:
        """Where the lines of a construction can end, whichever states its parts have."""
        is_plain = len(construction.chain) == 1
        wanted = states if is_plain and len(self._states[node]) > 1 else ALL
        if wanted != ALL and len(slots) == 1:  # its states are those of its only part
            return self._in_states(
                construction, slots, use, field, start, {0: wanted}, frozenset((0,))
            )
        values = {v for n, v in enumerate(self._states[node]) if wanted >> n & 1}
        chosen = frozenset(use.keys) if wanted == ALL else frozenset(range(len(slots)))
        return self._in_states(
            construction, slots, use, field, start, {}, chosen, None if wanted == ALL else values
        )

    def _in_states(
        self,
        construction: Construction,
        slots: Sequence[int],
        use: LineUse,
        field: str,
        start: int,
        given: Mapping[int, int],
        chosen: frozenset[int],
        wanted: set[Values] | None = None,
    ) -> set[int]:
        """Try the feature values of the parts that matter, and the senses of repeated ones."""
        options: list[list[tuple[Values, int]]] = []
        for part, child in enumerate(slots):
            states = given.get(part, ALL)
            if len(self._states[child]) == 1 or (part not in chosen and part not in use.repeated):
                options.append([(self._states[child][0], states)])
                continue
            if part in use.always:
                states &= self._said_states(child)
            ways = list(self._by_values(child, states))
            if part in use.repeated:
                ways = [
                    (values, 1 << number)
                    for values, many in ways
                    for number in range(many.bit_length())
                    if many >> number & 1
                ]
            options.append(ways)
        ends: set[int] = set()
        for chosen_ways in itertools.product(*options):
            below = tuple([values for values, _ in chosen_ways])
            constituent = self.compiled.constituent(construction, below)
            if wanted is None or constituent.values in wanted:
                states_of = [states for _, states in chosen_ways]
                trie = self.wordings.trie(constituent, field)
                ends |= self._walk(trie, slots, states_of, {start})
        return ends

    def _walk(
        self, trie: RowTrie, slots: Sequence[int], states: Sequence[int], starts: set[int]
    ) -> set[int]:
        ends = set(starts) if trie.ends else set()
        reached: dict[RowTrie, set[int]] = {}
        for following in trie.silent:
            reached.setdefault(following, set()).update(starts)
        for start in starts if trie.texts else ():
            for end, following in self._texts_at(trie, start):
                reached.setdefault(following, set()).add(end)
        for (part, field), following in trie.parts:
            node, allowed = slots[part], states[part]
            for start in starts:
                if found := self._ends(node, field, start, allowed):
                    reached.setdefault(following, set()).update(found)
        for following, places in reached.items():
            ends |= self._walk(following, slots, states, places)
        return ends

    def _texts_at(self, trie: RowTrie, start: int) -> Iterator[tuple[int, RowTrie]]:
        """Where the texts that rows go on with end, and what follows them."""
        text, join = self.text, self.wordings.join
        if text.is_plain:
            begin = start + (bool(join) and text.letters.startswith(join, start))
            for string, following in trie.texts.get(text.letters[begin], ()):
                if text.letters.startswith(string, begin):
                    yield begin + len(string), following
            return
        for string, following in itertools.chain(*trie.texts.values()):
            for end in text.follow(string, start, join):
                yield end, following
