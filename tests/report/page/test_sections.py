"""Sections: numbers, signs, escaping."""

from __future__ import annotations

from dataclasses import replace

from recombine.report.page.sections import (
    _system_card,
    breaks_section,
    examples_link,
    number,
    pretty,
    signed,
    sure_section,
)


def test_numbers_as_people_read_them():
    """True minus signs, a dash for nothing."""
    assert (number(-1.25), number(float("nan")), signed(2.0), signed(-0.5)) == (
        "−1.2", "–", "+2.0", "−0.5",
    )  # fmt: skip


def test_order_of_the_questions(findings):
    """Sections answer what they are named after, and say when there is nothing."""
    assert "What was tested" in sure_section(findings)
    assert "Where does it break" in breaks_section(findings, {})


def test_links_open_a_selection():
    """Values are encoded for the address."""
    assert examples_link(a="x y", tag__pattern="PP→Subj").startswith(
        "#examples?a=x+y&tag.pattern=PP%"
    )


def test_cells_link_to_the_examples_of_their_own_tag(findings):
    """A score of a category opens that category, not a pattern of that name."""
    page = breaks_section(findings, {})
    assert "tag.category=Recursion" in page
    assert "tag.pattern=Recursion" not in page


def test_scores_to_be_kept_low_say_so(findings):
    """An error rate reads like a score unless the page says which way is better."""
    assert "lower is better" not in sure_section(findings)
    sheets = (replace(findings.main, higher_is_better=False), *findings.sheets[1:])
    assert sure_section(replace(findings, sheets=sheets)).count("lower is better") >= 2


def test_the_weakest_have_a_score(findings):
    """A slice of which nothing could be judged is not a weak point, and hides none."""
    main = findings.main
    lstm = [one for one in main.scores if one.tag == main.main_tag and one.system == "lstm"]
    gone = {id(lstm[0]), id(lstm[-1])}
    scores = tuple(
        replace(one, value=float("nan")) if id(one) in gone else one for one in main.scores
    )
    card = _system_card(replace(findings, sheets=(replace(main, scores=scores),)), "lstm")
    left = sorted((one.value, one.slice) for one in lstm[1:-1])
    assert [pretty(name) in card for _, name in left[:3]] == [True] * 3
    assert "(–)" not in card
