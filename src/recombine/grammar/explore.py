"""A grammar as one page: every rule with a sentence and its tree, every word, to be searched.

The page is one file without any request: open it, send it, put it beside a paper.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterator
from html import escape

from recombine.grammar.drawing import STYLE, draw_svg
from recombine.grammar.files.write import format_line, format_rule
from recombine.grammar.grammar import Grammar
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Rule
from recombine.grammar.review import example_tree, said, unsaid_in
from recombine.grammar.tree import Tree
from recombine.progress import Progress, progress
from recombine.registry import data_path

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def explore_page(grammar: Grammar) -> str:
    """The whole page."""
    inventory = grammar.inventory
    edition = f" · edition {grammar.edition}" if grammar.edition else ""
    counts = f"{len(inventory.rules)} rules · {len(inventory.words)} words · {len(inventory.rules_of)} categories"
    boxes = "".join(
        f'<label><input type="checkbox" checked data-language="{escape(code)}"> {escape(code)}</label>'
        for code in grammar.languages
    )
    links = "".join(
        f'<a href="#{_anchor(category)}">{escape(category)}</a>'
        for category in (*inventory.rules_of, *inventory.words_of)
    )
    unfinished = unsaid_in(grammar, grammar.languages)
    with progress("rules", len(inventory.rules)) as bar:
        rules = "".join(
            f'<section id="{_anchor(category)}"><h2>{escape(category)}</h2>'
            + "".join(_rule(grammar, inventory.rule(code), unfinished, bar) for code in codes)
            + "</section>"
            for category, codes in inventory.rules_of.items()
        )
    words = "".join(_words(grammar, category) for category in inventory.words_of)
    script = _asset("explore.js")
    # This script runs and no other, whatever a grammar that one is sent says.
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(digest=digest)}">
<title>{escape(grammar.name)}: a grammar</title>
<style>{_asset("explore.css")}{STYLE}</style></head><body>
<header><div class="wrap"><h1>{escape(grammar.name)}</h1><p class="sub">{counts}{escape(edition)}</p>
<div class="bar"><input type="search" id="find" placeholder="rule, word, tag, or any text of a sentence ( / )" aria-label="search">
<span id="count" aria-live="polite"></span>{boxes}</div></div></header>
<nav class="wrap"><details><summary>categories</summary><div class="bar">{links}</div></details></nav>
<main class="wrap"><p id="none" hidden>Nothing has all of these words.</p>{rules}{words}</main>
<script>{script}</script></body></html>
"""


def _asset(name: str) -> str:
    return data_path("page", name).read_text(encoding="utf-8")


def _anchor(category: str) -> str:
    return f"category-{escape(category)}"


def _rule(grammar: Grammar, rule: Rule, unfinished: Collection[str], bar: Progress) -> str:
    tree = example_tree(grammar, rule.name, unfinished)
    shown = list(_sentences(grammar, rule, tree)) if tree is not None else []
    lines = list(_lines(grammar, rule))
    find = " ".join(
        [format_rule(rule), *(text for _, text, _ in shown), *(text for _, text in lines)]
    )
    bar.advance(1)
    sentences = "".join(
        f'<p class="say" lang="{escape(code)}"><b>{escape(code)}</b>{marked}</p>'
        for code, _, marked in shown
    )
    drawn = ""
    if tree is not None and shown:
        picture = draw_svg(grammar, tree, [code for code, _, _ in shown], alone=False)
        drawn = f'<details><summary>tree</summary><div class="scroll">{picture}</div></details>'
    source = "".join(
        f'<div lang="{escape(code)}"><b class="code">{escape(code)}</b><pre>{escape(text)}</pre></div>'
        for code, text in lines
    )
    return (
        f'<article data-find="{escape(find.lower())}" id="rule-{escape(rule.name)}">'
        f"<h3>{_linked(rule, grammar.inventory)}</h3>{sentences}{drawn}"
        f"<details><summary>lines</summary>{source}</details></article>"
    )


def _linked(rule: Rule, inventory: Inventory) -> str:
    """The rule as it is written, with links to the categories of its parts."""
    parts = []
    for part in rule.parts:
        name = part.symbol.category
        slot = "" if part.slot == name else f"{escape(part.slot)}:"
        classes = escape(str(part.symbol)[len(name) :])
        link = (
            f'<a href="#{_anchor(name)}">{escape(name)}</a>'
            if name in inventory.rules_of or name in inventory.words_of
            else escape(name)
        )
        parts.append(f"{'*' if part.head else ''}{slot}{link}{classes}")
    weight = f" [{rule.weight:g}]"
    tags = f" {{{' '.join(rule.tags)}}}" if rule.tags else ""
    return f'{escape(rule.name)} : {escape(rule.category)} → {" ".join(parts)}<span class="tag">{weight}{escape(tags)}</span>'


def _sentences(grammar: Grammar, rule: Rule, tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Per language: its code, the sentence, and the sentence with what the rule says marked.

    A language that does not say it yet is left out.
    """
    node = tree.labels().index(rule.name)
    for code in grammar.languages:
        realised = said(grammar, tree, code)
        if realised is None:
            continue
        text, marked, done = realised.text, "", 0
        for start, end in realised.spans.get(node, ()) if node else ():
            marked += f"{escape(text[done:start])}<mark>{escape(text[start:end])}</mark>"
            done = end
        yield code, text, marked + escape(text[done:])


def _lines(grammar: Grammar, rule: Rule) -> Iterator[tuple[str, str]]:
    for code in grammar.languages:
        lines = grammar.source.languages[code].lines
        own = [format_line(line) for (name, _), line in lines.items() if name == rule.name]
        if own:
            yield code, "\n".join(own)


def _words(grammar: Grammar, category: str) -> str:
    inventory = grammar.inventory
    head = "".join(f'<th lang="{escape(code)}">{escape(code)}</th>' for code in grammar.languages)
    rows = []
    for number in inventory.words_of[category]:
        word = inventory.word(number)
        cells, find = "", [word.id, word.gloss, *word.classes, category]
        for code in grammar.languages:
            forms = grammar.concrete(code).word_forms(number)
            texts = list(
                dict.fromkeys(form for variants in forms.values() for form in variants if form)
            )
            find += texts
            fields = "\n".join(
                f"{field}: {' | '.join(variants)}" for field, variants in forms.items()
            )
            first = escape(texts[0] if texts else "–")
            cells += f'<td lang="{escape(code)}" title="{escape(fields)}">{first}</td>'
        text = escape(" ".join(find).lower())
        rows.append(
            f'<tr data-find="{text}"><td>{escape(word.id)}</td>{cells}<td>{escape(" ".join(word.classes))}</td></tr>'
        )
    return (
        f'<section id="{_anchor(category)}"><h2>{escape(category)}: {len(rows)} words</h2><div class="scroll">'
        f"<table><thead><tr><th>word</th>{head}<th>classes</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )
