"""Trees to look at."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

from recombine.grammar import Grammar
from recombine.grammar.drawing import columns_of, draw_lines, draw_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_lines_set_the_languages_beside_each_node(toy: Grammar) -> None:
    """One node a line, by its slot; columns stay straight under letters that take two."""
    tree = toy.tree("say(decl(past, def(cat), trans(see, indef(dog))))")
    assert draw_lines(toy, tree, ["en", "ja"]) == [
        "                     en                  ja",
        "say                  The cat saw a dog.  猫は犬を見た。",
        "└─ S: decl           The cat saw a dog   猫は犬を見た",
        "   ├─ Tense: past",
        "   ├─ subj: def      The cat             猫",
        "   │  └─ N: cat      cat                 猫",
        "   └─ VP: trans      saw a dog           犬を見た",
        "      ├─ V2: see     saw                 見た",
        "      └─ obj: indef  a dog               犬",
        "         └─ N: dog   dog                 犬",
    ]


def test_parts_that_stand_apart_are_shown_apart(toy: Grammar) -> None:
    """A separable verb has two stretches; a long sentence is cut short in its column."""
    tree = toy.tree("say(decl(past, def(cat), trans(watch, indef(dog))))")
    lines = draw_lines(toy, tree, ["de"])
    assert any(line.endswith("sah … an") for line in lines)
    deep = "def(cat)"
    for _ in range(6):
        deep = f"rc_obj(cat, {deep}, see)"
    lines = draw_lines(toy, toy.tree(f"say(decl(past, {deep}, intrans(sleep)))"), ["en"])
    assert lines[1].endswith("…")
    assert max(map(columns_of, lines)) < 120


def test_what_is_too_wide_for_the_terminal_stands_in_blocks(toy: Grammar) -> None:
    """No line is wider than the terminal, and every language is shown once."""
    tree = toy.tree("say(decl(past, beside(cat, place(house)), trans(see, def(dog))))")
    assert max(map(columns_of, draw_lines(toy, tree))) > 100
    lines = draw_lines(toy, tree, width=80)
    assert max(map(columns_of, lines)) <= 80
    assert [line.split() for line in lines if not line.startswith(("say", " ", "└"))] == [[]]
    heads = [
        line.split() for line in lines if line[:1] == " " and set(line.split()) < {*toy.languages}
    ]
    assert heads == [["de", "en"], ["ja", "tr"]]


def test_picture_has_every_node_and_every_token(toy: Grammar) -> None:
    """A well-formed SVG with the rules, the words and the tokens of both languages, linked."""
    tree = toy.tree("say(decl(past, def(cat), trans(see, indef(dog))))")
    root = ET.fromstring(draw_svg(toy, tree, ["en", "ja"]))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for label in [*tree.labels(), "The", "saw", "猫", "見た", "。", "en", "ja"]:
        assert label in texts
    links = [line for line in root.iter(f"{SVG}line") if line.get("class") == "link"]
    assert len(links) == 6  # cat, saw and dog in two languages
    assert ET.fromstring(draw_svg(toy, tree, alone=False)).find(f"{SVG}style") is None


def test_names_in_a_picture_do_not_overlap(toy: Grammar) -> None:
    """A constituent takes the room of its name, also where its words are short."""
    tree = next(iter(toy.sample(1, seed=4)))
    root = ET.fromstring(draw_svg(toy, tree, ["en"]))
    rows: dict[str, list[tuple[float, float]]] = {}
    for text in root.iter(f"{SVG}text"):
        if text.get("class") == "rule":
            half = len(text.text or "") * 7.4 / 2
            x = float(text.get("x") or 0)
            rows.setdefault(text.get("y") or "", []).append((x - half, x + half))
    for row in rows.values():
        ends = sorted(row)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(ends))
