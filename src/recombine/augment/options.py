"""What goes in and what comes out: pairs, options, recombined pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from recombine.config import to_plain
from recombine.corpus.segment import is_unspaced
from recombine.errors import DataError
from recombine.parallel import Engine

# Fewer pairs than this show no word in two places.
FEWEST_PAIRS = 20
# Languages that put no space between words: Japanese has a segmenter here, of the others each
# character is a token.
BY_CHARACTER = frozenset({"zh", "th", "lo", "km", "my"})
UNSPACED = BY_CHARACTER | {"ja"}
# Running text has some names and numbers that are the same in both languages; of more copies
# than this share, augment would learn to copy.
COPIES = 0.1
# What the review, and the steps of a pair, call a class of heads.
SORT = "sort"
# Options that say where the work is done: they change no pair.
PLACE = ("engine", "address")
# Options that came later, as pairs were drawn before there was a choice: the same pairs, still.
ADDED: dict[str, Any] = {
    "rare": False, "uniform": True,
    "class_size": 20, "clearly": 2.0, "alike": 0.2, "made_again": 0.7,
}  # fmt: skip


@dataclass(frozen=True)
class TrainingPair:
    """A training pair."""

    source: str
    target: str
    id: str = ""


@dataclass(frozen=True)
class Recombined:
    """A new pair, the pairs it was made of and, for people, what was done with them."""

    source: str
    target: str
    parents: tuple[str, ...]
    steps: tuple[str, ...]
    depth: int


@dataclass(frozen=True)
class AugmentOptions:
    """How to learn and what to draw. Every threshold is a count or a share of training pairs.

    `source_language` and `target_language` choose a segmenter and nothing else.
    """

    n: int = 250_000
    seed: int = 1
    method: Literal["recombine", "exchange", "words", "grammar"] = "recombine"
    source_language: str = "en"
    target_language: str = "ja"
    # Of more pairs than this, the shortest are learnt from: they tell the most for their cost.
    most_pairs: int = 60_000
    # Alignment: a link stays when the target word is so much likelier with the source word than
    # without, and is its partner in this share of its sentences.
    lift: float = 2.4
    share: float = 0.15
    # Classes: words are alike when the cosine of their environments is at least this.
    similarity: float = 0.55
    # Fewest pairs that a class member or a kind of phrase, and that a frame must have been seen in.
    support: int = 2
    frame_support: int = 10
    # Fewest words that show an analogy (finds : found, statement : question) before it is used.
    analogy_support: int = 3
    # Words that are seen less often, or in long pairs alone, join the classes of the others.
    rare: bool = True
    # Running text (`exchange`): a word and a translation must be linked so often, and in this share
    # of the occurrences of each; how many classes words fall into (fewer are looser), and how many
    # words of a sentence are exchanged at the most.
    unit_support: int = 5
    unit_share: float = 0.1
    classes: int = 60
    exchanges: int = 3
    paradigms: bool = True
    sentence_analogies: bool = True
    # How deep phrases and clauses may stand inside each other, and how long a source may be.
    depth: int = 6
    longest: int = 45
    # Rare frames and words are drawn nearly as often as common ones; else as often as training has
    # them.
    uniform: bool = True
    # Rare words: they join a class of so many members, if there is one, that they are `similarity`
    # like or so many times as like as any other of these.
    class_size: int = 20
    clearly: float = 2.0
    # Pairs that are refused: fewer than this share is built as another pair is, or fewer of the
    # short ones than this share follow from what was learnt of all.
    alike: float = 0.2
    made_again: float = 0.7
    # Where texts are cut and counted: in processes of this machine, or on a Ray cluster.
    engine: Engine = "local"
    address: str | None = None

    def said(self) -> dict[str, Any]:
        """Return all that pairs depend on; what came later, only where it changes them."""
        given = to_plain(self).items()
        return {k: v for k, v in given if k not in PLACE and (k not in ADDED or ADDED[k] != v)}


def check_pairs(pairs: Sequence[TrainingPair], options: AugmentOptions) -> None:
    """Refuse pairs that nothing can be learnt from, with counts."""
    count = len(pairs)
    if count < FEWEST_PAIRS:
        raise DataError(
            f"too few pairs to recombine: {count}, at least {FEWEST_PAIRS} are needed",
            hint="augment learns from words that are seen in several sentences",
        )
    for side in ("source", "target"):
        empty = sum(not getattr(pair, side).strip() for pair in pairs)
        if empty:
            raise DataError(f"{empty:,} of {count:,} pairs have an empty {side}")
        language = getattr(options, f"{side}_language")
        uncut = sum(is_unspaced(getattr(p, side)) for p in pairs) if language not in UNSPACED else 0
        if uncut * 2 > count:
            raise DataError(
                f"{uncut:,} of {count:,} pairs have a {side} without spaces between words, and "
                f"no segmenter is known for the language {language!r}",
                hint=f"say which it is: --{side} with one of {', '.join(sorted(UNSPACED))}",
            )
    same = sum(pair.source.strip() == pair.target.strip() for pair in pairs)
    if same > COPIES * count:
        raise DataError(
            f"source and target are the same text in {same:,} of {count:,} pairs",
            hint="augment needs two languages; leave out sentences that were copied",
        )
