"""The page of a grammar, in a real browser."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from in_browser import visit
from recombine.grammar import Grammar
from recombine.grammar.explore import explore_page


def visible(tab, selector: str) -> int:
    """How many elements can be seen."""
    return tab.evaluate(
        "s => [...document.querySelectorAll(s)].filter(e => e.offsetParent !== null).length",
        selector,
    )


@pytest.fixture(scope="module")
def page_path(toy: Grammar, tmp_path_factory) -> Path:
    """The page of the toy grammar."""
    path = tmp_path_factory.mktemp("explore") / "toy.html"
    path.write_text(explore_page(toy), encoding="utf-8")
    return path


def test_it_is_one_file_that_fits_every_screen(browser, page_path: Path) -> None:
    """No request but the page, a silent console, no sideways scrolling: light, dark, on a phone."""
    for look in (
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 800}, "color_scheme": "light"},
    ):
        tab, messages, requests = visit(browser, page_path, **look)
        assert (messages, requests) == ([], [page_path.as_uri()])
        for one in tab.query_selector_all("details"):
            one.evaluate("e => e.open = true")
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        tab.close()


def test_every_rule_and_word_can_be_found(browser, page_path: Path, toy: Grammar) -> None:
    """Search looks at names, tags, lines, words and sentences, and says when nothing fits."""
    tab, _, _ = visit(browser, page_path)
    rule = "nav li"
    assert visible(tab, rule) == len(toy.inventory.rules)
    tab.fill("#find", "rc_obj")
    assert visible(tab, rule) == 1
    assert tab.inner_text("#count").startswith("1 of ")
    tab.fill("#find", "子供")
    assert tab.locator("tbody tr:not([hidden])").count() == 1
    tab.fill("#find", "no such thing")
    assert tab.is_visible("#none")
    tab.fill("#find", "{question}")
    assert "ask" in tab.inner_text("article:not([hidden]) h3")


def test_phenomena_come_first_and_one_rule_is_shown(browser, page_path: Path, toy: Grammar) -> None:
    """The page of SGET was 74,000 pixels tall; what a rule is made of is a click away."""
    tab, messages, _ = visit(browser, page_path)
    assert tab.locator("nav h2").first.inner_text().startswith("{")
    assert visible(tab, "main .view") == 1
    assert tab.evaluate("document.documentElement.scrollHeight") < 2_500
    tab.click("nav a[href='#rule-trans']")
    tab.wait_for_selector("#rule-trans", state="visible")
    assert visible(tab, "main .view") == 1
    category = toy.inventory.rule(0).category
    again, more, _ = visit(browser, page_path, f"#category-{category}")
    assert visible(again, "main .view") == len(toy.inventory.rules_of[category])
    assert messages + more == []


def test_trees_open_and_languages_can_be_hidden(browser, page_path: Path) -> None:
    """A rule shows its tree, and hides it on request; an unchecked language is gone everywhere."""
    tab, _, _ = visit(browser, page_path, "#rule-trans")
    assert tab.is_visible("#rule-trans svg")
    tab.click("#rule-trans summary >> nth=0")
    assert not tab.is_visible("#rule-trans svg")
    assert tab.is_visible('#rule-trans p[lang="de"]')
    tab.uncheck('[data-language="de"]')
    assert not tab.is_visible('#rule-trans p[lang="de"]')
    assert tab.is_visible('#rule-trans p[lang="ja"]')


def test_text_of_a_grammar_is_text(browser, write: Write, tmp_path: Path) -> None:
    """Whatever a lexicon holds is shown, never run."""
    hostile = "<img src=x onerror=document.title='owned'>"
    lexicon = SMALL["en.lexicon.tsv"].replace("cat\tcat", f"cat\t{hostile}")
    path = tmp_path / "small.html"
    path.write_text(explore_page(Grammar.load(write({"en.lexicon.tsv": lexicon}))), "utf-8")
    tab, messages, _ = visit(browser, path, "#category-N")
    assert messages == []
    assert tab.title() == "small: a grammar"
    assert hostile in tab.inner_text("main")


def test_the_page_lets_its_own_script_run_and_no_other(page_path: Path) -> None:
    """A grammar that comes with a benchmark may hold anything."""
    text = page_path.read_text(encoding="utf-8")
    policy = re.findall(r'Security-Policy" content="([^"]*)"', text)[0]
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    assert f"script-src 'sha256-{digests[0]}'" in policy
    assert len(scripts) == 1
