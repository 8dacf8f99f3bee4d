"""Derivations of training pairs: the constituents of the source, with their stretch of the target.

A constituent's target begins and ends with translations of its own words. The function words
between two of these belong to the one that follows, or to the one before (a matter of the language,
tried both ways), and those at its edge that do not depend on what the constituent is belong to the
constituent around it: 子供|は loses は, which every subject has; *den Hund* keeps *den*, as
*Liam* has none. (Mutual information of the edge word and the kind of constituent, as a share of the
word's entropy.)
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from recombine.augment.grammar.closing import Closing, PhraseEnd, find_closing, put_in
from recombine.augment.grammar.constituents import (
    CLAUSE,
    HEAD,
    PHRASE,
    SENTENCE,
    Constituents,
    Node,
)
from recombine.augment.grammar.lexicon import Lexicon, Links, find_words
from recombine.augment.grammar.rules import Derivation, PairRule, RuleSlot, Unit
from recombine.augment.grammar.words import OPEN, is_open
from recombine.augment.tokens import Tokens

# An edge word belongs to the constituent if so much of its entropy is explained by what that is,
# and so many lack it, or have it.
EXPLAINED, VARIES = 0.05, 0.005
# Fewest training pairs with a rule.
FEWEST_PAIRS = 3

Attachment = Literal["next", "previous"]
ATTACHMENTS: tuple[Attachment, ...] = ("next", "previous")
# So many pairs tell which attachment is better.
TRIED = 4000
# So many constituents tell what an edge word depends on.
ENOUGH = 50


class _Span:
    """A constituent while its stretch of the target is looked for."""

    __slots__ = (
        "children", "end", "first", "kind", "last", "left", "right", "start", "symbol", "word"
    )  # fmt: skip

    def __init__(self, symbol: str, kind: str, first: int, last: int, word: str = "") -> None:
        self.symbol, self.kind, self.first, self.last = symbol, kind, first, last
        self.word = word
        self.children: list[_Span] | None = None
        # From the first to the last translated word inside, and with what belongs to it.
        self.start = self.end = self.left = self.right = -1

    def opener(self, attachment: Attachment) -> object:
        """What kind of constituent it is: its first word, or the closed words of a clause."""
        if self.kind == CLAUSE and attachment == "previous" and self.children is not None:
            return tuple(c.symbol for c in self.children if not is_open(c.symbol))
        span = self
        while span.children is not None:
            # Of two phrases inside, the one at this edge: 一个盒子里的那只猫, *the cat in a box*.
            phrases = [part for part in span.children if part.kind == PHRASE and part.start >= 0]
            if not phrases:
                span = span.children[0]
            elif attachment == "next":
                span = min(phrases, key=lambda part: part.start)
            else:
                span = max(phrases, key=lambda part: part.end)
        return span.symbol

    def shape(self) -> tuple[str, ...]:
        """The closed words of a phrase of several words."""
        if self.kind != PHRASE or self.children is None or len(self.children) < 2:
            return ()
        kinds = (part.kind for part in self.children)
        return tuple(kind for kind in kinds if kind not in (OPEN, PHRASE, HEAD, CLAUSE))

    def closable(self) -> Iterator[_Span]:
        """Yield the phrases inside whose last word in the target is their own."""
        for part in self.children or ():
            if part.start < 0 or part.children is None:
                continue
            yield from part.closable()
            if part.shape() and all(
                inner.children is None or inner.end < part.end for inner in part.children
            ):
                yield part

    def closer(self, attachment: Attachment) -> object:
        """What may tell about its other edge: the words of the innermost constituent there.

        *von Mia gesehen wurde* ends in *wurde* because of *was*, 被想念 in nothing because of
        *missed*.
        """
        span = self
        while True:
            inside = [
                part
                for part in span.children or ()
                if part.children is not None
                and part.start >= 0
                and part.kind != HEAD
                and (part.end == span.end if attachment == "next" else part.start == span.start)
            ]
            if not inside:
                return tuple(part.word or part.kind for part in span.children or ())
            span = inside[0]


# The number of a pair, a constituent of it, and where its translated words are.
Located = tuple[int, _Span, list[tuple[int, int]]]


def derive_pairs(
    sources: Sequence[Tokens],
    targets: Sequence[Tokens],
    words: Mapping[int, Mapping[int, tuple[int, int]]],
    symbols: Mapping[str, str],
    constituents: Constituents,
    attachment: Attachment,
    closing: Closing,
) -> dict[int, Derivation]:
    """Return the derivations of all pairs that have one; `words` are where their words are."""
    level: list[Located] = []
    for number, where in words.items():
        root = _root(sources[number], symbols, constituents)
        if _place(root, where, targets[number], closing) and _contiguous(root, where):
            root.left, root.right = 0, len(targets[number])
            level.append((number, root, sorted(where.values())))
    roots = [(number, root) for number, root, _ in level]
    edges = _Edges(targets, attachment)
    while level:
        level = edges.next_level(level)
    return {
        number: derivation
        for number, root in roots
        if (derivation := _derivation(root, sources[number], targets[number])) is not None
    }


def with_closing_marks(
    sources: Sequence[Tokens],
    targets: Sequence[Tokens],
    words: Mapping[int, Mapping[int, tuple[int, int]]],
    symbols: Mapping[str, str],
    constituents: Constituents,
) -> tuple[list[Tokens], dict[int, dict[int, tuple[int, int]]], Closing]:
    """Return targets with their closing marks put in, where their words are then, and the marks."""
    roots = {}
    for number, where in words.items():
        root = _root(sources[number], symbols, constituents)
        if _place(root, where, targets[number], Closing()):
            roots[number] = root
    ends = [
        PhraseEnd(span.shape(), number, span.end)
        for number, root in roots.items()
        for span in root.closable()
    ]
    closing = find_closing(ends, targets)
    places: dict[int, set[tuple[int, str]]] = defaultdict(set)
    for shape, number, end in ends:
        mark = closing.marks.get(shape)
        if mark is not None and targets[number][end : end + 1] != (mark,):
            places[number].add((end, mark))
    made = list(targets)
    moved = {number: dict(where) for number, where in words.items()}
    for number, marks in places.items():
        made[number] = put_in(targets[number], marks)
        for place, (first, last) in moved[number].items():
            shift = sum(at <= first for at, _ in marks)
            moved[number][place] = first + shift, last + shift
    return made, moved, closing


def best_attachment(
    sources: Sequence[Tokens],
    targets: Sequence[Tokens],
    links: Sequence[Links],
    symbols: Mapping[str, str],
    lexicon: Lexicon,
    constituents: Constituents,
) -> tuple[dict[int, Derivation], Closing]:
    """Derive pairs by the attachment with which more of them have frequent rules."""
    words = {}
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        where = find_words(source, target, links[number], symbols, lexicon)
        if where:
            words[number] = where
    targets, words, closing = with_closing_marks(sources, targets, words, symbols, constituents)
    sample = max(1, len(sources) // TRIED)
    some = {number: where for number, where in words.items() if number % sample == 0}
    scores: dict[Attachment, int] = {}
    for attachment in ATTACHMENTS:
        tried = frequent(
            derive_pairs(sources, targets, some, symbols, constituents, attachment, closing)
        )
        rules = {part.rule for whole in tried.values() for part in whole.walk()}
        # Most pairs, and of the same number the fewest rules.
        scores[attachment] = len(tried) - len(rules)
    best = max(ATTACHMENTS, key=lambda attachment: scores[attachment])
    derivations = derive_pairs(sources, targets, words, symbols, constituents, best, closing)
    return frequent(derivations), closing


def frequent(derivations: Mapping[int, Derivation]) -> dict[int, Derivation]:
    """Keep derivations whose rules are all seen in a few pairs."""
    counts = Counter(part.rule for whole in derivations.values() for part in whole.walk())
    return {
        number: whole
        for number, whole in derivations.items()
        if all(counts[part.rule] >= FEWEST_PAIRS for part in whole.walk())
    }


def slot_kind(node: Node, constituents: Constituents) -> str:
    """What kind of slot a constituent fills, or itself where it is a closed word."""
    if node.symbol in (CLAUSE, SENTENCE):
        return node.symbol
    if node.symbol == constituents.phrase:
        return PHRASE
    if node.symbol in constituents.heads:
        return HEAD
    return OPEN if is_open(node.symbol) else node.symbol


def _span(node: Node, constituents: Constituents, source: Tokens) -> _Span:
    kind = slot_kind(node, constituents)
    if node.children:
        span = _Span(node.symbol, kind, node.first, node.last)
        span.children = [_span(child, constituents, source) for child in node.children]
        return span
    word = source[node.first]
    if kind != PHRASE:
        return _Span(node.symbol, kind, node.first, node.last, word)
    span = _Span(node.symbol, kind, node.first, node.last)  # A word that is a phrase by itself.
    span.children = [_Span(node.symbol, OPEN, node.first, node.last, word)]
    return span


def _root(source: Tokens, symbols: Mapping[str, str], constituents: Constituents) -> _Span:
    nodes = constituents.parse(tuple(symbols[word] for word in source))
    root = _Span(SENTENCE, SENTENCE, 0, len(source))
    root.children = [_span(node, constituents, source) for node in nodes]
    return root


def _place(
    span: _Span, where: Mapping[int, tuple[int, int]], target: Tokens, closing: Closing
) -> bool:
    """Find from where to where translated words of a constituent go; say whether it has any."""
    if span.children is None:
        if span.first in where and is_open(span.symbol):
            span.start, span.end = where[span.first]
    else:
        placed = [child for child in span.children if _place(child, where, target, closing)]
        if placed:
            span.start = min(child.start for child in placed)
            span.end = max(child.end for child in placed)
            mark = closing.marks.get(span.shape())
            if mark is not None and target[span.end : span.end + 1] == (mark,):
                span.end += 1
    return span.start >= 0


def _contiguous(span: _Span, where: Mapping[int, tuple[int, int]]) -> bool:
    if span.children is None:
        return True
    for place, (start, end) in where.items():
        inside = span.first <= place < span.last
        if not inside and start >= span.start and end <= span.end:
            return False
    return all(_contiguous(child, where) for child in span.children)


class _Edges:
    """Finds the edges of constituents, level by level from the top.

    What an edge word depends on is decided where constituents of one kind first stand in a place
    often enough, and deeper ones follow: a clause in a clause is built like a clause.
    """

    def __init__(self, targets: Sequence[Tokens], attachment: Attachment) -> None:
        self.targets, self.attachment = targets, attachment
        self._kept: dict[tuple[object, int], dict[str, bool]] = {}
        self._kept_somewhere: dict[object, set[str]] = defaultdict(set)

    def next_level(self, level: Iterable[Located]) -> list[Located]:
        """Find the edges of all children of a level of constituents, and return the next level."""
        after = self.attachment == "next"
        groups: dict[tuple[object, ...], list[tuple[_Span, Tokens]]] = defaultdict(list)
        below = []
        for number, span, words in level:
            assert span.children is not None
            shape = tuple(child.kind for child in span.children)
            for place, child in enumerate(span.children):
                child.left, child.right = child.start, child.end
                if child.start < 0 or child.children is None:
                    continue
                below.append((number, child, words))
                if child.kind == HEAD:  # It stands where single words stand, which have no edges.
                    continue
                if after:
                    ends = [end for _, end in words if end <= child.start]
                    ends += [part.end for part in span.children if part.end <= child.start]
                    child.left = max([span.left, *ends])
                else:
                    starts = [start for start, _ in words if start >= child.end]
                    child.right = min([span.right, *starts])
                groups[shape, place].append((child, self.targets[number]))
        for key, members in groups.items():
            self._give_up((key, after), members, _Span.opener, at_left=after)
        # What is free on the other side of a clause may depend on it, too: *wurde* at its end.
        clauses: dict[tuple[object, ...], list[tuple[_Span, Tokens]]] = defaultdict(list)
        for number, span, _ in level:
            shape = tuple(part.kind for part in span.children or ())
            for place, child in enumerate(span.children or ()):
                if child.kind != CLAUSE or child.start < 0:
                    continue
                others = [part for part in span.children or () if part.start >= 0]
                if after:
                    starts = [part.left for part in others if part.left >= child.end]
                    child.right = min([span.right, *starts])
                else:
                    child.left = max(
                        [span.left, *(part.right for part in others if part.right <= child.start)]
                    )
                clauses[shape, place].append((child, self.targets[number]))
        for key, members in clauses.items():
            self._give_up((key, not after), members, _Span.closer, at_left=not after)
        return below

    def _give_up(
        self,
        key: object,
        members: list[tuple[_Span, Tokens]],
        kind: Callable[[_Span, Attachment], object],
        *,
        at_left: bool,
    ) -> None:
        """Take from constituents the edge words that do not depend on what they are."""
        step = 0
        while members:
            words: dict[object, Counter[str | None]] = defaultdict(Counter)
            for span, target in members:
                words[kind(span, self.attachment)][_edge(span, target, at_left=at_left)] += 1
            edges = {word for counts in words.values() for word in counts if word is not None}
            kept = self._kept.get((key, step), {})
            before = self._kept_somewhere[key]
            kept = kept | {
                word: word in before or _explained(word, words) for word in edges - kept.keys()
            }
            if len(members) >= ENOUGH:
                self._kept[key, step] = kept
                before.update(word for word in edges if kept[word])
            shorter = []
            for span, target in members:
                word = _edge(span, target, at_left=at_left)
                if word is not None and not kept[word]:
                    if at_left:
                        span.left += 1
                    else:
                        span.right -= 1
                    shorter.append((span, target))
            members, step = shorter, step + 1


def _explained(word: str, words: Mapping[object, Counter[str | None]]) -> bool:
    """Whether what constituents are says much about whether this word is at their edge."""
    sizes = [(counts[word], sum(counts.values())) for counts in words.values()]
    count = sum(size for _, size in sizes)
    often = sum(here for here, _ in sizes)
    if min(often, count - often) < VARIES * count:
        return False  # All have it, but for errors.
    entropy = _binary_entropy(often, count)
    left = sum(size * _binary_entropy(here, size) for here, size in sizes) / count
    # What is explained by chance alone (Miller 1955, first order).
    chance = (len(sizes) - 1) / (2 * count * math.log(2))
    return entropy > 0 and entropy - left - chance >= EXPLAINED * entropy


def _binary_entropy(part: int, whole: int) -> float:
    if part in (0, whole):
        return 0.0
    share = part / whole
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


def _edge(span: _Span, target: Tokens, *, at_left: bool) -> str | None:
    if at_left:
        return target[span.left] if span.left < span.start else None
    return target[span.right - 1] if span.right > span.end else None


def _derivation(span: _Span, source: Tokens, target: Tokens) -> Derivation | None:
    """Return the derivation of a constituent with its edges, or None if it has no rule."""
    assert span.children is not None
    parts: list[str | RuleSlot] = []
    filled: list[_Span] = []
    for child in span.children:
        if child.start < 0:
            if child.children is not None:
                return None
            parts.append(source[child.first])
        else:
            parts.append(RuleSlot(child.kind))
            filled.append(child)
    made: list[str | int] = []
    at = span.left
    for number in sorted(range(len(filled)), key=lambda number: filled[number].left):
        child = filled[number]
        if child.left < at:
            return None
        made += [*target[at : child.left], number]
        at = child.right
    if at > span.right:
        return None
    made += target[at : span.right]
    kind = span.kind
    children: list[Derivation | Unit] = []
    for child in filled:
        if child.children is None:
            children.append((source[child.first], target[child.left : child.right]))
            continue
        inside = _derivation(child, source, target)
        if inside is None:
            return None
        children.append(inside)
    return Derivation(PairRule(kind, tuple(parts), tuple(made)), children)
