"""A grammar widened by variants: for reading what the variants of some other meaning say.

Variants become plain rules and words, so that the parser reads them as it reads everything: a chain
of rules is one rule with the slots of all, and a synonym is a word of its own. A table of variants
is a word that says nothing but itself. So are contrasts, such as a verb negated, which are not the
same word. What stands for what is told by `Widened`. The grammar is relaxed first
(parsing/relaxed.py): what is read here is wrong.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.grammar import Grammar
from recombine.grammar.inflection import Forms
from recombine.grammar.model import (
    ANY_FIELD,
    Language,
    LexiconRow,
    Line,
    LiteralText,
    Piece,
    Pieces,
    Ref,
    Rule,
    RulePart,
    Same,
    Symbol,
    TableCell,
    Touch,
    Word,
)
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.variants.wordings import Wordings


class WordVariant(NamedTuple):
    """What a word of a widened grammar stands for: a word, in a contrast to it or in none."""

    word: str
    contrast: str = ""


class Widened(NamedTuple):
    """The widened grammar and what its names stand for.

    `words` has the words by their names; those that are tables only are not in it. `chains` has the
    rules that a rule stands for. `inner` has rule -> slot -> the slot of the word on which it
    really depends, for slots of a phrase that is not the head: in `act/past_to/inf_tr` the object
    is that of the infinitive.
    """

    grammar: Grammar
    words: Mapping[str, WordVariant]
    chains: Mapping[str, tuple[str, ...]]
    inner: Mapping[str, Mapping[str, str]]


def widen(grammar: Grammar, language: str, wordings: Wordings) -> Widened:
    """Widen a grammar for parsing one of its languages, which must be that of the wordings."""
    relaxed, names = relax(_merged(grammar, wordings.variants.alike), language)
    spoken = relaxed.source.languages[language]
    words: dict[str, Word] = {}
    rows: dict[str, LexiconRow] = {}
    stands: dict[str, WordVariant] = {}
    for word in relaxed.abstract.words.values():
        for number, (contrast, forms) in enumerate(_senses(word.id, wordings)):
            label = f"{word.id}~{number}" if number else word.id
            words[label] = dataclasses.replace(word, id=label, weight=1.0, rank=None)
            rows[label] = LexiconRow(label, forms)
            stands[label] = WordVariant(word.id, contrast)
    for table, forms in wordings.compiled.tables.items():
        name = _table_word(table)
        words[name] = Word(name, name)
        cells = {field: tuple(map(wordings.cleaned, texts)) for field, texts in forms.items()}
        rows[name], rows[table] = LexiconRow(name, cells), LexiconRow(table, cells)
    rules: dict[str, Rule] = dict(relaxed.abstract.rules)
    lines: dict[tuple[str, str], list[Pieces]] = {}
    for (rule, field), line in spoken.lines.items():
        lines[rule, field] = [_cleaned(pieces, wordings) for pieces in line.variants]
    chains: dict[str, tuple[str, ...]] = {name: (name,) for name in rules}
    inner: dict[str, Mapping[str, str]] = {}
    heard: set[object] = set()
    for variant in wordings.variants.lines:
        for pieces in variant.variants:
            added = _add(variant, pieces, rules, names, lines, wordings, heard)
            if added is not None:
                chains[added] = variant.chain
                if slots := _inner_slots(rules, variant.chain):
                    inner[added] = slots
    # What `rule.* =` says of a field that has lines of its own too is one more way to say it.
    for (rule, field), found in lines.items():
        if field != ANY_FIELD and (rule, ANY_FIELD) in lines:
            found += [_bind(pieces, field) for pieces in lines[rule, ANY_FIELD]]
    kept = {
        (rule, field): Line(rule, field, tuple(dict.fromkeys(found)))
        for (rule, field), found in lines.items()
        if found
    }
    for name in _doubles(rules, kept, chains):
        del rules[name]
        kept = {key: line for key, line in kept.items() if key[0] != name}
    spoken = Language(
        language,
        kept,
        rows,
        join=spoken.join,
        root=spoken.root,
        post=("a_an",) if "a_an" in spoken.post else (),
        touches=tuple(_cleaned_touches(spoken, wordings)),
    )
    abstract = dataclasses.replace(relaxed.abstract, rules=rules, words=words)
    source = dataclasses.replace(relaxed.source, abstract=abstract, languages={language: spoken})
    return Widened(Grammar(source), stands, chains, inner)


def _table_word(table: str) -> str:
    """The category, and the only word, that stands for a table: no word of a grammar begins so."""
    return "~" + table


def _cleaned_touches(language: Language, wordings: Wordings) -> Iterator[Touch]:
    for touch in language.touches:
        old, new = wordings.cleaned(touch.old), wordings.cleaned(touch.new)
        if old and new:
            yield dataclasses.replace(touch, old=old, new=new)


def _merged(grammar: Grammar, alike: Mapping[str, str]) -> Grammar:
    """The grammar with categories that are alike made one; rules that only led across them go."""

    def name(category: str) -> str:
        starred = (alike[key] for key in alike if key[-1:] == "*" and category.startswith(key[:-1]))
        return alike.get(category) or next(starred, category)

    rules: dict[str, Rule] = {}
    for rule in grammar.abstract.rules.values():
        parts = tuple(
            part._replace(symbol=part.symbol._replace(category=name(part.symbol.category)))
            for part in rule.parts
        )
        if len(parts) != 1 or parts[0].symbol.category != name(rule.category):
            rules[rule.name] = dataclasses.replace(rule, category=name(rule.category), parts=parts)
    abstract = dataclasses.replace(
        grammar.abstract, rules=rules, selections=(), mendings=(), pairs=()
    )
    return Grammar(dataclasses.replace(grammar.source, abstract=abstract))


def _senses(word: str, wordings: Wordings) -> Iterator[tuple[str, Forms]]:
    """A word's senses, with their contrast; those that say one field only, as nouns do, are one."""
    senses = wordings.senses(wordings.inventory.code(word))
    for contrast in ("", *wordings.variants.contrasts):
        found = wordings.contrasts.get((word, contrast), ()) if contrast else senses
        merged: dict[int, dict[str, list[str]]] = {}
        for number, forms in enumerate(found):
            into = merged.setdefault(0 if len(forms) == 1 else number, {})
            for name, texts in forms.items():
                into.setdefault(name, []).extend(map(wordings.cleaned, texts))
        for one in merged.values():
            yield contrast, {name: tuple(dict.fromkeys(texts)) for name, texts in one.items()}


def _add(
    line: Line,
    pieces: Pieces,
    rules: dict[str, Rule],
    names: Mapping[str, str],
    lines: dict[tuple[str, str], list[Pieces]],
    wordings: Wordings,
    heard: set[object],
) -> str | None:
    """Add a line of variants, with a rule for its chain and tables; return the rule's name.

    What is `heard` already with the same roles, a passive said as an active, is not added again.
    """
    if any(names.get(name) != name for name in line.chain):
        return None  # the rule that stands for this one has these lines too
    parts: list[RulePart] = []
    for above, name in itertools.pairwise((None, *line.chain)):
        for part in rules[name or ""].parts:
            if all(part.slot != other.slot for other in parts):
                parts.append(part)
        if above is not None:
            slot = _slot_of(rules, above, name or "")
            if slot is None:
                return None
            parts = [part for part in parts if part.slot != slot]
    top = rules[line.chain[0]]
    tables: dict[str, int] = {}
    body: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, TableCell):
            tables[piece.table] = tables.get(piece.table, 0) + 1
            body.append(Ref(f"{piece.table}{tables[piece.table]}", piece.keys))
        elif isinstance(piece, LiteralText):
            body.append(LiteralText(wordings.cleaned(piece.text)))
        else:
            body.append(piece)
    meaning = (top.category, line.field, _in_roles(body, line.chain, parts, wordings))
    if meaning in heard:
        return None
    heard.add(meaning)
    name = "/".join((*line.chain, *(f"{table}{count}" for table, count in sorted(tables.items()))))
    if len(line.chain) > 1 or tables:
        more = [
            RulePart(f"{table}{number + 1}", Symbol(_table_word(table)))
            for table, count in sorted(tables.items())
            for number in range(count)
        ]
        head = _head_slot(rules, line.chain)
        marked = [part._replace(head=part.slot == head) for part in (*parts, *more)]
        tags = tuple(dict.fromkeys(tag for one in line.chain for tag in rules[one].tags))
        rules.setdefault(name, dataclasses.replace(top, name=name, parts=tuple(marked), tags=tags))
    lines.setdefault((name, line.field), []).append(tuple(body))
    return name


def _slot_of(rules: Mapping[str, Rule], above: str, below: str) -> str | None:
    """The slot of a rule that another fills, directly or through rules of one part."""
    wanted = {rules[below].category}
    while True:
        more = {
            rule.category
            for rule in rules.values()
            if len(rule.parts) == 1 and rule.parts[0].symbol.category in wanted
        }
        if more <= wanted:
            break
        wanted |= more
    return next((p.slot for p in rules[above].parts if p.symbol.category in wanted), None)


def _head_slot(rules: Mapping[str, Rule], chain: tuple[str, ...]) -> str | None:
    """The slot of the head: of the lowest rule on the way of heads."""
    for name, below in itertools.zip_longest(chain, chain[1:]):
        rule = rules[name]
        head = rule.parts[rule.head].slot if rule.head is not None else None
        if below is None or head != _slot_of(rules, name, below):
            return head
    return None


def _in_roles(
    body: Sequence[Piece],
    chain: tuple[str, ...],
    parts: list[RulePart],
    wordings: Wordings,
) -> tuple[object, ...]:
    """A body with roles and categories in the place of slots."""
    roles = wordings.variants.roles
    called = {}
    for part in parts:
        found = (roles[rule, part.slot] for rule in chain if (rule, part.slot) in roles)
        named = part.slot.islower()
        called[part.slot] = next(found, part.slot) if named else part.symbol.category
    return tuple(
        piece._replace(slot=called.get(piece.slot, piece.slot)) if isinstance(piece, Ref) else piece
        for piece in body
    )


def _inner_slots(rules: Mapping[str, Rule], chain: tuple[str, ...]) -> dict[str, str]:
    """The slots of a chain that depend on the head of a lower rule which is not the chain's."""
    found: dict[str, str] = {}
    for above, name in itertools.pairwise(chain):
        rule, upper = rules[name], rules[above]
        head = upper.parts[upper.head].slot if upper.head is not None else None
        if (found or head != _slot_of(rules, above, name)) and rule.head is not None:
            own = rule.parts[rule.head].slot
            found |= {part.slot: own for part in rule.parts if part.slot != own}
    return found


def _doubles(
    rules: Mapping[str, Rule],
    lines: Mapping[tuple[str, str], Line],
    chains: Mapping[str, tuple[str, ...]],
) -> list[str]:
    """Chains that say the same as a chain before them, such as two orders of the same objects."""
    seen: dict[object, str] = {}
    found: list[str] = []
    for name, rule in rules.items():
        own = frozenset(
            (field, line.variants) for (owner, field), line in lines.items() if owner == name
        )
        key = (rule.category, frozenset(rule.parts), own)
        if chains[name] != (name,) and seen.setdefault(key, name) != name:
            found.append(name)
    return found


def _cleaned(pieces: Pieces, wordings: Wordings) -> Pieces:
    return tuple(
        LiteralText(wordings.cleaned(piece.text)) if isinstance(piece, LiteralText) else piece
        for piece in pieces
    )


def _bind(pieces: Pieces, field: str) -> Pieces:
    return tuple(
        piece._replace(keys=tuple(field if isinstance(k, Same) else k for k in piece.keys))
        if isinstance(piece, Ref | TableCell)
        else piece
        for piece in pieces
    )
