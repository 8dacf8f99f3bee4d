"""Parsing with the files that realise: round trips, ambiguity, failures."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.small_grammar import SMALL, Write, is_read
from recombine.errors import DataError
from recombine.grammar import Constraints, Grammar
from recombine.grammar.parsing import analysis
from recombine.grammar.parsing.analysis import Budget
from recombine.grammar.parsing.forest import Forest
from recombine.grammar.parsing.parser import Parser


def _toy(kept: list[Grammar] = []) -> Grammar:  # noqa: B006
    if not kept:
        kept.append(Grammar.load("toy"))
    return kept[0]


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), wake=st.booleans())
def test_round_trip(seed: int, wake: bool) -> None:
    """parse(realise(t)) contains t, in every language, also with rules of weight 0."""
    grammar = _toy()
    constraints = Constraints(weights={"transat": 5.0}) if wake else None
    for tree in grammar.sample(4, seed=seed, constraints=constraints):
        for language in grammar.languages:
            parse = grammar.parse(grammar.text(tree, language), language)
            assert is_read(tree, parse)
            assert parse.count >= 1
            assert parse.count == 1 or not parse.is_only
            found = parse.tree
            assert found is not None
            assert grammar.text(found, language) == grammar.text(tree, language)


def test_low_attachment(toy: Grammar) -> None:
    """The grammar declares that phrases attach low; the other reading is kept."""
    parse = toy.parse("The cat saw the dog beside the house.", "en")
    assert str(parse.tree) == "say(decl(past, def(cat), trans(see, beside(dog, place(house)))))"
    assert parse.count == 2
    assert not parse.is_only
    assert toy.parse("The cat saw the dog.", "en").is_only
    assert [t.count("pp") for t in parse.trees()] == [1, 1]
    high = toy.tree("say(decl(past, def(cat), transat(see, def(dog), place(house))))")
    assert is_read(high, parse)


def test_unspaced_text(toy: Grammar) -> None:
    """Japanese is cut into words by its own lexicon."""
    parse = toy.parse("猫が見た犬は走った。", "ja")
    assert str(parse.tree) == "say(decl(past, rc_obj(dog, def(cat), see), intrans(run)))"


def test_separable_verbs(toy: Grammar) -> None:
    """The parts of a verb that stand apart must belong to one verb."""
    parse = toy.parse("Ali sah die Katze, die der Hund ansah, an.", "de")
    assert [t.words() for t in parse.trees()] == [["Ali", "watch", "cat", "dog", "watch"]]
    assert not toy.parse("Ali fand die Katze an.", "de")


FAILURES = [
    ("en", "The cat slepp.", 8, True, "unknown word 'slepp.' at character 9; expected "),
    ("en", "The cat saw", 11, False, "ends too early"),
    ("en", "The cat sleeps the dog.", 15, False, "stopped before 'the'"),
    ("en", "The cats sees the dog.", 9, False, "stopped before 'sees'"),
    ("ja", "猫は犬を食べた。", 4, True, "unknown word"),
    ("de", "Der Katze schlief.", 4, False, "stopped before 'Katze'"),
    ("en", "", 0, False, "too early"),
    ("en", "   ", 0, False, "too early"),
    ("en", "\u2028\x00", 0, True, "unknown"),
]


@pytest.mark.parametrize(("language", "text", "offset", "unknown", "words"), FAILURES)
def test_failures_are_precise(
    toy: Grammar, language: str, text: str, offset: int, unknown: bool, words: str
) -> None:
    """A failure says where it stopped and what could have come."""
    parse = toy.parse(text, language)
    assert not parse
    assert parse.tree is None
    assert list(parse.trees()) == []
    failure = parse.failure
    assert failure is not None
    assert failure.offset == offset
    assert failure.unknown == unknown
    assert words in failure.message
    assert failure.expected
    with pytest.raises(DataError):
        parse.require_tree()


def test_forgiven(toy: Grammar) -> None:
    """Capitals, a/an and spaces around glued pieces do not matter."""
    for text in (
        "the cat saw a elephant.",
        "The cat saw an elephant .",
        " The cat saw an elephant.",
    ):
        assert str(toy.parse(text, "en").tree) == (
            "say(decl(past, def(cat), trans(see, indef(elephant))))"
        )


def test_dropped_slots(write: Write) -> None:
    """What a language does not say can be anything."""
    text = SMALL["ja.grammar"].replace('beside = loc "の横の" N', 'beside = N "さん"')
    grammar = Grammar.load(write({"ja.grammar": text}))
    tree = grammar.tree("decl(beside(cat, beside(dog, def(house))), sleep_(sleep))")
    parse = grammar.parse(grammar.text(tree, "ja"), "ja")
    assert {grammar.text(found, "ja") for found in parse.trees()} == {parse.text}
    assert is_read(grammar.tree("decl(beside(cat, def(dog)), sleep_(sleep))"), parse)
    assert not is_read(grammar.tree("decl(beside(dog, def(dog)), sleep_(sleep))"), parse)


def test_repeated_slots(write: Write) -> None:
    """A slot that is said twice must be the same twice."""
    text = SMALL["en.grammar"].replace("trans  = V2 obj", 'trans  = V2 obj "and" obj')
    grammar = Grammar.load(write({"en.grammar": text}))
    assert grammar.parse("The cat saw the dog and the dog.", "en").count == 1
    assert not grammar.parse("The cat saw the dog and the cat.", "en")


def test_homographs(write: Write) -> None:
    """One string, two words: both are found, the first in the lexicon is meant."""
    folder = write(
        {
            "abstract.lexicon.tsv": SMALL["abstract.lexicon.tsv"] + "cat/animal\tN\n",
            "en.lexicon.tsv": SMALL["en.lexicon.tsv"] + "cat/animal\tcat\n",
            "ja.lexicon.tsv": SMALL["ja.lexicon.tsv"] + "cat/animal\t猫\n",
        }
    )
    parse = Grammar.load(folder).parse("The cat slept.", "en")
    assert [tree.words()[0] for tree in parse.trees()] == ["cat", "cat/animal"]


def test_circular_rules_end(write: Write) -> None:
    """A rule that changes nothing does not hang the parser."""
    folder = write(
        {
            "abstract.grammar": SMALL["abstract.grammar"] + "again : NP -> NP\n",
            "en.grammar": SMALL["en.grammar"] + "again = NP\n",
            "ja.grammar": SMALL["ja.grammar"] + "again = NP\n",
        }
    )
    parse = Grammar.load(folder).parse("The cat slept.", "en")
    assert "decl(def(cat), sleep_(sleep))" in {str(tree) for tree in parse.trees(10)}


def test_left_and_right_recursion(write: Write) -> None:
    """Long chains of either direction parse."""
    grammar = Grammar.load(write())
    for text, language in (
        ("The cat " + "beside the dog " * 200 + "slept.", "en"),
        ("犬の横の" * 200 + "猫が眠った。", "ja"),
    ):
        tree = grammar.parse(text, language).tree
        assert tree is not None
        assert tree.depth("pp") == 200


def test_preferences(write: Write) -> None:
    """shallow, few and many turn the choice around."""
    extra = "at : VP -> *V2 obj:NP loc:NP {pp}\n"
    lines = {
        "en.grammar": SMALL["en.grammar"] + 'at = V2 obj "beside" loc\n',
        "ja.grammar": SMALL["ja.grammar"] + 'at = loc "の横で" obj "を" V2\n',
    }
    text = "The cat saw the dog beside the house."
    chosen = {}
    for prefer in ("deep {pp}", "shallow {pp}", "few beside", "many beside"):
        grammar = Grammar.load(
            write(
                {
                    "abstract.grammar": SMALL["abstract.grammar"] + extra + f"%prefer {prefer}\n",
                    **lines,
                }
            )
        )
        tree = grammar.parse(text, "en").tree
        assert tree is not None
        chosen[prefer] = "at" in tree.labels()
    assert chosen == {
        "deep {pp}": False,
        "shallow {pp}": True,
        "few beside": True,
        "many beside": False,
    }


def test_texts_share_an_analysis_where_their_parts_fit_alike(write: Write) -> None:
    """Parts of a word that stand apart are looked up for each text, and analysed once."""
    words = range(12)
    folder = write(
        {
            "abstract.grammar": "%start S\nsay: S -> N\n",
            "abstract.lexicon.tsv": "id\tcat\n" + "".join(f"n{i}\tN\n" for i in words),
            "xx.grammar": 'say = "one" N.cl N\n',
            "xx.lexicon.tsv": "id\tform\tcl\n" + "".join(f"n{i}\tn{i}\tc{i}\n" for i in words),
        }
    )
    grammar = Grammar.load(folder)
    for i in words:
        assert str(grammar.parse(f"one c{i} n{i}", "xx").tree) == f"say(n{i})"
        assert not grammar.parse(f"one c{i} n{(i + 1) % 12}", "xx").ok
    failure = grammar.parse("one c3 n5", "xx").failure
    assert failure is not None
    assert failure.message == "no word has the parts 'c3' and 'n5'"
    assert (failure.offset, failure.expected) == (4, ('"c5"',))
    parser = grammar.parser("xx")
    assert sum(isinstance(kept, Forest) for kept in parser.analyser.forests.values()) == 1


def test_words_that_could_have_come_fit_what_was_read(toy: Grammar) -> None:
    """After *die* these are feminine nouns."""
    failure = toy.parse("Die Hund schlief.", "de").failure
    assert failure is not None
    found = {name: toy.parser("de").words_of(failure, name) for name in failure.expected}
    plural = ["Katzen", "Hunde", "Frösche", "Elefanten", "Kinder"]
    assert found == {"N<animate>.pl.nom": plural, "N<animate>.sg.nom": ["Katze"]}


def test_what_is_too_much_is_told_with_its_place(toy: Grammar) -> None:
    """Nothing is expected behind the end, a word before it."""
    failure = toy.parse("The cat slept. the", "en").failure
    assert failure is not None
    assert failure.message == "stopped before 'the' at character 16; expected the end"
    failure = toy.parse("The cat the", "en").failure
    assert failure is not None
    assert failure.message.startswith("stopped before 'the' at character 9; expected ")
    assert not failure.message.endswith("the end")


def test_a_word_that_is_heard_does_not_fit_one_that_is_silent(write: Write) -> None:
    """The part that is missing has no place to point to."""
    folder = write(
        {
            "abstract.grammar": "%start S\nsay: S -> N\n",
            "abstract.lexicon.tsv": "id\tcat\nbook\tN\npeace\tN\n",
            "xx.grammar": 'say = "one" N.cl N\n',
            "xx.lexicon.tsv": 'id\tform\tcl\nbook\tbook\tvolume\npeace\tpeace\t""\n',
        }
    )
    grammar = Grammar.load(folder)
    assert grammar.parse("one volume book", "xx").ok
    assert grammar.parse("one peace", "xx").ok
    failure = grammar.parse("one book", "xx").failure
    assert failure is not None
    assert (failure.message, failure.offset) == ("its parts do not fit together", 0)


def test_a_text_is_read_however_its_letters_are_composed(toy: Grammar) -> None:
    """Letters with their marks apart (NFD) are the same text."""
    text = "Kedi köpeği gördü."
    assert unicodedata.normalize("NFD", text) != text
    parser = toy.parser("tr")
    assert parser.parse(unicodedata.normalize("NFD", text)).tree == parser.parse(text).tree
    assert parser.parse(text).tree is not None


@pytest.mark.parametrize(("kind", "most"), [("Chart", 120), ("PackedForest", 30)])
def test_what_was_cut_short_is_no_analysis(
    toy: Grammar, monkeypatch: pytest.MonkeyPatch, kind: str, most: int
) -> None:
    """A chart or a forest beyond its budget may lack readings: none is better than some."""
    cut_short: list[bool] = []
    original = getattr(analysis, kind)

    def watched(*given: Any, **options: Any) -> Any:
        made = original(*given, **options)
        cut_short.append(made.truncated)
        return made

    monkeypatch.setattr(analysis, kind, watched)
    text = "The frog that the child that saw the dog beside the tree found watched the child."
    found = []
    for limit in range(most):
        budget = Budget(items=limit) if kind == "Chart" else Budget(alternatives=limit)
        parser = Parser(toy.concrete("en"), budget)
        found.append(parser.parse(text).tree is not None)
        assert found[-1] != cut_short[-1]
    assert set(found) == {True, False}


def test_what_is_too_much_is_told(toy: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks why a text has no analysis learns that nobody looked to the end."""
    monkeypatch.setattr("recombine.grammar.parsing.chart.MAX_ITEMS", 3)
    failure = toy.parser("en").explain("The cat slept.")
    assert failure.message == "the text is too long or too ambiguous to be parsed"
    assert (failure.offset, failure.expected, failure.unknown) == (0, (), False)


def test_what_was_too_much_for_a_small_budget_is_analysed_for_a_bigger_one(toy):
    """A refusal is remembered with its budget, not as a text without an analysis."""
    parser = Parser(toy.concrete("en"), Budget(items=5_000))
    text = "The cat thought that a cat found the dog."
    assert not parser.parse(text, Budget(items=3))
    assert parser.parse(text)
    assert parser.parse(text, Budget(items=3))  # known by now


def test_a_parser_without_a_budget_analyses_what_was_too_much_for_one(toy):
    """Both limits of a small budget are smaller than none."""
    parser = Parser(toy.concrete("en"))
    text = "The cat thought that a cat found the dog."
    assert not parser.parse(text, Budget(items=3, alternatives=3))
    assert parser.parse(text)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_backwards_the_same_trees_are_found(toy, language):
    """A text read from the right has the readings that it has from the left."""
    forwards = Parser(toy.concrete(language))
    backwards = Parser(toy.concrete(language), backwards=True)
    several = 0
    for tree in toy.sample(60, seed=7):
        text = toy.text(tree, language)
        found = {str(one) for one in backwards.parse(text).trees()}
        assert found == {str(one) for one in forwards.parse(text).trees()}
        assert str(tree) in found
        several += len(found) > 1
        cut = text[: len(text) // 2]
        assert backwards.parse(cut).count == forwards.parse(cut).count
    assert several
