"""Trees to sentences: text, tokens, character offsets of every constituent, accepted variants.

The root is asked for its field; a line answers with literals and with fields of its slots, which
are asked in turn, until only pieces of text are left. They are joined, and the spelling of the
whole is put right. `Realiser.realise` does this plainly and keeps track of offsets and
alternatives; `Realiser.text` says the same text fast, by templates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.grammar.model import Glue, LiteralText, Ref
from recombine.grammar.realise.language import MAX_PIECES, Concrete
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


_JOIN, _CLOSE, _TEXT, _GLUE, _FIELD = range(5)


class Realiser:
    """Says trees in one language."""

    def __init__(self, concrete: Concrete) -> None:
        self.concrete = concrete
        self.inventory = concrete.inventory
        self.join = concrete.language.join
        self.root = concrete.language.root
        self._finishes = finishes(
            concrete.language, _first_words(concrete, "sound"), _first_words(concrete, "a_an")
        )
        self._templates = Templates(concrete, self._finishes)
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
            for finish in self._finishes:
                other = apply_edits(other, finish(other))
            texts[other] = None
        return tuple(texts)

    def _walk(
        self, codes: tuple[int, ...], choices: list[int]
    ) -> tuple[list[_Piece], list[tuple[int, int, int]], list[int]]:
        """Spell out a tree; `choices` picks alternatives, the canonical one beyond its end.

        Returns pieces, stretches (node, first piece, last piece) and how many ways each choice had.
        """
        concrete, inventory = self.concrete, self.inventory
        children = child_positions(codes, inventory.arity)
        pieces: list[_Piece] = []
        stretches: list[tuple[int, int, int]] = []
        radix: list[int] = []
        joined, strong = False, True  # separators since the last piece; nothing before the first
        stack: list[tuple[int, int, object]] = [(_FIELD, 0, self.root)]
        while stack:
            kind, node, value = stack.pop()
            if kind == _JOIN:
                joined = True
            elif kind == _GLUE:
                strong = True
            elif kind == _TEXT:
                if value:
                    pieces.append(_Piece(str(value), node, None, strong or not joined))
                    joined = strong = False
            elif kind == _CLOSE:
                stretches.append((node, int(str(value)), len(pieces)))
            else:
                field_name = str(value)
                code = codes[node]
                if code >= inventory.first_word:
                    forms = concrete.word_forms(code).get(field_name)
                    if forms is None:
                        raise concrete.missing(code, field_name)
                    form = forms[_choose(len(forms), choices, radix)]
                    if form:
                        stretches.append((node, len(pieces), len(pieces) + 1))
                        pieces.append(_Piece(form, node, field_name, strong or not joined))
                        joined = strong = False
                    continue
                variants = concrete.line(code, field_name)
                if variants is None:
                    raise concrete.missing(code, field_name)
                if len(pieces) > MAX_PIECES or len(stack) > MAX_PIECES:
                    raise concrete.too_long()
                body = variants[_choose(len(variants), choices, radix)]
                stack.append((_CLOSE, node, len(pieces)))
                for index in range(len(body) - 1, -1, -1):
                    piece = body[index]
                    if isinstance(piece, Glue):
                        if piece.strong:
                            stack.append((_GLUE, node, None))
                        continue
                    if index + 1 < len(body) and not isinstance(body[index + 1], Glue):
                        stack.append((_JOIN, node, None))
                    if isinstance(piece, LiteralText):
                        stack.append((_TEXT, node, piece.text))
                    elif isinstance(piece, Ref):
                        slot = inventory.rule(code).slot(piece.slot)
                        if slot is None:
                            raise concrete.missing(code, piece.slot)
                        name = concrete.field_name(piece.keys, codes, children, node)
                        stack.append((_FIELD, children[node][slot], name))
                    else:
                        name = concrete.field_name(piece.keys, codes, children, node)
                        cell = concrete.cell(piece.table, name)
                        stack.append((_TEXT, node, cell[_choose(len(cell), choices, radix)]))
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


def _first_words(concrete: Concrete, column: str) -> dict[str, str]:
    """The first words of all forms of the words that fill a column, with what it says."""
    return {
        form.split(" ")[0]: forms[column][0]
        for forms in concrete.forms
        if column in forms
        for name, variants in forms.items()
        if name != column
        for form in variants
    }


def _choose(ways: int, choices: list[int], radix: list[int]) -> int:
    position = len(radix)
    radix.append(ways)
    return choices[position] if position < len(choices) else 0
