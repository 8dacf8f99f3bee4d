"""%mend lines: a tree is mended pair by pair, as the published SGET data were.

The first pair that a word is under decides, and where nothing fits a fixed word is put in. Grammars
of one's own want %select (selection.py), which heeds all pairs and needs no fixed word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Mending
from recombine.grammar.sampling.ties import MAX_SHAPES, Pairs, Tie, TieFinder

_WORD = 1 << 64


class Mender:
    """Finds and mends pairs of words that do not go together."""

    def __init__(self, inventory: Inventory, pairs: Pairs) -> None:
        self.mendings: tuple[Mending, ...] = inventory.abstract.mendings
        self.tied = TieFinder(inventory, self.mendings).ties
        self._allowed = [pairs.get(mending.role, {}) for mending in self.mendings]
        self._fallback = [
            [inventory.codes[name] for name in mending.fallback if name in inventory.codes]
            for mending in self.mendings
        ]
        self._lists: dict[tuple[str, int, int], tuple[list[int], list[int]]] = {}

    def ties(self, shape: tuple[int, ...], codes: Sequence[int]) -> Iterator[Tie]:
        """The pairs of a tree to be mended, in the order of the lines; a word is mended once."""
        mended: set[int] = set()
        for tie in self.tied(shape):
            allowed = self._allowed[tie.line].get(codes[tie.governor])
            if allowed is None or tie.dependent in mended:
                continue
            mended.add(tie.dependent)  # one that satisfies one verb already stays
            if codes[tie.dependent] not in allowed:
                yield tie

    def mend(
        self, codes: list[int], tie: Tie, candidates: list[int], random: Iterator[int]
    ) -> None:
        """Put another word in place of the dependent: one that fits, or the last resort."""
        mending = self.mendings[tie.line]
        if not mending.direct:
            # The list is kept beside its filtered form, so that no other list can have its id.
            key = (mending.role, codes[tie.governor], id(candidates))
            known = self._lists.get(key)
            if known is None:
                allowed = self._allowed[tie.line][codes[tie.governor]]
                known = (candidates, [code for code in candidates if code in allowed])
                if len(self._lists) >= MAX_SHAPES:
                    self._lists.clear()
                self._lists[key] = known
            options = known[1]
            if options:
                codes[tie.dependent] = options[next(random) * len(options) // _WORD]
                return
        for code in self._fallback[tie.line]:
            if code in candidates:
                codes[tie.dependent] = code
                return
