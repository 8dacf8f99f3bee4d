"""Which words are linked to which."""

from __future__ import annotations

from recombine.augment.links import LinkedPair, link


def payments() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return tokens of pairs in which *penny* is seen with *paid* alone, and *paid* with *coin*."""
    pairs = [
        (f"N{a} {verb} N{b} the {gift} .", f"n{a} ga n{b} ni {given} o {done} ta .")
        for verb, done, gift, given, couples in (
            ("paid", "siha", "penny", "peni", [(n, n + 1) for n in range(4)]),
            ("paid", "siha", "coin", "koin", [(n, n + 3) for n in range(8)]),
            ("gave", "age", "coin", "koin", [(n, n + 1) for n in range(11)]),
            *(
                ("gave", "age", gift, given, [(a, b) for a in range(12) for b in range(a % 4, a)])
                for gift, given in (("book", "hon"), ("cake", "kek"), ("toy", "omo"))
            ),
        )
        for a, b in couples
    ]
    return (
        [tuple(f" {word}" for word in source.split()) for source, _ in pairs],
        [tuple(target.split()) for _, target in pairs],
    )


def linked(pair: LinkedPair) -> dict[str, str]:
    """Return the partner of each linked word."""
    return {pair.source[i].strip(): pair.target[j] for i, j in pair.links}


def test_words_of_the_same_sentences_are_partners():
    """A noun that has one verb only is linked to it; with `rare`, to its own translation."""
    for rare, expected in ((False, (None, "peniosiha")), (True, ("siha", "peni"))):
        found = [
            linked(pair)
            for pair in link(*payments(), 2.4, 0.15, rare=rare).pairs
            if " penny" in pair.source
        ]
        assert len(found) == 4
        assert {(one.get("paid"), one["penny"]) for one in found} == {expected}
