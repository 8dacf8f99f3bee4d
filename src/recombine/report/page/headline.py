"""The headline of the page: what a report found, in plain words.

Every method asks another question, so each has its own sentence; numbers are those of the first
metric of each split, said as so many of a hundred where they are shares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recombine.metrics.score import Score
from recombine.metrics.slices import LENGTH_TAG
from recombine.report.findings import Findings, Sheet

# Sentences like those of training, in benchmarks that have a generalisation set beside them.
FAMILIAR = "test"
# The two errors of compounds (Li et al. 2021, section 5): per translation, and per compound.
INSTANCE, AGGREGATE = "compound", "compound_aggregate"
# Below these shares of what it gets on familiar sentences a system is said to compose so well.
NEARLY_ALL, HALF, HARDLY = 0.9, 0.5, 0.05
# What is said where it depends on sentences that could not be judged.
UNTOLD = "says too much that could not be judged"
# What is exchanged in each test of consistency, and what should stay (Dankers et al. 2022).
CHANGES = {
    "systematicity": "an exchanged part {often} changes the rest",
    "substitutivity": "a synonym {often} changes the translation",
}
# A system that gets fewer familiar sentences right has not learnt the language itself.
LEARNT = 50.0


class Headline(NamedTuple):
    """A headline and the sentences that say why."""

    headline: str
    sentences: tuple[str, ...]


def find_headline(report: Findings) -> Headline:
    """What the report found, by the method of its benchmark."""
    builder = report.source.benchmark.manifest.builder
    if builder.startswith("consistency"):
        return _consistency(report)
    if builder.startswith("compound") and report.sheet(INSTANCE, report.main.split):
        return _compounds(report)
    if builder.startswith("divergent"):
        return _divergent(report)
    return _generalisation(report)


def familiar_sheet(report: Findings) -> Sheet | None:
    """The main metric on sentences like those of training; None where there is no such set."""
    main = report.main
    return report.sheet(main.metric, FAMILIAR) if main.split != FAMILIAR else None


def of_hundred(value: float, reach: float = math.nan) -> str:
    """A share as people say it; all and none are said only where they are true.

    `reach` is what it may be where not all could be judged.
    """
    if not math.isnan(reach):
        return f"{math.floor(value)} to {math.ceil(reach)} of 100"
    rounded = round(value)
    if rounded == 100 and value < 100:
        return "over 99 of 100"
    if rounded == 0 and value > 0:
        return "under 1 of 100"
    return f"{rounded} of 100"


def amount(sheet: Sheet, score: Score) -> str:
    """A score in words: a share of a hundred, or a number."""
    if math.isnan(score.value):
        return "nothing that could be judged"
    return of_hundred(score.value, score.reach) if sheet.is_share else f"{score.value:.1f}"


def _generalisation(report: Findings) -> Headline:
    main, familiar = report.main, familiar_sheet(report)
    if len(main.systems) > 1:
        return _several(report)
    (system,) = main.systems
    score = main.overall(system)
    new = report.split_name(main.split)
    if not main.is_share or not main.higher_is_better or math.isnan(score.value):
        named = report.words.metric(main.metric)
        return Headline(f"{system}: {named} {score.value:.1f} on {new}", ())
    known = familiar.overall(system) if familiar is not None else None
    told = f"It gets {amount(main, score)} right on {new}"
    if known is not None and not math.isnan(known.value):
        told = (
            f"It gets {amount(main, known)} right on {report.split_name(FAMILIAR)}, "
            f"and {amount(main, score)} on {new}"
        )
    # The same must be said whatever the truth is about what could not be judged.
    said = {_judged(new, old) for new in _ends(score) for old in _ends(known)}
    judged = said.pop() if len(said) == 1 else UNTOLD
    return Headline(f"{system} {judged}", (told + ".", *_slices_told(report, [system])))


def _ends(score: Score | None) -> list[float]:
    """How low and how high a score may be."""
    if score is None:
        return [math.nan]
    return [score.value] if math.isnan(score.reach) else [score.value, score.reach]


def _judged(new: float, familiar: float) -> str:
    """Whether a system composes, measured by what it does on familiar sentences."""
    if math.isnan(familiar):
        # Nothing familiar was scored: of remembering nothing is known.
        how_many = "most" if new > 100 * HALF else "at most half"
        return f"gets {how_many} of the new combinations right"
    if familiar < LEARNT:
        return "has not learnt the familiar sentences yet"
    share = new / familiar if familiar > 0 else new / 100
    if share >= NEARLY_ALL:
        return "composes: new combinations cost it little"
    if share >= HALF:
        return "composes, but not everywhere"
    if share >= HARDLY:
        return "remembers more than it composes"
    return "remembers, and hardly composes"


def _several(report: Findings) -> Headline:
    main = report.main
    best = main.ranking[0]
    new = report.split_name(main.split)
    score = main.overall(best[0])
    if len(best) == 1 and main.is_share and main.higher_is_better:
        head = f"{best[0]} composes best: {amount(main, score)} right on {new}"
    elif len(best) == 1:
        head = f"{best[0]} is ahead: {report.words.metric(main.metric)} {score.value:.1f} on {new}"
    elif len(best) == len(main.systems):
        head = f"The data cannot tell {listed(best)} apart on {new}"
    else:
        head = f"{listed(best)} are ahead of the others on {new}"
    ends = dict.fromkeys([main.ranking[0][0], main.ranking[-1][-1]])
    return Headline(head, _slices_told(report, list(ends)))


def _slices_told(report: Findings, systems: Sequence[str]) -> tuple[str, ...]:
    """How many kinds of sentence are never right, and how many mostly."""
    main = report.main
    if main.main_tag is None or not main.is_share or not main.higher_is_better:
        return ()
    if main.main_tag == LENGTH_TAG or main.main_tag in main.number_tags:
        return ()  # lengths and depths are no kinds of sentence
    scores = main.by_tag(main.main_tag)
    named = "structures" if main.main_tag == "pattern" else f"{report.words.tag(main.main_tag)}s"
    told = []
    for system in systems[:2]:
        found = [by[system] for by in scores.values() if system in by]
        values = [one.value for one in found if not math.isnan(one.value)]
        if len(values) < 2:
            continue
        never = sum(one.value == 0 and not one.undecided for one in found)
        mostly = sum(value >= 50 for value in values)
        whose = f"{system}: " if len(main.systems) > 1 else ""
        first = f"{never} of the {len(values)} {named} {_is(never)} never right"
        if not never and 0 in values:
            first = (
                f"{'none' if whose else 'None'} of the {len(values)} {named} is surely never right"
            )
        elif not never:
            first = f"{'all' if whose else 'All'} {len(values)} {named} are right at least once"
        often = f"{first}, {mostly or 'none'} {_is(mostly)} right at least half of the time."
        if mostly == len(values):
            often = (
                f"{'all' if whose else 'All'} {mostly} {named} are right at least half of the time."
            )
        told.append(whose + often)
    return tuple(told)


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _compounds(report: Findings) -> Headline:
    """Instance and aggregate error, the two numbers of the method."""
    main = report.sheet(INSTANCE, report.main.split)
    assert main is not None
    aggregate = report.sheet(AGGREGATE, main.split)
    best = main.ranking[0][0]
    told = []
    for system in main.systems[:3]:
        line = f"{system}: the new compound is wrong in {amount(main, main.overall(system))} "
        line += "translations"
        if aggregate is not None and system in aggregate.systems:
            line += (
                f", and {amount(aggregate, aggregate.overall(system))} compounds are wrong at "
                "least once"
            )
        told.append(line + ".")
    first = aggregate if aggregate is not None and best in aggregate.systems else main
    what = "new compounds go wrong at least once" if first is aggregate else "new compounds wrong"
    return Headline(f"{best}: {amount(first, first.overall(best))} {what}", tuple(told))


def _divergent(report: Findings) -> Headline:
    """The experiment's own metric on a test set of new combinations."""
    main = report.main
    named, new = report.words.metric(main.metric), report.split_name(main.split)
    told = ", ".join(f"{name} {main.overall(name).value:.1f}" for name in main.systems[:4])
    manifest = report.source.benchmark.manifest
    wanted = manifest.recipe.get("target_divergence")
    kinds = {0.0: "as few as possible", 1.0: "as many as possible"}
    how = kinds.get(float(wanted)) if isinstance(wanted, (int, float)) else None
    note = "Training and test share their words and differ in how these combine."
    if how:
        note = f"Training and test share their words; {how} of their combinations are new."
    return Headline(
        f"{named} on {new}: {told}",
        (note, "What is lost by them shows beside the other splits of the corpus."),
    )


def _consistency(report: Findings) -> Headline:
    """One sentence per test: systematicity, substitutivity, idioms."""
    firsts: dict[str, Sheet] = {}
    for sheet in report.sheets:
        firsts.setdefault(sheet.split, sheet)
    told = []
    for split, sheet in firsts.items():
        best = sheet.overall(sheet.ranking[0][0])
        score = amount(sheet, best)
        if math.isnan(best.value):
            told.append(f"{score} on {report.split_name(split)}")
        elif split == "overgeneralisation":
            told.append(f"{score} idioms are taken literally")
        else:
            told.append(f"{score} pairs are translated alike ({report.split_name(split)})")
    alike = {
        split: sheet.overall(sheet.ranking[0][0]).value
        for split, sheet in firsts.items()
        if sheet.higher_is_better and sheet.is_share
    }
    return Headline(
        consistency_told(alike) or report.title, (f"At best {'; '.join(told)}.",) if told else ()
    )


def consistency_told(alike: Mapping[str, float]) -> str:
    """Which changes of the source change more of the translation than they should.

    `alike` maps a test to how many of a hundred pairs are translated alike; what no number is
    known of is not told.
    """
    often = {
        split: "rarely" if value >= 90 else "often" if value < 50 else "sometimes"
        for split, value in alike.items()
        if not math.isnan(value)
    }
    if set(often.values()) == {"rarely"}:
        return "A small change of the source changes little else"
    if len(set(often.values())) == 1:
        (one,) = set(often.values())
        return f"A small change of the source {one} changes the rest of the translation"
    told = [
        CHANGES.get(split, "{often} something else changes (" + split + ")").format(often=one)
        for split, one in often.items()
    ]
    head = ", ".join(told)
    return head[:1].upper() + head[1:]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
