"""A little Italian: what a language needs that agrees, elides, contracts and changes its stems."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import Write, is_read
from recombine.grammar import Grammar, check_grammar

ABSTRACT = """
%start S
%each role Role = agent Agent | object Object
decl : S -> subj:Agent *VP
bare : S -> N                          [0]
move : VP -> V1
trans : VP -> *V2 obj:Object
of   : VP -> *V2 obj:Object poss:Agent
${role}_noun : $Role -> N
${role}_both : $Role -> first:N second:N  {both}
"""
ITALIAN = """
%post sentence_case
%sound vowel = "a" "e" "i" "o" "u"
%touch "il" -> "lo" before "z" "gn" "st" "sp"
%touch "il" -> "l'" + before vowel
%touch "la" -> "l'" + before vowel
%touch "di il" -> "del"
%touch "di lo" -> "dello"
%touch "di l'" -> "dell'"
%touch "di la" -> "della"
%each role = agent object
decl = subj VP[subj.num, subj.gender] + "."
bare = N
move.* = "è" V1[part]
move[sg, m] = "è" V1.part + "o"
move[sg, f] = "è" V1.part + "a"
move[pl, m] = "sono" V1.part + "i"
move[pl, f] = "sono" V1.part + "e"
trans.* = V2.* obj
trans[sg, g] = V2.sg obj
trans[pl, g] = V2.pl obj
of[sg, g] = V2.sg obj "di" poss
of[pl, g] = V2.pl obj "di" poss
%param g = m f
${role}_noun = _the[N.gender] N
${role}_noun.gender = N.gender
${role}_noun.num = "sg"
${role}_both = _the[first.gender] first "e" _the[second.gender] second
${role}_both.gender = _together[first.gender, second.gender]
${role}_both.num = "pl"
"""
LEXICON = """id\tform\tgender
cat\tgatto\tm
friend\tamica\tf
uncle\tzio\tm
queen\tregina\tf
id\tform\tclass\tsg\tpl
leave\tpartire\tire
see\tvedere\tere
seek\tmuovere\tuo
id\tm\tf
_the\til\tla
id\tm.m\tm.f\tf.m\tf.f
_together\tm\tm\tm\tf
"""
PARADIGMS = """class\tending\tpart\tsg\tpl
ire\tire\tire>it\tire>e\tire>ono
ere\tere\tere>ut\tere>e\tere>ono
uo\tere\tri+ uo~o ere>ut\tri+ere>e\tuo~o ere>ono
"""
WORDS = "id\tcat\ncat\tN\nfriend\tN\nuncle\tN\nqueen\tN\nleave\tV1\nsee\tV2\nseek\tV2\n"
FILES = {
    "abstract.grammar": ABSTRACT,
    "abstract.lexicon.tsv": WORDS,
    "it.grammar": ITALIAN,
    "it.lexicon.tsv": LEXICON,
    "it.paradigms.tsv": PARADIGMS,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The grammar's files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ("decl(agent_noun(cat), move(leave))", "Il gatto è partito."),
        ("decl(agent_noun(friend), move(leave))", "L'amica è partita."),
        ("decl(agent_both(cat, friend), move(leave))", "Il gatto e l'amica sono partiti."),
        ("decl(agent_both(queen, friend), move(leave))", "La regina e l'amica sono partite."),
        (
            "decl(agent_noun(uncle), of(see, object_noun(friend), agent_noun(uncle)))",
            "Lo zio vede l'amica dello zio.",
        ),
        (
            "decl(agent_both(cat, uncle), of(seek, object_noun(cat), agent_noun(friend)))",
            "Il gatto e lo zio movono il gatto dell'amica.",
        ),
        (
            "decl(agent_noun(cat), of(see, object_noun(queen), agent_both(cat, queen)))",
            "Il gatto vede la regina del gatto e la regina.",
        ),
        ("bare(cat)", "gatto"),
    ],
)
def test_every_sentence_is_written_and_read(folder: Path, tree: str, text: str) -> None:
    """Articles elide and contract, two genders make one, stems change; reading undoes it all."""
    grammar = Grammar.load(folder)
    meant = grammar.tree(tree)
    assert grammar.text(meant, "it") == text
    assert grammar.realise(meant, "it").text == text
    parse = grammar.parse(text, "it")
    assert is_read(meant, parse), parse.failure


def test_the_grammar_has_no_problem_and_parses_all_it_says(folder: Path) -> None:
    """What `check` finds nothing wrong with is realised and parsed back, sentence by sentence."""
    assert check_grammar(folder) == []
    grammar = Grammar.load(folder)
    for tree, (text,) in grammar.sentences(200, ["it"], seed=3):
        parse = grammar.parse(text, "it")
        assert is_read(tree, parse), text


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "said"),
    [
        ("it.grammar", '"z" "gn"', "consonant", 4, "the name of a %sound line (vowel), found"),
        ("it.grammar", '%touch "il" -> "lo"', '%touch "il" "lo"', 4, "expected '->'"),
        ("it.grammar", '"di lo" ->', '"di lo zio" ->', 8, "'di lo zio' has more than two words"),
        ("it.grammar", "%post sentence_case", '%join ""', 4, "no spaces between words"),
        ("it.grammar", '= "a" "e"', '= "" "e"', 3, "sounds are quoted beginnings"),
        ("it.grammar", "${role}_noun = ", "$role_noun = ", 25, "no %each line"),
        ("it.grammar", "%each role = agent object", "%each role verb = agent | x y", 11, "needs 2"),
        ("it.grammar", "${role}_both.num", "${role}_noun.num", 30, "is given twice"),
        ("it.lexicon.tsv", "m.m\t", "m.x\t", 13, "'_together' has no 'm.m'"),
        ("it.paradigms.tsv", "uo~o ere>ut", "ea~o ere>ut", 9, "has no 'ea' in its stem"),
        ("it.paradigms.tsv", "ri+ uo~o ere>ut", "ri+ uo~o", 4, "is not an ending"),
    ],
)
def test_mistakes_have_a_place(
    folder: Path, name: str, old: str, new: str, line: int, said: str
) -> None:
    """Every new notation says what is wrong with it, and in which line."""
    text = FILES[name].replace(old, new)
    assert text != FILES[name]
    (folder / name).write_text(text, encoding="utf-8")
    problems = [p for p in check_grammar(folder) if said in p.message]
    assert problems, [p.message for p in check_grammar(folder)]
    assert problems[0].where is not None
    assert problems[0].where.line == line


def test_rows_of_a_family_go_together(write: Write) -> None:
    """Several variables of one %each line take the values of a row; two lines every pair."""
    english = """
%each rule word = decl subj | sleep_ V1
%each x = "a"
%post capitalise
decl   = subj VP + "."
$rule.${x}b$x = $word
sleep_ = V1
trans  = V2 obj
def    = "the" N
beside = "the" N "beside" loc
"""
    grammar = Grammar.load(write({"en.grammar": english}))
    lines = grammar.source.languages["en"].lines
    assert ("decl", "aba") in lines
    assert ("sleep_", "aba") in lines
    assert ("sleep_", "form") in lines
