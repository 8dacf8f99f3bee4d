"""What the uses of a word say about it."""

from __future__ import annotations

from builders.compounds.test_phrases import pair
from recombine.builders.compounds.usage import Modifiers, Usage, agreeing_verb, is_free
from recombine.corpus.alignment import align

OBJECTS = {"V": ("dobj",), "P": ("pobj",)}


def usage(*pairs):
    """Count the uses in some sentences."""
    return Usage(pairs, OBJECTS)


def seen(text, relations="det amod nsubj root dobj punct", heads="3 3 4 0 4 4", lemmas=None):
    """Return a sentence of the shape 'the old dog saw it .'."""
    return pair(text, relations, heads, lemmas)


def test_a_role_is_what_most_uses_say():
    """Nouns by their relations, verbs by their objects, adjectives by the recipe's relations."""
    counted = usage(*[seen(f"the old dog saw x{n} .") for n in range(9)])
    assert counted.has_usually("dog", "N")
    assert not counted.has_usually("old", "N")
    assert counted.is_typical("saw", "V")
    assert counted.has_usually("old", "ADJ", ["amod"])


def test_names_are_no_atoms():
    """A capital inside sentences."""
    counted = usage(*[seen("the old dog saw Rome .")] * 3)
    assert not counted.is_typical("rome", "N")
    assert counted.surface("rome") == "Rome"


def test_a_favourite_partner_makes_a_fixed_expression():
    """'Young people', unless that partner is everywhere."""
    others = [seen(f"the new x{n} saw it .") for n in range(400)]
    counted = usage(*[seen("the young people saw it .")] * 20, *others)
    assert not counted.is_typical("young", "ADJ", ["amod"])
    assert counted.is_typical("new", "ADJ", ["amod"])
    young = counted.partners["ADJ", "young"]
    assert is_free(young, young)


def test_masses_are_not_countable():
    """They avoid the determiners of singulars, or go without any."""
    counts = [seen("a new report saw it .")] * 20 + [seen("the new report saw it .")] * 20
    masses = [seen("the new advice saw it .")] * 40
    bare = [seen("so new money saw it .", "advmod amod nsubj root dobj punct")] * 9
    counted = usage(*counts, *masses, *bare)
    assert counted.is_countable("report", ["a"])
    assert not counted.is_countable("advice", ["a"])
    assert not counted.is_countable("money", ["a"])


def test_a_few_words_is_no_singular():
    """A plural may stand beside an article of singulars: 'this words' was built from it."""
    counted = usage(
        *[seen("a few words saw it .", lemmas="a few word see it .")] * 20,
        *[seen("the few words saw it .", lemmas="the few word see it .")] * 20,
        *[seen("a new report saw it .")] * 20,
    )
    assert counted.is_countable("report", ["a"])
    assert not counted.is_countable("words", ["a"])


def test_articles_fit_initials_and_places():
    """'An' before consonants, and determiners that a place avoids."""
    counted = usage(
        *[seen("an old dog saw it .")] * 20,
        *[seen("the new dog saw it .")] * 30,
        *[
            pair(
                "it saw no dog with the cat .",
                "nsubj root det dobj prep det pobj punct",
                "2 0 4 2 2 7 5 2",
            )
        ]
        * 9,
    )
    assert counted.may_precede("an", ["old"])
    assert not counted.may_precede("an", ["new"])
    assert counted.may_stand("the", ["pobj"])
    assert not counted.may_stand("no", ["pobj"])


def test_plural_determiners_do_not_fit():
    """Learned from the nouns they go with."""
    singular = pair("this dog ran .", "det nsubj root punct", "2 3 0 3")
    plural = pair("these dogs ran .", "det nsubj root punct", "2 3 0 3", "these dog run .")
    assert usage(singular, plural).singular_determiners() == {"this"}


def test_adjectives_of_plurals_or_of_one_article_are_not_free():
    """'Many' and 'largest'."""
    counted = usage(
        *[seen("the many dogs saw it .", lemmas="the many dog see it .")] * 9,
        *[seen("the largest dog saw it .")] * 20,
        *[seen("a new dog saw it .")] * 30,
        *[seen("the new dog saw it .")] * 30,
    )
    assert not counted.is_free_adjective("many", ["a"])
    assert not counted.is_free_adjective("largest", ["a"])
    assert counted.is_free_adjective("new", ["a"])


def test_prepositions_of_pairs_take_no_singular():
    """'Between' has coordinated objects."""
    columns = "nsubj root prep det pobj cc conj punct", "2 0 2 5 3 5 5 2"
    between = pair("it ran between the dog and cats .", *columns)
    near = pair("it ran near the dog .", "nsubj root prep det pobj punct", "2 0 2 5 3 2")
    counted = usage(between, near)
    assert not counted.is_typical("between", "P")
    assert counted.is_typical("near", "P")


def test_verbs_of_plurals_do_not_agree():
    """'The people are' is no template for a singular."""
    are = [
        seen("the old dogs are it .", lemmas="the old dog be it ."),
        seen("the old people are it .", lemmas="the old people be it ."),
    ]
    counted = usage(*[are[0]] * 9, are[1], *[seen("the old dog is it .")] * 3)
    assert not counted.agrees_with_singular(are[1], 2)
    assert counted.agrees_with_singular(seen("the old dog is it ."), 2)
    helped = pair("the dog has run .", "det nsubj aux root punct", "2 4 4 0 4")
    assert agreeing_verb(helped, 1) == 2


def test_modifiers_have_partners_objects_and_renderings():
    """Two or three words right behind a noun; pronouns are no objects of one."""
    columns = "det nsubj prep pobj root punct", "2 5 2 3 0 5"
    sentences = [
        pair("the dog of Rome ran .", *columns)._replace(target_tokens=("der", "hund", "roms")),
        pair("the cat of Rome ran .", *columns)._replace(target_tokens=("die", "katze", "roms")),
    ]
    alignment = align([one.tokens for one in sentences], [one.target_tokens for one in sentences])
    found = Modifiers(sentences, ["prep"], alignment)
    assert found.partners["of rome"] == {"dog": 1, "cat": 1}
    assert found.objects["of rome"] == "rome"
    assert not usage(*sentences).is_nominal("rome")
