"""Where a constituent begins and ends in the target."""

from __future__ import annotations

import itertools

from recombine.augment.grammar.closing import Closing
from recombine.augment.grammar.constituents import CLAUSE, Constituents
from recombine.augment.grammar.derivations import best_attachment
from recombine.augment.grammar.words import CLASS, OPEN

NAME, NOUN, VERB, MASCULINE, FEMININE = (f"{CLASS}{number}" for number in range(5))


def rules(pairs, classes, translations, constituents, *, marks=False):
    """Return the rules of the derivations of pairs, as text."""
    sources, targets = ([tuple(pair[side].split()) for pair in pairs] for side in (0, 1))
    symbols = {word: classes.get(word, word) for source in sources for word in source}
    lexicon = {word: [(translation,)] for word, translation in translations.items()}
    links = [[] for _ in pairs]
    derived, closing = best_attachment(sources, targets, links, symbols, lexicon, constituents)
    assert len(derived) == len(pairs)
    assert not closing.marks or marks
    return {str(part.rule) for whole in derived.values() for part in whole.walk()}


def test_a_head_with_modifiers_has_no_article():
    """*gato nuevo* stands where *gato* stands, though only masculine nouns are *nuevo* here."""
    translations = {"cat": "gato", "cow": "vaca", "new": "nuevo", "old": "vieja", "ran": "corrió"}
    classes = {"cat": NOUN, "cow": NOUN, "new": MASCULINE, "old": FEMININE, "ran": VERB}
    short = {(article, NOUN): NAME for article in ("the", "a")}
    modified = {(adjective, NOUN): NOUN for adjective in (MASCULINE, FEMININE)}
    constituents = Constituents(NAME, [NOUN], modified, short, {})
    pairs = [
        ("the new cat ran", "el gato nuevo corrió"),
        ("a new cat ran", "un gato nuevo corrió"),
        ("the old cow ran", "la vaca vieja corrió"),
        ("a old cow ran", "una vaca vieja corrió"),
    ]
    found = rules(pairs * 25, classes, translations, constituents)
    assert "_ N | N2 _1" in found
    assert not [rule for rule in found if rule.startswith("_ N | ") and rule != "_ N | N2 _1"]


def test_an_edge_depends_on_the_phrase_at_this_edge():
    """*the cat in a box* begins with the box where modifiers go before their heads."""
    translations = {"cat": "mao", "dog": "gou", "box": "he", "car": "che", "ran": "pao"}
    classes = {**dict.fromkeys(("cat", "dog", "box", "car"), NOUN), "ran": VERB}
    articles = {"the": "na", "a": "yi"}
    short = {(article, NOUN): NAME for article in articles}
    constituents = Constituents(NAME, [NOUN], {}, short, {(NAME, "in", NAME): NAME})
    pairs = [
        (f"{outer} {animal} in {inner} {place} ran",
         f"{articles[inner]} {translations[place]} li {articles[outer]} {translations[animal]} pao")
        for outer, animal, inner, place in itertools.product(
            articles, ("cat", "dog"), articles, ("box", "car")
        )
    ]  # fmt: skip
    found = rules(pairs * 5, classes, translations, constituents)
    assert {"the N | na N1", "a N | yi N1", "X _ | X1 _2"} <= found


# What clauses and relative clauses look like in a language with its verb at the end.
PEOPLE = {"Ann": "Anna", "Bob": "Bodo", "Cid": "Kid", "Dan": "Dan", "Eve": "Eva"}
ACTS = {"saw": "sah", "cut": "schnitt", "met": "traf", "hit": "schlug"}


def test_what_ends_a_clause_belongs_to_it_at_every_depth():
    """*wurde* ends a passive clause, also one inside another clause."""
    verbs = {**ACTS, "said": "sagte", "knew": "wusste"}
    classes = {**dict.fromkeys(PEOPLE, NAME), **dict.fromkeys(verbs, VERB)}
    clauses = {("_", "that"): {(NAME, "_", NAME, "."), (NAME, "was", "_", "by", NAME, "."),
                               (NAME, "_", "that", CLAUSE, ".")}}  # fmt: skip
    constituents = Constituents(NAME, [], {}, {}, {}, clauses)
    pairs = []
    for a, b in itertools.permutations(PEOPLE, 2):
        for verb in ACTS:
            inner = {
                f"{a} {verb} {b}": f"{PEOPLE[a]} {PEOPLE[b]} {ACTS[verb]}",
                f"{a} was {verb} by {b}": f"{PEOPLE[a]} von {PEOPLE[b]} {ACTS[verb]} wurde",
            }
            for source, target in inner.items():
                pairs.append((f"{b} said that {source} .", f"{PEOPLE[b]} sagte dass {target} ."))
                deep = f"{b} knew that {a} said that {source} ."
                german = f"{PEOPLE[b]} wusste dass {PEOPLE[a]} sagte dass {target} ."
                pairs.append((deep, german))
    found = rules(pairs, classes, {**PEOPLE, **verbs}, constituents)
    assert "X was _ by X | X1 von X3 _2 wurde" in found or (
        "X was _ by X | X1 X3 _2 wurde" in found
    )
    assert "X _ that S . | X1 _2 dass S3 ." in found
    assert not [rule for rule in found if "S3 wurde" in rule]


def test_a_mark_that_hides_before_another_belongs_to_its_phrase():
    """A relative clause ends in a comma, which a full stop swallows."""
    verbs = {**ACTS, "ran": "rannte"}
    classes = {**dict.fromkeys(PEOPLE, NAME), **dict.fromkeys(verbs, VERB)}
    shapes = {(NAME, "that", NAME, OPEN): NAME, (NAME, "that", OPEN): NAME}
    constituents = Constituents(NAME, [], {}, {}, shapes)
    pairs = []
    for a, b in itertools.permutations(PEOPLE, 2):
        for verb in ACTS:
            relative = f"{PEOPLE[a]} , den {PEOPLE[b]} {ACTS[verb]}"
            pairs.append((f"{a} that {b} {verb} ran .", f"{relative} , rannte ."))
            pairs.append((f"{b} met {a} that {b} {verb} .", f"{PEOPLE[b]} traf {relative} ."))
            # This kind ends sentences only, and is closed as the other is.
            german = f"{PEOPLE[b]} traf {PEOPLE[a]} , der {ACTS[verb]} ."
            pairs.append((f"{b} met {a} that {verb} .", german))
    found = rules(pairs, classes, {**PEOPLE, **verbs}, constituents, marks=True)
    assert {"X that X _ | X1 , den X2 _3 ,", "X that _ | X1 , der _2 ,"} <= found
    assert {"X _ . | X1 _2 .", "X _ X . | X1 _2 X3 ."} <= found


def test_closing_marks_are_dropped_where_training_has_none():
    """A comma goes before a full stop, and of two commas one is left."""
    closing = Closing({}, frozenset({(",", "."), (",", ",")}))
    assert closing.texts(("a", ",", ",", "b", ",", ".")) == ["a", ",", "b", "."]
