"""Sentences that can be changed minimally: a noun swapped, a clause attached, another joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from recombine.builders.template_trees import Said, TemplateTrees
from recombine.errors import ConfigError


@dataclass(frozen=True)
class Sentence:
    """A source sentence and where its changeable parts stand (character offsets)."""

    source: str
    template: str
    data: str
    reference: str | None = None
    slots: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    is_plural: bool = False  # of the noun that a clause attaches to
    is_question: bool = False
    origin: Any = None  # what the maker needs to change it

    def part(self, slot: str) -> str:
        """Return the text of a changeable part."""
        start, end = self.slots[slot]
        return self.source[start:end]

    def with_clause(self, clause: str) -> tuple[str, int]:
        """Return the source with a clause after the noun it attaches to, and where it begins."""
        end = self.slots["clause"][1]
        return f"{self.source[:end]} {clause}{self.source[end:]}", end + 1


class SentenceMaker(Protocol):
    """Draws sentences of one kind of data and changes them."""

    data: str

    @property
    def templates(self) -> Sequence[str]:
        """The templates there are."""
        ...

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[Sentence]:
        """Draw different sentences of one template."""
        ...

    def roles(self, template: str) -> Sequence[str]:
        """Return which parts can be swapped: np, vp."""
        ...

    def swap(self, sentence: Sentence, role: str, rng: np.random.Generator) -> Sentence:
        """Return the sentence with another noun of the same number in one part."""
        ...


@dataclass(frozen=True, kw_only=True)
class TemplateUse:
    """Which slots of a template the tests change; recipe table `[template.NAME]`."""

    np: str
    vp: str
    clause: str
    swap: tuple[str, ...] = ("people", "elite")


class SyntheticSentences:
    """Sentences of a template grammar."""

    data = "synthetic"

    def __init__(self, trees: TemplateTrees, uses: Mapping[str, TemplateUse]) -> None:
        unknown = [name for name in uses if name not in trees.templates]
        if unknown:
            raise ConfigError(
                f"the grammar has no template '{unknown[0]}'",
                hint=f"it has: {', '.join(trees.templates)}",
            )
        self._trees = trees
        self._uses = uses

    @property
    def templates(self) -> tuple[str, ...]:
        """The templates that the recipe uses, in its order."""
        return tuple(self._uses)

    def roles(self, template: str) -> tuple[str, ...]:
        """Subject and predicate noun can both be swapped."""
        return ("np", "vp")

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[Sentence]:
        """Draw different sentences of one template, or all of them where there are not more."""
        return [self._sentence(template, tree) for tree in self._trees.draw(template, size, rng)]

    def swap(self, sentence: Sentence, role: str, rng: np.random.Generator) -> Sentence:
        """Return the sentence with another noun in the slot of that role."""
        use = self._uses[sentence.template]
        said: Said = sentence.origin
        tree = self._trees.swap(said.tree, use.np if role == "np" else use.vp, use.swap, rng)
        return self._sentence(sentence.template, tree, ask=sentence.is_question)

    def question(self, sentence: Sentence) -> Sentence:
        """Return the question form."""
        return self._sentence(sentence.template, sentence.origin.tree, ask=True)

    def _sentence(self, template: str, tree: Any, *, ask: bool = False) -> Sentence:
        said = self._trees.say(tree, ask=ask)
        use = self._uses[template]
        return Sentence(
            source=said.source,
            template=template,
            data=self.data,
            reference=said.reference,
            slots={
                name: self._trees.span(said, slot)
                for name, slot in (("np", use.np), ("vp", use.vp), ("clause", use.clause))
            },
            is_plural=self._trees.number(said, use.clause) == "pl",
            is_question=ask,
            origin=said,
        )


def join_sentences(first: Sentence, second: str, join: str) -> tuple[str, int]:
    """Return `first` (without its closing mark), the conjunction and `second`, and where it begins.

    The second conjunct loses its initial capital unless it is "I" or an acronym.
    """
    opening = first.source.rstrip(" .?!") + join
    return opening + lower_first(second), len(opening)


def lower_first(sentence: str) -> str:
    """Return the sentence with a lower-case beginning, except for "I", "I'm" and acronyms."""
    word = sentence.split(" ", 1)[0]
    if word == "I" or word.startswith("I'") or (len(word) > 1 and word.isupper()):
        return sentence
    return sentence[:1].lower() + sentence[1:]
