"""What goes in and what comes out: pairs, options, recombined pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recombine.config import to_plain
from recombine.corpus.segment import is_unspaced
from recombine.errors import DataError
from recombine.parallel import Engine
from recombine.stage import content_by_name

# Fewer pairs than this show no word in two places.
FEWEST_PAIRS = 20
# Languages that put no space between words: Japanese has a segmenter here, of the others each
# character is a token.
BY_CHARACTER = frozenset({"zh", "th", "lo", "km", "my"})
UNSPACED = BY_CHARACTER | {"ja"}
# Running text has some names and numbers that are the same in both languages; of more copies
# than this share, augment would learn to copy.
COPIES = 0.1
# Options that say where the work is done: they change no pair.
PLACE = ("engine", "address")


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
    # Fewest pairs that a word must have been seen in to be exchanged.
    support: int = 2
    # Running text (`exchange`): a word and a translation must be linked so often, and in this share
    # of the occurrences of each; how many classes words fall into (fewer are looser), and how many
    # words of a sentence are exchanged at the most.
    unit_support: int = 5
    unit_share: float = 0.1
    classes: int = 60
    exchanges: int = 3
    # How deep phrases and clauses may stand inside each other, and how long a source may be.
    depth: int = 6
    longest: int = 45
    # Rare kinds of sentences are drawn nearly as often as common ones; else as in training.
    uniform: bool = True
    # Pairs are refused as running text if fewer than this share is built as others are.
    alike: float = 0.2
    # A folder of a learnt grammar, corrected or not (`augment --grammar`), that is drawn from.
    grammar: str = ""
    # Where texts are cut and counted: in processes of this machine, or on a Ray cluster.
    engine: Engine = "local"
    address: str | None = None

    def said(self) -> dict[str, Any]:
        """Return all that pairs depend on: of the files of a grammar what they say."""
        given = {key: value for key, value in to_plain(self).items() if key not in PLACE}
        folder = Path(given.pop("grammar"))
        if self.grammar:
            files = {path.name: path for path in folder.glob("*.*") if path.suffix != ".md"}
            given["grammar"] = content_by_name(files)
        return given


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


@dataclass(frozen=True)
class Review:
    """What was learnt, as plain rows for people: each with its support."""

    classes: list[dict[str, Any]]
    rules: list[dict[str, Any]]


def unit_text(unit: tuple[str, str]) -> str:
    """Return a word and its translation, for people."""
    return f"{unit[0].strip()}|{unit[1].strip()}"
