"""Agreement learned from pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from metrics.spanish import NOUNS, VERBS
from recombine.metrics.consistency.agreement import Alternations, SwapPair


def spanish(noun: str, verb: str, rendered: str | None = None) -> tuple[str, ...]:
    """Translate 'The NOUN VERB it'."""
    return (*NOUNS[noun], rendered or VERBS[verb], "eso", ".")


def pairs() -> list[SwapPair]:
    """Every noun swap with every verb."""
    return [
        SwapPair("1", f"The _ {verb} it .", (a, b), (spanish(a, verb), spanish(b, verb)))
        for a, b in permutations(NOUNS, 2)
        for verb in VERBS
    ]


def test_articles_are_learned_and_nouns_are_not() -> None:
    """El/la is agreement; rey/reina belongs to king and queen."""
    found = Alternations()
    found.learn(pairs())
    assert [row[:2] for row in found.table()] == [("el", "la")]
    assert found.own_words["king"] == {"rey"}
    measured = found.measure(pairs()[0])
    assert (measured.width, measured.outside) == (1, 0)


def test_a_verb_that_wavers_is_not_agreement() -> None:
    """A change that the noun does not decide is never forgiven, however often it occurs."""
    wavering = []
    for number, pair in enumerate(pairs()):
        if "sees" in pair.frame:
            renderings = ("ve", "mira") if number % 2 else ("mira", "ve")
            pair = replace(
                pair,
                outputs=(
                    spanish(pair.nouns[0], "sees", renderings[0]),
                    spanish(pair.nouns[1], "sees", renderings[1]),
                ),
            )
        wavering.append(pair)
    found = Alternations()
    found.learn(wavering)
    assert [row[:2] for row in found.table()] == [("el", "la")]
    changed = next(pair for pair in wavering if "sees" in pair.frame)
    assert found.measure(changed).width == 2
    assert found.measure(changed).outside == 1


def test_a_word_lost_after_some_nouns_is_not_agreement() -> None:
    """What happens beside one source word alone is forgiven only as an inflection of one stem."""
    lost = []
    for pair in pairs():
        outputs = tuple(
            tuple("que" if noun_class == "la" and token == "oye" else token for token in output)
            for noun_class, output in ((out[0], out) for out in pair.outputs)
        )
        lost.append(replace(pair, outputs=(outputs[0], outputs[1])))
    found = Alternations()
    found.learn(lost)
    assert ("oye", "que") not in [row[:2] for row in found.table()]


def test_own_evidence_does_not_count() -> None:
    """Held-out templates: what one template alone shows does not excuse that template."""
    one_template = pairs()
    strict = Alternations(hold_out="template")
    strict.learn(one_template)
    assert strict.measure(one_template[0]).width == 2
    two = [*one_template, *(replace(pair, template="2") for pair in one_template)]
    strict = Alternations(hold_out="template")
    strict.learn(two)
    assert strict.measure(two[0]).width == 1


def test_noun_that_stays_while_another_word_changes() -> None:
    """A small change elsewhere is not a local change of the noun."""
    found = Alternations()
    found.learn(pairs())
    odd = SwapPair(
        "1",
        "The _ sees it .",
        ("king", "boy"),
        (spanish("king", "sees"), ("el", "rey", "mira", "eso", ".")),
    )
    assert found.measure(odd).elsewhere


def test_nothing_to_learn_from() -> None:
    """No pairs: no table, no width, every difference counts."""
    found = Alternations()
    found.learn([])
    assert found.table() == []
    assert found.noun_width() is None


def test_a_verb_follows_a_noun_with_a_number_of_its_own() -> None:
    """One noun rendered as a singular collective is no alternation, but its class has the form."""
    plural = {"kings": ("los", "reyes"), "boys": ("los", "chicos"), "poets": ("los", "poetas")}
    singular = {
        "king": ("el", "rey"),
        "boy": ("el", "chico"),
        "poet": ("el", "poeta"),
        "father": ("el", "padre"),
        "mayor": ("el", "alcalde"),
    }
    words = {**plural, **singular, "people": ("el", "pueblo")}
    verbs = {"see": ("ve", "ven"), "hear": ("oye", "oyen"), "know": ("conoce", "conocen")}

    def said(noun: str, verb: str) -> tuple[str, ...]:
        return (*words[noun], verbs[verb][noun in plural], "eso", ".")

    swaps = [*permutations(singular, 2), *permutations([*plural, "people"], 2)]
    pairs_of = [
        SwapPair("1", f"The _ {verb} it .", (a, b), (said(a, verb), said(b, verb)), role="np")
        for a, b in swaps
        for verb in verbs
    ]
    found = Alternations(support=3)
    found.learn(pairs_of, words)
    changed = next(pair for pair in pairs_of if pair.nouns == ("people", "kings"))
    assert found.measure(changed).width <= 2
    wrong = replace(changed, outputs=(changed.outputs[0], ("los", "reyes", "ver", "eso", ".")))
    assert found.measure(replace(wrong, changes=None)).width == 3


def test_what_sound_and_article_do_needs_no_evidence() -> None:
    """*d'* before a vowel and *dels* for *de els*: two outputs are too few to learn it from."""
    alone = {"teachers": ("enseignants",), "girls": ("filles",), "trees": ("arbres",)}
    french = Alternations()
    french.learn([], alone)
    groups = SwapPair(
        "1",
        "a group of _ sleeps",
        ("teachers", "girls"),
        (("un", "groupe", "d'", "enseignants"), ("un", "groupe", "de", "filles")),
    )
    assert french.measure(groups).width == 1
    catalan = Alternations()
    catalan.learn([], {"farmers": ("pagesos",), "aunts": ("ties",), "mothers": ("mares",)})
    teams = SwapPair(
        "1",
        "the team of the _ sleeps",
        ("farmers", "aunts"),
        (("l'", "equip", "dels", "pagesos"), ("l'", "equip", "de", "les", "ties")),
    )
    assert catalan.measure(teams).width == 1
    other = replace(
        teams,
        outputs=(("l'", "equip", "dels", "pagesos"), ("grup", "de", "les", "ties")),
        changes=None,
    )
    assert catalan.measure(other).width > 2
    alike = replace(teams, outputs=(teams.outputs[0], teams.outputs[0]), changes=None)
    assert catalan.measure(alike).width == 0


def test_other_swaps_and_other_sentences_must_show_it() -> None:
    """`support` of both; the swap and the sentence of the pair itself do not count."""
    pair = pairs()[0]
    forms = ("el",), ("la",)
    assert pair.outputs[0][0] != pair.outputs[1][0]
    sentences = len(VERBS)  # fewer than there are swaps
    for support, by_others, at_all in (
        (sentences - 1, True, True), (sentences, False, True), (sentences + 1, False, False),
    ):  # fmt: skip
        found = Alternations(support=support)
        found.learn(pairs())
        assert found.is_learned(*forms, pair) is by_others
        assert found.is_learned(*forms) is found.is_learned(*reversed(forms)) is at_all
        assert found.measure(replace(pair, changes=None)).width == (1 if by_others else 2)
    assert not found.is_learned(("el",), ("lo",))


def test_the_article_of_two_nouns_may_be_their_own_word() -> None:
    """Three nouns of a class must show that it is the class."""
    masculine = [noun for noun, said in NOUNS.items() if said[0] == "el"]
    feminine = [noun for noun, said in NOUNS.items() if said[0] == "la"]
    for few, learned in ((feminine[:1], False), (feminine[:2], False), (feminine, True)):
        kept = {*masculine, *few}
        found = Alternations(support=1)
        found.learn([pair for pair in pairs() if kept.issuperset(pair.nouns)])
        assert found.is_learned(("el",), ("la",)) is learned


def test_words_of_a_noun_and_words_that_it_is_seen_with() -> None:
    """An article is of all nouns of its class; three sightings show what is a noun's own."""
    found = Alternations()
    found.learn(pairs())
    for noun, (article, word) in NOUNS.items():
        assert found.own_words[noun] == {word}
        assert article in found.company[noun]
        assert word not in found.company[noun]
    assert found.noun_width() == 1
    for sightings in (2, 3):
        few = Alternations()
        few.learn([pair for pair in pairs() if pair.nouns == ("king", "queen")][:sightings])
        assert set(few.own_words) == ({"king", "queen"} if sightings == 3 else set())


def test_a_noun_takes_as_many_words_as_most_take() -> None:
    """The 95th percentile: one long name in twenty makes no noun longer."""
    words = {f"noun{number}": (f"w{number}",) for number in range(20)}
    for long, width in ((1, 1), (2, 3)):
        more = {
            f"long{number}": (f"a{number}", f"b{number}", f"c{number}") for number in range(long)
        }
        found = Alternations()
        found.learn([], {**words, **more})
        assert found.noun_width() == width


def test_what_changed_beside_the_noun_is_counted() -> None:
    """From the first to the last change that is not forgiven, on the longer side."""
    found = Alternations()
    found.learn(pairs())
    other = SwapPair(
        "1", "The _ sees it .", ("king", "boy"),
        (("el", "rey", "ve", "eso", "."), ("el", "chico", "no", "lo", "ve", "nunca", ".")),
    )  # fmt: skip
    measured = found.measure(other)
    assert (measured.width, measured.outside, measured.elsewhere) == (5, 3, False)
    assert tuple(measured.window) == (1, 4, 1, 6)
