"""The page of a family of divergent splits."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from recombine.benchmark import Example
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.corpus.token_diff import differing
from recombine.report.page.first_screen import Bar, draw_bar
from recombine.report.page.frame import figures, page, plain_head
from recombine.report.page.sections import colour, number, swatch
from recombine.report.reading.runs import read_translations
from recombine.report.reading.score_file import read_scores
from recombine.report.tables.divergent import generalisation_table
from recombine.report.tables.family import MAX, MIN, RANDOM, SPLIT, Division, Family
from recombine.report.tables.table import Ranged, Table, html


def family_title(family: Family) -> str:
    """The heading: what was asked for, or what it is about."""
    given = family.divisions[0].report.options.title
    return given or f"When compounds are new: {', '.join(family.systems)}"


def render_family(
    family: Family, tables: Sequence[Table], charts: Mapping[str, str], notes: Sequence[str]
) -> str:
    """The whole page; charts map captions to inline SVG."""
    by_name = {table.name: table for table in tables}
    languages = ", ".join(
        f"{one.report.source.benchmark.manifest.source} → {one.target or 'any'}"
        for one in {one.target: one for one in family.divisions}.values()
    )
    score = f"""<h2>How much is lost when compounds are new?</h2>
{html(by_name.get("generalisation-scores")) or '<p class="note">A generalisation score needs a min and a max split.</p>'}
<h3>Score by divergence</h3>
{figures(charts)}
{html(by_name.get("dose-response"))}"""
    doubt = f"""<h2>Is it the compounds?</h2>
{_doubts(family)}
{html(by_name.get("table-2-splits"))}
{html(by_name.get("generalisation-by-length"))}"""
    within = f"""<h2>Within one test set</h2>
<p class="quiet">A system that composes does as well on sentences full of novel compounds as on the others. One model, one test set.</p>
{html(by_name.get("novelty-within-test"))}"""
    made = f"""<h2>How was this made?</h2>
{_made(family)}
<p class="small quiet">Each run has a page of its own with its examples: <code>recombine report RUN</code>.</p>
{"".join(f'<p class="note small">{escape(note)}</p>' for note in notes)}"""
    head = _headline(family)
    return page(
        family_title(family),
        f"Recombine report · {len(family.divisions)} divergent splits · {languages}",
        plain_head(
            head or family_title(family),
            "The same words in training and test, and other combinations of them. Does it compose, or does it only remember?",
        )
        + _bars(family),
        {
            "score": ("How much is lost", score),
            "doubt": ("Is it the compounds?", doubt),
            "within": ("Within one test set", within),
            "sentences": ("Sentences", _sentences(family)),
            "made": ("How made", made),
        },
    )


def _headline(family: Family) -> str:
    """What new combinations cost the system that keeps most."""
    table = generalisation_table(family)
    if table is None or not table.rows:
        return ""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    kept = [
        (one["max / min"].value, str(one["system"]))
        for one in rows
        if isinstance(one["max / min"], Ranged)
    ]
    if not kept or math.isnan(max(kept)[0]):
        return ""
    ratio, system = max(kept)
    named = family.report.words.metric(family.metric)
    if ratio >= 1:
        return f"{system} loses no {named} when combinations are new"
    return f"{system} keeps {100 * ratio:.0f} of 100 points of {named} when combinations are new"


# Sentences that are shown of each division, and how long they may be.
SHOWN, LONGEST = 4, 400


def _sentences(family: Family) -> str:
    """What systems made of sentences full of new combinations: the worst of the max split, and its best."""
    blocks = []
    for target in family.targets:
        kinds = family.kinds(target)
        for kind in (MAX, MIN):
            for division in kinds.get(kind, ())[:1]:
                rows = _chosen(family, division)
                if rows:
                    blocks.append(
                        f'<h3>{escape(KINDS[kind][0].capitalize())} ({escape(kind)}), into {escape(target or "any language")}</h3><div class="grid">'
                        + "".join(rows)
                        + "</div>"
                    )
    if not blocks:
        return ""
    return f"""<h2>Sentences</h2><p class="quiet">The lowest and the highest {escape(family.report.words.metric(family.metric))} of the first system on each test set. <del>Struck</del> words are missing, <ins>underlined</ins> ones are not in the reference.</p>{"".join(blocks)}"""


def _chosen(family: Family, division: Division) -> list[str]:
    source = division.report.source
    files = source.files(family.metric, SPLIT)
    if not files:
        return []
    first = files[0]
    cell = next(
        (
            one
            for one in source.cells
            if source.names[one.path] == first.system and one.seed == first.seed
        ),
        None,
    )
    said = read_translations(cell, SPLIT) if cell is not None else {}
    examples = source.examples(SPLIT)
    seen = read_scores(first.path).seen()
    ranked = sorted(
        (value, name) for name, value in seen.items() if name in said and name in examples
    )
    short = [one for one in ranked if len(examples[one[1]].source) <= LONGEST]
    picked = dict.fromkeys([*short[:SHOWN], *short[-SHOWN // 2 :]])
    return [_sentence(first.system, value, examples[name], said[name]) for value, name in picked]


def _sentence(system: str, value: float, example: Example, output: str) -> str:
    reference = example.references[0] if example.references else ""
    novel = example.tags.get("novel_compounds")
    share = (
        f" · {100 * float(novel):.0f}% of its combinations are new"
        if isinstance(novel, (int, float))
        else ""
    )
    return f"""<div class="card sentence"><div class="line"><span>source</span><div>{escape(example.source)}</div></div>
<div class="line"><span>reference</span><div>{escape(reference)}</div></div>
<div class="line"><span>{escape(system)}</span><div>{_compared(reference, output)}</div></div>
<p class="small quiet">{number(value)}{share}</p></div>"""


def _compared(reference: str, output: str) -> str:
    """An output with the words struck that it lacks, and those underlined that the reference has not."""
    wanted, given = (PLAIN_TOKEN.findall(text) for text in (reference, output))
    parts, place = [], 0
    for one in differing(wanted, given):
        parts.append(escape(" ".join(given[place : one.second_start])))
        gone, new = (
            wanted[one.first_start : one.first_end],
            given[one.second_start : one.second_end],
        )
        parts += [f"<del>{escape(' '.join(gone))}</del>"] if gone else []
        parts += [f"<ins>{escape(' '.join(new))}</ins>"] if new else []
        place = one.second_end
    parts.append(escape(" ".join(given[place:])))
    return " ".join(filter(None, parts)) or "<em>nothing</em>"


# What the kinds of splits are called, and how their bars are drawn.
KINDS = {
    MIN: ("known combinations", "familiar"),
    RANDOM: ("a random split", "familiar"),
    MAX: ("new combinations", "new"),
}


def _bars(family: Family) -> str:
    """Per system and language what is kept: the score on each kind of split, on one axis."""
    report = family.report
    sheet = report.sheet(family.metric, SPLIT) or report.main
    rows = []
    for target in family.targets:
        kinds = family.kinds(target)
        for system in family.systems:
            found = {kind: family.measured(kinds.get(kind, ()), system) for kind in KINDS}
            drawn = "".join(
                draw_bar(Bar(sheet, one.cell, *KINDS[kind]))
                for kind, one in found.items()
                if one is not None
            )
            into = f" <span>into {escape(target)}</span>" if len(family.targets) > 1 else ""
            rows.append(
                f'<div><dt>{swatch(report, system)}{into}</dt><dd class="{colour(report, system)}">{drawn}</dd></div>'
            )
    many = " many" if len(rows) > 3 else ""
    low, high = sheet.limits
    return f"""<dl class="verdict-bars{many}">{"".join(rows)}</dl>
<p class="small quiet">{escape(report.words.metric(family.metric))}, {low:g} to {high:g}. The line at the end of a bar is its interval.</p>"""


def _doubts(family: Family) -> str:
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
            f"Into {escape(target or 'any language')}: sentences of max are "
            f"{number(abs(longer))}% {'longer' if longer >= 0 else 'shorter'} than those of min, "
            f"and have {number(1000 * words[1], 0)} different lemmas per 1,000 words against "
            f"{number(1000 * words[0], 0)} (the test sets have {high['sentences']:,} and "
            f"{low['sentences']:,} sentences)."
        )
    return "".join(f'<p class="lead">{line}</p>' for line in lines)


def _made(family: Family) -> str:
    rows = "".join(
        f"<dt>{escape(one.name)}, seed {one.seed}</dt>"
        f'<dd class="sig">{escape(one.report.source.benchmark.hash)}</dd>'
        for one in family.divisions
    )
    signatures = dict.fromkeys(
        sheet.signature for sheet in family.report.sheets if sheet.metric == family.metric
    )
    listed = "".join(
        f'<dt>{escape(family.metric)}</dt><dd class="sig">{escape(text)}</dd>'
        for text in signatures
    )
    return (
        f'<div class="grid"><div class="card"><dl class="facts">{rows}</dl></div>'
        f'<div class="card"><dl class="facts">{listed}</dl></div></div>'
    )
