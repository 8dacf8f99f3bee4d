"""Compounds and texts as strings of units, so that atoms can be found with plain string search.

A unit is a word, or one character in scripts written without spaces (`segment` decides from
Unicode alone). Every unit becomes one code point; finding a rendering of several words is then
`str.find`, and no language code is involved.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recombine.benchmark import Example, Focus
from recombine.corpus.segment import segment

# Private-use planes: no text of ours can contain them, and they hold 131,000 words.
_FIRST_CODE = 0xF0000
# The role of a focus that is the compound itself, not one of its atoms.
WHOLE = "compound"
# Letters that the parts of a closed compound have at least.
_SHORTEST_PART = 4


@dataclass(frozen=True, slots=True)
class Atom:
    """One word (or fixed phrase) of a compound; `accepted` are its renderings as units.

    `required` is False where the lexicon gives no rendering, or the empty one: the published
    lexicon leaves out function words that have no fixed counterpart.
    """

    text: str
    role: str
    accepted: tuple[str, ...]
    required: bool

    @property
    def is_phrase(self) -> bool:
        """Whether the atom is a phrase that must be kept whole."""
        return " " in self.text


class Units:
    """Text to unit strings and back; one table per metric, so codes mean one thing in a run."""

    def __init__(self) -> None:
        self._codes: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._atoms: dict[tuple[Focus, ...], tuple[Atom, ...]] = {}
        self._encoded: dict[str, str] = {}
        self._renderings: set[str] = set()
        self._endings: set[str] = set()

    def open_compounds(self, examples: Iterable[Example]) -> None:
        """From now on cut closed compounds of renderings of these examples.

        German writes *constitutional process* as one word, "Verfassungsprozess". A word that ends
        in a rendering of a noun is two units: the rendering of another atom that begins like the
        rest ("verfassungsrechtlich"), or else the rest, and the ending. Verbs end no compound:
        "unternehmen" is not a way to say *take*. What is left of a rendering of another atom that
        ends so ("Wirtschaftskrise" for *economic*) is one as well: "Wirtschaftspolitik".
        """
        for example in examples:
            for focus in example.focus:
                words = " ".join(focus.accepted).lower().split()
                long = {word for word in words if len(word) >= _SHORTEST_PART and word.isalpha()}
                self._renderings |= long
                if focus.role == "N":
                    self._endings |= long
        self._renderings -= {word for word in self._renderings if self._cut(word)}
        self._encoded.clear()
        self._atoms.clear()

    def _cut(self, word: str) -> tuple[str, str] | None:
        """Return the parts of a closed compound."""
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if word[cut:] in self._endings:
                return word[:cut], word[cut:]
        return None

    def _opened(self, word: str) -> list[str]:
        parts = None if word in self._renderings else self._cut(word)
        if parts is None:
            return [word]
        same = sorted(word for word in self._renderings if word.startswith(parts[0]))
        return [same[0] if same else parts[0], parts[1]]

    def encode(self, text: str) -> str:
        """Return the units of a text."""
        units = self._encoded.get(text)
        if units is None:
            tokens = [part for token in segment(text.lower()) for part in self._opened(token)]
            units = "".join([token if len(token) == 1 else self._code(token) for token in tokens])
            self._encoded[text] = units
        return units

    def decode(self, units: str) -> str:
        """Return readable text: words with spaces, characters without."""
        words = [self._words.get(unit, unit) for unit in units]
        spaced = any(len(word) > 1 for word in words)
        return (" " if spaced else "").join(words)

    def atoms(self, example: Example) -> tuple[Atom, ...]:
        """Return the atoms of an example's compound, in source order."""
        atoms = self._atoms.get(example.focus)
        if atoms is None:
            atoms = tuple(self._atom(focus) for focus in example.focus if focus.role != WHOLE)
            self._atoms[example.focus] = atoms
        return atoms

    def _atom(self, focus: Focus) -> Atom:
        accepted = tuple(
            dict.fromkeys(units for units in map(self.encode, focus.accepted) if units)
        )
        closed = {
            self.encode(text) for text in focus.accepted if len(self._opened(text.lower())) > 1
        }
        if closed and focus.role == "N":
            # The end of such a word is enough where it is a rendering, too.
            accepted = tuple(
                units for units in accepted if units not in closed or units[1:] not in accepted
            )
        elif closed:
            # The noun in it is another atom's.
            accepted = tuple(
                dict.fromkeys(units[:1] if units in closed else units for units in accepted)
            )
        required = bool(accepted) and "" not in focus.accepted
        return Atom(focus.text, focus.role, accepted, required)

    def _code(self, token: str) -> str:
        code = self._codes.get(token)
        if code is None:
            code = chr(_FIRST_CODE + len(self._codes))
            self._codes[token] = code
            self._words[code] = token
        return code


def find_all(units: str, renderings: Sequence[str]) -> list[tuple[int, int]]:
    """Return where any of the renderings occurs, by position; the longer one where two overlap.

    A short rendering inside a longer one would cut the word in two.
    """
    spans: list[tuple[int, int]] = []
    for rendering in renderings:
        at = units.find(rendering)
        while at >= 0:
            spans.append((at, at + len(rendering)))
            at = units.find(rendering, at + 1)
    if len(spans) < 2:
        return spans
    return sorted(
        span
        for span in set(spans)
        if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o in spans)
    )


@lru_cache(maxsize=1 << 14)
def is_mark(unit: str) -> bool:
    """Return True for punctuation and symbols."""
    return unicodedata.category(unit)[0] in "PS"
