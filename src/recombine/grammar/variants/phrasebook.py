"""The phrasebook of one language: by which lines and forms a rule or a word can be said.

Marks that say nothing are deleted from its texts; letters are compared without case, and spaces as
one.  What is looked up once is remembered.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from recombine.errors import GrammarError, raise_all
from recombine.grammar.model import ANY_FIELD, Feature, Glue, LiteralText, Ref, TableCell
from recombine.grammar.realise.language import Concrete, Forms
from recombine.grammar.tree import Tree
from recombine.grammar.variants.files import Body, Variants
from recombine.grammar.variants.senses import Senses, find_senses
from recombine.grammar.variants.ways import Way, asked_slots, bound, table_cells, way_of


class Phrasebook:
    """Every line and form of one language, its own and those of the variants."""

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
            for cell in table_cells(line.body)
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

    def any_form(self, word: str) -> tuple[str, ...]:
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
            found = [way_of((rule,), _plain(pieces), self.cleaned) for pieces in own]
            for line in self.variants.lines:
                if line.chain[0] == rule and line.field in (field, ANY_FIELD):
                    body = bound(line.body, field)
                    found.append(way_of(line.chain, body, self.cleaned, line.drawn))
            self._ways[key] = found
        return self._ways[key]

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
            for slot in asked_slots(line.body):
                if slot not in slots:
                    hint = f"it has: {', '.join(sorted(slots))}"
                    yield GrammarError(
                        f"{'/'.join(line.chain)} has no slot '{slot}'", line.where, hint
                    )
            for cell in table_cells(line.body):
                if cell.table not in self.senses.tables:
                    yield GrammarError(f"there is no table '{cell.table}'", line.where)


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
