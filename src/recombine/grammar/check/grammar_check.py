"""Everything that is wrong with a grammar, at once: notation, names, missing forms, dead ends.

`check_grammar` proves without drawing a sentence that every tree can be said and parsed in every
language: the parser's productions are made from the files, and whatever line, form or cell they ask
for in vain is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from recombine.errors import GrammarError, RecombineError, Where, did_you_mean
from recombine.grammar.check.abstract_check import check_abstract
from recombine.grammar.check.language_check import check_language
from recombine.grammar.check.variant_check import check_variants
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
from recombine.grammar.model import GrammarSource
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.sampling.product import ProductBuilder

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
        names = [name for place in base_folders(folder) for name in editions(place)]
    except RecombineError as error:
        return [error]
    editions_checked = [edition] if edition is not None else [None, *dict.fromkeys(names)]
    problems: dict[tuple[str, str], RecombineError] = {}
    sound: list[GrammarSource] = []
    for name in editions_checked:
        source, misread = scan_grammar(folder, name)
        of_edition: list[RecombineError] = [*misread]
        if source is not None and not misread:
            of_edition = check_source(source, partial)
        if source is not None:
            sound.append(_sound_languages(source, partial) if of_edition else source)
        for problem in of_edition:
            problems.setdefault((str(problem.where), problem.message), _of_edition(problem, name))
    if edition is None:
        for problem in _check_variants(folder, sound):
            problems[str(problem.where), problem.message] = problem
    return sorted(problems.values(), key=_place)


def _sound_languages(source: GrammarSource, partial: bool) -> GrammarSource:
    """Return a grammar with those of its languages that have no problem."""
    inventory, languages = Inventory(source.abstract), {}
    if not list(check_abstract(inventory)):
        for code in source.languages:
            with suppress(RecombineError):  # one that cannot be read has been named
                if not list(check_language(inventory, source.languages[code], partial)):
                    languages[code] = source.languages[code]
    return replace(source, languages=languages)


def _check_variants(folder: Path, sources: Sequence[GrammarSource]) -> Iterator[GrammarError]:
    """What is wrong with variants in every edition that has their language, or with its own.

    What a language without a problem may do beside is checked whatever the others lack.
    """
    grammars = [Grammar(source) for source in sources if source.languages]
    for code in dict.fromkeys(code for grammar in grammars for code in grammar.languages):
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
    inventory = Inventory(source.abstract)
    problems: list[RecombineError] = list(check_abstract(inventory))
    if not source.languages:
        path = next((r.where for r in source.abstract.rules.values()), None)
        problems.append(GrammarError("no language: add CODE.grammar and CODE.lexicon.tsv", path))
    for language in source.languages.values():
        problems.extend(check_language(inventory, language, partial))
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
                hint = did_you_mean(rule, source.abstract.rules)
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
