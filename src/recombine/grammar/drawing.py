"""Trees to look at: rows for a terminal, a picture (SVG) with every language aligned below.

In a terminal a tree is a list of nodes, one a line, and beside each node stands what each language
says for it: constituents can be compared across languages line by line. The picture has the tree on
top and a row of tokens per language below it; a line leads from every word to its tokens, so that
crossing lines are differences of word order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from recombine.grammar.grammar import Grammar
from recombine.grammar.realise.realiser import Realisation, RealisedToken
from recombine.grammar.tree import Tree

MAX_CELL = 44  # columns of a terminal that one language takes beside a node
MIN_CELL = 24  # with less the languages stand in several blocks


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: letters of East Asia take two."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def draw_lines(
    grammar: Grammar, tree: Tree, languages: Sequence[str] = (), width: int | None = None
) -> list[str]:
    """The tree, one node a line, with what each language says for the node beside it.

    What does not fit into `width` columns side by side becomes several blocks of languages.
    """
    codes = tuple(languages) or grammar.languages
    branches = list(_branches(tree))
    beside, cell = len(codes), MAX_CELL
    if width is not None:
        room = width - max(columns_of(branch) for _, branch in branches)
        beside = max(1, min(beside, room // (MIN_CELL + 2)))
        cell = min(cell, max(MIN_CELL, room // beside - 2))
    lines: list[str] = []
    for first in range(0, len(codes), beside):
        here = codes[first : first + beside]
        said = [grammar.realise(tree, code) for code in here]
        rows = [("", *here)]
        for node, branch in branches:
            rows.append(
                (branch, *(_shorten(_stretches(realisation, node), cell) for realisation in said))
            )
        widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
        lines += [""] if first else []
        lines += [
            "  ".join(
                text + " " * (wide - columns_of(text))
                for text, wide in zip(row, widths, strict=True)
            ).rstrip()
            for row in rows
        ]
    return lines


def _branches(tree: Tree) -> Iterator[tuple[int, str]]:
    """Every node in order, with the branches that lead to it and its name: ``├─ subj: def``."""
    stack: list[tuple[int, str, str, str]] = [(0, "", "", "")]  # node, rows below, branch, slot
    while stack:
        node, margin, branch, slot = stack.pop()
        yield node, f"{branch}{slot}{_name(tree, node)}"
        children = tree.positions[node]
        parts = tree.inventory.rule(tree.codes[node]).parts if children else ()
        for index in range(len(children) - 1, -1, -1):
            is_last = index == len(children) - 1
            stack.append(
                (
                    children[index],
                    margin + ("   " if is_last else "│  "),
                    margin + ("└─ " if is_last else "├─ "),
                    f"{parts[index].slot}: ",
                )
            )


def _name(tree: Tree, node: int) -> str:
    code = tree.codes[node]
    tags = tree.inventory.tags(code)
    return tree.inventory.labels[code] + (f" {{{' '.join(tags)}}}" if tags else "")


def _stretches(said: Realisation, node: int) -> str:
    return " … ".join(said.text[start:end] for start, end in said.spans.get(node, ()))


def _shorten(text: str, cell: int) -> str:
    if columns_of(text) <= cell:
        return text
    kept = ""
    for letter in text:
        if columns_of(kept + letter) > cell - 1:
            break
        kept += letter
    return kept.rstrip() + "…"


# --- The picture. Lengths are in pixels; a letter is taken to be as wide as in a sans-serif of 13.
_LETTER, _WIDE, _GAP, _LEVEL, _ROW, _EDGE = 7.4, 13.5, 14.0, 50.0, 58.0, 12.0
STYLE = """
.tree { font: 13px system-ui, sans-serif; }
.tree text { text-anchor: middle; fill: light-dark(#1b1f24, #e6e8eb); }
.tree .rule { font-weight: 600; }
.tree .slot { font-size: 11px; fill: light-dark(#5b6470, #a3abb6); }
.tree .leaf { fill: light-dark(#0b57a4, #8cc2ff); }
.tree .small { fill: light-dark(#5b6470, #a3abb6); }
.tree .code { text-anchor: start; font-size: 11px; fill: light-dark(#5b6470, #a3abb6); }
.tree line { stroke: light-dark(#9aa3ad, #69727d); }
.tree line.link { stroke: light-dark(#0b57a4, #8cc2ff); opacity: .45; }
"""


class _Box(NamedTuple):
    x: float  # the middle
    y: float


def draw_svg(
    grammar: Grammar, tree: Tree, languages: Sequence[str] = (), *, alone: bool = True
) -> str:
    """The tree as a picture; `alone` gives it the style that a page may have already."""
    codes = tuple(languages) or grammar.languages
    said = {code: grammar.realise(tree, code) for code in codes}
    nodes, width, height = _place(tree, said)
    shapes: list[str] = []
    for node, children in enumerate(tree.positions):
        for child in children:
            shapes.append(_line(nodes[node], 5, nodes[child], -25, ""))
    for node, (x, y) in enumerate(nodes):
        is_leaf = not tree.positions[node]
        shapes.append(_text(x, y, _name(tree, node), "leaf" if is_leaf else "rule"))
    for node, children in enumerate(tree.positions):
        parts = tree.inventory.rule(tree.codes[node]).parts if children else ()
        for part, child in zip(parts, children, strict=True):
            shapes.append(_text(nodes[child].x, nodes[child].y - 13, part.slot, "slot"))
    above: dict[int, list[_Box]] = {node: [box] for node, box in enumerate(nodes)}
    for code, one in said.items():
        height += _ROW
        shapes.append(f'<text class="code" x="{_EDGE / 2}" y="{height - 16:.0f}">{code}</text>')
        placed = _spread(one.tokens, width)
        here: dict[int, list[_Box]] = {}
        for token, x in zip(one.tokens, placed, strict=True):
            box = _Box(x, height)
            is_word = not tree.positions[token.node]
            shapes.append(_text(x, height, token.text, "leaf" if is_word else "small"))
            if is_word:
                here.setdefault(token.node, []).append(box)
                for other in above[token.node][:1]:
                    shapes.append(_line(other, 6, box, -14, "link"))
        above.update(here)
    style = f"<style>svg {{ color-scheme: light dark; }}{STYLE}</style>" if alone else ""
    total = width + 2 * _EDGE
    label = escape(" / ".join(realisation.text for realisation in said.values()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" aria-label="{label}" '
        f'width="{total:.0f}" height="{height + 20:.0f}" '
        f'viewBox="0 0 {total:.0f} {height + 20:.0f}">{style}{"".join(shapes)}</svg>\n'
    )


def _pixels(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return wide * _WIDE + (len(text) - wide) * _LETTER


def _place(tree: Tree, said: dict[str, Realisation]) -> tuple[list[_Box], float, float]:
    """Where each node stands, how wide the tree is and how high.

    A constituent takes the room of its children side by side, or of its name; a phrase stands above
    the middle of its first and last child.
    """
    room = [_pixels(_name(tree, node)) * 1.1 + _GAP for node in range(len(tree))]
    for node in range(len(tree) - 1, -1, -1):
        room[node] = max(room[node], sum(room[child] for child in tree.positions[node]))
    width = max(room[0], *(sum(_token_widths(realisation.tokens)) for realisation in said.values()))
    left, depths, x = [0.0] * len(tree), [0] * len(tree), [0.0] * len(tree)
    left[0] = _EDGE + (width - room[0]) / 2
    for node, children in enumerate(tree.positions):
        start = left[node] + (room[node] - sum(room[child] for child in children)) / 2
        for child in children:
            left[child], depths[child] = start, depths[node] + 1
            start += room[child]
    for node in range(len(tree) - 1, -1, -1):
        ends = [x[child] for child in tree.positions[node]]
        x[node] = (ends[0] + ends[-1]) / 2 if ends else left[node] + room[node] / 2
    boxes = [_Box(x[node], 24 + depths[node] * _LEVEL) for node in range(len(tree))]
    return boxes, width, 24 + max(depths) * _LEVEL


def _token_widths(tokens: Sequence[RealisedToken]) -> list[float]:
    return [_pixels(token.text) + _GAP for token in tokens]


def _spread(tokens: Sequence[RealisedToken], width: float) -> list[float]:
    """The middles of tokens side by side, with the spare room shared between them."""
    widths = _token_widths(tokens)
    spare = (width - sum(widths)) / max(1, len(widths))
    left, found = _EDGE, []
    for one in widths:
        found.append(left + (one + spare) / 2)
        left += one + spare
    return found


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(upper: _Box, below: float, lower: _Box, before: float, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return (
        f'<line{named} x1="{upper.x:.1f}" y1="{upper.y + below:.1f}" '
        f'x2="{lower.x:.1f}" y2="{lower.y + before:.1f}"/>'
    )
