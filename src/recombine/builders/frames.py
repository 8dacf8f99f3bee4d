"""Semi-natural sentences: fragments of the user's corpus set into sentence frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recombine.builders.fragments import KINDS, Fragment, frequent_fragments
from recombine.builders.parsed import read_parsed
from recombine.builders.sentences import Sentence
from recombine.builders.tables import read_table
from recombine.builders.template_trees import TemplateTrees
from recombine.errors import DataError, Where
from recombine.registry import data_path

_CHOICE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


class Frame(NamedTuple):
    """A sentence with a place for a noun (`{subject}`) and one for a fragment (`{fragment}`).

    `{wants|want}` gives the singular and the plural form.
    """

    name: str
    pattern: str
    kind: str

    def fill(self, noun: str, fragment: Fragment, *, plural: bool) -> tuple[str, int]:
        """Return the sentence and where its noun stands."""
        text = _CHOICE.sub(lambda match: match[2] if plural else match[1], self.pattern)
        before, _, after = text.partition("{subject}")
        rendered = fragment.form(plural=plural)
        before = before.replace("{fragment}", rendered)
        return before + noun + after.replace("{fragment}", rendered), len(before)


class _Filling(NamedTuple):
    frame: Frame
    fragment: Fragment
    noun: int
    plural: bool


class FrameSentences:
    """Frames x nouns x fragments, drawn without repetition."""

    data = "semi-natural"

    def __init__(
        self,
        frames: Sequence[Frame],
        nouns: Mapping[bool, Sequence[str]],
        swaps: Mapping[bool, Sequence[str]],
        fragments: Mapping[str, Sequence[Fragment]],
    ) -> None:
        self._frames = {frame.name: frame for frame in frames}
        self._nouns = nouns
        self._swaps = swaps
        self._fragments = fragments
        for frame in frames:
            if not fragments.get(frame.kind):
                raise DataError(
                    f"the corpus has no fragment of kind '{frame.kind}' for frame '{frame.name}'",
                    hint="a larger corpus, a smaller fragment_count, or fewer frames",
                )

    @classmethod
    def from_corpus(
        cls,
        corpus: Path | None,
        trees: TemplateTrees,
        *,
        language: str,
        frames: Path | None,
        fewest: int,
        tokens: tuple[int, int],
    ) -> FrameSentences:
        """Find the fragments of a parsed corpus and take the nouns from the template grammar."""
        if corpus is None:
            raise DataError("no parsed corpus is given", hint="-o parsed=CORPUS.conllu")
        fragments = frequent_fragments(read_parsed(corpus), fewest=fewest, tokens=tokens)
        return cls(
            read_frames(frames or data_path("consistency", f"{language}.frames.tsv")),
            {plural: trees.nouns(("people",), _number(plural)) for plural in (False, True)},
            {plural: trees.nouns(("people", "elite"), _number(plural)) for plural in (False, True)},
            fragments,
        )

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of the frames."""
        return tuple(self._frames)

    def roles(self, template: str) -> tuple[str, ...]:
        """Only the subject can be swapped: the rest is found text."""
        return ("np",)

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[Sentence]:
        """Draw different sentences of one frame."""
        frame = self._frames[template]
        fragments = self._fragments[frame.kind]
        nouns = len(self._nouns[False])
        total = 2 * nouns * len(fragments)
        found = []
        for rank in rng.permutation(total)[:size].tolist():
            rank, number = divmod(rank, 2)
            place, noun = divmod(rank, nouns)
            filling = _Filling(frame, fragments[place], noun, bool(number))
            found.append(self._sentence(filling, self._nouns[filling.plural][noun]))
        return found

    def swap(self, sentence: Sentence, role: str, rng: np.random.Generator) -> Sentence:
        """Return the sentence with another noun of the same number."""
        filling: _Filling = sentence.origin
        current = sentence.part("np")
        present = set(sentence.source.split())
        others = [
            noun for noun in self._swaps[filling.plural] if noun != current and noun not in present
        ]
        return self._sentence(filling, others[int(rng.integers(len(others)))])

    def _sentence(self, filling: _Filling, noun: str) -> Sentence:
        source, start = filling.frame.fill(noun, filling.fragment, plural=filling.plural)
        span = (start, start + len(noun))
        return Sentence(
            source=source,
            template=filling.frame.name,
            data=self.data,
            slots={"np": span, "clause": span},
            is_plural=filling.plural,
            is_question=source.endswith("?"),
            origin=filling,
        )


def read_frames(path: Path) -> list[Frame]:
    """Read the frames; every fault names its line."""
    frames = []
    for row in read_table(path, ("frame", "pattern", "fragment")):
        pattern = row["pattern"]
        if pattern.count("{subject}") != 1 or pattern.count("{fragment}") != 1:
            raise DataError("a pattern needs one {subject} and one {fragment}", row.where)
        if row["fragment"] not in KINDS:
            raise DataError(
                f"unknown fragment kind '{row['fragment']}'",
                row.where,
                hint=f"known: {', '.join(KINDS)}",
            )
        frames.append(Frame(row["frame"], pattern, row["fragment"]))
    if not frames:
        raise DataError("no frames", Where(str(path)))
    return frames


def _number(plural: bool) -> str:
    return "pl" if plural else "sg"
