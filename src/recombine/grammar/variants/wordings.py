"""All wordings of one meaning: whether a text is one of them, and some of them drawn at random.

A tree and the variants of a language make a finite language: every node can be said by one of its
lines, every word by one of its senses.  `Wordings.accepts` asks whether a text is in it, without
ever making the language: `_ends` says where a field of a node can end if it begins at a place, and
remembers the answer.  As the tree is given, nothing is ambiguous and nothing has to be searched but
the text's own beginnings: the work is at most nodes x places, whatever the text.

Marks that say nothing are deleted from both sides first; letters are compared without case, and
spaces as one.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recombine.errors import GrammarError, raise_all
from recombine.grammar.files.folder import find_grammar
from recombine.grammar.grammar import Grammar
from recombine.grammar.model import (
    ANY_FIELD,
    Feature,
    Glue,
    Key,
    LiteralText,
    Ref,
    Same,
    TableCell,
)
from recombine.grammar.realise.language import Concrete, Forms
from recombine.grammar.realise.spelling import apply_edits, commas, finishes
from recombine.grammar.sampling.random_stream import Stream
from recombine.grammar.tree import Tree
from recombine.grammar.variants.files import (
    AnyOrder,
    Body,
    OneOf,
    VariantLine,
    Variants,
    read_variants,
)
from recombine.grammar.variants.senses import Senses, find_senses

USUAL = 2  # alternatives of a table that are drawn: the first are the usual ones
_BEFORE_MARK = re.compile(r"\s+(?=[,.?!;:])")
MOST_TRIES = 20  # draws for one more wording before it is said that there is none


def wordings_of(grammar: Grammar, place: str | Path, language: str) -> Wordings:
    """The wordings of a grammar's language, by the variants that lie with the grammar."""
    return Wordings(grammar.concrete(language), read_variants(find_grammar(place), language))


class Way(NamedTuple):
    """One line for a field of a rule; `chain` are the rules that must be below it."""

    chain: tuple[str, ...]
    body: Body
    drawn: bool
    several: tuple[str, ...]  # slots whose sense matters: asked more than once, or for a feature
    said: frozenset[str]  # slots that are said, whatever is chosen
    pieces: tuple[_LinePiece, ...]


# The kinds of pieces of a line, as they are matched: what a body says, worked out beforehand.
_TEXT, _CHOICE, _ORDER, _CELL, _SLOT = range(5)


class _LinePiece(NamedTuple):
    kind: int
    text: str = ""  # the cleaned text, or the name of the table or slot
    name: str | None = None  # the field that is asked for; None where the keys must be looked up
    keys: tuple[Key, ...] = ()
    parts: tuple[tuple[_LinePiece, ...], ...] = ()


class Wordings:
    """The ways to say trees in one language."""

    def __init__(self, concrete: Concrete, variants: Variants) -> None:
        self.concrete = concrete
        self.inventory = concrete.inventory
        self.variants = variants
        self.senses: Senses = find_senses(concrete, variants)
        self.join = concrete.language.join
        self._a_an = "a_an" in concrete.language.post
        # Words that are written as one: *vom* is heard as *von dem*.
        self._merged = {
            touch.new.casefold(): touch.old.casefold()
            for touch in concrete.language.touches
            if self.join in touch.old and self.join not in touch.new
        }
        self._ways: dict[tuple[str, str], list[Way]] = {}
        self._cleaned: dict[str, str] = {}
        self._forms: dict[str, tuple[str, ...]] = {}
        self._sense_forms: dict[tuple[str, int], tuple[str, ...]] = {}
        self._picking = {
            key.field
            for line in variants.lines
            for cell in _cells(line.body)
            for key in cell.keys
            if isinstance(key, Feature)
        }
        self._heard: dict[tuple[str, int, str], dict[str, tuple[str, ...]]] = {}
        raise_all(list(self._problems()))

    def clean(self, text: str) -> str:
        """A text without the marks and spaces that say nothing."""
        text = unicodedata.normalize("NFKC", text).casefold()
        ignored = self.variants.ignored
        text = "".join(letter for letter in text if letter not in ignored)
        merged = self._merged
        text = self.join.join([merged.get(word, word) for word in text.split()])
        return text.rstrip("".join(self.variants.final)).rstrip()

    def accepts(self, tree: Tree, text: str) -> bool:
        """Whether a text is a way to say a tree."""
        text = self.clean(text)
        return self._may_say(tree, text) and _Match(self, tree, text).whole()

    def _may_say(self, tree: Tree, text: str) -> bool:
        """Whether some form of every word is in a text at all, which takes no matching."""
        first, labels = self.inventory.first_word, self.inventory.labels
        for code in tree.codes:
            if code >= first:
                forms = self._any_form(labels[code])
                if forms and not any(form in text for form in forms):
                    return False
        return True

    def _any_form(self, word: str) -> tuple[str, ...]:
        """Every form of a word that could be heard; none where it may go unheard.

        A word may be silent, or only choose a cell of a table (`_receive[VD.gets]`).
        """
        found = self._forms.get(word)
        if found is None:
            senses = self.senses.same[word]
            heard = [self.sense_forms(word, index) for index in range(len(senses))]
            picks = any(name in self._picking for forms in senses for name in forms)
            unheard = picks or not all(heard)
            found = self._forms[word] = () if unheard else _shortest(itertools.chain(*heard))
        return found

    def sense_forms(self, word: str, sense: int) -> tuple[str, ...]:
        """Every form of one sense of a word; none where one of them is silent."""
        key = (word, sense)
        found = self._sense_forms.get(key)
        if found is None:
            texts = {
                self.cleaned(text)
                for name, more in self.senses.same[word][sense].items()
                if name not in self.senses.features
                for text in more
            }
            found = self._sense_forms[key] = () if "" in texts else _shortest(texts)
        return found

    def ways(self, rule: str, field: str) -> list[Way]:
        """The lines of a rule's field, the language's own first."""
        key = (rule, field)
        if key not in self._ways:
            own = self.concrete.line(self.inventory.code(rule), field) or ()
            found = [self._way((rule,), _plain(pieces)) for pieces in own]
            for line in self.variants.lines:
                if line.chain[0] == rule and line.field in (field, ANY_FIELD):
                    found.append(self._way(line.chain, _bound(line.body, field), line.drawn))
            self._ways[key] = found
        return self._ways[key]

    def sample(self, tree: Tree, count: int, seed: int, stream: str = "") -> tuple[str, ...]:
        """Some other wordings of a tree, each once, none of them the canonical text."""
        canonical = self.clean(_Draw(self, tree, None).text())
        found: dict[str, str] = {}
        for candidate, numbers in Stream(seed, f"variants/{stream}").rows():
            if len(found) == count or candidate == MOST_TRIES * count:
                break
            drawn = _Draw(self, tree, numbers).text()
            cleaned = self.clean(drawn)
            if cleaned and cleaned != canonical:
                found.setdefault(cleaned, drawn)
        return tuple(found.values())

    def example(self, tree: Tree, line: VariantLine) -> str:
        """The tree said by one line of the variants and by the language's own lines elsewhere."""
        for node in range(len(tree.codes)):
            if self.below(tree, node, line.chain) is not None:
                return _Draw(self, tree, None, (node, line)).text()
        return ""

    def cleaned(self, text: str) -> str:
        """`clean` of a piece of the language, remembered."""
        found = self._cleaned.get(text)
        if found is None:
            found = self._cleaned[text] = self.clean(text)
        return found

    def heard(self, name: str, sense: int, field: str) -> dict[str, tuple[str, ...]]:
        """The strings of a field of a word or table in cleaned texts, by their first letter."""
        key = (name, sense, field)
        found = self._heard.get(key)
        if found is None:
            if name in self.senses.tables:
                forms: Sequence[Forms] = [self.senses.tables[name]]
            else:
                forms = self.senses.same[name]
            chosen = forms if sense < 0 else forms[sense : sense + 1]
            texts = dict.fromkeys(
                self.cleaned(text) for one in chosen for text in one.get(field, ())
            )
            if self._a_an and "a" in texts:
                texts["an"] = None
            letters: dict[str, list[str]] = {}
            for text in texts:
                letters.setdefault(text[:1], []).append(text)
            found = self._heard[key] = {letter: tuple(more) for letter, more in letters.items()}
        return found

    def _way(self, chain: tuple[str, ...], body: Body, drawn: bool = True) -> Way:
        asked = Counter(_asked(body))
        asked.update(
            key.slot for cell in _cells(body) for key in cell.keys if isinstance(key, Feature)
        )
        several = tuple(slot for slot, times in asked.items() if times > 1)
        return Way(chain, body, drawn, several, frozenset(_said(body)), self._pieces(body))

    def _pieces(self, body: Body) -> tuple[_LinePiece, ...]:
        return tuple(self._piece(piece) for piece in body)

    def _piece(self, piece: LiteralText | Ref | TableCell | AnyOrder | OneOf) -> _LinePiece:
        if isinstance(piece, LiteralText):
            return _LinePiece(_TEXT, self.cleaned(piece.text))
        if isinstance(piece, OneOf):
            return _LinePiece(_CHOICE, parts=tuple(map(self._pieces, piece.options)))
        if isinstance(piece, AnyOrder):
            return _LinePiece(_ORDER, parts=tuple(map(self._pieces, piece.parts)))
        plain = all(isinstance(key, str) for key in piece.keys)
        name = ".".join(map(str, piece.keys)) if plain else None
        if isinstance(piece, TableCell):
            return _LinePiece(_CELL, piece.table, name, piece.keys)
        return _LinePiece(_SLOT, piece.slot, name, piece.keys)

    def below(self, tree: Tree, node: int, chain: tuple[str, ...]) -> dict[str, int] | None:
        """The slots of a chain of rules that begins at a node, or None where it does not hold."""
        labels, codes, positions = self.inventory.labels, tree.codes, tree.positions
        if labels[codes[node]] != chain[0]:
            return None
        slots: dict[str, int] = {}
        for name in (*chain[1:], None):
            rule = self.inventory.rule(codes[node])
            following = -1
            for part, child in zip(rule.parts, positions[node], strict=True):
                slots.setdefault(part.slot, child)
                reached = child
                while name is not None and labels[codes[reached]] != name:
                    if len(positions[reached]) != 1:
                        break
                    reached = positions[reached][0]
                else:
                    following = reached if name is not None else -1
            if name is not None and following < 0:
                return None
            node = following
        return slots

    def _problems(self) -> Iterator[GrammarError]:
        rules = {rule.name: rule for rule in self.inventory.rules}
        for line in self.variants.lines:
            unknown = [name for name in line.chain if name not in rules]
            if unknown:
                yield GrammarError(f"there is no rule '{unknown[0]}'", line.where)
                continue
            slots = {part.slot for name in line.chain for part in rules[name].parts}
            for slot in _asked(line.body):
                if slot not in slots:
                    hint = f"it has: {', '.join(sorted(slots))}"
                    yield GrammarError(
                        f"{'/'.join(line.chain)} has no slot '{slot}'", line.where, hint
                    )
            for cell in _cells(line.body):
                if cell.table not in self.senses.tables:
                    yield GrammarError(f"there is no table '{cell.table}'", line.where)


class _Match:
    """One text against one tree."""

    def __init__(self, wordings: Wordings, tree: Tree, text: str) -> None:
        self.wordings = wordings
        self.tree = tree
        self.text = text
        self.spaced = bool(wordings.join)
        self._known: dict[tuple[int, str, int, int], frozenset[int]] = {}
        self._slots: dict[tuple[int, tuple[str, ...]], dict[str, int] | None] = {}
        self._said_senses: dict[str, list[int]] = {}

    def whole(self) -> bool:
        root = self.wordings.concrete.language.root
        return len(self.text) in self._ends(0, root, 0, -1)

    def _ends(self, node: int, field: str, start: int, sense: int) -> frozenset[int]:
        """Where a field of a node can end; `sense` holds for the word it is made of, if not -1."""
        key = (node, field, start, sense)
        found = self._known.get(key)
        if found is None:
            wordings = self.wordings
            label = wordings.inventory.labels[self.tree.codes[node]]
            if wordings.inventory.is_word(self.tree.codes[node]):
                found = frozenset(self._heard(wordings.heard(label, sense, field), start))
            else:
                ends: set[int] = set()
                for way in wordings.ways(label, field):
                    slots = self._below(node, way.chain)
                    if slots is not None:
                        ends |= self._said(way, slots, start, sense)
                found = frozenset(ends)
            self._known[key] = found
        return found

    def _below(self, node: int, chain: tuple[str, ...]) -> dict[str, int] | None:
        key = (node, chain)
        if key not in self._slots:
            self._slots[key] = self.wordings.below(self.tree, node, chain)
        return self._slots[key]

    def _step(self, text: str, start: int) -> int:
        if not text:
            return start
        if self.spaced and self.text.startswith(" ", start):
            start += 1
        return start + len(text) if self.text.startswith(text, start) else -1

    def _heard(self, strings: Mapping[str, tuple[str, ...]], start: int) -> Iterator[int]:
        """Where one of some strings can end."""
        if "" in strings:
            yield start
        begin = start + (self.spaced and self.text.startswith(" ", start))
        for text in strings.get(self.text[begin : begin + 1], ()) if begin < len(self.text) else ():
            if self.text.startswith(text, begin):
                yield begin + len(text)

    def _said(self, way: Way, slots: Mapping[str, int], start: int, sense: int) -> set[int]:
        """Where a line can end, whichever senses its words are heard in."""
        if sense >= 0:
            # The word of a phrase that is nothing but this word.
            return self._row(way.pieces, slots, dict.fromkeys(slots, sense), {start})
        asked: dict[str, Sequence[int]] = {}
        for slot in way.several:
            leaf = self._leaf(slots[slot])
            if leaf is not None:
                count = len(self.wordings.senses.same[leaf])
                if count > 1:
                    asked[slot] = self._senses(leaf) if slot in way.said else range(count)
        if not asked:
            return self._row(way.pieces, slots, {}, {start})
        ends: set[int] = set()
        for chosen in itertools.product(*asked.values()):
            bound = dict(zip(asked, chosen, strict=True))
            ends |= self._row(way.pieces, slots, bound, {start})
        return ends

    def _senses(self, word: str) -> list[int]:
        """The senses of a word that are said at all: of sixty one or two."""
        found = self._said_senses.get(word)
        if found is None:
            found = self._said_senses[word] = []
            for index in range(len(self.wordings.senses.same[word])):
                forms = self.wordings.sense_forms(word, index)
                if not forms or any(form in self.text for form in forms):
                    found.append(index)
        return found

    def _leaf(self, node: int) -> str | None:
        """The word that a node says and nothing else."""
        positions = self.tree.positions
        while len(positions[node]) == 1:
            node = positions[node][0]
        code, inventory = self.tree.codes[node], self.wordings.inventory
        return inventory.labels[code] if inventory.is_word(code) else None

    def _row(
        self,
        pieces: tuple[_LinePiece, ...],
        slots: Mapping[str, int],
        senses: Mapping[str, int],
        starts: set[int],
    ) -> set[int]:
        for kind, text, name, keys, parts in pieces:
            if not starts:
                return starts
            if kind == _TEXT:
                starts = {end for start in starts if (end := self._step(text, start)) >= 0}
            elif kind == _CHOICE:
                starts = {end for part in parts for end in self._row(part, slots, senses, starts)}
            elif kind == _ORDER:
                starts = self._any_order(parts, slots, senses, starts)
            else:
                if name is None:
                    name = self._name(keys, slots, senses)
                if kind == _CELL:
                    strings = self.wordings.heard(text, -1, name)
                    starts = {end for start in starts for end in self._heard(strings, start)}
                else:
                    node, sense = slots[text], senses.get(text, -1)
                    starts = {
                        end for start in starts for end in self._ends(node, name, start, sense)
                    }
        return starts

    def _any_order(
        self,
        parts: tuple[tuple[_LinePiece, ...], ...],
        slots: Mapping[str, int],
        senses: Mapping[str, int],
        starts: set[int],
    ) -> set[int]:
        if not parts:
            return starts
        ends: set[int] = set()
        for index, part in enumerate(parts):
            after = self._row(part, slots, senses, starts)
            if after:
                ends |= self._any_order((*parts[:index], *parts[index + 1 :]), slots, senses, after)
        return ends

    def _name(
        self, keys: tuple[Key, ...], slots: Mapping[str, int], senses: Mapping[str, int]
    ) -> str:
        names: list[str] = []
        for key in keys:
            if isinstance(key, Feature):
                leaf = self._leaf(slots[key.slot])
                if leaf is None:
                    concrete, tree = self.wordings.concrete, self.tree
                    names.append(
                        concrete.feature(tree.codes, tree.positions, slots[key.slot], key.field)
                    )
                else:
                    forms = self.wordings.senses.same[leaf][max(senses.get(key.slot, 0), 0)]
                    names.append(forms.get(key.field, ("",))[0])
            elif isinstance(key, str):
                names.append(key)
        return ".".join(names)


class _Missing(Exception):
    """A sense has no such form: another has to be drawn."""


class _Draw:
    """One wording of a tree; without numbers the canonical one, but for a line at a node."""

    def __init__(
        self,
        wordings: Wordings,
        tree: Tree,
        numbers: Iterator[int] | None,
        forced: tuple[int, VariantLine] | None = None,
    ) -> None:
        self.wordings = wordings
        self.tree = tree
        self.numbers = numbers
        self.forced = forced
        first = wordings.inventory.first_word
        self.senses: dict[int, Forms] = {}
        for node, code in enumerate(tree.codes):
            if code >= first:
                word = wordings.inventory.labels[code]
                senses = wordings.senses.same[word][: wordings.senses.drawn[word]]
                # A sentence in which every word is a synonym is a riddle: half of them stay.
                self.senses[node] = senses[self._pick(2) and self._pick(len(senses))]

    def text(self) -> str:
        """The wording; empty where the senses that were drawn do not fit together."""
        try:
            pieces = [text for text in self._field(0, self.wordings.concrete.language.root) if text]
        except _Missing:
            return ""
        text = _BEFORE_MARK.sub("", self.wordings.join.join(pieces))
        for finish in (commas, *finishes(self.wordings.concrete.language, {}, {})):
            text = apply_edits(text, finish(text))
        return text

    def _pick(self, ways: int) -> int:
        return 0 if self.numbers is None or ways < 2 else next(self.numbers) % ways

    def _field(self, node: int, field: str) -> list[str]:
        label = self.wordings.inventory.labels[self.tree.codes[node]]
        if node in self.senses:
            forms = self.senses[node].get(field)
            if forms is None:
                raise _Missing
            return [forms[0]]
        ways = [
            (way, slots)
            for way in self.wordings.ways(label, field)
            if way.drawn and (slots := self.wordings.below(self.tree, node, way.chain)) is not None
        ]
        if not ways:
            raise _Missing
        way, slots = ways[self._pick(len(ways))]
        if self.forced is not None and node == self.forced[0]:
            line = self.forced[1]
            below = self.wordings.below(self.tree, node, line.chain)
            if below is not None and line.field in (field, ANY_FIELD):
                return self._row(_bound(line.body, field), below)
        return self._row(way.body, slots)

    def _row(self, body: Body, slots: Mapping[str, int]) -> list[str]:
        found: list[str] = []
        for piece in body:
            if isinstance(piece, LiteralText):
                found.append(piece.text)
            elif isinstance(piece, OneOf):
                found += self._row(piece.options[self._pick(len(piece.options))], slots)
            elif isinstance(piece, AnyOrder):
                left = list(piece.parts)
                while left:
                    found += self._row(left.pop(self._pick(len(left))), slots)
            elif isinstance(piece, TableCell):
                cell = self.wordings.senses.tables[piece.table].get(self._name(piece.keys, slots))
                if cell is None:
                    raise _Missing
                # What can be left out (titles, articles) is.
                found.append("" if "" in cell else cell[self._pick(min(USUAL, len(cell)))])
            else:
                found += self._field(slots[piece.slot], self._name(piece.keys, slots))
        return found

    def _name(self, keys: tuple[Key, ...], slots: Mapping[str, int]) -> str:
        names: list[str] = []
        for key in keys:
            if isinstance(key, Feature):
                node, tree = slots[key.slot], self.tree
                while len(tree.positions[node]) == 1:
                    node = tree.positions[node][0]
                if node in self.senses:
                    names.append(self.senses[node].get(key.field, ("",))[0])
                else:
                    concrete, node = self.wordings.concrete, slots[key.slot]
                    names.append(concrete.feature(tree.codes, tree.positions, node, key.field))
            elif isinstance(key, str):
                names.append(key)
        return ".".join(names)


def _shortest(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that contain no other: most forms of a verb begin with another."""
    found: list[str] = []
    for text in sorted(set(texts), key=lambda one: (len(one), one)):
        if not any(short in text for short in found):
            found.append(text)
    return tuple(found)


def _plain(pieces: Iterable[object]) -> Body:
    return tuple(
        p
        for p in pieces
        if isinstance(p, LiteralText | Ref | TableCell) and not isinstance(p, Glue)
    )


def _bound(body: Body, field: str) -> Body:
    """A body with the field that was asked for in the place of `*`."""

    def bind(
        piece: LiteralText | Ref | TableCell | AnyOrder | OneOf,
    ) -> LiteralText | Ref | TableCell | AnyOrder | OneOf:
        if isinstance(piece, AnyOrder):
            return AnyOrder(tuple(_bound(part, field) for part in piece.parts))
        if isinstance(piece, OneOf):
            return OneOf(tuple(_bound(part, field) for part in piece.options))
        if isinstance(piece, LiteralText):
            return piece
        return piece._replace(keys=tuple(field if isinstance(k, Same) else k for k in piece.keys))

    return tuple(bind(piece) for piece in body)


def _asked(body: Body) -> Iterator[str]:
    """The slots that a body names, once for each time."""
    for piece in body:
        if isinstance(piece, Ref):
            yield piece.slot
        if isinstance(piece, Ref | TableCell):
            yield from (key.slot for key in piece.keys if isinstance(key, Feature))
        elif isinstance(piece, AnyOrder):
            for part in piece.parts:
                yield from _asked(part)
        elif isinstance(piece, OneOf):
            for part in piece.options:
                yield from _asked(part)


def _said(body: Body) -> set[str]:
    """The slots that a body says whatever is chosen."""
    found: set[str] = set()
    for piece in body:
        if isinstance(piece, Ref):
            found.add(piece.slot)
        elif isinstance(piece, AnyOrder):
            found.update(*map(_said, piece.parts))
        elif isinstance(piece, OneOf):
            found |= set.intersection(*map(_said, piece.options))
    return found


def _cells(body: Body) -> Iterator[TableCell]:
    for piece in body:
        if isinstance(piece, TableCell):
            yield piece
        elif isinstance(piece, AnyOrder):
            for part in piece.parts:
                yield from _cells(part)
        elif isinstance(piece, OneOf):
            for part in piece.options:
                yield from _cells(part)
