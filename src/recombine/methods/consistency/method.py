"""Translating the same thing the same way, and idioms not literally (Dankers et al. 2022)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from markupsafe import Markup

from recombine.benchmark import Benchmark, Example
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.corpus.token_diff import differing
from recombine.methods.consistency.tables import consistency_tables
from recombine.methods.imported import ImportedMethod
from recombine.report.findings import Findings
from recombine.report.method import Headline, TaxonomyPlace
from recombine.report.page.first_screen import bar_of_system
from recombine.report.page.headline import amount
from recombine.report.tables.published import published_release
from recombine.report.tables.table import Table
from recombine.templates import capital, render

BASE = "base"
# What is exchanged in each test of consistency, and what should stay (Dankers et al. 2022).
CHANGES = {
    "systematicity": "an exchanged part {often} changes the rest",
    "substitutivity": "a synonym {often} changes the translation",
}


class ConsistencyMethod(ImportedMethod):
    """Three tests beside each other: systematicity, substitutivity, idioms."""

    name = "consistency"
    builders = ("consistency", "consistency-release")
    taxonomy = TaxonomyPlace(
        "Intrinsic", "Compositional", "Covariate", "Generated shift", "Train-test"
    )
    # In the order of the paper, section 4.
    first_splits = ("systematicity", "substitutivity", "overgeneralisation")
    # Sentences that metrics learn from.
    hidden_splits = ("probe", "context")
    splits_are_tests = True
    familiar_split = ""
    looks_again = True

    def headline(self, report: Findings) -> Headline:
        """Return one sentence per test."""
        sentences = []
        for split, results in report.firsts.items():
            tied = report.ranking(results)[0]
            best = results.overall(tied[0])
            score = amount(results, best)
            # Of systems that the data cannot tell apart none is named as the best.
            whose = f", {best.system}" if len(report.systems) > 1 and len(tied) == 1 else ""
            if math.isnan(best.value):
                sentences.append(f"{score} on {report.split_name(split)}")
            elif split == "overgeneralisation":
                sentences.append(
                    f"{score} idioms are taken literally{whose and f' ({best.system})'}"
                )
            else:
                named = report.split_name(split)
                sentences.append(f"{score} pairs are translated alike ({named}{whose})")
        at_best = "At best " if len(report.systems) > 1 else ""
        alike = {
            split: results.overall(report.ranking(results)[0][0]).value
            for split, results in report.firsts.items()
            if results.higher_is_better and results.is_share
        }
        return Headline(
            consistency_headline(alike) or report.title,
            (f"{at_best}{'; '.join(sentences)}.",) if sentences else (),
        )

    def first_screen(self, report: Findings) -> Markup:
        """Return a card per test, with two sentences that show what is asked."""
        return cards(report)

    def tables(self, report: Findings) -> list[Table]:
        """Return Tables 4 to 8 and what the figures are drawn from."""
        return consistency_tables(report.source)

    def published(self, benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
        """Return the paradox tests, by their released sentences."""
        return published_release(benchmark)


def consistency_headline(alike: Mapping[str, float]) -> str:
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
        (frequency,) = set(often.values())
        return f"A small change of the source {frequency} changes the rest of the translation"
    clauses = [
        CHANGES.get(split, "{often} something else changes (" + split + ")").format(often=frequency)
        for split, frequency in often.items()
    ]
    head = ", ".join(clauses)
    return head[:1].upper() + head[1:]


# What each test of consistency asks, in a sentence.
ASKED = {
    "systematicity": "A part of the sentence is exchanged. Only its translation should change.",
    "substitutivity": "A word is exchanged for a synonym. Nothing else should change.",
    "overgeneralisation": "An idiom means something else than its words. "
    "They should not be translated one by one.",
}


# Words in a row, and whether they are marked.
MarkedText = list[tuple[str, bool]]


def cards(report: Findings) -> Markup:
    """A card per test: its question, two sentences of it, and a bar per system."""
    return render(
        "consistency_cards",
        cards=[
            {
                "title": capital(report.split_name(split)),
                "asked": ASKED.get(split, ""),
                "shown": _shown(report, split),
                "metric": capital(report.words.metric(results.metric)),
                "limits": f"{results.limits[0]:g} to {results.limits[1]:g}",
                "less": not results.higher_is_better,
                "bars": [bar_of_system(report, results, system) for system in results.best_first],
            }
            for split, results in report.firsts.items()
        ],
    )


def _shown(report: Findings, split: str) -> list[MarkedText]:
    """Sentences of a test: a pair with its difference marked, or an idiom in its place."""
    groups: dict[str, Example] = {}
    for example in report.source.examples(split).values():
        text = example.source
        for focus in example.focus:
            if focus.role == "idiom" and focus.start is not None and focus.end is not None:
                idiom = text[focus.start : focus.end]
                return [[(text[: focus.start], False), (idiom, True), (text[focus.end :], False)]]
        group = example.group
        if group is None:
            continue
        other = groups.setdefault(group, example)
        if other is not example and BASE in (other.role, example.role):
            base, changed = (other, example) if other.role == BASE else (example, other)
            return _marked(base.source, changed.source)
    return []


def _marked(first: str, second: str) -> list[MarkedText]:
    """Both sentences as they are written, the words in which they differ marked."""
    texts = (first, second)
    words = [PLAIN_TOKEN.findall(text) for text in texts]
    changed: tuple[set[int], set[int]] = (set(), set())
    for part in differing(words[0], words[1]):
        changed[0].update(range(part.first_start, part.first_end))
        changed[1].update(range(part.second_start, part.second_end))
    return [_pieces(text, places) for text, places in zip(texts, changed, strict=True)]


def _pieces(text: str, places: Collection[int]) -> MarkedText:
    """A text in pieces: the words at these places marked, all else between them as it is."""
    pieces: MarkedText = []
    end = 0
    for place, token in enumerate(PLAIN_TOKEN.finditer(text)):
        if place in places:
            pieces += [(text[end : token.start()], False), (token[0], True)]
            end = token.end()
    return [*pieces, (text[end:], False)]
