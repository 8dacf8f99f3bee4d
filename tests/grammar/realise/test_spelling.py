"""Finishing touches, and where offsets lie after them."""

from __future__ import annotations

import pytest

from recombine.grammar.model import Language, SoundSet, Touch
from recombine.grammar.realise.spelling import (
    A_AN,
    Finish,
    SpelledText,
    SpellingEdit,
    apply_edits,
    capitalise,
    commas,
    finishes,
    sentence_case,
    shift,
    touch,
    undoings,
)

VOWEL = SoundSet(("a", "e", "i", "o", "u", "h"), ("ui", "hie"))
ITALIAN = (
    Touch("il", "lo", before=SoundSet(("z", "sp", "st", "gn"))),
    Touch("il", "l'", glued=True, before=VOWEL),
    Touch("la", "l'", glued=True, before=VOWEL),
    Touch("di il", "del"),
    Touch("di lo", "dello"),
    Touch("di l'", "dell'"),
)


def finish(function: Finish, text: str) -> str:
    """The text after one finish."""
    return apply_edits(text, function(text))


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("the dog, that ran, , slept", "the dog, that ran, slept"),
        ("he said, that he ran,.", "he said, that he ran."),
        ("one, two, three", "one, two, three"),
    ],
)
def test_commas(text: str, finished: str) -> None:
    """Only a comma before another mark vanishes."""
    assert apply_edits(text, commas(text)) == finished


def test_article_looks_at_the_next_word_only() -> None:
    """`a` inside a word or a hyphenated one is no article."""
    a_an = touch(A_AN)
    text = "A owl saw extra owls and a b-a owl"
    assert apply_edits(text, a_an(text)) == "An owl saw extra owls and a b-a owl"


def test_post_line_is_applied_in_its_order() -> None:
    """Names of a %post line become functions in the order of the line."""
    language = Language("en", {}, {}, post=("a_an", "capitalise"))
    text = "a owl."
    for one in finishes(language, {}, {}):
        text = finish(one, text)
    assert text == "An owl."
    language = Language("en", {}, {}, post=("commas", "capitalise"))
    assert finishes(language, {}, {})[0] is commas


def test_offsets_follow_the_text() -> None:
    """A span cut out before the edits is the same words after them."""
    text = "a owl saw, , a cat"
    edits = sorted([*touch(A_AN)(text), *commas(text)])
    after = apply_edits(text, edits)
    assert after == "an owl saw, a cat"
    for word in ("owl", "saw", "cat"):
        start = text.index(word)
        end = start + len(word)
        moved = after[shift(start, edits, is_end=False) : shift(end, edits, is_end=True)]
        assert moved == word


def test_insertion_belongs_to_the_span_before_it() -> None:
    """The n of `an` lies inside the article and outside the next word."""
    edits = [SpellingEdit(1, 1, "n")]
    assert shift(1, edits, is_end=True) == 2
    assert shift(1, edits, is_end=False) == 1
    assert shift(2, edits, is_end=False) == 3


def test_finishes() -> None:
    """Capital letters, articles and commas."""
    assert finish(capitalise, "¿qué?") == "¿Qué?"
    assert finish(capitalise, "猫。") == "猫。"
    assert finish(commas, "der Hund, der schlief, , lief,.") == "der Hund, der schlief, lief."
    language = Language("en", {}, {}, post=("a_an",))
    (a_an,) = finishes(language, {}, {"hour": "an", "unicorn": "a"})
    assert (
        finish(a_an, "a owl saw a unicorn a hour in Ma eve")
        == "an owl saw a unicorn an hour in Ma eve"
    )


def written(text: str, *touches: Touch, sounds: dict[str, str] | None = None) -> str:
    """The text after touches, in their order."""
    for one in touches:
        text = finish(touch(one, " ", sounds), text)
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("il gatto", "il gatto"),
        ("il amico", "l'amico"),
        ("Il amico vide il zio", "L'amico vide lo zio"),
        ("la amica di il gatto di la amica", "l'amica del gatto dell'amica"),
        ("di il specchio", "dello specchio"),
        ("il hiena", "il hiena"),
        ("il, amico", "il, amico"),
        ("Anil amico", "Anil amico"),
        ("il Alberto", "l'Alberto"),
    ],
)
def test_touches_look_at_the_next_sound_in_their_order(text: str, expected: str) -> None:
    """Whole words alone are touched, a capital stays one, and a later touch sees the earlier."""
    assert written(text, *ITALIAN) == expected


def test_a_word_may_sound_otherwise_than_it_is_written() -> None:
    """The column `sound` decides for its word alone, in both directions."""
    stressed = Touch("la", "el", before=SoundSet(("á",)))
    assert (
        written("la agua y la aguada", stressed, sounds={"agua": "água"}) == "el agua y la aguada"
    )
    article = Touch("a", "an", before=SoundSet(("a", "e", "o", "u")))
    sounds = {"hour": "our", "one": "won"}
    assert written("a hour, a one, a ones", article, sounds=sounds) == "an hour, a one, an ones"


def test_touches_may_look_back() -> None:
    """`after` looks at the end of the word before; a `+` touches a part of it."""
    assert written("e e a e", Touch("e", "ed", after=SoundSet(("a",)))) == "e e a ed"
    topic = Touch("un", "nun", attached=True, after=SoundSet(("a", "i"), ("ai",)))
    assert written("sonaun taiun gomun un", topic) == "sonanun taiun gomun un"


def test_offsets_follow_a_contraction() -> None:
    """Each of two words that became one has its share of it, and the next word is whole."""
    text = "vio a el amigo"
    edits = touch(Touch("a el", "al"))(text)
    after = apply_edits(text, edits)
    cut = {
        word: after[
            shift(text.index(word), edits, is_end=False) : shift(
                text.index(word) + len(word), edits, is_end=True
            )
        ]
        for word in ("vio", "el", "amigo")
    }
    assert (after, cut) == ("vio al amigo", {"vio": "vio", "el": "l", "amigo": "amigo"})


def test_sentence_case_leaves_words_alone() -> None:
    """A bare word is no sentence."""
    assert finish(sentence_case, "gatto") == "gatto"
    assert finish(sentence_case, "il gatto dorme.") == "Il gatto dorme."
    assert finish(sentence_case, "¿quién duerme?") == "¿Quién duerme?"
    assert finish(sentence_case, "猫。") == "猫。"


@pytest.mark.parametrize(
    ("text", "was"),
    [
        ("l'amico dorme", {"il amico dorme", "la amico dorme"}),
        ("vicino dell'amico", {"vicino di il amico", "vicino di la amico"}),
        ("vicino dello zio", {"vicino di il zio"}),
        ("L'amico", {"Il amico", "La amico"}),
        ("dello", {"di il"}),
        ("il gatto", set()),
    ],
)
def test_touches_are_undone_last_to_first(text: str, was: set[str]) -> None:
    """What several touches made of each other's work is read back as what was there."""
    spelled = SpelledText(text, undoings(Language("it", {}, {}, touches=ITALIAN)))
    assert was == {one for one in was if spelled.finish in spelled.follow(one, 0)}
    assert spelled.is_plain == (not was)
    assert spelled.finish in spelled.follow(text, 0)
    assert spelled.finish not in spelled.follow(f"{text} x", 0)


def test_places_of_an_undone_text_are_in_order() -> None:
    """Along every path the order grows, so that a reader goes from left to right."""
    spelled = SpelledText("vicino dell'amico", undoings(Language("it", {}, {}, touches=ITALIAN)))
    for place in spelled.places():
        for following in spelled.branches(place):
            after = spelled.settled(following + 1) if following != spelled.finish else place
            assert spelled.order(after) > spelled.order(place) or after == place
    assert spelled.has("vicino di il")
    assert spelled.has("di la amico")
    assert not spelled.has("di lo")
