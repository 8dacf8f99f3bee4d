"""The examples that people can look at: drawn evenly, the telling ones first, verdicts in words.

They are chosen when the first metric of a split has been read, so that of all that follow only what
is said of the chosen ones is kept and every score file is read once.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recombine.benchmark import Example
from recombine.metrics.slices import show_tag

# Splits after the first one are there for orientation; they get a tenth of the room together.
SHARE_OF_OTHER_SPLITS = 0.1
FEWEST_OF_A_SPLIT = 20
MOST_DETAIL = 600
# Fields of a detail that are shown in another way, or say nothing to a reader.
UNTOLD = ("aligned", "findings", "meant", "said", "window")
# Fields whose values say more in a phrase than beside their name.
NAMELESS = {
    "class": "{}",
    "how": "judged by: {}",
    "width": "{} words differ",
    "allowed": "{} may",
}


class JudgedExample(NamedTuple):
    """What a metric found of one translation."""

    value: float
    explanation: str
    # How the words of source and output belong together, where the metric says so.
    aligned: Any = None


@dataclass(frozen=True, slots=True)
class TranslatedSplit:
    """Examples that were translated, and what the first seed of each system got for them."""

    examples: Mapping[str, Example]
    verdicts: Sequence[Mapping[str, float]]
    right_value: float


def is_right(value: float, right_value: float) -> bool:
    """Whether an observation is without fault; a perfect BLEU is 100.00000000000004."""
    return math.isclose(value, right_value, rel_tol=1e-9)


def room(splits: Sequence[str], wanted: int) -> dict[str, int]:
    """How many examples of each split can be shown."""
    shares = [1.0]
    if len(splits) > 1:
        other = SHARE_OF_OTHER_SPLITS / (len(splits) - 1)
        shares = [1 - SHARE_OF_OTHER_SPLITS, *([other] * (len(splits) - 1))]
    return {
        name: max(FEWEST_OF_A_SPLIT, int(wanted * share))
        for name, share in zip(splits, shares, strict=False)
    }


def choose(split: TranslatedSplit, covered: Sequence[str], wanted: int, seed: int) -> list[str]:
    """Ids in the order given: even over the first tag, interesting ones first."""
    if len(covered) <= wanted:
        return list(covered)
    generator = np.random.default_rng(np.random.SeedSequence([seed, len(covered)]))
    strata: dict[str, list[str]] = {}
    for name in covered:
        tags = split.examples[name].tags
        strata.setdefault(show_tag(next(iter(tags.values()), "")), []).append(name)
    chosen: set[str] = set()
    remaining = wanted
    # Small strata first, so that what they do not use goes to the large ones.
    for position, members in enumerate(sorted(strata.values(), key=len)):
        quota = remaining // (len(strata) - position)
        taken = _most_telling(split, members, quota, generator)
        chosen.update(taken)
        remaining -= len(taken)
    return [name for name in covered if name in chosen]


def _most_telling(
    split: TranslatedSplit, members: Sequence[str], quota: int, generator: np.random.Generator
) -> list[str]:
    """Disagreements and errors take three quarters of the room, a plain sample the rest."""
    if len(members) <= quota:
        return list(members)
    order = [members[index] for index in generator.permutation(len(members))]

    def telling(name: str) -> int:
        seen = {verdicts[name] for verdicts in split.verdicts if name in verdicts}
        wrong = any(not is_right(value, split.right_value) for value in seen)
        return 0 if len(seen) > 1 else 1 if wrong else 2

    plain = order[: quota // 4]
    rest = sorted(order[quota // 4 :], key=telling)
    return plain + rest[: quota - len(plain)]


def explain(detail: Mapping[str, Any]) -> str:
    """A verdict's detail in words: the metric's own sentence if it has one, else its fields."""
    if not detail:
        return ""
    for name in ("explanation", "reason", "why"):
        if isinstance(detail.get(name), str):
            head = str(detail.get("class", ""))
            text = str(detail[name])
            return (
                f"{head}: {text}"[:MOST_DETAIL] if head and head not in text else text[:MOST_DETAIL]
            )
    if set(detail) <= {"class", *UNTOLD}:
        kind = str(detail.get("class", ""))
        return "" if kind == "right" else kind
    parts = []
    for name, value in detail.items():
        if name in UNTOLD:
            continue
        if name in NAMELESS and isinstance(value, (str, int)):
            parts.append(NAMELESS[name].format(value))
            continue
        if isinstance(value, (str, int, float, bool)):
            parts.append(f"{name} {value}")
        elif isinstance(value, (list, tuple)) and value:
            parts.append(f"{name} " + ", ".join(_counted(map(_short, value))))
        elif isinstance(value, Mapping) and value:
            parts.append(f"{name} " + ", ".join(f"{k} {_short(v)}" for k, v in value.items()))
    return "; ".join(parts)[:MOST_DETAIL]


def _short(value: Any) -> str:
    if isinstance(value, Mapping):  # ids say nothing to a reader
        return " ".join(_short(one) for name, one in value.items() if name != "id")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _counted(texts: Iterable[str]) -> list[str]:
    """Each text once, with how often it was said if more than once."""
    times = Counter(texts)
    return [text if count == 1 else f"{count} × {text}" for text, count in times.items()]
