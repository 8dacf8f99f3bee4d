"""Everything that is wrong with a grammar, at once: notation, names, missing forms, dead ends.

`check_grammar` proves without drawing a sentence that every tree can be said and parsed in every
language: the parser's productions are made from the files, and whatever line, form or cell they ask
for in vain is reported. `note_conflicts` looks at drawn sentences for what is no fault but worth
knowing: source sentences with more than one translation.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recombine.errors import GrammarError, RecombineError, Where
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.coverage import unsaid
from recombine.grammar.files.folder import (
    EDITIONS,
    base_folders,
    editions,
    find_grammar,
    scan_grammar,
)
from recombine.grammar.grammar import Grammar
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import (
    Abstract,
    Feature,
    GrammarSource,
    Language,
    LiteralText,
    Pieces,
    Ref,
    Rule,
    SlotPath,
    Symbol,
    TableCell,
)
from recombine.grammar.parsing.cfg import ContextFreeGrammar
from recombine.grammar.parsing.missing_forms import FEW, LISTED, place_of_lines
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.sampling.product import ProductBuilder
from recombine.grammar.sampling.ties import words_of
from recombine.grammar.tree import Tree
from recombine.grammar.variants.check import check_variants

DRAWN = 2_000  # trees looked at by note_conflicts: a second for the shipped grammars
UNMARKED = 10  # trees of a rule that must have another reading, where a language does not mark it
READINGS = 20


def check_grammar(
    name_or_path: str | Path, edition: str | None = None, partial: bool = False
) -> list[RecombineError]:
    """Return every problem of a grammar and of its editions (or of one edition).

    With `partial` a language need not say every word and rule.
    """
    try:
        folder = find_grammar(name_or_path)
    except RecombineError as error:
        return [error]
    try:
        every_edition = [name for place in base_folders(folder) for name in editions(place)]
    except GrammarError as error:
        return [error]
    wanted = [edition] if edition is not None else [None, *dict.fromkeys(every_edition)]
    found: dict[tuple[str, str], RecombineError] = {}
    sound: list[GrammarSource] = []
    for name in wanted:
        source, problems = scan_grammar(folder, name)
        every: list[RecombineError] = list(problems)
        if source is not None and not problems:
            every.extend(check_source(source, partial))
            if not every:
                sound.append(source)
        for problem in every:
            key = (str(problem.where), problem.message)
            if key not in found:
                found[key] = _of_edition(problem, name)
    if edition is None and len(sound) == len(
        wanted
    ):  # the variants hold for the grammar and its editions
        for problem in _check_variants(folder, sound):
            found[str(problem.where), problem.message] = problem
    return sorted(found.values(), key=_place)


def _check_variants(folder: Path, sources: Sequence[GrammarSource]) -> Iterator[GrammarError]:
    """What is wrong with variants in every edition that has their language, or with its own."""
    grammars = [Grammar(source) for source in sources]
    for code in grammars[0].languages:
        spoken = [grammar for grammar in grammars if code in grammar.languages]
        problems: dict[tuple[str, str], list[GrammarError]] = {}
        for grammar in spoken:
            for problem in check_variants(folder, grammar.concrete(code), grammar.edition):
                problems.setdefault((str(problem.where), problem.message), []).append(problem)
        for (place, _), alike in problems.items():
            if len(alike) == len(spoken) or EDITIONS in Path(place).parts:
                yield alike[0]


def _of_edition(problem: RecombineError, edition: str | None) -> RecombineError:
    """A problem that only an edition has, said so where its place does not say it."""
    place = problem.where.path if problem.where else ""
    if edition is None or edition in Path(place).parts:
        return problem
    return GrammarError(f"{problem.message} (in edition '{edition}')", problem.where, problem.hint)


def check_source(source: GrammarSource, partial: bool = False) -> list[RecombineError]:
    """Return every problem of a grammar that could be read."""
    problems: list[RecombineError] = list(_check_abstract(source.abstract))
    inventory = Inventory(source.abstract)
    if not source.languages:
        path = next((r.where for r in source.abstract.rules.values()), None)
        problems.append(GrammarError("no language: add CODE.grammar and CODE.lexicon.tsv", path))
    for language in source.languages.values():
        problems.extend(_check_language(inventory, language, partial))
    if not problems:
        problems.extend(_check_sampling(inventory))
    if not problems:
        problems.extend(_check_unmarked(source, partial))
    return problems


def _check_unmarked(source: GrammarSource, partial: bool) -> Iterator[GrammarError]:
    """What a language says it does not mark must be readable without it.

    Of an unfinished language this is shown by what it says.
    """
    grammar: Grammar | None = None
    for language in source.languages.values():
        for rule in language.unmarked:
            grammar = grammar or Grammar(source)
            if rule not in source.abstract.rules:
                hint = _close(rule, source.abstract.rules)
                yield GrammarError(f"%unmarked: no rule '{rule}'", language.where, hint)
                continue
            code = grammar.inventory.code(rule)
            left_out = unsaid([grammar.concrete(language.code)]) if partial else frozenset()
            if rule in left_out:
                continue
            weights = {**dict.fromkeys(sorted(left_out), 0.0), rule: 1.0}
            constraints = Constraints(require=(rule,), weights=weights)
            try:
                trees = list(grammar.sample(UNMARKED, stream="unmarked", constraints=constraints))
            except GrammarError:
                if not partial:
                    raise
                trees = []  # not enough is said to show it
            for tree in trees:
                text = grammar.text(tree, language.code)
                readings = grammar.parse(text, language.code).trees(READINGS)
                if all(code in other.codes for other in readings):
                    message = f"%unmarked {rule}: '{text}' cannot be read in another way"
                    yield GrammarError(message, language.where)
                    break


def _place(problem: RecombineError) -> tuple[str, int, str]:
    where = problem.where or Where("")
    return where.path, where.line or 0, problem.message


def _close(name: str, known: Iterable[str]) -> str | None:
    match = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean '{match[0]}'?" if match else None


def _check_abstract(abstract: Abstract) -> Iterator[GrammarError]:
    rules, words = abstract.rules, abstract.words
    of_rules = {rule.category for rule in rules.values()}
    of_words = {word.category for word in words.values()}
    for rule in rules.values():
        if rule.name in words:
            yield GrammarError(
                f"'{rule.name}' is both a rule and a word", rule.where, "rename one of them"
            )
        yield from _check_parts(rule, abstract, of_rules, of_words)
    for category in sorted(of_rules & of_words):
        word = next(word for word in words.values() if word.category == category)
        yield GrammarError(
            f"category '{category}' has rules and words", word.where, "put the words in their own"
        )
    for name in abstract.start:
        if name not in of_rules | of_words:
            where = next((rule.where for rule in rules.values()), None)
            yield GrammarError(
                f"%start: there is no category '{name}'", where, _close(name, of_rules | of_words)
            )
    for category in abstract.zipf:
        if category not in of_words:
            yield GrammarError(f"%zipf: no word has the category '{category}'", None)
    yield from _check_endings(abstract)
    yield from _check_reach(abstract)
    yield from _check_selections(abstract, Inventory(abstract))
    tags = {tag for rule in rules.values() for tag in rule.tags}
    for preference in abstract.preferences:
        known = tags if preference.is_tag else set(rules)
        if preference.label not in known:
            yield GrammarError(
                f"%prefer: nothing is called '{preference.label}'",
                preference.where,
                _close(preference.label, known),
            )


def _check_parts(
    rule: Rule, abstract: Abstract, of_rules: set[str], of_words: set[str]
) -> Iterator[GrammarError]:
    for part in rule.parts:
        symbol = part.symbol
        if symbol.category not in of_rules | of_words:
            yield GrammarError(
                f"rule '{rule.name}' needs '{symbol.category}', which has no rules and no words",
                rule.where,
                _close(symbol.category, of_rules | of_words),
            )
        elif symbol.require or symbol.forbid:
            if symbol.category in of_rules:
                yield GrammarError(
                    f"'{symbol}': only words have classes, '{symbol.category}' has rules",
                    rule.where,
                )
            elif not any(
                _fits(symbol, word.classes)
                for word in abstract.words.values()
                if word.category == symbol.category
            ):
                yield GrammarError(f"no word is '{symbol}'", rule.where)


def _fits(symbol: Symbol, classes: tuple[str, ...]) -> bool:
    return all(name in classes for name in symbol.require) and not any(
        name in classes for name in symbol.forbid
    )


def _check_endings(abstract: Abstract) -> Iterator[GrammarError]:
    """Categories whose trees never end."""
    ending = {word.category for word in abstract.words.values()}
    uses: dict[str, list[Rule]] = {}
    left: dict[str, int] = {}  # per rule: parts whose category is not known to end
    queue = sorted(ending)
    for rule in abstract.rules.values():
        left[rule.name] = len(rule.parts)
        for part in rule.parts:
            uses.setdefault(part.symbol.category, []).append(rule)
        if not rule.parts and rule.category not in ending:
            ending.add(rule.category)
            queue.append(rule.category)
    while queue:
        for rule in uses.get(queue.pop(), ()):
            left[rule.name] -= 1
            if not left[rule.name] and rule.category not in ending:
                ending.add(rule.category)
                queue.append(rule.category)
    known = {rule.category for rule in abstract.rules.values()} | ending
    by_category: dict[str, list[Rule]] = {}
    for rule in abstract.rules.values():
        by_category.setdefault(rule.category, []).append(rule)
    for category, own in by_category.items():
        parts = [part.symbol.category for rule in own for part in rule.parts]
        if category not in ending and all(name in known for name in parts):
            yield GrammarError(
                f"'{category}' never ends: each of its rules needs '{category}' again"
                " or another category that never ends",
                own[0].where,
                "add a rule that ends in words",
            )


def _check_reach(abstract: Abstract) -> Iterator[GrammarError]:
    """Categories that no sentence contains."""
    by_category: dict[str, list[Rule]] = {}
    for rule in abstract.rules.values():
        by_category.setdefault(rule.category, []).append(rule)
    reached = set(abstract.start)
    queue = list(abstract.start)
    while queue:
        for rule in by_category.get(queue.pop(), ()):
            for part in rule.parts:
                if part.symbol.category not in reached:
                    reached.add(part.symbol.category)
                    queue.append(part.symbol.category)
    for category, own in by_category.items():
        if category not in reached:
            yield GrammarError(
                f"category '{category}' cannot be reached from {' '.join(abstract.start)}",
                own[0].where,
                "use it in a rule, or add it to %start",
            )
    lost = {word.category: word for word in abstract.words.values() if word.category not in reached}
    for category, word in lost.items():
        yield GrammarError(
            f"category '{category}' of words cannot be reached from {' '.join(abstract.start)}",
            word.where,
            _close(category, reached),
        )


def _check_selections(abstract: Abstract, inventory: Inventory) -> Iterator[GrammarError]:
    """The lines and pairs about words that go together."""
    for line in (*abstract.selections, *abstract.mendings):
        for place in line.places:
            for path in place:
                yield from _check_path(abstract, path, line.where)
    for mending in abstract.mendings:
        for word in mending.fallback:
            if word not in abstract.words:
                yield GrammarError(
                    f"%mend: no word '{word}'", mending.where, _close(word, abstract.words)
                )
    roles = {line.role for line in (*abstract.selections, *abstract.mendings)}
    restricted = {row.role for row in abstract.pairs}
    for line in abstract.selections:
        if line.role not in restricted:
            yield GrammarError(
                f"%select: no pair has the role '{line.role}'",
                line.where,
                "add rows to abstract.pairs.tsv",
            )
    for row in abstract.pairs:
        if row.role not in roles:
            yield GrammarError(
                f"pairs: no %select line has the role '{row.role}'",
                row.where,
                _close(row.role, roles),
            )
        for cell in (row.governor, row.dependent):
            for item in cell.split():
                try:
                    words_of(inventory, item.removeprefix("!"))
                except GrammarError as error:
                    known = [*abstract.words, *abstract.rules]
                    hint = error.hint or _close(item.removeprefix("!"), known)
                    yield GrammarError(f"pairs: {error.message}", row.where, hint)


def _check_path(abstract: Abstract, path: SlotPath, where: Where | None) -> Iterator[GrammarError]:
    for name, slot in path.steps:
        rule = abstract.rules.get(name)
        if rule is None:
            yield GrammarError(f"%select: no rule '{name}'", where, _close(name, abstract.rules))
        elif slot and rule.slot(slot) is None:
            known = ", ".join(part.slot for part in rule.parts)
            yield GrammarError(f"%select: '{name}' has no slot '{slot}'", where, f"it has: {known}")
    if path.below and all(word.category != path.below for word in abstract.words.values()):
        yield GrammarError(f"%select: no words of category '{path.below}'", where)


def _check_language(
    inventory: Inventory, language: Language, partial: bool
) -> Iterator[GrammarError]:
    rules, words = inventory.abstract.rules, inventory.abstract.words
    for line in language.lines.values():
        rule = rules.get(line.rule)
        if rule is None:
            yield GrammarError(
                f"{language.code}: there is no rule '{line.rule}'",
                line.where,
                _close(line.rule, rules),
            )
            continue
        slots = [part.slot for part in rule.parts]
        for pieces in line.variants:
            for piece in pieces:
                named = [piece.slot] if isinstance(piece, Ref) else []
                if isinstance(piece, Ref | TableCell):
                    named += [key.slot for key in piece.keys if isinstance(key, Feature)]
                for name in named:
                    if name not in slots and isinstance(piece, Ref | TableCell):
                        where = _point_at(line.where, name)
                        yield GrammarError(
                            f"rule '{rule.name}' has no slot '{name}'",
                            where,
                            _close(name, slots) or f"it has: {', '.join(slots) or 'none'}",
                        )
    for row in language.rows.values():
        if not row.id.startswith("_") and row.id not in words:
            yield GrammarError(
                f"{language.code}: '{row.id}' is not in the abstract lexicon",
                row.where,
                _close(row.id, words),
            )
    compiled = CompiledLanguage(inventory, language)
    yield from compiled.problems
    yield from _check_features(compiled, partial)
    try:
        cfg = ContextFreeGrammar(compiled)
    except GrammarError as error:
        yield error
        return
    yield from cfg.missing.problems(partial)
    yield from _check_circles(cfg)


def _point_at(where: Where | None, name: str) -> Where | None:
    """The place of a name on the right side of a line."""
    if where is None or where.text is None:
        return where
    match = re.search(rf"(?<![\w'\"]){re.escape(name)}(?!\w)", where.text[where.text.find("=") :])
    if match is None:
        return where
    column = where.text.find("=") + match.start() + 1
    return where._replace(column=column, width=len(name))


def _check_features(compiled: CompiledLanguage, partial: bool) -> Iterator[GrammarError]:
    """A field that is used as a key must be one string, of all that a language says."""
    inventory, language = compiled.inventory, compiled.language
    with_lines = {rule for rule, _ in language.lines}
    with_cells = {
        name for name, row in language.rows.items() if row.paradigm or any(row.cells.values())
    }
    for category, fields in compiled.features.items():
        for field in fields:
            for code in inventory.rules_of.get(category, ()):
                name = inventory.labels[code]
                own = compiled.line(code, field)
                where, to = place_of_lines(compiled, code)
                if own is None and partial and name not in with_lines:
                    continue
                if own is None:
                    yield GrammarError(
                        f"{language.code}: no line '{name}.{field}', which is used as a feature",
                        where,
                        f'add{to}: {name}.{field} = "..." or {name}.{field} = slot.{field}',
                    )
                elif len(own.variants) > 1 or not _is_feature(own.variants[0]):
                    yield GrammarError(
                        f"{language.code}: '{name}.{field}' is used as a feature and must be one"
                        " literal, one slot.feature or one cell of a _table",
                        own.where if own.field == field else where,
                    )
            lacking = [
                code
                for code in inventory.words_of.get(category, ())
                if field not in compiled.word_forms(code)
                and inventory.labels[code] in (with_cells if partial else language.rows)
            ]
            names = [inventory.labels[code] for code in lacking]
            if len(names) > FEW:
                left = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
                yield GrammarError(
                    f"{language.code}: {len(names)} words of {category} have no '{field}', which is"
                    f" used as a feature: {', '.join(names[:LISTED])}{left}",
                    language.rows[names[0]].where,
                    f"fill the column '{field}'",
                )
                continue
            for name in names:
                yield GrammarError(
                    f"'{name}' has no '{field}', which is used as a feature",
                    language.rows[name].where,
                    f"fill the column '{field}'",
                )


def _is_feature(pieces: Pieces) -> bool:
    (piece, *more) = pieces
    plain = isinstance(piece, Ref) and not any(isinstance(key, Feature) for key in piece.keys)
    return not more and (plain or isinstance(piece, LiteralText | TableCell))


def _check_circles(cfg: ContextFreeGrammar) -> Iterator[GrammarError]:
    """Rules that can repeat without changing the sentence: it would have endless analyses."""
    below: dict[int, dict[int, int]] = {}
    for production in cfg.productions:
        for index, symbol in enumerate(production.right):
            rest = production.right[:index] + production.right[index + 1 :]
            if not cfg.is_terminal[symbol] and all(cfg.nullable[s] for s in rest):
                below.setdefault(production.left, {})[symbol] = production.instance
    reported: set[int] = set()
    for start in below:
        seen: set[int] = set()
        queue = list(below[start])
        while queue:
            symbol = queue.pop()
            if symbol == start:
                instance = next(iter(below[start].values()))
                rule = cfg.inventory.rule(cfg.instances[instance].rule)
                if cfg.instances[instance].rule not in reported:
                    reported.add(cfg.instances[instance].rule)
                    yield GrammarError(
                        f"{cfg.compiled.language.code}: rule '{rule.name}' can repeat"
                        " without changing the sentence: it has endlessly many analyses",
                        rule.where,
                        "let every turn of the circle add a word",
                    )
                break
            if symbol not in seen:
                seen.add(symbol)
                queue.extend(below.get(symbol, ()))


def _check_sampling(inventory: Inventory) -> Iterator[GrammarError]:
    for name in inventory.abstract.start:
        try:
            product = ProductBuilder(inventory, Constraints(start=name)).build()
        except GrammarError as error:
            yield error
            continue
        if product is None:
            rules = inventory.rules_of.get(name)
            if rules and all(inventory.rule(code).weight == 0 for code in rules):
                continue  # a start that only splits use
            where = inventory.rule(rules[0]).where if rules else None
            yield GrammarError(
                f"nothing can be sampled from '{name}'", where, "every way to an end has weight 0"
            )


class Conflict(NamedTuple):
    """One source sentence and the different targets of its trees."""

    source: str
    targets: tuple[str, ...]
    trees: tuple[Tree, ...]


def check_conflicts(
    trees: Iterable[Tree], realiser: Callable[[str], Realiser], source: str, target: str
) -> list[Conflict]:
    """Return the source sentences that were drawn with more than one target.

    Whether a grammar has such sentences depends on the pair of languages: German keeps an
    English attachment ambiguity that Japanese has to resolve.
    """
    say_source, say_target = realiser(source).fill, realiser(target).fill
    found: dict[str, dict[str, Tree]] = {}
    for tree in trees:
        found.setdefault(say_source(tree.codes), {}).setdefault(say_target(tree.codes), tree)
    return [
        Conflict(text, tuple(targets), tuple(targets.values()))
        for text, targets in found.items()
        if len(targets) > 1
    ]


def note_conflicts(grammar: Grammar, count: int = DRAWN, seed: int = 0) -> list[str]:
    """Say for every pair of languages whose sources are ambiguous how often, with an example.

    These are notes and no problems: a language without articles is ambiguous for one with them,
    and a benchmark in the other direction does not mind.
    """
    try:
        trees = list(grammar.sample(count, seed=seed, stream="conflicts"))
    except GrammarError:
        return []  # a grammar whose sentences are all left to splits: check_grammar judges that
    notes: list[str] = []
    for source, target in itertools.permutations(grammar.languages, 2):
        conflicts = check_conflicts(trees, grammar.realiser, source, target)
        if conflicts:
            example = min(conflicts, key=lambda conflict: len(conflict.source))
            several = " | ".join(example.targets)
            notes.append(
                f"{source}-{target}: of {count} sentences drawn, {len(conflicts)} in {source} have"
                f" more than one translation, such as: {example.source} -> {several}"
            )
    return notes
