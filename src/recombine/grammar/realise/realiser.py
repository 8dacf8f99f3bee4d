"""Trees to sentences: text, tokens, character offsets of every constituent, accepted variants.

The root is asked for its field; a line answers with literals and with fields of its slots, which
are asked in turn, until only pieces of text are left. They are joined, and the spelling of the
whole is put right. `Realiser.realise` does this plainly and keeps track of offsets and
alternatives; `Realiser.text` says the same text fast, by templates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.grammar.compiled import (
    MAX_PIECES,
    CompiledLanguage,
    OneOf,
    PartField,
    RowSymbol,
    joined_symbols,
)
from recombine.grammar.model import Glue
from recombine.grammar.realise.spelling import apply_edits, finishes, shift
from recombine.grammar.realise.templates import Templates
from recombine.grammar.tree import Tree, child_positions

MAX_VARIANTS = 64  # of one sentence; alternatives multiply


class Span(NamedTuple):
    """Character offsets in the text."""

    start: int
    end: int


class RealisedToken(NamedTuple):
    """One piece of a sentence: a literal or a word form, and the node it belongs to."""

    text: str
    start: int
    end: int
    node: int


@dataclass(frozen=True)
class Realisation:
    """A tree said in one language."""

    text: str
    tokens: tuple[RealisedToken, ...]
    spans: dict[int, tuple[Span, ...]]  # node -> its stretches of text, in order; several if apart
    variants: tuple[str, ...] = field(default=())  # accepted texts, `text` first

    def span(self, node: int) -> Span | None:
        """The stretch from the first to the last character of a node; None if it is silent."""
        stretches = self.spans.get(node)
        return Span(stretches[0].start, stretches[-1].end) if stretches else None

    def piece(self, node: int) -> str:
        """The text of a node; stretches that stand apart are joined with a space."""
        return " ".join(self.text[start:end] for start, end in self.spans.get(node, ()))


class _Piece(NamedTuple):
    text: str
    node: int
    field: str | None  # the field of a word form; None for a literal
    glued: bool


class _Began(NamedTuple):
    """A constituent whose first piece has this number."""

    at: int


class Realiser:
    """Says trees in one language."""

    def __init__(self, compiled: CompiledLanguage) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self.join = compiled.language.join
        self.root = compiled.language.root
        self._finishes = finishes(
            compiled.language, _first_words(compiled, "sound"), _first_words(compiled, "a_an")
        )
        self._templates = Templates(compiled, self._finishes)
        self.fill = self._templates.fill
        self.form_slots = self._templates.form_slots

    def text(self, tree: Tree) -> str:
        """The canonical text of a tree."""
        return self.fill(tree.codes)

    def realise(self, tree: Tree) -> Realisation:
        """The text with tokens, offsets and accepted variants."""
        choices: list[int] = []
        pieces, stretches, radix = self._walk(tree.codes, choices)
        text, offsets = self._layout(pieces)
        bounds = [list(pair) for pair in offsets]
        for finish in self._finishes:
            edits = finish(text)
            if edits:
                text = apply_edits(text, edits)
                bounds = [
                    [shift(start, edits, is_end=False), shift(end, edits, is_end=True)]
                    for start, end in bounds
                ]
        tokens = tuple(
            RealisedToken(text[start:end], start, end, piece.node)
            for piece, (start, end) in zip(pieces, bounds, strict=True)
            if end > start
        )
        spans: dict[int, list[Span]] = {}
        for node, first, last in stretches:
            inside = [
                bounds[index] for index in range(first, last) if bounds[index][1] > bounds[index][0]
            ]
            if inside:
                spans.setdefault(node, []).append(Span(inside[0][0], inside[-1][1]))
        ordered = {node: tuple(sorted(set(spans[node]))) for node in sorted(spans)}
        return Realisation(text, tokens, ordered, self._variants(tree, text, radix))

    def joined(self, symbols: Iterable[str | Glue | None]) -> str:
        """Texts, with the join where a None stands between two and no `+`."""
        parts: list[str] = []
        joined, strong = False, True
        for symbol in symbols:
            if symbol is None:
                joined = True
            elif isinstance(symbol, Glue):
                strong = strong or symbol.strong
            elif symbol:
                parts += [symbol] if strong or not joined else [self.join, symbol]
                joined = strong = False
        return "".join(parts)

    def finished(self, text: str) -> str:
        """A text with touches, capital and commas put right."""
        for finish in self._finishes:
            edits = finish(text)
            if edits:
                text = apply_edits(text, edits)
        return text

    def forms(self, tree: Tree) -> list[str]:
        """The word forms of a sentence (no literals), left to right."""
        pieces, _, _ = self._walk(tree.codes, [])
        return [piece.text for piece in pieces if piece.field is not None]

    def variants(self, tree: Tree) -> tuple[str, ...]:
        """All accepted texts, the canonical one first (at most MAX_VARIANTS)."""
        _, _, radix = self._walk(tree.codes, [])
        return self._variants(tree, self.text(tree), radix)

    def _variants(self, tree: Tree, text: str, radix: list[int]) -> tuple[str, ...]:
        texts = {text: None}
        choices = [0] * len(radix)
        while len(texts) < MAX_VARIANTS:
            while choices and choices[-1] + 1 >= radix[len(choices) - 1]:
                choices.pop()
            if not choices:
                break
            choices[-1] += 1
            pieces, _, radix = self._walk(tree.codes, choices)
            choices.extend([0] * (len(radix) - len(choices)))
            other, _ = self._layout(pieces)
            texts[self.finished(other)] = None
        return tuple(texts)

    def _walk(
        self, codes: tuple[int, ...], choices: list[int]
    ) -> tuple[list[_Piece], list[tuple[int, int, int]], list[int]]:
        """Spell out a tree; `choices` picks alternatives, the canonical one beyond its end.

        Returns pieces, stretches (node, first piece, last piece) and how many ways each choice had.
        """
        compiled, first_word = self.compiled, self.inventory.first_word
        children = child_positions(codes, self.inventory.arity)
        constituents = compiled.constituents(codes, children)
        pieces: list[_Piece] = []
        stretches: list[tuple[int, int, int]] = []
        radix: list[int] = []
        joined, strong = False, True  # separators since the last piece; nothing before the first
        # A text, a field of a part, glue, None for a join, or where a constituent began; and the
        # node it belongs to.
        stack: list[tuple[int, RowSymbol | _Began | None]] = [(0, PartField(-1, self.root))]
        while stack:
            node, item = stack.pop()
            if item is None:
                joined = True
            elif isinstance(item, Glue):
                strong = strong or item.strong
            elif isinstance(item, str | OneOf):
                if isinstance(item, OneOf):
                    item = item.texts[_choose(len(item.texts), choices, radix)]
                if item:
                    pieces.append(_Piece(item, node, None, strong or not joined))
                    joined = strong = False
            elif isinstance(item, _Began):
                stretches.append((node, item.at, len(pieces)))
            else:
                if item.part >= 0:
                    node = children[node][item.part]
                code = codes[node]
                if code >= first_word:
                    forms = compiled.word_forms(code).get(item.field)
                    if forms is None:
                        raise compiled.unsayable(codes, code, item.field)
                    form = forms[_choose(len(forms), choices, radix)]
                    if form:
                        stretches.append((node, len(pieces), len(pieces) + 1))
                        pieces.append(_Piece(form, node, item.field, strong or not joined))
                        joined = strong = False
                    continue
                rows = compiled.rows(codes, constituents[node], item.field)
                if len(pieces) > MAX_PIECES or len(stack) > MAX_PIECES:
                    raise compiled.too_long()
                stack.append((node, _Began(len(pieces))))
                symbols = rows[_choose(len(rows), choices, radix)].symbols
                stack.extend([(node, symbol) for symbol in joined_symbols(symbols)[::-1]])
        return pieces, stretches, radix

    def _layout(self, pieces: list[_Piece]) -> tuple[str, list[tuple[int, int]]]:
        parts: list[str] = []
        offsets: list[tuple[int, int]] = []
        length = 0
        for piece in pieces:
            if not piece.glued:
                parts.append(self.join)
                length += len(self.join)
            parts.append(piece.text)
            offsets.append((length, length + len(piece.text)))
            length += len(piece.text)
        return "".join(parts), offsets


def _first_words(compiled: CompiledLanguage, column: str) -> dict[str, str]:
    """The first words of all forms of the words that fill a column, with what it says."""
    return {
        form.split(" ")[0]: sense.forms[column][0]
        for senses in compiled.senses
        for sense in senses
        if column in sense.forms
        for name, variants in sense.forms.items()
        if name != column
        for form in variants
    }


def _choose(ways: int, choices: list[int], radix: list[int]) -> int:
    position = len(radix)
    radix.append(ways)
    return choices[position] if position < len(choices) else 0
