"""One language as a context-free grammar: what the chart parser works on.

A grammar of ours is not context-free: a constituent has several fields, which may stand apart in
the sentence (German *sah ... an*), and features decide which fields are said. Two steps make plain
productions of it.

- A category is split by the values of its features: NP of gender f, NP of gender m ... A category
  with its values is a *kind*, a rule with the kinds of its slots an *instance*. Values are found by
  a fixed point from the words up, so that only combinations that occur get a kind.
- Every field of a kind that some line asks for becomes a symbol with productions of its own: the
  lines of the instances, with a terminal for each literal and for each field of a word. Fields of
  one constituent are parsed as if they had nothing to do with each other; forest.py puts them
  together again.

Terminals are not strings: one terminal is "a field of the words of one kind", and a string of the
language (*entry*) can be several terminals at once. Strings that can be the same terminals are
alike to the chart, and so are texts made of them (parser.py lives on that).
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.compiled import (
    CompiledConstituent,
    CompiledLanguage,
    OneOf,
    PartField,
    RowSymbol,
)
from recombine.grammar.model import FORM, Glue, Symbol
from recombine.grammar.parsing.first_sets import (
    Production,
    find_first,
    find_glue,
    find_last,
    find_nullable,
)
from recombine.grammar.parsing.missing_forms import Asker, MissingForms

MAX_COMBINATIONS = 50_000  # of feature values in one rule
MAX_PRODUCTIONS = 200_000
MAX_VALUES = 8  # a field with more values is looked up word by word

Signature = tuple[str, ...]


class Kind(NamedTuple):
    """A symbol with the values of its features."""

    symbol: Symbol
    signature: Signature


class Instance(NamedTuple):
    """A rule with the kinds of its slots."""

    rule: int
    slots: tuple[int, ...]  # numbers of kinds


class TerminalEntry(NamedTuple):
    """What a string of the language can be: terminals as bits, and the words behind each."""

    text: str
    mask: int
    words: dict[int, tuple[int, ...]]
    number: int  # of the mask: strings of one number are alike to the chart


class ContextFreeGrammar:
    """Productions over numbered symbols, with all that follows from them."""

    def __init__(self, compiled: CompiledLanguage) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self._signatures: dict[Symbol, tuple[Signature, ...]] = {}
        self._rule_ways: dict[int, list[tuple[tuple[Signature, ...], Signature]]] = {}
        self.kinds: list[Kind] = []
        self._kind_numbers: dict[Kind, int] = {}
        self._symbol_words: dict[Symbol, dict[Signature, tuple[int, ...]]] = {}
        self.instances: list[Instance] = []
        self.instances_of: dict[int, list[int]] = {}  # kind -> instances
        self._fields: dict[tuple[int, str], int] = {}  # (kind, field) -> symbol
        self.names: list[str] = []  # of symbols, for messages
        self.kind_of: list[int] = []  # symbol -> kind, -1 for literals
        self.is_terminal: list[bool] = []
        self._literals: dict[tuple[str, ...], int] = {}
        self._strings: dict[str, dict[int, list[int]]] = {}
        self.silent_words: dict[int, tuple[int, ...]] = {}  # terminal -> words with an empty form
        self.productions: list[Production] = []
        self.by_left: dict[int, list[int]] = {}
        self._queue: list[tuple[int, str]] = []
        self._new_kinds: list[int] = []
        self.missing = MissingForms(compiled)
        self._asked_by: dict[tuple[int, str], Asker] = {}  # (kind, field) -> the line that asks
        self._split_by = self._few_valued()
        self._split_fields: set[tuple[int, str]] = set()  # (kind, field) that became literals
        self._find_signatures()
        self.roots: list[int] = []
        for name in self.inventory.abstract.start:
            for signature in self.signatures(Symbol(name)):
                kind = self.kind(Symbol(name), signature)
                self.roots.append(self._field(kind, compiled.language.root, None))
        while self._queue:
            self._expand(*self._queue.pop())
        self.entries = self._entries()
        self.nullable = find_nullable(self.productions, self._always_silent())
        self.first = find_first(self.productions, self.is_terminal, self.nullable)
        self.last = find_last(self.productions, self.is_terminal, self.nullable)
        self.touching = find_glue(self.productions, self.first, self.last, self.nullable)

    # Feature values.

    def signatures(self, symbol: Symbol) -> tuple[Signature, ...]:
        """The feature values that constituents of a symbol can have."""
        if symbol not in self._signatures:
            if not self.inventory.is_lexical(symbol):
                return ()
            fields = self._fields_of(symbol.category)
            found: dict[Signature, None] = {}
            for code in self.inventory.choices(symbol):
                forms = self.compiled.word_forms(code)
                found[tuple(forms.get(name, ("",))[0] for name in fields)] = None
            self._signatures[symbol] = tuple(found)
        return self._signatures[symbol]

    def _fields_of(self, category: str) -> tuple[str, ...]:
        return self.compiled.features.get(category, ()) + self._split_by.get(category, ())

    def _few_valued(self) -> dict[str, tuple[str, ...]]:
        """Fields of words with few values, such as the particle a verb asks for.

        Words are split by them as by features, so that such a field is a literal to the chart and
        does not have to be matched with the other forms of the same word afterwards.
        """
        found: dict[str, tuple[str, ...]] = {}
        for category, codes in self.inventory.words_of.items():
            if category in self.inventory.rules_of:
                continue
            values: dict[str, set[str]] = {}
            usable: dict[str, int] = {}
            for code in codes:
                for name, forms in self.compiled.word_forms(code).items():
                    values.setdefault(name, set()).add(forms[0])
                    usable[name] = usable.get(name, 0) + (len(forms) == 1)
            features = self.compiled.features.get(category, ())
            found[category] = tuple(
                name
                for name in sorted(values)
                if usable[name] == len(codes)
                and 2 * len(values[name]) <= len(codes)
                and len(values[name]) <= MAX_VALUES
                and name not in features
            )
        return found

    def _find_signatures(self) -> None:
        """Feature values of phrases: grow until nothing new comes up."""
        uses: dict[str, list[int]] = {}
        for code, rule in enumerate(self.inventory.rules):
            self._signatures[Symbol(rule.category)] = ()
            for category in dict.fromkeys(part.symbol.category for part in rule.parts):
                uses.setdefault(category, []).append(code)
        queue = deque(range(self.inventory.first_word))
        waiting = set(queue)
        while queue:
            code = queue.popleft()
            waiting.discard(code)
            category = self.inventory.rule(code).category
            known = dict.fromkeys(self._signatures[Symbol(category)])
            size = len(known)
            known.update(dict.fromkeys(signature for _, signature in self._ways(code)))
            if len(known) > size:
                self._signatures[Symbol(category)] = tuple(known)
                for user in uses.get(category, ()):
                    if user not in waiting:
                        waiting.add(user)
                        queue.append(user)
        self._rule_ways = {code: self._ways(code) for code in range(self.inventory.first_word)}

    def _ways(self, code: int) -> list[tuple[tuple[Signature, ...], Signature]]:
        rule = self.inventory.rule(code)
        options = [self.signatures(part.symbol) for part in rule.parts]
        size = 1
        for option in options:
            size *= len(option)
        if size > MAX_COMBINATIONS:
            raise GrammarError(
                f"{self.compiled.language.code}: '{rule.name}' combines features in {size} ways",
                rule.where,
                "use fewer feature fields as keys",
            )
        ways: list[tuple[tuple[Signature, ...], Signature]] = []
        for slots in itertools.product(*options):
            constituent = self._constituent(code, slots)
            for field, cell in constituent.missing:
                if all(cell.name.split(".")):  # an empty key is a missing form itself
                    self.missing.cell(cell.table, cell.name, code, field)
            ways.append((slots, constituent.values))
        return ways

    def _constituent(self, code: int, slots: tuple[Signature, ...]) -> CompiledConstituent:
        """The constituent of a rule; what its words are split by beyond features is dropped."""
        parts = self.inventory.rule(code).parts
        features = self.compiled.features
        below = tuple(
            [
                slot[: len(features.get(part.symbol.category, ()))]
                for part, slot in zip(parts, slots, strict=True)
            ]
        )
        return self.compiled.constituent(self.compiled.construction(code), below)

    # Kinds and instances.

    def constituent(self, instance: Instance) -> CompiledConstituent:
        """The constituent of an instance."""
        signatures = tuple([self.kinds[slot].signature for slot in instance.slots])
        return self._constituent(instance.rule, signatures)

    def kind(self, symbol: Symbol, signature: Signature) -> int:
        """The number of a kind."""
        key = Kind(symbol, signature)
        if key not in self._kind_numbers:
            self._kind_numbers[key] = len(self.kinds)
            self.kinds.append(key)
            self._new_kinds.append(len(self.kinds) - 1)
        return self._kind_numbers[key]

    def kind_words(self, kind: int) -> tuple[int, ...]:
        """All words of a lexical kind."""
        symbol, signature = self.kinds[kind]
        words = self._symbol_words.get(symbol)
        if words is None:
            words = self._symbol_words[symbol] = {}
            fields = self._fields_of(symbol.category)
            for code in self.inventory.choices(symbol):
                forms = self.compiled.word_forms(code)
                own = tuple([forms.get(name, ("",))[0] for name in fields])
                words[own] = (*words.get(own, ()), code)
        return words.get(signature, ())

    def _make_instances(self, kind: int) -> None:
        symbol, signature = self.kinds[kind]
        self.instances_of[kind] = []
        if self.inventory.is_lexical(symbol):
            return
        for code in self.inventory.choices(symbol):
            for slots, own in self._rule_ways[code]:
                if own != signature:
                    continue
                parts = self.inventory.rule(code).parts
                slot_kinds = tuple(
                    self.kind(part.symbol, slot) for part, slot in zip(parts, slots, strict=True)
                )
                self.instances_of[kind].append(len(self.instances))
                self.instances.append(Instance(code, slot_kinds))

    # Symbols: a field of a kind, or a literal.

    def _field(self, kind: int, field: str, asked_by: Asker) -> int:
        key = (kind, field)
        if key not in self._fields:
            self._asked_by[key] = asked_by
            symbol = self.kinds[kind].symbol
            lexical = self.inventory.is_lexical(symbol)
            name = str(symbol) if field == "form" else f"{symbol}.{field}"
            number = self._new(name, kind, lexical)
            self._fields[key] = number
            if lexical:
                self._add_words(kind, field, number)
            else:
                self._queue.append(key)
        return self._fields[key]

    def _new(self, name: str, kind: int, terminal: bool) -> int:
        self.names.append(name)
        self.kind_of.append(kind)
        self.is_terminal.append(terminal)
        if len(self.names) > MAX_PRODUCTIONS:
            raise GrammarError(f"{self.compiled.language.code}: too many fields to parse with")
        return len(self.names) - 1

    def _literal(self, texts: tuple[str, ...]) -> int:
        """The terminal of a text, or of the texts of a cell, one of which is heard."""
        if texts not in self._literals:
            heard = [text for text in texts if text]
            number = self._new(f'"{heard[0]}"', -1, True)
            self._literals[texts] = number
            for text in heard:
                self._strings.setdefault(text, {})[number] = []
            if len(heard) < len(texts):
                self.silent_words[number] = ()
        return self._literals[texts]

    def _add_words(self, kind: int, field: str, terminal: int) -> None:
        silent: list[int] = []
        for code in self.kind_words(kind):
            forms = self.compiled.word_forms(code).get(field)
            if forms is None:
                self.missing.form(code, field, self._asked_by[kind, field])
            for form in forms or ():
                if form:
                    self._strings.setdefault(form, {}).setdefault(terminal, []).append(code)
                else:
                    silent.append(code)
        if silent:
            self.silent_words[terminal] = tuple(silent)

    def _always_silent(self) -> list[bool]:
        return [
            terminal and number in self.silent_words
            for number, terminal in enumerate(self.is_terminal)
        ]

    # Productions: the lines of a field.

    def _expand(self, kind: int, field: str) -> None:
        left = self._fields[kind, field]
        while self._new_kinds:
            self._make_instances(self._new_kinds.pop())
        for number in self.instances_of[kind]:
            instance = self.instances[number]
            constituent = self.constituent(instance)
            expansion = self.compiled.expansion(constituent, field)
            if expansion is None:
                self.missing.line(instance.rule, field, self._asked_by[kind, field])
                continue
            for cell in expansion.missing:
                self.missing.cell(cell.table, cell.name, instance.rule, field)
                self._note_unsaid(instance, field)
            for symbols in dict.fromkeys(row.symbols for row in expansion.rows):
                self._add_production(left, number, instance, field, symbols)

    def _add_production(
        self,
        left: int,
        number: int,
        instance: Instance,
        field: str,
        symbols: Sequence[RowSymbol],
    ) -> None:
        right: list[tuple[int, int]] = []  # symbols and whose slots they are
        glued: set[int] = set()
        weak = False  # a `+` before the next symbol that holds only if both are heard
        was_heard = False  # whether the symbol before was anything at all
        for symbol in symbols:
            if isinstance(symbol, Glue):
                glued |= {len(right) - 1} if symbol.strong else set()
                weak = not symbol.strong and was_heard
                continue
            known = self._symbol(instance, field, symbol)
            was_heard = known is not None
            if known is not None:
                glued |= {len(right) - 1} if weak else set()
                right.append(known)
            weak = False
        self.by_left.setdefault(left, []).append(len(self.productions))
        self.productions.append(
            Production(
                left,
                number,
                tuple([number for number, _ in right]),
                tuple([slot for _, slot in right]),
                frozenset(glued),
            )
        )
        if len(self.productions) > MAX_PRODUCTIONS:
            code = self.compiled.language.code
            raise GrammarError(f"{code}: too many productions to parse with")

    def _symbol(
        self, instance: Instance, field: str, symbol: str | OneOf | PartField
    ) -> tuple[int, int] | None:
        """The number of a symbol and whose slot it is (-1: literal); None for nothing."""
        if isinstance(symbol, PartField):
            kind = instance.slots[symbol.part]
            (category, _, _), signature = self.kinds[kind]
            if symbol.field not in self._split_by.get(category, ()):
                return self._field(kind, symbol.field, (instance.rule, field)), symbol.part
            self._split_fields.add((kind, symbol.field))
            symbol = signature[self._fields_of(category).index(symbol.field)]
        texts = tuple(dict.fromkeys(symbol.texts)) if isinstance(symbol, OneOf) else (symbol,)
        return (self._literal(texts), -1) if any(texts) else None

    def _note_unsaid(self, instance: Instance, field: str) -> None:
        """Words without a row have no feature either: they are why a cell was not found."""
        for kind in instance.slots:
            if self.inventory.is_lexical(self.kinds[kind].symbol):
                for code in self.kind_words(kind):
                    if not self.compiled.word_forms(code):
                        self.missing.form(code, FORM, (instance.rule, field))

    # Strings.

    def _entries(self) -> dict[str, TerminalEntry]:
        """Every string of the language, with what it can be."""
        masks = {
            text: sum(1 << terminal for terminal in found) for text, found in self._strings.items()
        }
        numbers: dict[int, int] = {}
        for mask in masks.values():
            numbers.setdefault(mask, len(numbers))
        return {
            text: TerminalEntry(
                text,
                mask,
                {
                    terminal: tuple(dict.fromkeys(codes))
                    for terminal, codes in self._strings[text].items()
                },
                numbers[mask],
            )
            for text, mask in masks.items()
        }

    def asked_fields(self) -> list[tuple[str, str]]:
        """Every category with every field that is asked of it."""
        every = [*self._fields, *sorted(self._split_fields)]
        return list(dict.fromkeys((self.kinds[k].symbol.category, field) for k, field in every))

    def word_fields(self) -> list[tuple[int, str]]:
        """Every word with every field some rule asks of it."""
        found: dict[tuple[int, str], None] = {}
        for kind, field in [*self._fields, *sorted(self._split_fields)]:
            if self.inventory.is_lexical(self.kinds[kind].symbol):
                for code in self.kind_words(kind):
                    found[code, field] = None
        return sorted(found)
