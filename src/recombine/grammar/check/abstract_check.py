"""What is wrong with an abstract syntax: names, categories without an end, word pairs."""

from __future__ import annotations

from collections.abc import Iterator

from recombine.errors import GrammarError, Where, did_you_mean
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Rule, SlotPath
from recombine.grammar.sampling.ties import words_of


def check_abstract(inventory: Inventory) -> Iterator[GrammarError]:
    """Every problem of the rules and words, and of the lines about them."""
    abstract = inventory.abstract
    rules, words = abstract.rules, abstract.words
    categories = inventory.rules_of.keys() | inventory.words_of.keys()
    for rule in rules.values():
        if rule.name in words:
            yield GrammarError(
                f"'{rule.name}' is both a rule and a word", rule.where, "rename one of them"
            )
        yield from _check_parts(rule, inventory)
    for category in sorted(inventory.rules_of.keys() & inventory.words_of.keys()):
        word = inventory.word(inventory.words_of[category][0])
        yield GrammarError(
            f"category '{category}' has rules and words", word.where, "put the words in their own"
        )
    for name in abstract.start:
        if name not in categories:
            where = next((rule.where for rule in rules.values()), None)
            hint = did_you_mean(name, categories)
            yield GrammarError(f"%start: there is no category '{name}'", where, hint)
    for category in abstract.zipf:
        if category not in inventory.words_of:
            yield GrammarError(f"%zipf: no word has the category '{category}'", None)
    yield from _check_endings(inventory)
    yield from _check_reach(inventory)
    yield from _check_selections(inventory)
    tags = {tag for rule in rules.values() for tag in rule.tags}
    for preference in abstract.preferences:
        labels = tags if preference.is_tag else set(rules)
        if preference.label not in labels:
            yield GrammarError(
                f"%prefer: nothing is called '{preference.label}'",
                preference.where,
                did_you_mean(preference.label, labels),
            )


def _check_parts(rule: Rule, inventory: Inventory) -> Iterator[GrammarError]:
    for part in rule.parts:
        symbol = part.symbol
        has_rules = symbol.category in inventory.rules_of
        if not has_rules and symbol.category not in inventory.words_of:
            yield GrammarError(
                f"rule '{rule.name}' needs '{symbol.category}', which has no rules and no words",
                rule.where,
                did_you_mean(symbol.category, [*inventory.rules_of, *inventory.words_of]),
            )
        elif has_rules and (symbol.require or symbol.forbid):
            yield GrammarError(
                f"'{symbol}': only words have classes, '{symbol.category}' has rules", rule.where
            )
        elif not inventory.choices(symbol):
            yield GrammarError(f"no word is '{symbol}'", rule.where)


def _check_endings(inventory: Inventory) -> Iterator[GrammarError]:
    """Categories whose trees never end; those with a part that there is not are told already."""
    for category, codes in inventory.rules_of.items():
        parts = [part.symbol.category for code in codes for part in inventory.rule(code).parts]
        whole = all(name in inventory.rules_of or name in inventory.words_of for name in parts)
        if category not in inventory.smallest and whole:
            yield GrammarError(
                f"'{category}' never ends: each of its rules needs '{category}' again"
                " or another category that never ends",
                inventory.rule(codes[0]).where,
                "add a rule that ends in words",
            )


def _check_reach(inventory: Inventory) -> Iterator[GrammarError]:
    """Categories that no sentence contains."""
    start = inventory.abstract.start
    reached = dict.fromkeys(start)
    queue = list(start)
    while queue:
        for code in inventory.rules_of.get(queue.pop(), ()):
            below = [part.symbol.category for part in inventory.rule(code).parts]
            queue += [category for category in below if category not in reached]
            reached.update(dict.fromkeys(below))
    for category, codes in inventory.rules_of.items():
        if category not in reached:
            yield GrammarError(
                f"category '{category}' cannot be reached from {' '.join(start)}",
                inventory.rule(codes[0]).where,
                "use it in a rule, or add it to %start",
            )
    for category, codes in inventory.words_of.items():
        if category not in reached:
            yield GrammarError(
                f"category '{category}' of words cannot be reached from {' '.join(start)}",
                inventory.word(codes[-1]).where,
                did_you_mean(category, reached),
            )


def _check_selections(inventory: Inventory) -> Iterator[GrammarError]:
    """The lines and pairs about words that go together."""
    abstract = inventory.abstract
    for line in (*abstract.selections, *abstract.mendings):
        for place in line.places:
            for path in place:
                yield from _check_path(inventory, path, line.where)
    for mending in abstract.mendings:
        for word in mending.fallback:
            if word not in abstract.words:
                hint = did_you_mean(word, abstract.words)
                yield GrammarError(f"%mend: no word '{word}'", mending.where, hint)
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
                did_you_mean(row.role, roles),
            )
        for item in f"{row.governor} {row.dependent}".split():
            try:
                words_of(inventory, item.removeprefix("!"))
            except GrammarError as error:
                labels = [*abstract.words, *abstract.rules]
                hint = error.hint or did_you_mean(item.removeprefix("!"), labels)
                yield GrammarError(f"pairs: {error.message}", row.where, hint)


def _check_path(
    inventory: Inventory, path: SlotPath, where: Where | None
) -> Iterator[GrammarError]:
    rules = inventory.abstract.rules
    for name, slot in path.steps:
        rule = rules.get(name)
        if rule is None:
            yield GrammarError(f"%select: no rule '{name}'", where, did_you_mean(name, rules))
        elif slot and rule.slot(slot) is None:
            slots = ", ".join(part.slot for part in rule.parts)
            yield GrammarError(f"%select: '{name}' has no slot '{slot}'", where, f"it has: {slots}")
    if path.below and path.below not in inventory.words_of:
        yield GrammarError(f"%select: no words of category '{path.below}'", where)
