"""Words that are seen by themselves only: each gets the places of a word that it looks like.

"Felix" says that Felix is フェリックス and nothing more. But nearly all words that look like it in
both languages (a capital letter, katakana) stand in one place, that of names, and the most frequent
of them tells where such a word goes. Where words that look alike stand in several places (German
nouns, by their gender), nothing tells, and the word is left out.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import cache

from recombine.augment.grammar.constituents import SENTENCE
from recombine.augment.grammar.rules import Unit
from recombine.augment.grammar.tables import RulePlace, RuleTables
from recombine.augment.tokens import Tokens

# So many words must look like it, and this share of them must stand in one place.
ALIKE, AGREEING = 10, 0.9


def add_bare_words(
    tables: RuleTables, sources: Sequence[Tokens], targets: Sequence[Tokens]
) -> dict[str, str]:
    """Note bare words in the tables; return them with the words whose places they get."""
    models = _models(tables)
    added = {}
    for unit, number in _bare_words(sources, targets).items():
        model = models.get(_looks(unit))
        if model is not None:
            tables.bare[unit] = model, number
            added[unit[0]] = model[0]
    return added


def _bare_words(sources: Sequence[Tokens], targets: Sequence[Tokens]) -> dict[Unit, int]:
    """Words that no longer text has, with one translation each, and the first pair with each."""
    inside = {word for source in sources if len(source) > 1 for word in source}
    units: dict[str, dict[Unit, int]] = defaultdict(dict)
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        if len(source) == 1 and source[0] not in inside and target:
            units[source[0]].setdefault((source[0], target), number)
    return {
        unit: number
        for translations in units.values()
        if len(translations) == 1
        for unit, number in translations.items()
    }


def _models(tables: RuleTables) -> dict[Hashable, Unit]:
    """The most frequent of the words that look alike, where nearly all stand in one place."""
    places: dict[Unit, Counter[RulePlace]] = defaultdict(Counter)
    for place, counts in tables.words.items():
        if place.rule.kind == SENTENCE and len(place.rule.source) == 1:
            continue  # bare words themselves
        for unit, count in counts.items():
            places[unit][place] += count
    by_looks = defaultdict(list)
    for unit in places:
        by_looks[_looks(unit)].append(unit)
    models: dict[Hashable, Unit] = {}
    for looks, units in by_looks.items():
        usual = {unit: places[unit].most_common(1)[0][0] for unit in units}
        place, count = Counter(usual.values()).most_common(1)[0]
        if len(units) >= ALIKE and count >= AGREEING * len(units):
            here = [unit for unit in units if usual[unit] == place]
            models[looks] = max(here, key=lambda unit: (tables.words[place][unit], unit))
    return models


def _looks(unit: Unit) -> Hashable:
    return _script(unit[0].strip()[:1]), _script("".join(unit[1]).strip()[:1])


@cache
def _script(letter: str) -> str:
    """The script of a letter, and its case."""
    name = unicodedata.name(letter, "").split() if letter else []
    return f"{name[0] if name else ''} {letter != letter.lower()}"
