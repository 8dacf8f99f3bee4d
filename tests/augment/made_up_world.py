"""A small world of English and a made-up language, for what recombination learns from it.

The made-up language puts the verb last, marks subject and object by particles and puts modifiers
before their heads.
"""

from __future__ import annotations

import itertools

from recombine.augment import Pair

NAMES = {name: f"{name.lower()}o" for name in ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus")}
NOUNS = {
    "cat": "nek",
    "dog": "inu",
    "bird": "tor",
    "fish": "sak",
    "horse": "uma",
    "bear": "kum",
    "mouse": "nez",
}
PLACES = {"room": "hey", "box": "hak", "house": "iek", "garden": "niw", "car": "kur", "bag": "kab"}
ADJECTIVES = {"red": "aka", "big": "oki", "old": "furu", "new": "atara"}
VERBS = {"see": "mi", "call": "yob", "help": "tas", "find": "sag", "lift": "mot", "push": "os"}
PREPOSITIONS = {"in": "naka", "on": "ue", "beside": "yoko"}


def subjects() -> dict[str, str]:
    """Return names and nouns with an article."""
    return {**NAMES, **{f"the {noun}": word for noun, word in NOUNS.items()}}


def world() -> list[Pair]:
    """Return statements and questions; modifiers stand on objects only."""
    rows: dict[str, str] = {}
    everyone = list(subjects().items())

    def add(source: str, target: str) -> None:
        rows[source[0].upper() + source[1:]] = target

    for number, ((s, st), (o, ot)) in enumerate(itertools.product(everyone, everyone)):
        if s == o:
            continue
        verb, stem = list(VERBS.items())[number % len(VERBS)]
        article = "the" if number % 3 else "a"
        add(f"{s} {verb}ed {o.replace('the', article)}.", f"{st} ga {ot} o {stem}ta.")
        if number % 2:
            add(f"{s} {verb}s {o}.", f"{st} ga {ot} o {stem}ru.")
        noun, word = list(NOUNS.items())[number % len(NOUNS)]
        if noun in s:
            continue
        add(f"{s} {verb}ed the {noun}.", f"{st} ga {word} o {stem}ta.")
        add(f"{s} {verb}ed a {noun}.", f"{st} ga {word} o {stem}ta.")
        adjective, a = list(ADJECTIVES.items())[number % len(ADJECTIVES)]
        place, p = list(PLACES.items())[number % len(PLACES)]
        preposition, w = list(PREPOSITIONS.items())[number % len(PREPOSITIONS)]
        add(f"{s} {verb}ed the {adjective} {noun}.", f"{st} ga {a} {word} o {stem}ta.")
        add(
            f"{s} {verb}ed the {noun} {preposition} the {place}.",
            f"{st} ga {p} no {w} no {word} o {stem}ta.",
        )
    return [Pair(source, target, f"p{n}") for n, (source, target) in enumerate(rows.items())]
