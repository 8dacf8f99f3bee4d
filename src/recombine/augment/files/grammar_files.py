"""A learnt grammar as files: rules and words to be read and corrected, and what they were seen in.

- `rules.tsv`: every rule in both languages (`X1 ▁was _2 ▁by X3 .` and `X1 ▁wurde X3 _2 .`), with
  how often it was seen and a training pair that has it.
- `words.tsv`: every word with its translation. A word with another one under `like` goes where that
  one goes: that is how a word is added.
- `trees.tsv`: the derivation of every training pair, in rules and words.
- `classes.json`: what reads sentences: classes of words and shapes of phrases.

Agreement is no file: it is learnt anew from the trees, with the rules and words as they are then.
So whoever corrects a translation or a rule corrects all that is drawn with it, and a rule or word
whose row is deleted is drawn no more. A token is written with ▁ for the space before it (Kudo &
Richardson 2018).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.augment.grammar.agreement import RuleAgreement
from recombine.augment.grammar.closing import Closing
from recombine.augment.grammar.constituents import CLAUSE, HEAD, PHRASE, Constituents
from recombine.augment.grammar.learned import LearnedGrammar
from recombine.augment.grammar.rules import Derivation, PairRule, RuleSlot, Unit
from recombine.augment.grammar.tables import RuleTables
from recombine.augment.grammar.words import OPEN
from recombine.augment.options import TrainingPair
from recombine.errors import DataError, Where
from recombine.files import read_json, read_lines, write_json, write_text

RULES, WORDS, TREES, CLASSES, CARD = (
    "rules.tsv", "words.tsv", "trees.tsv", "classes.json", "README.md"
)  # fmt: skip
RULE_HEADER = ("rule", "seen", "kind", "source", "target", "endings", "example", "translation")
WORD_HEADER = ("word", "seen", "source", "target", "like", "pair")
SPACE = "▁"
_SLOT = re.compile(rf"([{PHRASE}{HEAD}{CLAUSE}{OPEN}])([1-9]\d*)")
_TREE = re.compile(r"[rw]\d+|[()]")

README = """# A grammar learnt from {pairs:,} training pairs

{rules:,} rules in `rules.tsv`, {words:,} words in `words.tsv`. On the left stands {left}, on the right {right}.
`X` is a phrase, `N` a noun with its adjectives, `S` a clause, `_` a word; `▁` is the space before a word.

Correct a translation or the order of a rule, delete the row of a wrong one, then draw with it:

    recombine augment PAIRS --from-grammar {name} --out DIR

A new word is a new row: its name (`w` and a number that no other row has), both languages, and under `like` the word
whose places it gets. Other columns may stay empty. `endings` keeps rules apart that ask for other forms or other neighbours.
"""  # noqa: E501


class StoredGrammar(NamedTuple):
    """A grammar from files, and whether it reads the target language first."""

    grammar: LearnedGrammar
    turned: bool


def write_grammar(
    folder: Path,
    grammar: LearnedGrammar,
    pairs: Sequence[TrainingPair],
    languages: tuple[str, str],
    *,
    turned: bool,
) -> None:
    """Write a grammar into a folder; derivations are known by the ids of their pairs."""
    tables = grammar.tables
    rules = {rule: f"r{n}" for n, (rule, _) in enumerate(tables.rules.most_common(), start=1)}
    seen: dict[Unit, int] = {}
    for number in sorted(grammar.derivations):
        for part in grammar.derivations[number].walk():
            for child in part.children:
                if not isinstance(child, Derivation):
                    seen[child] = seen.get(child, 0) + 1
    units = [*seen, *(unit for unit in tables.bare if unit not in seen)]
    words = {unit: f"w{n}" for n, unit in enumerate(units, start=1)}
    rows: list[tuple[str, ...]] = [RULE_HEADER]
    for rule, name in rules.items():
        example = pairs[tables.shown_by[rule]]
        source, target = _sides_of(rule)
        endings = " ".join(f"{slot + 1}:{_token(end)}" for slot, end in rule.endings)
        count = str(tables.rules[rule])
        rows.append(
            (name, count, rule.kind, source, target, endings, example.source, example.target)
        )
    write_text(folder / RULES, _table(rows))
    rows = [WORD_HEADER]
    for unit, name in words.items():
        model, number = tables.bare.get(unit, (None, 0))
        shown = ("", "") if model is None else (words[model], pairs[number].id or str(number))
        rows.append((name, str(seen.get(unit, 0)), _tokens((unit[0],)), _tokens(unit[1]), *shown))
    write_text(folder / WORDS, _table(rows))
    trees = [("pair", "tree")]
    for number, derivation in sorted(grammar.derivations.items()):
        trees.append((pairs[number].id or str(number), _tree(derivation, rules, words)))
    write_text(folder / TREES, _table(trees))
    constituents = grammar.constituents
    write_json(
        folder / CLASSES,
        {
            "turned": turned,
            "symbols": dict(grammar.symbols),
            "phrase": constituents.phrase,
            "heads": sorted(constituents.heads),
            "modified": _shapes(constituents.modified),
            "short": _shapes(constituents.short),
            "long": _shapes(constituents.long),
            "clauses": [
                [list(before), sorted(map(list, after))]
                for before, after in sorted(constituents.clauses.items())
            ],
            "marks": _shapes(grammar.closing.marks),
            "dropped": sorted(map(list, grammar.closing.dropped)),
        },
    )
    left, right = (languages[1], languages[0]) if turned else languages
    write_text(
        folder / CARD,
        README.format(
            pairs=len(pairs), rules=len(rules), words=len(words), left=left or "the source",
            right=right or "the target", name=folder.name.removesuffix(".partial"),
        ),
    )  # fmt: skip


def read_grammar(folder: Path, pairs: Sequence[TrainingPair]) -> StoredGrammar:
    """Read a grammar that was written for these pairs, corrected or not."""
    for name in (RULES, WORDS, TREES, CLASSES):
        if not (folder / name).is_file():
            raise DataError(
                f"{folder} has no {name}: it holds no learnt grammar",
                hint=f"recombine augment PAIRS --grammar {folder}",
            )
    rules = {row[0]: _rule(row, where) for row, where in _rows(folder / RULES, RULE_HEADER)}
    numbers = {pair.id or str(number): number for number, pair in enumerate(pairs)}
    words: dict[str, Unit] = {}
    like: dict[str, tuple[str, str, Where]] = {}
    for row, where in _rows(folder / WORDS, WORD_HEADER):
        source, target = _read_tokens(row[2]), _read_tokens(row[3])
        if len(source) != 1 or not target:
            raise DataError(
                "a word is one token of the source and its translation", where,
                hint="▁dog, ▁Hund: ▁ is a space, tokens stand apart",
            )  # fmt: skip
        words[row[0]] = source[0], target
        if row[4]:
            like[row[0]] = row[4], row[5], where
    derivations = {}
    for row, where in _rows(folder / TREES, ("pair", "tree")):
        number = numbers.get(row[0])
        if number is None:
            raise DataError(
                f"no training pair has the id '{row[0]}'", where,
                hint="a grammar is drawn from with the pairs that it was learnt from",
            )  # fmt: skip
        derivation = _read_tree(row[1], rules, words, where)
        if derivation is not None:
            derivations[number] = derivation
    if not derivations:
        raise DataError(f"{folder} has no tree whose rules and words are all there")
    stored = read_json(folder / CLASSES)
    tables = RuleTables(derivations)
    symbols = dict(stored["symbols"])
    first = {
        child: number
        for number in sorted(derivations, reverse=True)
        for part in derivations[number].walk()
        for child in part.children
        if not isinstance(child, Derivation)
    }
    for name, (other, pair, where) in like.items():
        model = words.get(other)
        if model is None or model not in first:
            raise DataError(
                f"'{name}' is like '{other}', which no tree has", where,
                hint="name a word that was seen in sentences",
            )  # fmt: skip
        tables.bare[words[name]] = model, numbers.get(pair, first[model])
        symbols[words[name][0]] = symbols[model[0]]
    for unit in words.values():  # A corrected word is of the class of what stands in its place.
        symbols.setdefault(unit[0], symbols.get(unit[0].lower(), OPEN))
    constituents = Constituents(
        stored["phrase"],
        stored["heads"],
        _read_shapes(stored["modified"]),
        _read_shapes(stored["short"]),
        _read_shapes(stored["long"]),
        {tuple(before): {tuple(row) for row in after} for before, after in stored["clauses"]},
    )
    closing = Closing(
        _read_shapes(stored["marks"]), frozenset((a, b) for a, b in stored["dropped"])
    )
    grammar = LearnedGrammar(
        symbols, constituents, derivations, tables, RuleAgreement(tables), closing
    )
    return StoredGrammar(grammar, bool(stored["turned"]))


# --- notation -----------------------------------------------------------------------------------


def _token(text: str) -> str:
    return text.replace(" ", SPACE)


def _tokens(tokens: Sequence[str]) -> str:
    return " ".join(map(_token, tokens))


def _read_tokens(text: str) -> tuple[str, ...]:
    return tuple(token.replace(SPACE, " ") for token in text.split())


def _literal(text: str) -> str:
    token = _token(text)
    return f"\\{token}" if token.startswith("\\") or _SLOT.fullmatch(token) else token


def _sides_of(rule: PairRule) -> tuple[str, str]:
    slots = rule.slots()
    names = [f"{slot.kind}{number}" for number, slot in enumerate(slots, start=1)]
    left = iter(names)
    source = [next(left) if isinstance(part, RuleSlot) else _literal(part) for part in rule.source]
    target = [names[part] if isinstance(part, int) else _literal(part) for part in rule.target]
    return " ".join(source), " ".join(target)


def _rule(row: Sequence[str], where: Where) -> PairRule:
    source: list[str | RuleSlot] = []
    names = []
    for token in row[3].split():
        slot = _SLOT.fullmatch(token)
        if slot is None:
            source.append(token.removeprefix("\\").replace(SPACE, " "))
            continue
        names.append(token)
        source.append(RuleSlot(slot[1]))
        if int(slot[2]) != len(names):
            raise DataError(f"slots are numbered from left to right: '{row[3]}'", where)
    target = [
        names.index(token) if token in names else token.removeprefix("\\").replace(SPACE, " ")
        for token in row[4].split()
    ]
    if sorted(part for part in target if isinstance(part, int)) != list(range(len(names))):
        raise DataError(
            f"the target '{row[4]}' must have each slot of '{row[3]}' once", where,
            hint=f"its slots are {' '.join(names) or 'none'}",
        )  # fmt: skip
    endings = []
    for text in row[5].split():
        number, _, ending = text.partition(":")
        if not number.isdigit() or not 1 <= int(number) <= len(names):
            raise DataError(f"an ending is written SLOT:ENDING, not '{text}'", where)
        endings.append((int(number) - 1, ending.replace(SPACE, " ")))
    return PairRule(row[2], tuple(source), tuple(target), tuple(endings))


def _tree(derivation: Derivation, rules: Mapping[PairRule, str], words: Mapping[Unit, str]) -> str:
    inside = (
        _tree(child, rules, words) if isinstance(child, Derivation) else words[child]
        for child in derivation.children
    )
    return f"{rules[derivation.rule]}({' '.join(inside)})"


def _read_tree(
    text: str, rules: Mapping[str, PairRule], words: Mapping[str, Unit], where: Where
) -> Derivation | None:
    """Return a derivation, or None if a rule or a word of it was deleted."""
    stack: list[tuple[str, list[Any]]] = [("", [])]
    name = ""
    for token in _TREE.findall(text):
        if token == "(":
            stack.append((name, []))
        elif token == ")" and len(stack) > 1:
            rule_name, children = stack.pop()
            rule = rules.get(rule_name)
            whole = rule is not None and None not in children
            if rule is not None and len(children) != len(rule.slots()):
                raise DataError(f"the tree gives {rule_name} {len(children)} parts", where)
            stack[-1][1].append(Derivation(rule, children) if rule and whole else None)
        elif token.startswith("w"):
            stack[-1][1].append(words.get(token))
        name = token
    if len(stack) != 1 or len(stack[0][1]) != 1:
        raise DataError("a tree is written r1(w2 r3(w4))", where)
    derivation: Derivation | None = stack[0][1][0]
    return derivation


def _shapes(shapes: Mapping[tuple[str, ...], str]) -> list[list[Any]]:
    return [[list(shape), symbol] for shape, symbol in sorted(shapes.items())]


def _read_shapes(rows: Sequence[Any]) -> dict[tuple[str, ...], str]:
    return {tuple(shape): symbol for shape, symbol in rows}


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def _rows(path: Path, header: Sequence[str]) -> Iterator[tuple[list[str], Where]]:
    for number, line in read_lines(path):
        cells = line.rstrip("\n").split("\t")
        where = Where(str(path), number)
        if number == 1:
            if tuple(cells) != tuple(header):
                raise DataError(f"the columns must be {', '.join(header)}", where)
            continue
        if not line.strip():
            continue
        if len(cells) > len(header):
            raise DataError(f"{len(cells)} columns where {len(header)} are expected", where)
        yield [*cells, *[""] * (len(header) - len(cells))], where
