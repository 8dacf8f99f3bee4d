"""What a grammar is once it has been read: plain frozen records.

The abstract syntax says what can be said (rules and words); a language says how. A constituent is a
table of named strings, and a feature is a string used as a key (docs/how-to/grammar-format.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from recombine.errors import Where

FORM = "form"
ANY_FIELD = "*"


class Symbol(NamedTuple):
    """A category, or the words of a category that have and lack certain classes."""

    category: str
    require: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()

    def __str__(self) -> str:
        classes = [*self.require, *(f"!{name}" for name in self.forbid)]
        return f"{self.category}<{' '.join(classes)}>" if classes else self.category


class RulePart(NamedTuple):
    """One slot of a rule."""

    slot: str
    symbol: Symbol
    head: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """``name : category -> parts [weight] {tags}``."""

    name: str
    category: str
    parts: tuple[RulePart, ...] = ()
    weight: float = 1.0
    tags: tuple[str, ...] = ()
    where: Where | None = field(default=None, compare=False)
    # The position of the head part: the marked one, or the only one.
    head: int | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        marked = (index for index, part in enumerate(self.parts) if part.head)
        head = 0 if len(self.parts) == 1 else next(marked, None)
        object.__setattr__(self, "head", head)

    def slot(self, name: str) -> int | None:
        """The position of a slot."""
        for index, part in enumerate(self.parts):
            if part.slot == name:
                return index
        return None


@dataclass(frozen=True, slots=True)
class Word:
    """A word sense, shared by all languages."""

    id: str
    category: str
    weight: float = 1.0
    rank: float | None = None
    classes: tuple[str, ...] = ()
    gloss: str = ""
    where: Where | None = field(default=None, compare=False)


class SlotPath(NamedTuple):
    """``rule.slot > rule.slot``: a way down to a constituent; without a slot the rule itself.

    With `below` it leads to every word of that category under the last slot.
    """

    steps: tuple[tuple[str, str], ...]
    below: str = ""


class Place(NamedTuple):
    """Where a governor and its dependents stand below a node of one rule."""

    governor: SlotPath
    dependent: SlotPath


@dataclass(frozen=True, slots=True)
class Selection:
    """``%select``: the governor's head restricts the dependent's head under a role."""

    role: str
    places: tuple[Place, ...]
    where: Where | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mending(Selection):
    """``%mend``: the same as published data have it, one pair after the other."""

    fallback: tuple[str, ...] = ()
    direct: bool = False


class PairRow(NamedTuple):
    """A row of the pairs: which words go with which under a role, as written."""

    role: str
    governor: str
    dependent: str
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Preference:
    """``%prefer``: which of two analyses of the same words is meant."""

    kind: Literal["deep", "shallow", "few", "many"]
    label: str
    is_tag: bool
    where: Where | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Abstract:
    """What can be said."""

    start: tuple[str, ...]
    rules: Mapping[str, Rule]
    words: Mapping[str, Word]
    zipf: Mapping[str, float] = field(default_factory=dict)
    selections: tuple[Selection, ...] = ()
    mendings: tuple[Mending, ...] = ()
    preferences: tuple[Preference, ...] = ()
    pairs: tuple[PairRow, ...] = ()
    edition: str | None = None


class Feature(NamedTuple):
    """A key that is the string of another constituent: ``slot.field``."""

    slot: str
    field: str


class Same(NamedTuple):
    """The field that was asked for: ``slot.*`` on the right of ``rule.* =``."""


Key = str | Feature | Same


class LiteralText(NamedTuple):
    """A quoted literal."""

    text: str


class Ref(NamedTuple):
    """A field of a slot; several keys join with dots."""

    slot: str
    keys: tuple[Key, ...]


class TableCell(NamedTuple):
    """A cell of a closed-class table of this language."""

    table: str
    keys: tuple[Key, ...]


class Glue(NamedTuple):
    """No join between the neighbours.

    Next to a literal and at the end of a line it always holds; between two slots only if both
    are heard (a separable prefix that a verb does not have must not pull the verb to the word
    before).
    """

    strong: bool = True


Piece = LiteralText | Ref | TableCell | Glue
Pieces = tuple[Piece, ...]


def features_of(pieces: Pieces) -> Iterator[Feature]:
    """The features that choose what the references and cells of a line are."""
    for piece in pieces:
        if isinstance(piece, Ref | TableCell):
            yield from (key for key in piece.keys if isinstance(key, Feature))


def slots_of(pieces: Pieces) -> Iterator[str]:
    """The slots of which a line says a field."""
    return (piece.slot for piece in pieces if isinstance(piece, Ref))


@dataclass(frozen=True, slots=True)
class Line:
    """``rule.field = pieces | pieces``: the first alternative is canonical.

    Of variants: ``rule/other.field`` is about a rule of which `other` makes a part, and what is
    not `drawn` is only heard.
    """

    rule: str
    field: str
    variants: tuple[Pieces, ...]
    where: Where | None = dataclasses.field(default=None, compare=False)
    below: tuple[str, ...] = ()
    drawn: bool = True

    @property
    def chain(self) -> tuple[str, ...]:
        """The rules that the line is about, from the top down."""
        return (self.rule, *self.below)

    def gives(self, field: str) -> bool:
        """Whether the line is about a field: its own, or every field (``rule.* =``)."""
        return self.field in (field, ANY_FIELD)


@dataclass(frozen=True, slots=True)
class LexiconRow:
    """A row of a concrete lexicon as it was written; every cell lists its variants."""

    id: str
    cells: Mapping[str, tuple[str, ...]]
    paradigm: str = ""
    where: Where | None = field(default=None, compare=False)
    drawn: bool = True  # of variants: or only heard


@dataclass(frozen=True, slots=True)
class Paradigm:
    """One row of a paradigm table: how the words of a class, with an ending, inflect."""

    name: str
    ending: str
    cells: Mapping[str, str]
    where: Where | None = field(default=None, compare=False)


class SoundSet(NamedTuple):
    """Beginnings (or endings) of words, and longer ones that are none."""

    like: tuple[str, ...]
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Touch:
    """``%touch "old" -> "new" before sounds``: words that are written otherwise beside others."""

    old: str
    new: str
    glued: bool = False  # ``"l'" +``: nothing between it and the next word
    attached: bool = False  # ``+ "old"``: part of the word before
    before: SoundSet | None = None
    after: SoundSet | None = None
    where: Where | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Language:
    """How one language says it."""

    code: str
    lines: Mapping[tuple[str, str], Line]
    rows: Mapping[str, LexiconRow]
    paradigms: tuple[Paradigm, ...] = ()
    join: str = " "
    root: str = FORM
    post: tuple[str, ...] = ()
    touches: tuple[Touch, ...] = ()
    unmarked: tuple[str, ...] = ()  # rules that are said as others are, too
    params: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # values of keys in lines
    where: Where | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A grammar as read: one abstract syntax, several languages."""

    name: str
    abstract: Abstract
    languages: Mapping[str, Language]
    edition: str | None = None
