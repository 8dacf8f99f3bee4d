"""report.html in a real browser: no errors, no network, filters, permalinks, side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from in_browser import until, visit
from recombine.benchmark import Example
from recombine.report.options import ReportOptions
from recombine.report.page import page as rendering
from recombine.report.write import write_report
from report.scored_run import scored_run, small_benchmark

HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\u202eright to left\u202c and \u2066isolates\u2069",
    "zero\u200bwidth 👩‍👩‍👧‍👦 emoji",
    "long " * 3000,
    "a & b < c > d \"quoted\" 'single' `${document.title}`",
)


@pytest.fixture(scope="module")
def page_path(run, tmp_path_factory) -> Path:
    """The page of the synthetic run, exact match only, without figure files."""
    out = tmp_path_factory.mktemp("page")
    return write_report([run], out, ReportOptions(metrics=("exact",), figures=())).html


def test_loads_without_errors_or_network(browser, page_path):
    """One file, one request, a silent console, no sideways scrolling, in all three looks."""
    for look in (
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    ):
        tab, messages, requests = visit(browser, page_path, **look)
        assert messages == []
        assert requests == [page_path.as_uri()]
        width = tab.evaluate("document.documentElement.scrollWidth")
        assert width <= look["viewport"]["width"]
        tab.context.close()


def open_more(tab) -> None:
    """Unfold the filters behind the two main ones."""
    tab.click(".more-filters summary")


def test_filters_and_permalinks(browser, page_path):
    """A selection changes the list and the address; the address restores the selection."""
    tab, messages, _ = visit(browser, page_path)
    tab.select_option("select[name='tag.pattern']", "PP 3")
    tab.select_option("select[name='verdict']", "wrong")
    tab.fill("#q", "the")
    until(lambda: "q=the" in tab.evaluate("location.hash"))
    status = tab.inner_text("#status")
    assert tab.locator("#items > li").count() > 0
    assert tab.locator("#detail h3").inner_text() == "PP 3"
    assert "✗ exact match" in tab.inner_text("#detail")
    fragment = tab.evaluate("location.hash")
    again, more, _ = visit(browser, page_path, fragment)
    assert again.inner_text("#status") == status
    assert again.input_value("select[name='tag.pattern']") == "PP 3"
    assert again.input_value("#q") == "the"
    assert messages + more == []


def test_wrong_ones_are_first_and_one_of_every_pattern(browser, page_path):
    """What is seen first is what breaks: one example of each pattern, then the next of each."""
    tab, _, _ = visit(browser, page_path)
    assert tab.input_value("select[name='verdict']") == "wrong"
    open_more(tab)
    told = tab.locator("select[name='verdict'] option:checked").text_content()
    assert told.startswith("oracle-ish wrong"), "the best system is the first"
    tab.select_option("select[name='a']", "lstm")
    names = tab.locator("#items > li small").all_inner_texts()
    assert len(set(names[:8])) == 8
    firsts = tab.locator("#items > li .verdict:first-child").all_inner_texts()
    assert set(firsts) == {"✗"}, "the system that was chosen is the first"


def test_choices_say_how_many_examples_they_leave(browser, page_path):
    """Counts are those of the list that a choice would give, under the other filters."""
    tab, _, _ = visit(browser, page_path)
    tab.select_option("select[name='verdict']", "")
    text = tab.locator("select[name='tag.pattern'] option[value='PP 3']").text_content()
    assert text == "PP 3 (50)"
    tab.select_option("select[name='tag.pattern']", "PP 3")
    assert tab.inner_text("#status").startswith("50 of the 400")


def test_all_systems_stand_below_each_other_with_differences(browser, page_path):
    """Every system's output is shown, or two that were chosen; words that differ are marked."""
    tab, _, _ = visit(browser, page_path)
    assert tab.locator("#detail .side").count() == 3
    open_more(tab)
    tab.select_option("select[name='a']", "oracle-ish")
    tab.select_option("select[name='b']", "lstm")
    tab.select_option("select[name='verdict']", "better")
    assert tab.locator("#detail .side").count() == 2
    assert tab.locator("#detail .side").nth(1).locator("ins, del").count() > 0
    link = tab.locator("#detail a.idlink").get_attribute("href")
    alone, _, _ = visit(browser, page_path, link)
    assert alone.locator("#items > li").count() == 1
    assert alone.locator("#detail .side").count() == 2


def test_a_sentence_is_a_tree_of_its_constituents(browser, page_path):
    """What a phrase says beside its parts is its head, where it stands in the source."""
    tab, _, _ = visit(browser, page_path)
    rows = [
        [0, "subject", "the cat in the box", "箱の中の猫が", 0],
        [1, "place phrase", "in the box", "箱の中の", 1],
        [0, "verb", "slept", "寝た", 0],
    ]
    subject, verb = tab.evaluate("(rows) => nodesOf(rows)", rows)
    assert [(one["role"], one["here"], one["there"]) for one in subject["below"]] == [
        ("head", "the cat", "猫が"),
        ("place phrase", "in the box", "箱の中の"),
    ]
    assert subject["below"][1]["tested"] == 1
    assert verb["below"] == []
    stands = "([text, wanted]) => standsIn(text, wanted, '母を見たがった。')"
    assert tab.evaluate(stands, ["母を見たがった。", "を 見"]), "torn apart in the reference, too"
    assert not tab.evaluate(stands, ["母見たがった。", "を 見"])
    assert not tab.evaluate(stands, ["を母", "母を"])


def test_words_are_compared_not_letters(browser, page_path):
    """In a language without spaces a word that differs in one letter is struck whole."""
    tab, _, _ = visit(browser, page_path)
    told = tab.evaluate(
        "diff('猫が本を見つけた。', '猫が本を見つける。', 'ja').map((one) => one[0])"
    )
    assert set(told) == {"same", "del", "ins"}
    assert tab.evaluate("diff('a red cat', 'a rod cat', 'en')") == [
        ["same", "a "], ["del", "red"], ["ins", "rod"], ["same", " cat"]
    ]  # fmt: skip


def test_a_seed_can_be_chosen(browser, page_path):
    """Another seed brings its own translations; the verdict says how many seeds share it."""
    tab, _, _ = visit(browser, page_path)
    open_more(tab)
    tab.select_option("select[name='a']", "lstm")
    tab.select_option("select[name='verdict']", "mixed")
    seen = {}
    for seed in ("1", "2", "3"):
        tab.select_option("select[name='seed']", seed)
        first = tab.locator("#detail .side").first
        assert f"seed {seed}" in first.locator(".who").inner_text()
        verdict = first.locator(".verdict").first.inner_text()
        assert verdict.endswith(("right in 1 of 3", "right in 2 of 3"))
        seen[seed] = verdict[0]
    assert set(seen.values()) == {"✓", "✗"}
    fragment = tab.evaluate("location.hash")
    again, _, _ = visit(browser, page_path, fragment)
    assert again.locator("select[name='seed']").input_value() == "3"
    assert again.inner_text("#status") == tab.inner_text("#status")


def test_the_map_sorts_and_subtracts(browser, page_path):
    """Rows go by the largest disagreement; a difference takes the place of a score."""
    tab, messages, _ = visit(browser, page_path)
    tab.select_option("#map-sort", "spread")
    row = tab.locator("#map tbody tr").first
    values = [
        float(one) for one in row.locator("td[data-v]").evaluate_all("e => e.map(x => x.dataset.v)")
    ]
    tab.select_option("#map-mode", '["transformer", "lstm"]')
    gaps = tab.locator("#map tbody tr").evaluate_all(
        "rows => rows.map(r => Number(r.cells[3].dataset.v) - Number(r.cells[4].dataset.v))"
    )
    assert [abs(one) for one in gaps] == sorted((abs(one) for one in gaps), reverse=True)
    assert max(values) - min(values) >= 50
    shown = tab.locator("#map tbody tr td:nth-child(4)").first.inner_text()
    assert shown == f"{gaps[0]:+.0f}".replace("-", "−")
    assert tab.locator("#map thead th").nth(3).inner_text().split("\n")[-1] == "− lstm"
    tab.select_option("#map-sort", "paper")
    family = tab.locator("#map tbody tr.family").first.locator("td")
    of = [float(family.nth(at).get_attribute("data-v")) for at in (2, 3)]
    assert family.nth(2).inner_text() == f"{of[0] - of[1]:+.0f}".replace("-", "−")
    tab.select_option("#map-mode", "")
    assert "−" not in tab.locator("#map thead").inner_text()
    assert tab.locator("#map tbody tr").first.get_attribute("class") == "family"
    assert messages == []


def test_ours_less_the_papers(browser, findings, tmp_path, monkeypatch):
    """A family has no published mean and shows none; nothing was tested, so nothing is grey."""
    given = dict.fromkeys(findings.main.by_tag("pattern"), 24.0)
    monkeypatch.setattr(rendering, "published_columns", lambda report: {"paper: P": given})
    path = tmp_path / "report.html"
    path.write_text(rendering.render_page(findings, {}), encoding="utf-8")
    tab, messages, _ = visit(browser, path)
    tab.select_option("#map-mode", '["lstm", "paper: P"]')
    cells = tab.locator("#map tbody tr td:nth-child(5)").evaluate_all(
        "e => e.map(x => [x.parentNode.className, x.innerText, Number(x.dataset.v)])"
    )
    assert all(text == "" for family, text, _ in cells if family)
    assert all(text == f"{v - 24:+.0f}".replace("-", "−") for one, text, v in cells if not one)
    assert not tab.locator("#map .key .tested").is_visible()
    tab.select_option("#map-mode", '["transformer", "lstm"]')
    assert tab.locator("#map .key .tested").is_visible()
    assert messages == []


def test_a_tree_that_is_too_wide_grows_down(browser, page_path):
    """Nothing of it is to be found by scrolling sideways alone."""
    tab, messages, _ = visit(browser, page_path, viewport={"width": 1400, "height": 900})
    rows = [[depth, "place phrase", f"in the box {depth}", "箱の中の", 0] for depth in range(12)]
    draw = """rows => {
        data.structure["0"] = rows;
        showExample(document.getElementById("detail"), 0);
        const tree = document.querySelector(".tree");
        return [tree.className, tree.scrollWidth - tree.clientWidth];
    }"""
    assert tab.evaluate(draw, rows[:2]) == ["tree", 0]
    assert tab.evaluate(draw, rows) == ["tree down", 0]
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate(draw, rows[:4]) == ["tree down", 0]
    assert messages == []


def test_heat_map_cell_opens_its_examples(browser, page_path):
    """A click on a cell selects system and pattern in the browser of examples."""
    tab, _, _ = visit(browser, page_path)
    cell = tab.locator("#map [data-map] td a").first
    cell.click()
    until(lambda: tab.input_value("select[name='tag.pattern']") != "")
    assert tab.locator("#items > li").count() > 0


def test_keyboard_moves_and_searches(browser, page_path):
    """/ goes to the search field, j and k walk through the examples."""
    tab, _, _ = visit(browser, page_path)
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "q"
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    assert tab.locator("#items > li").nth(2).locator("[aria-current]").count() == 1
    tab.keyboard.press("k")
    assert tab.locator("#items > li").nth(1).locator("[aria-current]").count() == 1


def test_theme_button_overrides_the_system(browser, page_path):
    """Light and dark can be chosen by hand and have different backgrounds."""
    tab, _, _ = visit(browser, page_path, color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = tab.evaluate(colour)
    tab.click("#theme")
    tab.click("#theme")
    assert tab.inner_text("#theme") == "Theme: dark"
    assert tab.evaluate(colour) != light


def test_accessible_names_and_landmarks(browser, page_path):
    """Every control has a name, images have labels, headings start at h1, one main landmark."""
    tab, _, _ = visit(browser, page_path)
    unnamed = tab.evaluate(
        """[...document.querySelectorAll('button, select, input, a[href], svg[role=img]')]
        .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
        .length"""
    )
    assert unnamed == 0
    assert tab.locator("h1").count() == 1
    assert tab.locator("main").count() == 1
    assert tab.evaluate("document.documentElement.lang") == "en"


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory) -> Path:
    """A run whose sources and hypotheses try to break out."""
    root = tmp_path_factory.mktemp("hostile")
    examples = [
        Example.make(
            source=text.strip(),
            references=(f"reference {number}",),
            tags={"kind": text[:40].strip()},
        )
        for number, text in enumerate(HOSTILE)
    ]
    benchmark = small_benchmark(root / "benchmark", {"gen": examples}, name="<b>hostile</b>")
    made = {one.id: HOSTILE[number] for number, one in enumerate(benchmark.iterate("gen"))}
    scored_run(root / "run", benchmark, {"evil": lambda split, seed: made}, metrics=["exact"])
    return write_report([root / "run"], root / "report", ReportOptions(figures=())).html


def test_hostile_text_shows_as_text(browser, hostile_page):
    """Markup, scripts, bidi controls, emoji and very long lines are shown and run nothing."""
    tab, messages, requests = visit(browser, hostile_page, viewport={"width": 390, "height": 800})
    assert messages == []
    assert requests == [hostile_page.as_uri()]
    assert "owned" not in tab.title()
    assert tab.locator("#examples img").count() == 0
    text = ""
    for place in range(len(HOSTILE)):
        tab.locator("#items > li button").nth(place).click()
        text += tab.inner_text("#detail")
    assert "<img src=x" in text
    assert "</script>" in text
    assert "U+202E" in text
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert "<b>hostile</b>" in tab.text_content("header")


def test_page_stays_within_its_budget(run, page_path, tmp_path):
    """A smaller budget thins the examples out and the page says how many are shown."""
    whole = page_path.stat().st_size
    budget = (whole - 4_000) / 1e6
    options = ReportOptions(metrics=("exact",), figures=(), page_megabytes=budget)
    paths = write_report([run], tmp_path, options)
    text = paths.html.read_text(encoding="utf-8")
    assert paths.html.stat().st_size <= budget * 1e6 + 2_000
    assert "of 400 examples are in this page" in text


def test_same_runs_give_the_same_bytes(run, page_path, tmp_path):
    """A report is a function of its runs."""
    options = ReportOptions(metrics=("exact",), figures=())
    again = write_report([run], tmp_path, options).html
    assert again.read_bytes() == page_path.read_bytes()


def test_families_fold_and_the_map_is_in_the_address(browser, page_path):
    """A link to the map shows what its sender saw: order, difference, what was folded."""
    tab, messages, _ = visit(browser, page_path)
    rows = tab.locator("#map tr[data-family='Recursion']:not(.family):visible")
    assert rows.count() == 3
    tab.click("#map tr.family[data-family='Recursion'] .fold")
    assert rows.count() == 0
    tab.select_option("#map-mode", '["transformer", "lstm"]')
    fragment = tab.evaluate("location.hash")
    assert fragment.startswith("#map?")
    again, more, _ = visit(browser, page_path, fragment)
    assert again.input_value("#map-mode") == '["transformer", "lstm"]'
    fold = again.locator("#map tr.family[data-family='Recursion'] .fold")
    assert fold.get_attribute("aria-expanded") == "false"
    assert again.locator("#map tr[data-family='Recursion']:not(.family):visible").count() == 0
    assert messages + more == []


def test_the_map_has_no_scroller_of_its_own(browser, page_path):
    """Four of ten rows were behind one that nothing pointed at."""
    for width in (1280, 390):
        tab, _, _ = visit(browser, page_path, viewport={"width": width, "height": 700})
        size = "e => [e.scrollHeight, e.clientHeight]"
        inside, seen = tab.locator(".map-scroll").first.evaluate(size)
        assert inside <= seen + 1


def test_examples_by_largest_disagreement(browser, page_path):
    """First those that divide the systems; every line says who is right."""
    tab, messages, _ = visit(browser, page_path)
    tab.select_option("select[name='verdict']", "")
    tab.select_option("select[name='sort']", "apart")
    marks = tab.locator("#items > li").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.verdict')].map(e => e.textContent))"
    )
    assert all(len(of_row) == 3 for of_row in marks)
    assert set(marks[0]) == {"✓", "✗"}
    assert "sort=apart" in tab.evaluate("location.hash")
    assert messages == []


def test_escape_leaves_the_search(browser, page_path):
    """J and k go through the list again."""
    tab, _, _ = visit(browser, page_path)
    tab.keyboard.press("/")
    tab.keyboard.press("Escape")
    assert tab.evaluate("document.activeElement.id") != "q"


def test_a_word_beside_the_headline_opens_what_it_means(browser, page_path):
    """How many seeds there are, without a script."""
    tab, _, _ = visit(browser, page_path)
    assert not tab.locator(".popover").first.is_visible()
    tab.click("header .tag")
    assert "Scores are means over seeds" in tab.locator(".popover").first.inner_text()


def test_words_that_are_said_too_often_or_too_rarely(browser, page_path):
    """Of the examples in the list; a click on one searches for it."""
    tab, messages, _ = visit(browser, page_path)
    open_more(tab)
    tab.select_option("select[name='a']", "lstm")
    tab.click("#words summary")
    told = tab.evaluate(
        """() => { data.references = data.id.map(() => ["one two two"]);
        data.texts = data.id.map(() => ["one one two"]);
        data.said = data.said.map((column) => column.map(() => 1));
        return wordsOf(data.id.map((id, place) => place), [0])[0]; }"""
    )
    size = tab.evaluate("data.id.length")
    assert [row[:3] for row in told["often"]] == [["one", 2 * size, size]]
    assert [row[:3] for row in told["rarely"]] == [["two", size, 2 * size]]
    chip = tab.locator("#words-told .chip").first
    word = chip.evaluate("e => e.firstChild.textContent")
    chip.click()
    assert tab.input_value("#q") == word
    assert messages == []


def test_a_figure_can_be_taken_as_a_picture(browser, run, tmp_path):
    """The drawing that is offered becomes PNG in the page, without a request."""
    page = write_report([run], tmp_path, ReportOptions(metrics=("exact",), figures=("svg",))).html
    tab, messages, requests = visit(browser, page)
    picture = tab.locator(".downloads a[download$='.png']").first
    with tab.expect_download() as caught:
        picture.click()
    saved = Path(caught.value.path()).read_bytes()
    assert saved.startswith(b"\x89PNG")
    assert len(saved) > 5_000
    assert messages == []
    assert [one for one in requests if not one.startswith("data:")] == [page.as_uri()]


def test_what_is_graded_is_shown_as_its_grade(browser, run, tmp_path):
    """A chrF of 80 is no cross; better is higher, not the one that has 100."""
    page = write_report([run], tmp_path, ReportOptions(metrics=("bleu",), figures=())).html
    tab, messages, _ = visit(browser, page)
    open_more(tab)
    tab.select_option("select[name='a']", "oracle-ish")
    tab.select_option("select[name='b']", "lstm")
    tab.select_option("select[name='verdict']", "better")
    grades = tab.locator("#items > li").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.grade')].map(e => +e.textContent))"
    )
    assert grades
    assert all(first >= second for first, second in grades)
    assert tab.locator("#items .verdict").count() == 0
    assert "oracle-ish better than lstm" in tab.inner_text("select[name='verdict']")
    assert messages == []


def test_a_button_opens_as_many_examples_as_it_says(browser, page_path):
    """It promised 28 and opened 32: those of another split were among them."""
    tab, messages, _ = visit(browser, page_path)
    buttons = tab.locator("#compare a.button")
    assert buttons.count() >= 4
    for place in range(buttons.count()):
        wanted = int(buttons.nth(place).text_content().rpartition(": ")[2].replace(",", ""))
        buttons.nth(place).click()
        until(lambda number=wanted: tab.inner_text("#status").startswith(f"{number:,} of"))
    assert messages == []
