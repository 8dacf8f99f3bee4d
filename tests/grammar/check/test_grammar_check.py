"""What check proves about a grammar, with file, line and hint, and the conflicts it notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError
from recombine.grammar import (
    Grammar,
    Tree,
    check_conflicts,
    check_grammar,
    note_conflicts,
    shipped_grammars,
)

PAIRS = "role\tgovernor\tdependent\n"
ABSTRACT = SMALL["abstract.grammar"]
EN = SMALL["en.grammar"]
WORDS = SMALL["abstract.lexicon.tsv"]


@pytest.mark.parametrize("name", shipped_grammars())
def test_shipped_grammars_are_clean(name: str) -> None:
    """Every grammar we ship, with all editions, has no problem."""
    assert [str(problem) for problem in check_grammar(name)] == []


PROBLEMS = [
    ("abstract.grammar", ABSTRACT + "x : NP -> Noun\n", "needs 'Noun'", "abstract.grammar:8"),
    (
        "abstract.grammar",
        ABSTRACT + "x : NP -> N<red>\n",
        "no word is 'N<red>'",
        "abstract.grammar:8",
    ),
    ("abstract.grammar", ABSTRACT + "x : NP -> NP<red>\n", "only words have classes", "grammar:8"),
    (
        "abstract.grammar",
        ABSTRACT + "cat : NP -> N\n",
        "both a rule and a word",
        "abstract.grammar:8",
    ),
    ("abstract.grammar", ABSTRACT + "x : V2 -> N\n", "rules and words", "abstract.lexicon.tsv:5"),
    ("abstract.grammar", ABSTRACT + "x : X -> N\n", "cannot be reached", "abstract.grammar:8"),
    (
        "abstract.grammar",
        ABSTRACT + "x : NP -> X\ny : X -> X N\n",
        "never ends",
        "abstract.grammar:9",
    ),
    ("abstract.grammar", ABSTRACT.replace("%start S", "%start T"), "no category 'T'", "grammar:"),
    ("abstract.grammar", ABSTRACT + "%prefer deep {xx}\n", "nothing is called 'xx'", "grammar:8"),
    ("abstract.grammar", ABSTRACT + "%select o : x.V x.N\n", "no rule 'x'", "abstract.grammar:8"),
    ("abstract.grammar", ABSTRACT + "%select o : trans.V2 trans.N\n", "no slot 'N'", "grammar:8"),
    ("abstract.grammar", ABSTRACT + "%select o : def > def.X def\n", "no slot 'X'", "grammar:8"),
    ("abstract.grammar", ABSTRACT + "%select o : def def.N >> X\n", "of category 'X'", "grammar:8"),
    ("abstract.grammar", ABSTRACT + "%select o : def def.N\n", "no pair has the role", "grammar:8"),
    ("abstract.grammar", ABSTRACT + "%mend o : def def.N else x\n", "no word 'x'", "grammar:8"),
    (
        "abstract.pairs.tsv",
        PAIRS + "o\tsee\t<pet>\n",
        "nothing in the grammar has the class 'pet'",
        "pairs.tsv:2",
    ),
    ("abstract.pairs.tsv", PAIRS + "o\tseen\tcat\n", "no rule or word 'seen'", "pairs.tsv:2"),
    ("abstract.pairs.tsv", PAIRS + "o\tsee\tcat\n", "no %select line", "pairs.tsv:2"),
    ("abstract.lexicon.tsv", WORDS + "bird\tN\n", "has no row", "abstract.lexicon.tsv:7"),
    ("abstract.lexicon.tsv", WORDS + "up\tAdv\n", "cannot be reached", "abstract.lexicon.tsv:7"),
    ("en.grammar", EN.replace("sleep_ = V1\n", ""), "no line 'sleep_'", "en.grammar"),
    ("en.grammar", EN + "slip = V1\n", "no rule 'slip'", "en.grammar:8"),
    ("en.grammar", EN.replace("V2 obj", "V2 ob"), "no slot 'ob'", "en.grammar:5"),
    ("en.grammar", EN.replace("V2 obj", "V2.past obj"), "no 'past', needed by 'trans'", "tsv:5"),
    ("en.grammar", EN.replace("V2 obj", "V2 _x[a] obj"), "no table '_x'", "en.grammar"),
    ("en.grammar", EN.replace("V2 obj", "V2 obj[V2.g]"), "used as a feature", "lexicon.tsv:5"),
    ("en.lexicon.tsv", SMALL["en.lexicon.tsv"] + "brid\tbird\n", "not in the abstract", "tsv:7"),
    ("en.lexicon.tsv", "id\tform\tclass\ncat\tcat\tx\n", "no paradigm 'x'", "en.lexicon.tsv:2"),
]


@pytest.mark.parametrize(("name", "text", "words", "place"), PROBLEMS)
def test_each_problem(write: Write, name: str, text: str, words: str, place: str) -> None:
    """Each kind of problem is found where it is."""
    found = check_grammar(write({name: text}))
    fitting = [problem for problem in found if words in problem.message]
    assert fitting, [str(problem) for problem in found]
    assert place in str(fitting[0].where)


def test_trees_that_double_at_every_level(write: Write) -> None:
    """A smallest tree of 2^40 leaves is refused before anything tries to draw it."""
    levels = range(40)
    rules = "".join(f"x{n} : X{n} -> a:X{n + 1} b:X{n + 1}\n" for n in levels) + "y : X40 -> S\n"
    lines = "".join(f"x{n} = a b\n" for n in levels) + "y = S\n"
    folder = write(
        {
            "abstract.grammar": ABSTRACT.replace("%start S", "%start X0") + rules,
            **{f"{code}.grammar": SMALL[f"{code}.grammar"] + lines for code in ("en", "ja")},
        }
    )
    (problem,) = check_grammar(folder)
    assert "the smallest tree of 'X0' has" in problem.message
    assert "abstract.grammar:8" in str(problem.where)
    with pytest.raises(GrammarError, match="smallest tree"):
        list(Grammar.load(folder).sample(1))


def test_all_at_once_with_caret(write: Write) -> None:
    """Several problems come together; the caret stands under the name."""
    found = check_grammar(
        write({"en.grammar": EN.replace("V2 obj", "V2 ob").replace("= V1", "= V")})
    )
    assert len(found) >= 2
    text = next(p for p in found if "'ob'" in p.message).render()
    line, caret = text.split("\n")[1:3]
    assert line[caret.index("^") :].startswith("ob")
    assert "did you mean 'obj'" in text


def test_circles(write: Write) -> None:
    """A rule that can repeat without a word is reported."""
    folder = write(
        {
            "abstract.grammar": ABSTRACT + "again : NP -> NP\n",
            "en.grammar": EN + "again = NP\n",
            "ja.grammar": SMALL["ja.grammar"] + 'again = "お" NP\n',
        }
    )
    (problem,) = check_grammar(folder)
    assert problem.message.startswith("en: rule 'again' can repeat")


def test_editions_are_checked(write: Write) -> None:
    """A mistake in an edition is found without asking for it."""
    folder = write({"editions/old/en.grammar": "def = Nn\n"})
    (problem,) = check_grammar(folder)
    assert "no slot 'Nn'" in problem.message
    assert problem.where is not None
    assert Path(problem.where.path).parent.name == "old"


def test_no_such_grammar() -> None:
    """A name that is no grammar is a problem, not a crash."""
    assert "no grammar" in check_grammar("nothing-like-it")[0].message


def test_source_conflicts(toy: Grammar) -> None:
    """One English sentence with two Japanese ones is found among drawn trees."""
    low = toy.tree("say(decl(past, def(cat), trans(see, beside(dog, place(house)))))")
    high = toy.tree("say(decl(past, def(cat), transat(see, def(dog), place(house))))")
    assert check_conflicts([low, high], toy.realiser, "en", "de") == []
    (conflict,) = check_conflicts([low, high, low], toy.realiser, "en", "ja")
    assert conflict.source == "The cat saw the dog beside the house."
    assert len(conflict.targets) == 2


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


def test_unmarked_rules_must_be_readable_otherwise(write: Write) -> None:
    """What a language says it does not mark has another reading, or the claim is refused."""
    abstract = SMALL["abstract.grammar"] + "now : S -> subj:NP VP [0]\n"
    alike = {"abstract.grammar": abstract}
    english, japanese = SMALL["en.grammar"], SMALL["ja.grammar"]
    said = {
        "en.grammar": english + '%unmarked now\nnow = subj VP + "."\n',
        "ja.grammar": japanese + 'now = "今" subj VP "。"\n',
    }
    assert check_grammar(write({**alike, **said})) == []
    wrong = {**alike, **said, "ja.grammar": said["ja.grammar"] + "%unmarked now nowhere\n"}
    unreadable, unknown = sorted(one.message for one in check_grammar(write(wrong)))
    assert "cannot be read in another way" in unreadable
    assert unknown == "%unmarked: no rule 'nowhere'"


PARTIAL = {
    "abstract.grammar": SMALL["abstract.grammar"].replace("N  ", "D N"),
    "abstract.lexicon.tsv": WORDS + "the\tD\nbird\tN\nfish\tN\nworm\tN\nfrog\tN\n",
    "en.grammar": EN.replace('"the" N\n', "D[N.gender] N\n", 1),
    "en.lexicon.tsv": "id\tform\tgender\tm\ncat\tcat\tm\nsee\tsaw\nsleep\tslept\nthe\tthe\t\tthe\n",
}


def test_a_word_without_a_row_says_nothing_of_others(write: Write) -> None:
    """Its gender is not known, so no article lacks a form for it: one problem, and no other."""
    folder = write(PARTIAL)
    (folder / "ja.grammar").unlink()
    (folder / "ja.lexicon.tsv").unlink()
    (problem,) = check_grammar(folder)
    assert problem.message.startswith("en: 6 of 7 words of N have no row: dog, house, bird, fish")


def test_a_partial_language_is_checked_for_what_it_says(write: Write) -> None:
    """What has no row or line is left out; a gap in a row is still a problem."""
    folder = write(PARTIAL)
    (folder / "ja.grammar").unlink()
    (folder / "ja.lexicon.tsv").unlink()
    assert check_grammar(folder, partial=True) == []
    lexicon = folder / "en.lexicon.tsv"
    lexicon.write_text(lexicon.read_text("utf-8").replace("\t\tthe", ""), "utf-8")
    (problem,) = check_grammar(folder, partial=True)
    assert "'the' has no 'm'" in problem.message
