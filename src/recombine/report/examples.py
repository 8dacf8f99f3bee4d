"""The examples that people can look at: drawn evenly, the telling ones first, verdicts in words.

They are chosen when the first metric of a split has been read, so that of all that follow only what
is said of the chosen ones is kept and every score file is read once.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recombine.benchmark import Example
from recombine.metrics.anatomy.dependencies import FORMS, SHOWN_BY
from recombine.metrics.slices import show_tag
from recombine.report.words import Words, read_words

# Splits after the first one are there for orientation; they get a tenth of the room together.
SHARE_OF_OTHER_SPLITS = 0.1
FEWEST_OF_A_SPLIT = 20
MOST_DETAIL = 600
# Fields of a detail that are shown in another way, or say nothing to a reader.
UNTOLD = ("aligned", "findings", "how", "locality", "meant", "said", "slot", "window")
# Fields whose values say more in a phrase than beside their name.
NAMELESS = {
    "wanted": "should be “{}”",
    "width": "words that differ: {}",
    "allowed": "may differ: {}",
    "compound": "“{}”",
    "atom": "namely “{}”",
    "idiom": "“{}”",
    "keyword": "seen by “{}”",
    "foreign": "between its words: “{}”",
    "span": "in “{}”",
}


class JudgedExample(NamedTuple):
    """What a metric found of one translation."""

    # NaN: the metric could not judge it.
    value: float
    explanation: str
    # The other examples that were judged with it: the other sentence of a pair.
    partners: tuple[str, ...] = ()


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
        values = {verdicts[name] for verdicts in split.verdicts if name in verdicts}
        wrong = any(not is_right(value, split.right_value) for value in values)
        return 0 if len(values) > 1 else 1 if wrong else 2

    plain = order[: quota // 4]
    rest = sorted(order[quota // 4 :], key=telling)
    return plain + rest[: quota - len(plain)]


def explain(detail: Mapping[str, Any], words: Words | None = None) -> str:
    """A verdict's detail in words: the metric's own sentence if it has one, else its fields."""
    words = words or read_words()
    if not detail:
        return ""
    if detail.get("findings"):
        kind, faults = (detail.get("class"), [tell_fault(row, words) for row in detail["findings"]])
        reason = "; ".join(dict.fromkeys(faults))
        reason = reason if reason.startswith(f"{kind}: ") else f"{kind}: {reason}"
        sides = [
            f" · {side} {_as_word(detail[side])}" for side in ("meant", "said") if side in detail
        ]
        return (reason + "".join(sides))[:MOST_DETAIL]
    for name in ("explanation", "reason", "why"):
        if isinstance(detail.get(name), str):
            head = str(detail.get("class", ""))
            text = str(detail[name])
            return (
                f"{head}: {text}"[:MOST_DETAIL] if head and head not in text else text[:MOST_DETAIL]
            )
    if isinstance(detail.get("wrong"), list) and "contexts" in detail:
        # A compound in all its contexts: how often it went wrong, and how.
        faults = _counted(explain({**word, "id": None}, words) for word in detail["wrong"])
        reason = f"“{detail.get('compound', '')}” is wrong in {len(detail['wrong'])} of"
        reason += f" {detail['contexts']} contexts"
        return ": ".join([reason, *(["; ".join(faults)] if faults else [])])[:MOST_DETAIL]
    if set(detail) <= {"class", *UNTOLD}:
        reason = words.label("class", str(detail.get("class", "")))
        return "" if reason == "right" else reason
    parts = []
    for name, value in detail.items():
        if name in UNTOLD:
            continue
        if name == "class" and isinstance(value, str):
            parts.append(words.label("class", value))
            continue
        if name == "role" and isinstance(value, str):
            parts.append(f"the {words.role(value)}")
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


# What a metric found of a meaning (metrics/anatomy), in the words of somebody who saw it happen: by
# class and form. {role} and {last} are what the first and the last argument are called.
FAULTS = {
    ("recursion level skipped", "kept"): "kept {1} of {2} levels ({role})",
    ("recursion level skipped", "without"): "left out the level of “{1}” ({role})",
    ("recursion level added", "made"): "made {1} levels of {2} ({role})",
    ("subject and object swapped", "and"): "swapped who does it: “{0}” and “{1}”",
    ("modifier attached elsewhere", "on"): "put “{0}” on “{1}”",
    ("modifier dropped", "of"): "dropped “{0}”, which describes “{1}”",
    ("argument dropped", "slot"): "dropped the {role}, “{1}”",
    ("clause dropped", "word"): "dropped the clause with “{0}”",
    ("tense or voice", "for"): "wrote {0} for {1}",
    ("wrong word, same prefix", "for"): "wrote “{0}” for “{1}”",
    ("wrong word", "for"): "wrote “{0}” for “{1}”",
    ("wrong function word", "for"): "wrote “{0}” for “{1}”",
    ("modifiers reordered", "among"): "put the words that describe “{0}” in another order",
    ("modifier added", "word"): "added “{0}”",
    ("word added", "word"): "added “{0}”",
    ("role changed", "and"): "exchanged the roles of “{0}” and “{1}”",
    ("role changed", "as"): "made “{0}” the {last}",
    ("role changed", "for"): "marked a role with “{0}” for “{1}”",
    ("other structure", "as"): "made “{0}” a {last}",
    ("another sentence", "word"): "{0}",
}


def tell_fault(row: Sequence[str], words: Words) -> str:
    """One fault in words: its class, its form and its arguments, as a metric keeps them.

    What a meaning differs in (role, tense) stands before the fault that shows it.
    """
    kind, form, *arguments = row
    if form == SHOWN_BY:
        return f"{kind}: {tell_fault(arguments, words)}"
    parts = list(map(_as_word, arguments))
    role, last = (words.role(arguments[place]) for place in (0, -1))
    phrase = FAULTS.get((kind, form))
    if phrase is None:
        return f"{kind}: {FORMS[form].format(*parts)}"
    return phrase.format(*parts, role=role, last=last)


def _as_word(label: str) -> str:
    """A word without the name of its sense: lend_dat is lend."""
    return re.sub(r"\b([^\W_]+)_[a-z]+\b", r"\1", label).replace("~", " ")


def _short(value: Any) -> str:
    if isinstance(value, Mapping):  # ids say nothing to a reader
        return " ".join(_short(verdict) for name, verdict in value.items() if name != "id")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _counted(texts: Iterable[str]) -> list[str]:
    """Each text once, with how often it was said if more than once."""
    times = Counter(texts)
    return [text if count == 1 else f"{count} × {text}" for text, count in times.items()]
