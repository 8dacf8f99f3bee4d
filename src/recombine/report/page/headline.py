"""The headline of benchmarks with new and familiar sentences: what a report found, in plain words.

Numbers are those of the first metric of each split, said as so many of a hundred where they are
shares. Methods that ask another question have a headline of their own (`recombine.methods`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from recombine.metrics.score import Score
from recombine.metrics.slices import LENGTH_TAG
from recombine.report.compare import Comparison
from recombine.report.findings import Findings
from recombine.report.method import Headline
from recombine.report.results import MetricResults
from recombine.templates import listed

# Below these shares of what it gets on familiar sentences a system is said to compose so well.
NEARLY_ALL, HALF, HARDLY = 0.9, 0.5, 0.05
# What is said where it depends on sentences that could not be judged.
UNTOLD = "says too much that could not be judged"
# A system that gets fewer familiar sentences right has not learnt the language itself.
LEARNT = 50.0
# Systems that the first one is compared with in words, and kinds of sentence that are named.
MOST_PAIRS, MOST_NAMED = 2, 3


def familiar_results(report: Findings) -> MetricResults | None:
    """The main metric on sentences like those of training; None where there is no such set."""
    main = report.main
    familiar = report.method.familiar_split
    return report.results_of(main.metric, familiar) if main.split != familiar else None


def of_hundred(value: float, upper: float = math.nan) -> str:
    """A share as people say it; all and none are said only where they are true.

    `upper` is what it may be where not all could be judged.
    """
    if not math.isnan(upper):
        return f"{math.floor(value)} to {math.ceil(upper)} of 100"
    rounded = round(value)
    if rounded == 100 and value < 100:
        return "over 99 of 100"
    if rounded == 0 and value > 0:
        return "under 1 of 100"
    return f"{rounded} of 100"


def amount(results: MetricResults, score: Score) -> str:
    """A score in words: a share of a hundred, or a number."""
    if math.isnan(score.value):
        return "nothing that could be judged"
    return of_hundred(*score.possible) if results.is_share else f"{score.value:.1f}"


def generalisation_headline(report: Findings) -> Headline:
    """What becomes of new sentences, and of familiar ones where there are some."""
    main, familiar = report.main, familiar_results(report)
    if len(report.contenders) > 1:
        return _several(report)
    (system,) = report.contenders
    score = main.overall(system)
    new = report.split_name(main.split)
    if not main.is_share or not main.higher_is_better or math.isnan(score.value):
        named = report.words.metric(main.metric)
        return Headline(f"{system}: {named} {score.value:.1f} on {new}", ())
    familiar_score = familiar.overall(system) if familiar is not None else None
    sentence = f"It gets {amount(main, score)} right on {new}"
    if familiar_score is not None and not math.isnan(familiar_score.value):
        named = report.split_name(familiar_score.split)
        sentence = (
            f"It gets {amount(main, familiar_score)} right on {named}, "
            f"and {amount(main, score)} on {new}"
        )
    # The same must be said whatever the truth is about what could not be judged, and wherever in
    # its interval the score lies; else the number stands for itself.
    if system not in report.learned:
        return Headline(
            f"{system} gets {amount(main, score)} right on {new}",
            _slice_sentences(report, [system]),
        )
    judged = {how_it_composes(new, old) for new in _ends(score) for old in _ends(familiar_score)}
    sure = {
        how_it_composes(new, old) for new in _interval(score) for old in _ends(familiar_score)
    } | judged
    head = f"{system} {next(iter(judged))}"
    if len(judged) > 1:
        head = f"{system} {UNTOLD}"
    elif len(sure) > 1:
        head = f"{system} gets {amount(main, score)} right on {new}"
    return Headline(head, (sentence + ".", *_slice_sentences(report, [system])))


def _interval(score: Score) -> list[float]:
    """The ends of a score's interval; nothing where it has none."""
    return [] if math.isnan(score.low) else [score.low, score.high]


def _ends(score: Score | None) -> list[float]:
    """How low and how high a score may be."""
    return [math.nan] if score is None else score.possible


def how_it_composes(new: float, familiar: float) -> str:
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
    ranked, systems = report.ranking(main), report.contenders
    best = ranked[0]
    new = report.split_name(main.split)
    score = main.overall(best[0])
    if len(best) == 1 and main.is_share and main.higher_is_better:
        verb = "composes best" if best[0] in report.learned else "is best"
        head = f"{best[0]} {verb}: {amount(main, score)} right on {new}"
        if len(systems) == 2:
            other = systems[-1]
            head += f", {other} {amount(main, main.overall(other)).removesuffix(' of 100')}"
    elif len(best) == 1:
        head = f"{best[0]} is ahead: {report.words.metric(main.metric)} {score.value:.1f} on {new}"
    elif len(best) == len(systems):
        head = f"The data cannot tell {listed(best)} apart on {new}"
    else:
        head = f"{listed(best)} are ahead of the others on {new}"
    sentences = (*_win_sentences(report), *_slice_sentences(report, [systems[0], systems[-1]]))
    return Headline(head, sentences)


def _win_sentences(report: Findings) -> tuple[str, ...]:
    """Where the first system is better than the next ones, and where worse: the mean hides it."""
    main = report.main
    best, *others = report.contenders
    named = report.words.plural(main.main_tag or "")
    sentences = []
    for pair in main.comparisons:
        if pair.second != best or pair.first not in others[:MOST_PAIRS]:
            continue
        verdicts = [_where(report, pair, verdict) for verdict in ("win", "loss")]
        if any(verdicts):
            better, worse = (where or "none" for where in verdicts)
            sentences.append(
                f"{best} against {pair.first}: better on {better} of the {len(pair.slices)} "
                f"{named}, worse on {worse}; the others are undecided."
            )
    return tuple(sentences)


def _where(report: Findings, pair: Comparison, verdict: str) -> str:
    """How many kinds of sentence have this verdict, with their names where they are few."""
    tag = report.main.main_tag or ""
    values = [part.value for part in pair.slices if part.verdict == verdict]
    names = ", ".join(report.words.label(tag, value) for value in values)
    return f"{len(values)} ({names})" if 0 < len(values) <= MOST_NAMED else str(len(values) or "")


def _slice_sentences(report: Findings, systems: Sequence[str]) -> tuple[str, ...]:
    """How many kinds of sentence are never right, and how many mostly."""
    main = report.main
    if main.main_tag is None or not main.is_share or not main.higher_is_better:
        return ()
    if main.main_tag == LENGTH_TAG or main.main_tag in main.number_tags:
        return ()  # lengths and depths are no kinds of sentence
    scores = main.by_tag(main.main_tag)
    named = report.words.plural(main.main_tag)
    sentences = []
    for system in systems[:2]:
        slices = [by[system] for by in scores.values() if system in by]
        values = [score.value for score in slices if not math.isnan(score.value)]
        if len(values) < 2:
            continue
        never = sum(score.value == 0 and not score.undecided for score in slices)
        mostly = sum(value >= 50 for value in values)
        whose = f"{system}: " if len(systems) > 1 else ""
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
        sentences.append(whose + often)
    return tuple(sentences)


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
