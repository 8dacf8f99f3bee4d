"""A grammar as one page: phenomena first, one rule at a time, and every word.

The page is one file without any request: open it, send it, put it beside a paper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recombine.grammar.drawing import STYLE, draw_svg
from recombine.grammar.files.write import format_line, format_rule
from recombine.grammar.grammar import Grammar
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Rule
from recombine.grammar.review import example_tree, said, unsaid_in
from recombine.grammar.tree import Tree
from recombine.progress import progress
from recombine.templates import asset, policy, render

if TYPE_CHECKING:
    from markupsafe import Markup

# Of a sentence in the list of rules.
SHORT = 90


class SentencePiece(NamedTuple):
    """Part of a sentence, and whether the rule at hand says it."""

    text: str
    marked: bool


class ShownPart(NamedTuple):
    """A constituent in a rule as it is written: head or not, slot, category, classes."""

    is_head: bool
    slot: str
    category: str
    classes: str
    linked: bool


class ShownRule(NamedTuple):
    """A rule with its sentence in every language, its tree, and what each language says of it."""

    name: str
    category: str
    parts: Sequence[ShownPart]
    weight: str
    tags: Sequence[str]
    sentences: Sequence[tuple[str, Sequence[SentencePiece]]]
    drawn: Markup | None
    lines: Sequence[tuple[str, str]]
    find: str

    @property
    def example(self) -> str:
        """A sentence short enough for a list: in English, else in the first language."""
        told = dict(self.sentences)
        pieces = told.get("en") or next(iter(told.values()), ())
        text = "".join(piece.text for piece in pieces)
        return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


class ShownWord(NamedTuple):
    """A word with its first form in every language, and all its forms on hover."""

    id: str
    forms: Sequence[tuple[str, str, str]]
    classes: str
    find: str


def explore_page(grammar: Grammar) -> str:
    """The whole page."""
    inventory = grammar.inventory
    unfinished = unsaid_in(grammar, grammar.languages)
    rules = []
    with progress("rules", len(inventory.rules)) as bar:
        for codes in inventory.rules_of.values():
            for code in codes:
                rules.append(_rule(grammar, inventory.rule(code), unfinished))
                bar.advance(1)
    script = asset("explore.js")
    # This script runs and no other, whatever a grammar that one is sent says.
    text = render(
        "explore",
        name=grammar.name,
        edition=grammar.edition or "",
        counts=f"{len(inventory.rules)} rules · {len(inventory.words)} words · "
        f"{len(inventory.rules_of)} categories",
        languages=list(grammar.languages),
        groups=_groups(rules),
        rules=rules,
        words={name: _words(grammar, name) for name in inventory.words_of},
        css=asset("explore.css"),
        tree_css=_as_html(STYLE),
        script=script,
        policy=policy(script),
    )
    return f"{text}\n"


def _as_html(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _groups(rules: Sequence[ShownRule]) -> dict[str, list[ShownRule]]:
    """Rules by the phenomenon that they are tagged with, then the others by their category."""
    tagged: dict[str, list[ShownRule]] = {}
    others: dict[str, list[ShownRule]] = {}
    for rule in rules:
        if rule.tags:
            tagged.setdefault(rule.tags[0], []).append(rule)
        else:
            others.setdefault(rule.category, []).append(rule)
    return {
        **{f"{{{tag}}}": found for tag, found in tagged.items()},
        **others,
    }


def _rule(grammar: Grammar, rule: Rule, unfinished: Collection[str]) -> ShownRule:
    tree = example_tree(grammar, rule.name, unfinished)
    sentences = list(_sentences(grammar, rule, tree)) if tree is not None else []
    lines = list(_lines(grammar, rule))
    texts = ["".join(piece.text for piece in pieces) for _, pieces in sentences]
    find = " ".join([format_rule(rule), *texts, *(text for _, text in lines)])
    drawn = None
    if tree is not None and sentences:
        codes = [code for code, _ in sentences]
        drawn = _as_html(draw_svg(grammar, tree, codes, alone=False))
    return ShownRule(
        rule.name,
        rule.category,
        list(_parts(rule, grammar.inventory)),
        f"{rule.weight:g}",
        rule.tags,
        sentences,
        drawn,
        lines,
        find.lower(),
    )


def _parts(rule: Rule, inventory: Inventory) -> Iterator[ShownPart]:
    """The rule as it is written; categories lead to their rules and words."""
    for part in rule.parts:
        name = part.symbol.category
        slot = "" if part.slot == name else f"{part.slot}:"
        known = name in inventory.rules_of or name in inventory.words_of
        yield ShownPart(part.head, slot, name, str(part.symbol)[len(name) :], known)


def _sentences(
    grammar: Grammar, rule: Rule, tree: Tree
) -> Iterator[tuple[str, list[SentencePiece]]]:
    """Per language: its code, and the sentence in pieces, those marked that the rule says.

    A language that does not say it yet is left out.
    """
    node = tree.labels().index(rule.name)
    for code in grammar.languages:
        realised = said(grammar, tree, code)
        if realised is None:
            continue
        text, done = realised.text, 0
        pieces = []
        for start, end in realised.spans.get(node, ()) if node else ():
            pieces += [SentencePiece(text[done:start], False), SentencePiece(text[start:end], True)]
            done = end
        yield code, [*pieces, SentencePiece(text[done:], False)]


def _lines(grammar: Grammar, rule: Rule) -> Iterator[tuple[str, str]]:
    for code in grammar.languages:
        lines = grammar.source.languages[code].lines
        own = [format_line(line) for (name, _), line in lines.items() if name == rule.name]
        if own:
            yield code, "\n".join(own)


def _words(grammar: Grammar, category: str) -> list[ShownWord]:
    inventory = grammar.inventory
    rows = []
    for number in inventory.words_of[category]:
        word = inventory.word(number)
        cells, find = [], [word.id, word.gloss, *word.classes, category]
        for code in grammar.languages:
            forms = grammar.concrete(code).word_forms(number)
            texts = list(
                dict.fromkeys(form for variants in forms.values() for form in variants if form)
            )
            find += texts
            fields = "\n".join(
                f"{field}: {' | '.join(variants)}" for field, variants in forms.items()
            )
            cells.append((code, texts[0] if texts else "–", fields))
        rows.append(ShownWord(word.id, cells, " ".join(word.classes), " ".join(find).lower()))
    return rows
