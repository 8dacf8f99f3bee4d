"""What is no wording of a meaning, and still tells something about it."""

from __future__ import annotations

import pytest

from recombine.metrics.meaning.metric import MeaningMatch


@pytest.fixture(scope="module")
def french() -> MeaningMatch:
    """The metric into French."""
    return MeaningMatch(grammar="sget", source_language="en", target_language="fr")


@pytest.fixture(scope="module")
def english() -> MeaningMatch:
    """The metric into English."""
    return MeaningMatch(grammar="sget", source_language="fr", target_language="en")


@pytest.mark.parametrize(
    ("source", "hypothesis", "verdict", "why"),
    [
        # *tenu* is in *détenu*, and is not said there.
        ("Miles was held by Liam.", "Miles était détenu par Liam.", "different", "not said: hold"),
        ("Jameis was sold the plant.", "Jameis a été vendu.", "different", "not said: plant"),
        # An unknown word may stand for the one that is not said.
        ("The boy needs to run.", "Le garçon a besoin de fuir.", "outside", "“fuir”"),
        # All is said, and nobody says it so.
        ("The dentist was sold the game.", "Le dentiste a été vendu le jeu.", "outside", ""),
        ("A red book was found.", "Un livre rouge a été trouvée.", "outside", "agreement: trouvée"),
        ("What was drawn by Liam?", "Qu'est - ce que Liam a dessiné ?", "same", ""),
        ("The child praised Amelia.", "L'enfant louait Amelia.", "same", ""),
    ],
)
def test_what_is_not_said_is_a_difference(
    french: MeaningMatch, source: str, hypothesis: str, verdict: str, why: str
) -> None:
    """A text that has no form of a word, and no unknown word for it, says something else."""
    (found,) = french.judge_block([(source, (), hypothesis)])
    assert found is not None
    assert found["class"] == verdict, found
    assert why in found.get("explanation", "")


@pytest.mark.parametrize(
    ("source", "hypothesis", "verdict"),
    [
        (
            "Une mère a apporté à un ami la nouvelle radio carrée bon marché.",
            "A mother brought a friend the new cheap square radio.",
            "same",
        ),
        (
            "L'entraîneur a laissé à Hazel un nouveau grand jeu bleu et unique.",
            "The coach left Hazel a new big blue and unique game.",
            "same",
        ),
        (
            "L'entraîneur a laissé à Hazel un nouveau grand jeu bleu et unique.",
            "The coach left Hazel a new big not blue and unique game.",
            "outside",
        ),
        # *been* is a word of the variants, and *a* one of both languages.
        ("Charlotte a surveillé une radio.", "Charlotte's been watching a radio.", "outside"),
        (
            "Luna se rend compte qu'un ami a changé.",
            "Luna realizes that a friend has changed.",
            "same",
        ),
    ],
)
def test_modifiers_come_in_any_order(
    english: MeaningMatch, source: str, hypothesis: str, verdict: str
) -> None:
    """The adjectives of a noun are sorted, with *and* or without it, and nothing else goes."""
    (found,) = english.judge_block([(source, (), hypothesis)])
    assert found is not None
    assert found["class"] == verdict, found


@pytest.mark.parametrize(
    ("source", "hypothesis", "verdict"),
    [
        ("Un père a rendu un livre à Brian.", "A father gave Brian a book.", "different"),
        ("Un père a prêté un livre à Brian.", "A father loaned Brian a book.", "same"),
        ("Un père a prêté un livre à Brian.", "A father lent Brian a book.", "same"),
    ],
)
def test_an_auxiliary_is_no_word_for_two(
    english: MeaningMatch, source: str, hypothesis: str, verdict: str
) -> None:
    """*prêté* is lent and loaned; the *a* that all verbs have makes no two of them one."""
    (found,) = english.judge_block([(source, (), hypothesis)])
    assert found is not None
    assert found["class"] == verdict, found
