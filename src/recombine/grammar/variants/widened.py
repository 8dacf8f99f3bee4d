"""A grammar widened by variants: for reading what the variants of some other meaning say.

Variants become plain rules and words, so that the parser reads them as it reads everything: a chain
of rules is one rule with the slots of all, a line in any order is one line per order, and a synonym
is a word of its own whose name begins with the word it stands for (`give_dat~2`).  A table of
variants is a word that says nothing but itself.  So are contrasts, `give_dat~polarity`, which are
not the same word.  The grammar is relaxed first (parsing/relaxed.py): what is read here is wrong.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recombine.grammar.grammar import Grammar
from recombine.grammar.model import (
    ANY_FIELD,
    Language,
    LexiconRow,
    Line,
    LiteralText,
    Pieces,
    Ref,
    Rule,
    RulePart,
    Same,
    Symbol,
    TableCell,
    Word,
)
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.realise.language import Forms
from recombine.grammar.variants.files import AnyOrder, Body, OneOf, VariantLine
from recombine.grammar.variants.wordings import Wordings

MARK = "~"  # between a word and the number of its synonym, or the name of its contrast
MOST_ORDERS = 500  # plain lines of one line of variants


class Widened(NamedTuple):
    """The widened grammar, and which slots of a chain belong to a phrase that is not its head.

    `inner` has rule -> slot -> the slot of the word on which it really depends: in
    `act/past_to/inf_tr` the object is that of the infinitive.
    """

    grammar: Grammar
    inner: Mapping[str, Mapping[str, str]]


def word_of(label: str) -> tuple[str, str]:
    """The word of the original that a word stands for, and the contrast it is in, if any."""
    word, _, rest = label.partition(MARK)
    return word, "" if rest.isdigit() else rest.split(MARK)[0]


def is_table(label: str) -> bool:
    """Whether a word of a widened grammar only stands for a table."""
    return label.startswith(MARK)


def widen(grammar: Grammar, language: str, wordings: Wordings) -> Widened:
    """Widen a grammar for parsing one of its languages, which must be that of the wordings."""
    relaxed, names = relax(_merged(grammar, wordings.variants.alike), language)
    spoken = relaxed.source.languages[language]
    words: dict[str, Word] = {}
    rows: dict[str, LexiconRow] = {}
    for word in relaxed.abstract.words.values():
        for label, forms in _senses(word.id, wordings):
            words[label] = dataclasses.replace(word, id=label, weight=1.0, rank=None)
            rows[label] = LexiconRow(label, forms)
    for table, forms in wordings.senses.tables.items():
        name = MARK + table
        words[name] = Word(name, name)
        rows[name] = LexiconRow(
            name, {k: tuple(map(wordings.cleaned, v)) for k, v in forms.items()}
        )
    rules: dict[str, Rule] = dict(relaxed.abstract.rules)
    lines: dict[tuple[str, str], list[Pieces]] = {}
    for (rule, field), line in spoken.lines.items():
        lines[rule, field] = [_cleaned(pieces, wordings) for pieces in line.variants]
    inner: dict[str, Mapping[str, str]] = {}
    heard: set[object] = set()
    for variant in wordings.variants.lines:
        added = _add(variant, rules, names, lines, wordings, heard)
        if added and (slots := _inner_slots(rules, variant.chain)):
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
    for name in _doubles(rules, kept):
        del rules[name]
        kept = {key: line for key, line in kept.items() if key[0] != name}
    spoken = Language(language, kept, rows, (), spoken.join, spoken.root, ())
    abstract = dataclasses.replace(relaxed.abstract, rules=rules, words=words)
    source = dataclasses.replace(relaxed.source, abstract=abstract, languages={language: spoken})
    return Widened(Grammar(source), inner)


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
    abstract = dataclasses.replace(grammar.abstract, rules=rules, selections=(), pairs={})
    return Grammar(dataclasses.replace(grammar.source, abstract=abstract))


def _senses(word: str, wordings: Wordings) -> Iterator[tuple[str, Forms]]:
    """A word's senses; those that say one field only, as nouns do, are one."""
    senses = wordings.senses
    for contrast in ("", *wordings.variants.contrasts):
        found = senses.contrasts.get((word, contrast), ()) if contrast else senses.same[word]
        merged: dict[int, dict[str, list[str]]] = {}
        for number, forms in enumerate(found):
            into = merged.setdefault(0 if len(forms) == 1 else number, {})
            for name, texts in forms.items():
                into.setdefault(name, []).extend(map(wordings.cleaned, texts))
        for number, one in enumerate(merged.values()):
            suffix = MARK.join(
                [*([contrast] if contrast else []), *([str(number)] if number else [])]
            )
            label = f"{word}{MARK}{suffix}" if suffix else word
            yield label, {name: tuple(dict.fromkeys(texts)) for name, texts in one.items()}


def _add(
    line: VariantLine,
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
    orders = list(itertools.islice(_orders(line.body), MOST_ORDERS))
    bodies: list[Pieces] = []
    for pieces in orders:
        seen: dict[str, int] = {}
        body: list[LiteralText | Ref] = []
        for piece in pieces:
            if isinstance(piece, TableCell):
                count = seen[piece.table] = seen.get(piece.table, 0) + 1
                tables[piece.table] = max(tables.get(piece.table, 0), count)
                body.append(Ref(f"{piece.table}{count}", piece.keys))
            elif isinstance(piece, LiteralText):
                body.append(LiteralText(wordings.cleaned(piece.text)))
            else:
                body.append(piece)
        meaning = (top.category, line.field, _in_roles(body, line.chain, parts, wordings))
        if meaning not in heard:
            heard.add(meaning)
            bodies.append(tuple(body))
    if not bodies:
        return None
    name = "/".join((*line.chain, *(f"{table}{count}" for table, count in sorted(tables.items()))))
    if len(line.chain) > 1 or tables:
        more = [
            RulePart(f"{table}{number + 1}", Symbol(MARK + table))
            for table, count in sorted(tables.items())
            for number in range(count)
        ]
        head = _head_slot(rules, line.chain)
        marked = [part._replace(head=part.slot == head) for part in (*parts, *more)]
        tags = tuple(dict.fromkeys(tag for one in line.chain for tag in rules[one].tags))
        rules.setdefault(name, dataclasses.replace(top, name=name, parts=tuple(marked), tags=tags))
    lines.setdefault((name, line.field), []).extend(bodies)
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
    body: list[LiteralText | Ref],
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


def _doubles(rules: Mapping[str, Rule], lines: Mapping[tuple[str, str], Line]) -> list[str]:
    """Chains that say the same as a chain before them, such as two orders of the same objects."""
    seen: dict[object, str] = {}
    found: list[str] = []
    for name, rule in rules.items():
        own = frozenset(
            (field, line.variants) for (owner, field), line in lines.items() if owner == name
        )
        if (
            "/" in name
            and seen.setdefault((rule.category, frozenset(rule.parts), own), name) != name
        ):
            found.append(name)
    return found


def _orders(body: Body) -> Iterator[tuple[LiteralText | Ref | TableCell, ...]]:
    """A body without choices, once for every choice and order."""
    ways: list[list[tuple[LiteralText | Ref | TableCell, ...]]] = []
    for piece in body:
        if isinstance(piece, OneOf):
            ways.append([one for option in piece.options for one in _orders(option)])
        elif isinstance(piece, AnyOrder):
            ways.append(
                [
                    tuple(itertools.chain.from_iterable(chosen))
                    for order in itertools.permutations(piece.parts)
                    for chosen in itertools.product(*(list(_orders(part)) for part in order))
                ]
            )
        else:
            ways.append([(piece,)])
    for chosen in itertools.product(*ways):
        yield tuple(itertools.chain.from_iterable(chosen))


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
