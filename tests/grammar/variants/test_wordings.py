"""All wordings of one meaning: what is one of them, and drawing some."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.variants.wordings import wordings_of

SEEN = "tell(act(np(dog), tr(see, np(cat))))"
LIKED = "tell(act(np(dog), tr(like, np(cat))))"


def said(folder, tree, text):
    """Whether a text is a wording of a tree."""
    grammar = Grammar.load(folder)
    return wordings_of(grammar, folder, "xx").accepts(grammar.tree(tree), text)


@pytest.mark.parametrize(
    "text",
    [
        "inu ga neko o mita.",
        "inu wa neko o mita",
        "neko o inu wa mita!",
        "Inu wa, sono koneko o mita.",
        "neko ga inu ni mirareta.",
        "inu wa neko ni.ki.zuita.",
        "inu wa neko ni.au.",
    ],
)
def test_another_wording_says_the_same(small, text):
    """Particles, orders across levels, synonyms, voice and marks are not what was said."""
    assert said(small, SEEN, text)


@pytest.mark.parametrize(
    "text",
    [
        "neko ga inu o mita.",
        "inu ga mita.",
        "inu ga inu o mita.",
        "inu ga neko ni mirareta.",
        "inu ga neko o minakatta.",
        "inu ga neko o mita mita.",
        "",
    ],
)
def test_another_meaning_is_no_wording(small, text):
    """Swapped roles, dropped words, a negated verb and what is too much are other meanings."""
    assert not said(small, SEEN, text)


def test_the_forms_of_a_synonym_belong_together(small):
    """A synonym brings its own particle, which the word itself does not take."""
    assert said(small, LIKED, "inu ga neko ga sukida.")
    assert said(small, LIKED, "inu wa neko o kononda.")
    assert not said(small, LIKED, "inu wa neko ga kononda.")
    assert not said(small, LIKED, "inu wa neko o sukida.")


def test_a_text_that_goes_on_and_on_is_refused(small):
    """The work is bounded by the tree, however long the text."""
    assert not said(small, SEEN, "inu ga neko o " * 200 + "mita.")


def test_drawn_wordings_are_wordings(small):
    """What `sample` draws says the same, each once, and the same for the same seed."""
    grammar = Grammar.load(small)
    wordings = wordings_of(grammar, small, "xx")
    tree = grammar.tree(SEEN)
    drawn = wordings.sample(tree, 6, seed=1)
    assert len(set(drawn)) == 6
    assert "inu ga neko o mita ." not in drawn
    assert all(wordings.accepts(tree, text) for text in drawn)
    assert drawn == wordings.sample(tree, 6, seed=1)


def test_a_grammar_without_variants_says_what_it_says(small):
    """The language's own text is a wording everywhere; where none are listed it is the only one."""
    for path in (small / "variants").iterdir():
        path.unlink()
    assert said(small, SEEN, "inu ga neko o mita.")
    assert not said(small, SEEN, "inu wa neko o mita.")


def test_what_is_only_heard_is_never_drawn(small):
    """Lines and synonyms of `xx.heard.*` are wordings, and no reference is made of them."""
    (small / "variants/xx.heard.grammar").write_text('act = VP "no wa" subj "da"\n', "utf-8")
    (small / "variants/xx.heard.lexicon.tsv").write_text(
        "id\tform\tpast\nsee\tnagame\tnagameta\n", "utf-8"
    )
    grammar = Grammar.load(small)
    wordings = wordings_of(grammar, small, "xx")
    tree = grammar.tree(SEEN)
    assert wordings.accepts(tree, "neko o nagameta no wa inu da.")
    drawn = wordings.sample(tree, 40, seed=1)
    assert len(drawn) > 10
    assert not any("no wa" in text or "nagameta" in text for text in drawn)


def test_what_is_drawn_is_spelt_as_a_sentence():
    """Marks stand at their word, the first letter is a capital, and what is written as one is."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("The dog said that the key was found by the king.", "en").require_tree()
    drawn = wordings_of(grammar, "sget", "de").sample(tree, 12, seed=1)
    assert all(text[0].isupper() and text.endswith(".") and " ." not in text for text in drawn)
    assert any("vom König" in text and ", dass" in text for text in drawn)
    assert not any("von dem" in text or " ," in text for text in drawn)


def test_marks_stand_as_the_language_writes_them(small):
    """A language that sets its marks apart, as French does, has drawn wordings that do, too."""
    grammar = Grammar.load(small)
    drawn = wordings_of(grammar, small, "xx").sample(grammar.tree(SEEN), 6, seed=1)
    assert all(text.endswith(" .") for text in drawn)
    french = Grammar.load("sget")
    tree = french.parse("Who found the key?", "en").require_tree()
    assert french.text(tree, "fr").endswith(" ?")
    drawn = wordings_of(french, "sget", "fr").sample(tree, 6, seed=1)
    assert drawn
    assert all(text.endswith(" ?") for text in drawn)


def test_drawn_synonyms_are_agreed_with():
    """A participle has the gender of the synonym that was drawn (la caja, el cajón)."""
    grammar = Grammar.load("sget")
    tree = grammar.parse("A box was found by Joseph.", "en").require_tree()
    wordings = wordings_of(grammar, "sget", "es")
    drawn = wordings.sample(tree, 12, seed=1)
    assert all(wordings.accepts(tree, text) for text in drawn)
    assert any("cajón fue" in text for text in drawn)
    assert not any("cajón fue encontrada" in text or "caja fue hallado" in text for text in drawn)


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Liam a donné à un garçon la nouvelle balle bleue et plate.", True),
        ("Liam a donné à un garçon la balle neuve bleue et plate.", True),
        ("Liam a donné à un garçon la balle bleue.", False),
        ("Liam a donné à un garçon la balle bleue et plate.", False),
        ("Liam a donné à un garçon la nouvelle balle neuve, bleue et plate.", False),
    ],
)
def test_an_adjective_is_said_in_one_place(text: str, is_said: bool) -> None:
    """*nouveau* before the noun or *neuf* behind it: not in both places, and not in none."""
    grammar = Grammar.load("sget")
    (tree,) = grammar.parse("Liam gave a boy the flat new blue ball.", "en").trees()
    assert wordings_of(grammar, "sget", "fr").accepts(tree, text) is is_said


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (
            "Un ami a dit que Liam avait vu l'enfant.",
            "A friend said Liam had seen the kid.",
            "A friend had said that Liam saw the child.",
        ),
        (
            "Un ami a dit que Liam avait vu l'enfant.",
            "A friend has said that Liam has seen the child.",
            "A friend had said that Liam had seen the child.",
        ),
        (
            "Le livre a été envoyé à un élève par l'ami.",
            "The friend sent a student the book.",
            "A student sent the friend the book.",
        ),
        (
            "Liam a vu l'enfant qu'un ami aimait.",
            "Liam saw the child a friend loved.",
            "Liam saw the child who loved a friend.",
        ),
    ],
)
def test_english_is_understood_as_translators_write_it(source: str, right: str, wrong: str) -> None:
    """Clauses without that, the past perfect below a past, the active; nothing the other way."""
    grammar = Grammar.load("sget")
    wordings = wordings_of(grammar, "sget", "en")
    trees = list(grammar.parse(source, "fr").trees(24))
    assert any(wordings.accepts(tree, right) for tree in trees)
    assert not any(wordings.accepts(tree, wrong) for tree in trees)
