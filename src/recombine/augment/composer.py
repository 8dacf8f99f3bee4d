"""Draw sentences: a frame, words for it, phrases and clauses for its slots, again inside them.

Nearly uniform: rare frames, words and modifiers are as likely as common ones, because what a model
must learn from this text is what combines, not what is frequent (Yao & Koller 2024). How deep
phrases and clauses go is drawn first, beyond what training shows.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from recombine.augment.analogy.sentences import GAP
from recombine.augment.frames import CLAUSE, OPEN, FrameMember, SentenceFrame
from recombine.augment.phrase_composer import PhraseComposer, Piece
from recombine.augment.phrases.slots import PhraseSlot
from recombine.augment.repertoire import Repertoire

# Shares of depths: of modifiers inside modifiers, of clauses inside clauses.
PHRASE_DEPTHS = (0.5, 0.33, 0.05, 0.03, 0.03, 0.035, 0.025)
CLAUSE_DEPTHS = (0.55, 0.24, 0.04, 0.04, 0.04, 0.05, 0.04)
# How often a phrase beside the one that goes deep is modified too.
BESIDE = 0.08
# Of more words a frame is not drawn more often.
MOST_WORDS = 400
# A frame of fewer words is one sentence, not a frame.
FEWEST_MEMBERS = 3


class Composer(PhraseComposer):
    """Draws sentences."""

    def __init__(self, repertoire: Repertoire, depth: int) -> None:
        super().__init__(repertoire, depth)
        self.statements = [f for f in repertoire.frames if f.source[-1] == repertoire.end[0]]
        self._families = _families(repertoire.frames)
        inside = [
            f
            for f in self.statements
            if str(f) in repertoire.embedded
            and not any(isinstance(i, PhraseSlot) and i.number >= CLAUSE for i in f.source)
        ]
        self._clauses = _families(inside)
        self._clause_frames = set(inside)
        self._chains = [
            f
            for f in self.statements
            if any(isinstance(i, PhraseSlot) and CLAUSE <= i.number < GAP for i in f.source)
        ]
        self._chain_sums = list(accumulate(max(1, frame.count) ** 0.5 for frame in self._chains))
        self._begins = set(self.statements)
        self._phrase_depths, self._shallow_depths = (
            self._sums(shares) for shares in (PHRASE_DEPTHS, PHRASE_DEPTHS[:2])
        )
        self._clause_depths, self._inner_depths = (
            self._sums(shares) for shares in (CLAUSE_DEPTHS, CLAUSE_DEPTHS[:3])
        )

    def sentence(self) -> Piece | None:
        """Draw a sentence."""
        frame = self._of_family(self._families)
        depth = 0
        if frame in self._begins and self._chains:
            depth = self._deep(self._clause_depths)
        return self._chain(depth, frame, shallow=depth > 1)

    def _of_family(self, families: FrameFamilies) -> SentenceFrame:
        return self._any(self._weighted(families.rows, families.weights))

    def _chain(
        self, depth: int, inner: SentenceFrame | None = None, *, shallow: bool = False
    ) -> Piece | None:
        """Draw a statement with `depth` clauses around it."""
        if depth == 0:
            return self.fill(inner or self._of_family(self._clauses), shallow=shallow)
        if inner is not None and inner not in self._clause_frames:
            inner = None
        clause = self._chain(depth - 1, inner, shallow=shallow)
        outer = self._weighted(self._chains, self._chain_sums)
        return clause and self.fill(outer, clause)

    def fill(
        self, frame: SentenceFrame, clause: Piece | None = None, *, shallow: bool = False
    ) -> Piece | None:
        """Draw words and phrases for a frame; clauses or modifiers go deep, not both."""
        words, member, second, slots = self._word(frame)
        made = Piece([], [])
        made.second = second
        self._note(made, frame, member)
        parts: dict[PhraseSlot, Piece] = {}
        deep = self._deep(self._shallow_depths if shallow else self._phrase_depths)
        if clause is not None and clause.depth > 1:
            deep = int(self.stream.random() < BESIDE)
        numbers = [slot for slot, choice in slots if choice is not None]
        chosen = self._any(numbers) if numbers else None
        for item, choice in slots:
            if choice is not None:
                own = deep if item == chosen else int(self.stream.random() < BESIDE)
                part = self.phrase(choice, max(own, int(choice.modified)))
            elif item.number >= GAP:
                part = self.gapped(frame)
            else:
                part, clause = clause or self._chain(self._deep(self._inner_depths)), None
                if part is not None and not self._joins(frame, member, item, part):
                    return None
                if part is not None:
                    part = Piece(
                        part.source[:-1],
                        _without(part.target, self.known.end[1]),
                        part.parents,
                        part.steps,
                        part.depth + 1,
                    )
            if part is None:
                return None
            parts[item] = part
            made.take(part)
        return self._written(made, frame, words, member, parts)

    def _joins(
        self, frame: SentenceFrame, member: FrameMember, slot: PhraseSlot, clause: Piece
    ) -> bool:
        """Say whether the end of a clause may stand before what follows it.

        食べる stands before こと in "expected to eat", and nothing that ends in だ does: a clause
        in the present may not either. Where nothing is shown, everything may.
        """
        at = frame.target.index(slot) + 1
        if not clause.second or at == len(frame.target):
            return True
        follows = str(member.target if frame.target[at] == OPEN else frame.target[at])
        letters = next((c for w, c in self.known.junctions.items() if follows.startswith(w)), None)
        text = "".join(_without(clause.target, self.known.end[1]))
        return letters is None or text[-1:] in letters

    def gapped(self, outer: SentenceFrame) -> Piece | None:
        """Draw a clause that lacks the phrase which the question word of `outer` stands for."""
        options = outer.gapped
        if not options:
            return None
        sizes = [len(frame.members) for frame in options]
        piece = self.fill(self._weighted(options, list(accumulate(sizes))))
        if piece is None:
            return None
        piece.source = piece.source[:-1]
        piece.target = _without(piece.target, self.known.end[1])
        piece.depth += 1
        return piece


class FrameFamilies(NamedTuple):
    """Frames that are drawn together, and how likely each set is: by the root of its words."""

    rows: list[list[SentenceFrame]]
    weights: list[float]


def _families(frames: list[SentenceFrame]) -> FrameFamilies:
    families: dict[str, list[SentenceFrame]] = {}
    for frame in frames:
        if len(frame.members) >= FEWEST_MEMBERS:
            families.setdefault(frame.family or str(frame), []).append(frame)
    rows = list(families.values())
    sizes = [sum(len(frame.members) for frame in row) / len(row) for row in rows]
    return FrameFamilies(rows, list(accumulate(min(size, MOST_WORDS) ** 0.5 for size in sizes)))


def _without(target: list[str], end: str) -> list[str]:
    """Return a target without the end of its sentence."""
    if not end or not target or not target[-1].endswith(end):
        return target
    last = target[-1][: len(target[-1]) - len(end)]
    return [*target[:-1], last] if last else target[:-1]
