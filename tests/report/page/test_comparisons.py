"""Comparisons and classes in the page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from recombine.report.page.comparisons import (
    anatomy_section,
    compare_section,
    comparison_sentence,
)


def test_comparisons_name_ranks_and_tests(findings):
    """A sentence per pair, the better system first; ranks are in the table of all pairs."""
    text = compare_section(findings)
    assert "How do the systems compare" in text
    assert "{oracle-ish} &gt; {transformer} &gt; {lstm}" in text
    assert re.search(r"oracle-ish is [\d.]+ points \([\d.]+ to [\d.]+\) better than lstm, p", text)
    assert "Difference by what is asked: oracle-ish − lstm" in text


def test_a_sentence_says_what_the_data_say(findings):
    """Who is better, by how much, and on how many kinds of sentence; a tie is a tie."""
    main = findings.main
    one = next(c for c in main.comparisons if c.second == "oracle-ish")
    text = comparison_sentence(findings, main, one)
    assert text.startswith(f"oracle-ish is {one.overall.value:.1f} points")
    assert f"Of 8 kinds of sentence oracle-ish wins {one.count('win')}," in text
    tie = comparison_sentence(findings, main, replace(one, p_adjusted=0.5, slices=()))
    assert tie.startswith(f"The data cannot tell oracle-ish from {one.first}:")
    assert tie.endswith("p\u00a0=\u00a00.5000.")
    few = comparison_sentence(findings, main, replace(one, p_adjusted=float("nan"), slices=()))
    assert few.startswith(f"No verdict on oracle-ish and {one.first}:")


def test_rows_that_tell_nothing_apart_are_folded(findings):
    """Forty rows of +0.0 stood between the sentence and the rest of the page."""
    main = findings.main
    assert compare_section(findings).count('<details class="more" open>') == 1
    first, *others = main.comparisons
    ties = replace(first, slices=tuple(replace(part, p_adjusted=0.5) for part in first.slices))
    results = replace(main, comparisons=(ties, *others))
    assert '<details class="more" open>' not in compare_section(
        replace(findings, results=(results,))
    )


def test_classes_are_shown_when_a_metric_has_them(findings):
    """Without classes there is no section; with them there is one table per system."""
    assert anatomy_section(findings, []) == ""
    counts = {"PP 3": Counter({"right": 3, "modifier dropped": 2})}
    results = replace(findings.main, labels={"lstm": counts})
    text = anatomy_section(replace(findings, results=(results,)), [])
    assert "modifier dropped" in text
    assert "PP 3" in text


def test_classes_that_two_metrics_share_are_shown_once(findings):
    """A graded form of a metric classes alike; right classes are coloured as such."""
    counts = {"lstm": {"PP 3": Counter({"identical": 3, "context": 2})}}
    results = replace(findings.main, labels=counts, right_labels=frozenset({"identical"}))
    other = replace(results, metric="graded")
    text = anatomy_section(replace(findings, results=(results, other)), [])
    assert text.count("<details") == 1
    assert 'm6" title="60.0%">3' in text
    assert "q=the+translations+differ+elsewhere" in text, "explanations say it in these words"


def test_counts_stand_beside_the_system_that_is_right(findings):
    """They were swapped: "second" was the one that stands first. The link has the split, too."""
    main = findings.main
    one = next(c for c in main.comparisons if {c.first, c.second} == {"lstm", "oracle-ish"})
    text = compare_section(findings)
    for better, other, count in (
        (one.second, one.first, one.only_second),
        (one.first, one.second, one.only_first),
    ):
        if count:
            link = re.search(
                rf'href="([^"]+)">only {better} is right with its first seed: {count:,}<', text
            )
            assert link is not None
            assert f"a={better}&amp;b={other}" in link[1]
            assert "tag.split=gen" in link[1]
    strong = max(one.only_first, one.only_second)
    assert f"only oracle-ish is right with its first seed: {strong:,}" in text
