"""The examples people can look at in the page: drawn evenly, every one left out counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recombine.benchmark import Example
from recombine.report.model import Report
from recombine.report.observations import read_scores, read_translations, show_tag
from recombine.report.packing import Gathered, gather, pack
from recombine.report.source import Scores

# Splits after the first one are there for orientation; they get a tenth of the room together.
SHARE_OF_OTHER_SPLITS = 0.1


@dataclass(frozen=True, slots=True)
class Packed:
    """The examples as one base64 text, with how many of how many are in it."""

    text: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class _Split:
    """Examples that were translated, and what the first seed of each system got for them."""

    name: str
    examples: Mapping[str, Example]
    verdicts: Sequence[Mapping[str, float]]
    right_value: float


def pack_examples(report: Report, budget_bytes: int) -> Packed:
    """Choose and pack examples so that the text stays within the budget."""
    splits = [one for one in (_read_split(report, name) for name in report.splits) if one.examples]
    total = sum(len(one.examples) for one in splits)
    if not splits:
        return Packed("", 0, 0)
    wanted = report.options.examples
    pool = {one.name: list(one.examples) for one in splits}
    gathered: Gathered | None = None
    while True:
        pool = _choose(report, splits, pool, wanted)
        if gathered is None:
            # What is chosen later is a part of what is chosen first, so one reading is enough.
            gathered = gather(report, pool)
        text = pack(report, gathered, pool)
        shown = sum(len(ids) for ids in pool.values())
        if len(text) <= budget_bytes or wanted <= 50:
            return Packed(text, shown, total)
        # Size grows a little slower than the count; 0.95 saves most second tries.
        wanted = max(50, int(shown * 0.95 * budget_bytes / len(text)))


def _read_split(report: Report, split: str) -> _Split:
    examples = report.source.examples(split)
    covered: set[str] = set()
    for cell in report.source.cells:
        covered.update(read_translations(cell, split))
    sheet = next(sheet for sheet in report.sheets if sheet.split == split)
    first: dict[str, Scores] = {}
    for one in report.source.files(sheet.metric, split):
        first.setdefault(one.system, one)
    return _Split(
        split,
        {name: example for name, example in examples.items() if name in covered},
        [_values(report, one) for one in first.values()],
        sheet.right_value,
    )


def _values(report: Report, one: Scores) -> Mapping[str, float]:
    if one.path not in report.source.seen:
        report.source.seen[one.path] = read_scores(one.path).seen()
    return report.source.seen[one.path]


def _choose(
    report: Report, splits: Sequence[_Split], pool: Mapping[str, Sequence[str]], wanted: int
) -> dict[str, list[str]]:
    """Ids of each split: even over the first tag, interesting ones first, order of the file."""
    shares = [1.0]
    if len(splits) > 1:
        other = SHARE_OF_OTHER_SPLITS / (len(splits) - 1)
        shares = [1 - SHARE_OF_OTHER_SPLITS, *([other] * (len(splits) - 1))]
    return {
        split.name: _choose_in(report, split, pool[split.name], max(20, int(wanted * share)))
        for split, share in zip(splits, shares, strict=True)
    }


def _choose_in(report: Report, split: _Split, covered: Sequence[str], wanted: int) -> list[str]:
    if len(covered) <= wanted:
        return list(covered)
    generator = np.random.default_rng(np.random.SeedSequence([report.options.seed, len(covered)]))
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
    split: _Split, members: Sequence[str], quota: int, generator: np.random.Generator
) -> list[str]:
    """Disagreements and errors take three quarters of the room, a plain sample the rest."""
    if len(members) <= quota:
        return list(members)
    order = [members[index] for index in generator.permutation(len(members))]

    def telling(name: str) -> int:
        seen = {verdicts[name] for verdicts in split.verdicts if name in verdicts}
        return 0 if len(seen) > 1 else 1 if any(value != split.right_value for value in seen) else 2

    plain = order[: quota // 4]
    rest = sorted(order[quota // 4 :], key=telling)
    return plain + rest[: quota - len(plain)]
