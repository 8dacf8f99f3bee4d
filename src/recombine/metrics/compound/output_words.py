"""Which words a system's outputs have anyway, and which may stand for an atom that is not there.

What stands for *substantial* stands in all outputs about it and in few others; a function word
stands in many others, too. Only the first may be a rendering that the lexicon lacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from recombine.metrics.compound.arrangement import Arrangement
from recombine.metrics.compound.units import Atom, is_mark

# A unit of this share of the outputs about other compounds, and of some, is a function word.
FUNCTION_WORD = 0.05
FEWEST_OUTPUTS = 5
HYPHENS = "-‐‑"
ANY = ""  # counted once for every output


@dataclass
class OutputWords:
    """How many outputs have a unit: all, and those about an atom or a compound."""

    _all: Counter[str] = field(default_factory=Counter)
    _about: dict[str, Counter[str]] = field(default_factory=dict)

    def learn(self, units: str, about: Iterable[str]) -> None:
        """Count an output about a compound and its atoms."""
        present = {ANY, *units}
        self._all.update(present)
        for text in about:
            self._about.setdefault(text, Counter()).update(present)

    def tell(self, foreign: str, compound: str) -> bool:
        """Whether units inside a phrase are more than hyphens and function words."""
        return any(
            unit not in HYPHENS and not self.is_function_word(unit, compound) for unit in foreign
        )

    def is_function_word(self, unit: str, about: str) -> bool:
        """Whether outputs that are not about an atom or a compound have a unit, too."""
        own = self._about.get(about, Counter())
        if own[ANY] == self._all[ANY]:
            own = Counter()  # there are no others
        others = self._all[ANY] - own[ANY]
        return self._all[unit] - own[unit] >= max(FEWEST_OUTPUTS, FUNCTION_WORD * others)

    def stand_ins(self, arrangement: Arrangement, missing: Atom, units: str) -> int:
        """Count the words in or beside a phrase that may render an atom that it lacks."""
        placed = {at for place in arrangement.placed for at in range(*place.span)}
        start, end = arrangement.start - 1, arrangement.end
        while start >= 0 and self.is_function_word(units[start], missing.text):
            start -= 1
        while end < len(units) and self.is_function_word(units[end], missing.text):
            end += 1
        return sum(
            at not in placed
            and not is_mark(units[at])
            and not self.is_function_word(units[at], missing.text)
            for at in range(max(0, start), min(len(units), end + 1))
        )
