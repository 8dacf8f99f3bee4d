"""The page of a family of divergent splits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from recombine.benchmark import Example
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.corpus.token_diff import differing
from recombine.methods.divergent.family import MAX, MIN, RANDOM, SPLIT, Division, Family
from recombine.methods.divergent.tables import generalisation_table
from recombine.report.figures.figure import DrawnFigure
from recombine.report.page.first_screen import Bar, drawn_bar
from recombine.report.page.frame import figures, page, plain_head
from recombine.report.page.shown import look
from recombine.report.reading.observations import read_scores, values_of
from recombine.report.tables.table import Table, html
from recombine.statistics.intervals import Estimate
from recombine.templates import capital, number, render


def family_title(family: Family) -> str:
    """The heading: what was asked for, or what it is about."""
    given = family.divisions[0].report.options.title
    return given or f"When compounds are new: {', '.join(family.systems)}"


def render_family(
    family: Family, tables: Sequence[Table], drawn: Sequence[DrawnFigure], notes: Sequence[str]
) -> str:
    """The whole page; `drawn` are the figures."""
    by_name = {table.name: html(table) for table in tables}
    languages = ", ".join(
        f"{division.report.source.benchmark.manifest.source} → {division.target or 'any'}"
        for division in {division.target: division for division in family.divisions}.values()
    )
    none = Markup()
    lost = render(
        "family_lost",
        scores=by_name.get("generalisation-scores", none),
        figures=figures(drawn),
        dose=by_name.get("dose-response", none),
    )
    doubt = render(
        "family_doubt",
        doubts=_doubts(family),
        tables=[by_name.get(name, none) for name in ("table-2-splits", "generalisation-by-length")],
    )
    within = render("family_within", table=by_name.get("novelty-within-test", none))
    text = page(
        family_title(family),
        f"Recombine report · {len(family.divisions)} divergent splits · {languages}",
        plain_head(
            family_headline(family) or family_title(family),
            "The same words in training and test, and other combinations of them. "
            "Does it compose, or does it only remember?",
        )
        + _divergences(family)
        + _bars(family),
        {
            "score": ("How much is lost", lost),
            "doubt": ("Is it the compounds?", doubt),
            "within": ("Within one test set", within),
            "sentences": ("Sentences", _sentences(family)),
            "made": ("How made", _made(family, notes)),
        },
    )
    return str(text)


def _divergences(family: Family) -> Markup:
    """How far training and test of every split are apart: in words, and in how these combine."""
    rows = [
        (
            division.name,
            KINDS.get(division.kind, (division.kind, ""))[0],
            number(float(division.certificate["atom_divergence"]), 3),
            number(float(division.certificate["compound_divergence"]), 3),
        )
        for division in family.divisions
        if {"atom_divergence", "compound_divergence"} <= set(division.certificate)
    ]
    return render("divergences", rows=rows) if rows else Markup()


def family_headline(family: Family) -> str:
    """What new combinations cost the system that keeps most, and what they cost its control."""
    table = generalisation_table(family)
    if table is None or not table.rows:
        return ""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    ours = [row for row in rows if row["system"] not in family.comparators] or rows
    kept = [
        (score["max / min"].value, str(score["system"]), score["control's max / min"])
        for score in ours
        if isinstance(score["max / min"], Estimate)
    ]
    kept = [row for row in kept if not math.isnan(row[0])]
    if not kept:
        return ""
    ratio, system, control = max(kept, key=lambda row: row[:2])
    named = family.report.words.metric(family.metric)
    head = f"{system} keeps {100 * ratio:.0f} of 100 points of {named} when combinations are new"
    if ratio >= 1:
        head = f"{system} loses no {named} when combinations are new"
    if not isinstance(control, Estimate) or math.isnan(control.value):
        return head
    kind = "its control" if system in family.controls else "the neutral system"
    return f"{head}, {kind} {100 * control.value:.0f}"


# Sentences that are shown of each division, and how long they may be.
SHOWN, LONGEST = 4, 400


def _sentences(family: Family) -> Markup:
    """What a system made of each test set: its worst sentences, and its best."""
    blocks = []
    for target in family.targets:
        kinds = family.kinds(target)
        for kind in (MAX, MIN):
            for division in kinds.get(kind, ())[:1]:
                rows = _chosen(family, division)
                into = target or "any language"
                if rows:
                    blocks.append((f"{capital(KINDS[kind][0])} ({kind}), into {into}", rows))
    metric = family.report.words.metric(family.metric)
    return render("family_sentences", metric=metric, blocks=blocks) if blocks else Markup()


class ShownSentence(NamedTuple):
    """A sentence of a test set and what a system made of it."""

    source: str
    reference: str
    system: str
    # Words in a row: both have them, the output lacks them (del), the reference has not (ins).
    compared: Sequence[tuple[str, str]]
    score: str
    novel: str


def _chosen(family: Family, division: Division) -> list[ShownSentence]:
    source = division.report.source
    files = source.files(family.metric, SPLIT)
    if not files:
        return []
    # A control's sentences show what is hard, and no system's way of composing.
    first = next((scores for scores in files if scores.system not in family.comparators), files[0])
    cell = next((cell for cell in source.cells if cell.voice == first.voice), None)
    texts = cell.translations(SPLIT) if cell is not None else {}
    examples = source.examples(SPLIT)
    values = values_of(read_scores(source, first))
    ranked = sorted(
        (value, name) for name, value in values.items() if name in texts and name in examples
    )
    short = [name for name in ranked if len(examples[name[1]].source) <= LONGEST]
    picked = dict.fromkeys([*short[:SHOWN], *short[-SHOWN // 2 :]])
    return [_sentence(first.system, value, examples[name], texts[name]) for value, name in picked]


def _sentence(system: str, value: float, example: Example, output: str) -> ShownSentence:
    reference = example.references[0] if example.references else ""
    novel = example.tags.get("novel_compounds")
    counted = isinstance(novel, (int, float))
    share = f"{100 * float(novel):.0f}%" if counted and novel is not None else ""
    return ShownSentence(
        example.source, reference, system, _compared(reference, output), number(value), share
    )


def _compared(reference: str, output: str) -> list[tuple[str, str]]:
    """An output in parts: with the words that it lacks, and those that the reference has not."""
    expected, given = (PLAIN_TOKEN.findall(text) for text in (reference, output))
    parts, place = [], 0
    for part in differing(expected, given):
        parts.append(("", " ".join(given[place : part.second_start])))
        parts.append(("del", " ".join(expected[part.first_start : part.first_end])))
        parts.append(("ins", " ".join(given[part.second_start : part.second_end])))
        place = part.second_end
    parts.append(("", " ".join(given[place:])))
    return [(kind, text) for kind, text in parts if text]


# What the kinds of splits are called, and how their bars are drawn.
KINDS = {
    MIN: ("known combinations", "familiar"),
    RANDOM: ("a random split", "familiar"),
    MAX: ("new combinations", "new"),
}


def _bars(family: Family) -> Markup:
    """Per system and language what is kept: the score on each kind of split, on one axis."""
    report = family.report
    results = report.results_of(family.metric, SPLIT) or report.main
    rows = []
    for target in family.targets:
        kinds = family.kinds(target)
        for system in family.systems:
            measured = {kind: family.measured(kinds.get(kind, ()), system) for kind in KINDS}
            drawn = [
                drawn_bar(Bar(results, divergence, *KINDS[kind]))
                for kind, divergence in measured.items()
                if divergence is not None
            ]
            into = f"into {target}" if len(family.targets) > 1 else ""
            rows.append((look(report, system), into, drawn))
    low, high = results.limits
    return render(
        "bars",
        rows=rows,
        metric=report.words.metric(family.metric),
        limits=f"{low:g} to {high:g}",
        higher_is_better=results.higher_is_better,
        confidence="",
    )


def _doubts(family: Family) -> list[str]:
    """In words, what else differs between the test sets of min and max."""
    lines = []
    for target in family.targets:
        kinds = family.kinds(target)
        if MIN not in kinds or MAX not in kinds:
            continue
        low, high = kinds[MIN][0].test, kinds[MAX][0].test
        longer = 100 * (high["mean_length"] / low["mean_length"] - 1)
        words = (low["lemmas"] / low["words"], high["lemmas"] / high["words"])
        lines.append(
            f"Into {target or 'any language'}: sentences of max are "
            f"{number(abs(longer))}% {'longer' if longer >= 0 else 'shorter'} than those of min, "
            f"and have {number(1000 * words[1], 0)} different lemmas per 1,000 words against "
            f"{number(1000 * words[0], 0)} (the test sets have {high['sentences']:,} and "
            f"{low['sentences']:,} sentences)."
        )
    return lines


def _made(family: Family, notes: Sequence[str]) -> Markup:
    """The identity of every benchmark, and the signature of the metric."""
    return render(
        "family_made",
        benchmarks=[
            (f"{division.name}, seed {division.seed}", division.report.source.benchmark.hash)
            for division in family.divisions
        ],
        signatures=[
            (family.metric, text)
            for text in dict.fromkeys(
                results.signature
                for results in family.report.results
                if results.metric == family.metric
            )
        ],
        notes=notes,
    )
