"""Sections: numbers, signs, escaping."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from recombine.report.figures.figure import DrawnFigure
from recombine.report.page.sections import (
    curves_section,
    files_section,
    glossary_section,
    scores_section,
)
from recombine.report.page.shown import examples_link, whole
from recombine.templates import capital, number, signed


def test_numbers_as_people_read_them():
    """True minus signs, a dash for nothing."""
    assert (number(-1.25), number(float("nan")), signed(2.0), signed(-0.5)) == (
        "−1.2", "–", "+2.0", "−0.5",
    )  # fmt: skip


def test_whole_numbers_say_all_and_none_only_where_true():
    """99.7 is not 100, and 0.2 is not 0."""
    assert [whole(one) for one in (100.0, 99.7, 99.2, 50.5, 0.2, 0.0)] == [
        "100", ">99", "99", "50", "<1", "0",
    ]  # fmt: skip


def test_sections_without_content_are_left_out(findings):
    """All scores are always there; figures and files only where some were made."""
    assert "All scores" in scores_section(findings)
    assert curves_section([]) == files_section([]) == ""
    drawn = DrawnFigure("a <finding>", Markup("<svg></svg>"), "the <runs>", ())
    text = curves_section([drawn])
    assert "<figcaption>a &lt;finding&gt;</figcaption><svg></svg>" in text
    assert "Source: the &lt;runs&gt;." in text


def test_every_file_written_is_in_the_index():
    """A table or figure stands once, with a link to each of its forms."""
    text = files_section(["tables/a-b.tex", "tables/a-b.csv", "figures/<x>.svg"])
    assert text.count("<li>") == 2
    assert 'href="tables/a-b.csv"' in text
    assert 'href="figures/%3Cx%3E.svg"' in text


def test_the_glossary_explains_the_metrics_that_were_used(findings):
    """Exact match is explained, a metric of another method is not."""
    text = glossary_section(findings)
    assert "<dt>exact match</dt>" in text
    assert "idioms taken literally" not in text


def test_links_open_a_selection():
    """Values are encoded for the address."""
    assert examples_link(a="x y", tag__pattern="PP→Subj").startswith(
        "#examples?a=x+y&tag.pattern=PP%"
    )


def test_cells_link_to_the_examples_of_their_own_tag(findings):
    """A score of a category opens that category, not a pattern of that name."""
    page = scores_section(findings)
    assert "tag.category=Recursion" in page
    assert "tag.pattern=Recursion" not in page


def test_scores_to_be_kept_low_say_so(findings):
    """An error rate reads like a score unless the page says which way is better."""
    assert "lower is better" not in scores_section(findings)
    all_results = (replace(findings.main, higher_is_better=False), *findings.results[1:])
    assert scores_section(replace(findings, results=all_results)).count("lower is better") == 1


def test_all_scores_stand_best_first_and_name_the_way_of_their_intervals_only_where_it_is_one(
    findings,
):
    """BLEU was drawn again and stood below a table that said "(wilson)"."""
    text = scores_section(findings)
    block = text.partition("card score-block")[2]
    places = [block.index(f"<span>{name}</span>") for name in ("oracle-ish", "transformer", "lstm")]
    assert places == sorted(places)
    main = findings.main
    first, *others = main.scores
    mixed = replace(main, scores=(replace(first, method="another"), *others))
    assert "(another" not in scores_section(replace(findings, results=(mixed,)))


def test_names_with_a_capital_inside_stay_as_they_are():
    """chrF++ is a name."""
    assert capital("exact match") == "Exact match"
    assert capital("chrF++ on characters") == "chrF++ on characters"
