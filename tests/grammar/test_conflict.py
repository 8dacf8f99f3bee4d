"""Source sentences with more than one target."""

from __future__ import annotations

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar, Tree
from recombine.grammar.check import check_conflicts, note_conflicts

HOMOGRAPH = {
    "abstract.lexicon.tsv": SMALL["abstract.lexicon.tsv"] + "bat_animal\tN\nbat_club\tN\n",
    "en.lexicon.tsv": SMALL["en.lexicon.tsv"] + "bat_animal\tbat\nbat_club\tbat\n",
    "ja.lexicon.tsv": SMALL["ja.lexicon.tsv"] + "bat_animal\t蝙蝠\nbat_club\t棒\n",
}


def trees(grammar: Grammar, *words: str) -> list[Tree]:
    """One sentence per subject."""
    return [grammar.tree(f"decl(def({word}), sleep_(sleep))") for word in words]


def test_conflict_names_targets_and_trees(write: Write) -> None:
    """A homograph gives one conflict, with every target once and a tree for each."""
    grammar = Grammar.load(write(HOMOGRAPH))
    drawn = trees(grammar, "bat_animal", "cat", "bat_club", "bat_animal")
    (conflict,) = check_conflicts(drawn, grammar.realiser, "en", "ja")
    assert conflict.source == "The bat slept."
    assert conflict.targets == ("蝙蝠が眠った。", "棒が眠った。")
    assert conflict.trees == (drawn[0], drawn[2])


def test_direction_matters(write: Write) -> None:
    """Two words for one are a conflict in one direction only."""
    grammar = Grammar.load(write(HOMOGRAPH))
    drawn = trees(grammar, "bat_animal", "bat_club")
    assert check_conflicts(drawn, grammar.realiser, "ja", "en") == []


def test_repeated_pairs_are_no_conflict(small: Grammar) -> None:
    """The same sentence drawn twice with the same target is fine."""
    assert check_conflicts(trees(small, "cat", "cat"), small.realiser, "en", "ja") == []


def test_notes_name_direction_and_example(write: Write) -> None:
    """Only the ambiguous direction is noted, with a sentence and its translations."""
    (note,) = note_conflicts(Grammar.load(write(HOMOGRAPH)), count=500)
    assert note.startswith("en-ja: of 500 sentences drawn, ")
    example = note.partition("such as: ")[2]
    source, targets = example.split(" -> ")
    assert source == "The bat slept."
    assert set(targets.split(" | ")) == {"蝙蝠が眠った。", "棒が眠った。"}
    assert note_conflicts(Grammar.load(write(HOMOGRAPH)), count=500) == [note]


def test_no_notes_without_ambiguity(small: Grammar) -> None:
    """A grammar whose languages keep everything apart has nothing to note."""
    assert note_conflicts(small, count=500) == []


def test_shipped_sources_are_unambiguous(toy: Grammar) -> None:
    """The direction that the shipped benchmarks use, from English, has no conflict."""
    for grammar in (toy, Grammar.load("sget"), Grammar.load("paradox")):
        assert [note for note in note_conflicts(grammar) if note.startswith("en-")] == []


def test_a_grammar_that_draws_nothing_has_no_notes(write: Write) -> None:
    """Rules that are left to splits, with weight 0, are no crash."""
    text = SMALL["abstract.grammar"].replace("*VP\n", "*VP [0]\n", 1)
    assert note_conflicts(Grammar.load(write({"abstract.grammar": text}))) == []
