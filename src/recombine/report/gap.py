"""The gap between familiar and new sentences, and what of it is composition.

    familiar - new = composition (control - own, on the same sentences) + difficulty (the rest)

A control is the same system, trained on text in which nothing of the test is new. Where nothing can
be trained a neutral system stands in, which learnt from neither side: nothing is new to it, so

    difficulty = familiar - new of the neutral system, composition = the rest

Without either the two parts cannot be told apart (docs/explanation/controls.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recombine.metrics.observations import ObservationTable
from recombine.metrics.slices import Rows
from recombine.report.compare import judged_by_both
from recombine.statistics.intervals import Estimate
from recombine.statistics.sample import Sample
from recombine.templates import number


@dataclass(frozen=True, slots=True, kw_only=True)
class GapParts:
    """What a system loses on new sentences, in points of the metric; positive is a loss.

    `tag` and `slice` say of which of the new sentences, empty for all of them. The parts add up to
    the gap: what is not composition is difficulty. Where something is not known it is None: all
    parts without a control, the gap and the difficulty without familiar sentences.
    """

    system: str
    # The name of the control; empty where there is none.
    control: str
    # Whether that is a neutral system, which was trained on neither side.
    neutral: bool = False
    metric: str
    split: str
    tag: str = ""
    slice: str = ""
    n: int
    familiar: Estimate | None
    new: Estimate
    gap: Estimate | None
    composition: Estimate | None
    difficulty: Estimate | None


def gap_parts(
    new: ObservationTable,
    familiar: ObservationTable | None,
    controls: Mapping[str, str],
    neutral: str = "",
) -> Iterator[GapParts]:
    """Yield the parts of every system's gap: in all, and with a control for each slice, too.

    `controls` maps systems to their controls, and controls to themselves. A system without one is
    compared with the neutral system, where one is named.
    """
    tag = new.main_tag
    slices = new.slices(tag) if tag is not None else {}
    whole = new.whole
    for system in new.systems:
        control = controls.get(system, "")
        control = control if control in new.systems else ""
        if system in (control, neutral):
            continue
        stand_in = not control and neutral in new.systems and familiar is not None
        stand_in = stand_in and {system, neutral} <= set(familiar.systems if familiar else ())
        control = neutral if stand_in else control
        yield _parts(new, familiar, system, control, None, whole, neutral=stand_in)
        for value, where in slices.items() if control else ():
            sample = new.sample(where, (system, control))
            place = {"tag": tag or "", "slice": value}
            yield _parts(new, familiar, system, control, where, sample, neutral=stand_in, **place)


def _parts(
    new: ObservationTable,
    familiar: ObservationTable | None,
    system: str,
    control: str,
    where: Rows | None,
    sample: Sample,
    *,
    neutral: bool,
    **place: str,
) -> GapParts:
    """The gap of a system, on all new sentences or some, and what of it is which."""
    loss = 1.0 if new.higher_is_better else -1.0
    known = familiar.whole if familiar is not None and system in familiar.systems else None
    gap = _turned(sample.unpaired_interval(system, known, system), loss) if known else None
    composition = difficulty = None
    if neutral and known is not None:
        # What a neutral system loses is difficulty, what `system` loses beyond it composition.
        composition = _turned(sample.gain_interval(system, control, known), loss)
        difficulty = _turned(sample.unpaired_interval(control, known, control), loss)
    elif control:
        both = judged_by_both(new, system, control, where)
        paired = sample if both is where else new.sample(both, (system, control))
        composition = _turned(paired.paired_interval(system, control), loss)
        if known is not None and gap is not None:
            rest = _turned(sample.unpaired_interval(control, known, system), loss)
            # Where not all could be judged the rest is of other sentences by a little.
            moved = gap.value - composition.value - rest.value
            difficulty = Estimate(rest.value + moved, rest.low + moved, rest.high + moved)
    return GapParts(
        system=system,
        control=control,
        neutral=neutral,
        metric=new.metric,
        split=new.split,
        n=len(new.keys) if where is None else len(where),
        familiar=known.interval(system) if known else None,
        new=sample.interval(system),
        gap=gap,
        composition=composition,
        difficulty=difficulty,
        **place,
    )


def _turned(span: Estimate, sign: float) -> Estimate:
    low, high = sorted((sign * span.low, sign * span.high))
    return Estimate(sign * span.value, low, high)


# Systems whose gap is taken apart in a sentence; the others are in the table.
MOST_TOLD = 4


def gap_sentences(gaps: Sequence[GapParts], hint: str = "") -> list[str]:
    """What to say of the gaps as a whole, a sentence per system; of those without a control one.

    `hint` says how a control is had.
    """
    sentences = []
    alone = []
    for parts in gaps:
        if parts.tag:
            continue
        if parts.composition is None:
            if parts.gap is not None:
                alone.append(f"{parts.system} ({number(parts.gap.value)})")
        elif parts.gap is None or parts.difficulty is None:
            sentences.append(
                f"{_beside_control(parts, parts.composition)}: {_concluded(parts.composition)}."
            )
        elif parts.composition.value < 0:
            none = "none are" if parts.composition.high < 0 else "none are shown to be"
            sentences.append(
                f"Of {number(parts.gap.value)} points that {parts.system} loses on new sentences "
                f"{none} composition: {_beside_control(parts, parts.composition)}."
            )
        else:
            # An interval that holds zero, or that there is none, leaves open whether it is any.
            are = "are" if parts.composition.low > 0 else "may be"
            sentences.append(
                f"Of {number(parts.gap.value)} points that {parts.system} loses on new sentences "
                f"{shown(parts.composition)} {are} composition and {shown(parts.difficulty)} "
                f"difficulty{named(parts)}."
            )
    if len(sentences) > MOST_TOLD:
        sentences = [
            *sentences[:MOST_TOLD],
            f"{len(sentences) - MOST_TOLD} more gaps are in the table of gaps.",
        ]
    if alone:
        sentences.append(
            f"Points lost on new sentences: {', '.join(alone[:MOST_TOLD])}"
            f"{', ...' if len(alone) > MOST_TOLD else ''}. No control: part of it may be "
            f"difficulty{f' ({hint})' if hint else ''}."
        )
    return sentences


def _beside_control(parts: GapParts, composition: Estimate) -> str:
    """How many points a control gets more or fewer."""
    sign, word = (1.0, "more") if composition.value >= 0 else (-1.0, "fewer")
    return (
        f"{parts.control} gets {shown(_turned(composition, sign))} points {word} than "
        f"{parts.system} on the same new sentences"
    )


def _concluded(composition: Estimate) -> str:
    """What follows from what a control gets more; the interval decides."""
    if math.isnan(composition.low):
        return "too few sentences to tell"
    if composition.low > 0:
        return "so much is composition"
    return "none of the loss is composition" if composition.high < 0 else "it may be chance"


def named(parts: GapParts) -> str:
    """Against what the gap was taken apart, where its name does not say so."""
    kind = "neutral system" if parts.neutral else "control"
    if kind in parts.control:
        return "" if parts.control == kind else f" (against {parts.control})"
    return f" ({kind}: {parts.control})"


def shown(part: Estimate) -> str:
    """A part with its interval, as a sentence says it."""
    if math.isnan(part.low):
        return number(part.value)
    return f"{number(part.value)} ({number(part.low)} to {number(part.high)})"
