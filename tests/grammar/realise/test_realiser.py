"""Saying trees: text, offsets, variants, and the templates that say them fast."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.small_grammar import SMALL, Write, is_read
from recombine.errors import GrammarError
from recombine.grammar import Grammar
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.realise.templates import Templates
from recombine.grammar.realise.walk import Walker
from recombine.grammar.tree import Tree

WORKED = "decl(beside(cat, def(house)), trans(see, def(dog)))"


def test_worked_example(small: Grammar) -> None:
    """The sentence of the format page."""
    tree = small.tree(WORKED)
    assert small.text(tree, "en") == "The cat beside the house saw the dog."
    assert small.text(tree, "ja") == "家の横の猫が犬を見た。"


def test_spans_and_tokens(small: Grammar) -> None:
    """Every node knows its characters, and every token its node."""
    tree = small.tree(WORKED)
    said = small.realise(tree, "ja")
    assert said.text == "家の横の猫が犬を見た。"
    subject = tree.node("subj")
    assert said.piece(subject) == "家の横の猫"
    assert said.piece(tree.node("N", subject)) == "猫"
    assert said.span(0) == (0, len(said.text))
    assert "".join(token.text for token in said.tokens) == said.text
    english = small.realise(tree, "en")
    assert english.piece(subject) == "The cat beside the house"
    assert [token.text for token in english.tokens][-2:] == ["dog", "."]


def test_discontinuous_spans(toy: Grammar) -> None:
    """A separable verb has two stretches."""
    tree = toy.tree("say(decl(past, name(Ali), trans(watch, def(cat))))")
    said = toy.realise(tree, "de")
    assert said.text == "Ali sah die Katze an."
    verb = tree.codes.index(toy.inventory.code("watch"))
    assert [said.text[start:end] for start, end in said.spans[verb]] == ["sah", "an"]


GERMAN = [
    ("say(decl(past, def(dog), trans(see, def(elephant))))", "Der Hund sah den Elefanten."),
    ("say(decl(pres, plural(cat), trans(see, plural(dog))))", "Die Katzen sehen die Hunde."),
    ("ask(decl(past, rc_subj(cat, intrans(sleep)), intrans(run)))", "Lief die Katze, die schlief?"),
    (
        "say(decl(past, name(Ali), report(tell, decl(pres, def(cat), trans(watch, indef(dog))))))",
        "Ali sagte, dass die Katze einen Hund ansieht.",
    ),
    (
        "say(decl(past, rc_obj(dog, name(Ali), see), trans(find, rc_subj(cat, intrans(run)))))",
        "Der Hund, den Ali sah, fand die Katze, die lief.",
    ),
]


@pytest.mark.parametrize(("tree", "text"), [pair for pair in GERMAN if pair[0][:3] == "say"])
def test_german(toy: Grammar, tree: str, text: str) -> None:
    """Agreement, case, verb-second order, separable prefixes and commas."""
    assert toy.text(toy.tree(tree), "de") == text


def test_english_agreement_and_article(toy: Grammar) -> None:
    """The verb agrees, the article knows vowels."""
    tree = toy.tree("say(decl(pres, plural(child), trans(love, indef(elephant))))")
    assert toy.text(tree, "en") == "The children love an elephant."
    tree = toy.tree("ask(decl(pres, indef(elephant), trans(watch, def(child))))")
    assert toy.text(tree, "en") == "Does an elephant watch the child?"


def test_turkish_case(toy: Grammar) -> None:
    """Case suffixes, participles and the question particle."""
    tree = toy.tree("ask(decl(past, rc_obj(cat, def(dog), see), trans(find, plural(child))))")
    assert toy.text(tree, "tr") == "Köpeğin gördüğü kedi çocukları buldu mu?"


def test_variants(write: Write) -> None:
    """Alternatives of lines and cells multiply; the first is canonical."""
    grammar = Grammar.load(
        write(
            {
                "en.grammar": SMALL["en.grammar"].replace(
                    'def    = "the" N', 'def    = "the" N | "that" N'
                ),
                "en.lexicon.tsv": SMALL["en.lexicon.tsv"].replace("\tslept", "\tslept|was asleep"),
            }
        )
    )
    tree = grammar.tree("decl(def(cat), sleep_(sleep))")
    said = grammar.realise(tree, "en")
    assert said.text == "The cat slept."
    variants = grammar.realiser("en").variants(tree)
    assert set(variants) == {
        "The cat slept.",
        "That cat slept.",
        "The cat was asleep.",
        "That cat was asleep.",
    }
    assert variants[0] == said.text
    for text in variants:
        assert is_read(tree, grammar.parse(text, "en"))


def test_missing_form_is_named(write: Write) -> None:
    """A form that is not there is an error of the grammar, not a crash."""
    grammar = Grammar.load(write({"en.lexicon.tsv": "id\tform\ncat\tcat\n"}))
    with pytest.raises(GrammarError, match="'dog' has no 'form'"):
        grammar.text(grammar.tree("decl(def(dog), sleep_(sleep))"), "en")


def test_endless_repetition_is_stopped(write: Write) -> None:
    """A line that doubles a slot at every level ends in an error, not in all the memory."""
    text = SMALL["en.grammar"].replace('beside = "the" N "beside" loc', "beside = loc loc")
    grammar = Grammar.load(write({"en.grammar": text}))
    tree = "def(cat)"
    for _ in range(40):
        tree = f"beside(cat, {tree})"
    with pytest.raises(GrammarError, match="pieces"):
        grammar.text(grammar.tree(f"decl({tree}, sleep_(sleep))"), "en")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_fast_and_careful_agree(seed: int) -> None:
    """A template says what the walk spells out, and tokens lie where they say."""
    grammar = _toy()
    for tree in grammar.sample(3, seed=seed):
        for language in grammar.languages:
            said = grammar.realise(tree, language)
            assert said.text == grammar.text(tree, language)
            concrete = grammar.concrete(language)
            template = fresh(concrete).of(tree.codes)  # filled with other words before
            assert template.filled(tree.codes) == laid_out(concrete, tree)
            for token in said.tokens:
                assert said.text[token.start : token.end] == token.text
            for stretches in said.spans.values():
                for start, end in stretches:
                    assert 0 <= start < end <= len(said.text)


def laid_out(concrete: CompiledLanguage, tree: Tree) -> str:
    """The pieces of a tree, joined plainly."""
    join = concrete.language.join
    pieces = Walker(concrete, tree.codes).walk().pieces
    return "".join(piece.text if piece.glued else join + piece.text for piece in pieces)


def fresh(concrete: CompiledLanguage, kept: dict[str, Templates] = {}) -> Templates:  # noqa: B006
    """Templates that fill up as the test goes on."""
    return kept.setdefault(concrete.language.code, Templates(concrete))


def _toy(kept: list[Grammar] = []) -> Grammar:  # noqa: B006
    if not kept:
        kept.append(Grammar.load("toy"))
    return kept[0]


def texts(grammar: Grammar, language: str, *trees: str) -> list[str]:
    """What a fresh set of templates says."""
    templates = Templates(grammar.concrete(language))
    codes = [grammar.tree(tree).codes for tree in trees]
    return [templates.of(one).filled(one) for one in codes]


def test_words_of_one_structure_share_a_template(small: Grammar) -> None:
    """The second sentence of a structure is filled in, with its own words."""
    first, second = "decl(def(cat), sleep_(sleep))", "decl(def(dog), sleep_(sleep))"
    assert texts(small, "en", first, second) == ["the cat slept.", "the dog slept."]
    assert texts(small, "ja", first, second) == ["猫が眠った。", "犬が眠った。"]


def test_words_with_other_features_do_not(toy: Grammar) -> None:
    """German articles follow the gender of each noun though the structure is one."""
    trees = [f"def({noun})" for noun in ("cat", "dog", "child")]
    templates = Templates(toy.concrete("de"))
    whole = [f"say(decl(past, {tree}, intrans(sleep)))" for tree in trees]
    codes = [toy.tree(tree).codes for tree in whole]
    said = [templates.of(one).filled(one) for one in codes]
    assert [text.split()[0] for text in said] == ["die", "der", "das"]


def test_silent_words_leave_no_gap(write: Write) -> None:
    """An empty form takes no space, and percent signs are text."""
    folder = write(
        {
            "en.grammar": SMALL["en.grammar"].replace('"the" N', '"100%" N "of it"'),
            "en.lexicon.tsv": SMALL["en.lexicon.tsv"].replace("dog\tdog", 'dog\t""'),
        }
    )
    said = texts(
        Grammar.load(folder), "en", "decl(def(dog), sleep_(sleep))", "decl(def(cat), sleep_(sleep))"
    )
    assert said == ["100% of it slept.", "100% cat of it slept."]


def test_form_slots_name_the_words_in_order(small: Grammar) -> None:
    """The nodes of the words come in the order of the language, with their forms."""
    tree = small.tree("decl(def(cat), trans(see, def(dog)))")
    orders = {}
    for language in ("en", "ja"):
        slots = Templates(small.concrete(language)).of(tree.codes).slots
        orders[language] = [column[tree.codes[node]] for node, column in slots]
    assert orders == {"en": ["cat", "saw", "dog"], "ja": ["猫", "犬", "見た"]}
