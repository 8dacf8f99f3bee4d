"""Verdicts and what explains them, by a grammar of two languages that is small enough to read."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.grammar.tree import Tree
from recombine.metrics.meaning.judge import (
    MOST_LETTERS,
    MeaningJudge,
    MeaningVerdict,
)
from recombine.metrics.meaning.metric import detail_of, lexicon_rows
from recombine.metrics.meaning.unread import FEWEST_WORDS

FILES = {
    "abstract.grammar": """\
%start Text
tell  : Text -> S
ask   : Text -> S
act   : S -> subj:NP *V obj:NP {clause}
now   : S -> subj:NP *V obj:NP {clause present}
say   : S -> subj:NP *C that:S {clause}
np    : NP -> N
at    : NP -> *N place:NP
""",
    "abstract.lexicon.tsv": (
        "id\tcat\ncat\tN\nkitty\tN\ndog\tN\nfox\tN\nsee\tV\nlike\tV\nclaim\tC\n"
    ),
    # Who sees whom "by" what is written alike where it hangs on the one or on the other.
    "en.grammar": """\
tell = S "."
ask = "is" "it" "that" S "?"
act = subj V.past obj
now = subj V.pres obj
say = subj C.past "that" that
np = "the" N
at = "the" N "by" place
""",
    "en.lexicon.tsv": (
        "id\tform\tpast\tpres\ncat\tcat\t\t\nkitty\tkitty\t\t\ndog\tdog\t\t\n"
        "fox\tfox\t\t\nsee\tsee\tsaw\tsees\nlike\tlike\tliked\tlikes\n"
        "claim\tclaim\tclaimed\t\n"
    ),
    "xx.grammar": """\
tell = S "da"
ask = S "ka"
act = subj "ga" obj "o" V.past
now = subj "ga" obj "o" V.pres
say = subj "ga" that "to" C.past
np = N
at = place "no" N
""",
    # One word for cat and kitty.
    "xx.lexicon.tsv": (
        "id\tform\tpast\tpres\ncat\tneko\t\t\nkitty\tneko\t\t\ndog\tinu\t\t\n"
        "fox\tkitsune\t\t\nsee\tmiru\tmita\tmiru\nlike\tsuku\tsuita\tsuku\n"
        "claim\tiu\titta\t\n"
    ),
    "variants/abstract.grammar": '%question "a question" : ask\n',
    "variants/xx.grammar": '%ignore ","\n',
    "variants/xx.lexicon.tsv": "id\tform\tpast\nsee\tnozoku\tnozoita\n",
    "variants/en.lexicon.tsv": "id\tform\tpast\nsee\tspot\tspotted\n",
}


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grammar, str]:
    """The grammar and where it lies."""
    folder = tmp_path_factory.mktemp("judge") / "small"
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return Grammar.load(folder), str(folder)


@pytest.fixture(scope="module")
def judge(grammar: tuple[Grammar, str]) -> MeaningJudge:
    """From English into the other language."""
    return MeaningJudge(*grammar, "en", "xx")


@pytest.fixture(scope="module")
def backwards(grammar: tuple[Grammar, str]) -> MeaningJudge:
    """From the other language into English."""
    return MeaningJudge(*grammar, "xx", "en")


SAW = "the cat saw the dog ."


def verdict(judge: MeaningJudge, source: str, hypothesis: str, *references: str) -> MeaningVerdict:
    """The verdict on a translation of a source."""
    return judge.judge(judge.meant(source, references), hypothesis)


@pytest.mark.parametrize(
    ("source", "hypothesis", "findings"),
    [
        (SAW, "neko ga inu o mita da", []),
        (SAW, "neko ga, inu o nozoita da", []),
        (SAW, "neko ga inu o miru da", [("tense", ("cat", "present"))]),
        ("the cat sees the dog .", "neko ga inu o mita da", [("tense", ("see", "past"))]),
        (SAW, "neko ga inu o mita ka", [("question", ("a question", "a statement"))]),
        (
            "is it that the cat saw the dog ?",
            "neko ga inu o mita da",
            [("question", ("a statement", "a question"))],
        ),
        (SAW, "inu ga neko o mita da", [("role", ())]),
        (SAW, "neko ga kitsune o mita da", [("word", ())]),
        (SAW, "neko ga inu o suita da", [("word", ())]),
        (
            "the cat by the fox saw the dog .",
            "neko ga kitsune no inu o mita da",
            [("attachment", ())],
        ),
    ],
)
def test_what_is_said_otherwise_is_named(
    judge: MeaningJudge, source: str, hypothesis: str, findings: list[tuple[str, tuple[str, ...]]]
) -> None:
    """Tense, question, role, word and attachment, each by itself; nothing where all is said."""
    seen = verdict(judge, source, hypothesis)
    assert seen.kind == ("different" if findings else "same"), seen
    assert [finding.kind for finding in seen.findings] == [kind for kind, _ in findings]
    for finding, (kind, arguments) in zip(seen.findings, findings, strict=True):
        if kind == "question":
            assert finding.arguments == arguments
        elif kind == "tense":
            assert finding.arguments[1:] == arguments[1:]


def test_levels_that_are_lost_are_counted(judge: MeaningJudge) -> None:
    """Three clauses in each other, of which one is said."""
    source = "the cat claimed that the fox claimed that the cat saw the dog ."
    right = "neko ga kitsune ga neko ga inu o mita to itta to itta da"
    assert verdict(judge, source, right).kind == "same"
    seen = verdict(judge, source, "neko ga neko ga inu o mita to itta da")
    assert seen.kind == "different"
    depth = next(finding for finding in seen.findings if finding.kind == "depth")
    assert depth.arguments[-2:] == ("2", "3")


def test_a_word_that_the_source_has_for_both_is_free(backwards: MeaningJudge) -> None:
    """It has one for cat and kitty, so either is right; not if it hangs elsewhere."""
    source = "neko ga inu o mita da"
    for hypothesis in (SAW, "the kitty saw the dog .", "the kitty spotted the dog ."):
        assert verdict(backwards, source, hypothesis, SAW).kind == "same", hypothesis
    assert verdict(backwards, source, "the fox saw the dog .", SAW).kind == "different"
    assert verdict(backwards, source, "the dog saw the kitty .", SAW).kind == "different"


def test_the_reference_says_which_reading_is_meant(backwards: MeaningJudge) -> None:
    """Of several readings those that are said as a reference; else the first of them."""

    def texts(*references: str) -> list[str]:
        trees = backwards.meant("neko ga inu o mita da", references)
        return [backwards.grammar.text(tree, "en") for tree in trees]

    assert texts(SAW) == [SAW]
    assert texts("the kitty saw the dog .") == ["the kitty saw the dog ."]
    assert sorted(texts(SAW, "the kitty saw the dog .")) == sorted([SAW, "the kitty saw the dog ."])
    assert len(texts("somebody saw something .")) == 1
    assert len(texts()) == 1


def test_a_source_in_other_words_is_read_by_its_reference(judge: MeaningJudge) -> None:
    """The first reference that can be read; without one there is no meaning."""
    trees = judge.meant("a feline beheld a canine .", ("miau", "neko ga inu o mita da"))
    assert [judge.grammar.text(tree, "xx") for tree in trees] == ["neko ga inu o mita da"]
    assert judge.meant("a feline beheld a canine .", ("miau",)) == []


def meant(judge: MeaningJudge) -> list[Tree]:
    """What SAW means."""
    return judge.meant(SAW, ())


def test_so_many_letters_are_read(judge: MeaningJudge) -> None:
    """Longer texts are refused by their length, before anything is asked of them."""
    text = "neko ga inu o mita da"
    padded = "inu " * 200
    at_most, longer = padded[: MOST_LETTERS - 1] + "x", padded[:MOST_LETTERS] + "x"
    assert (len(at_most), len(longer)) == (MOST_LETTERS, MOST_LETTERS + 1)
    assert "longer" not in judge.judge(meant(judge), at_most).note
    seen = judge.judge(meant(judge), longer)
    assert (seen.kind, seen.note) == ("outside", f"longer than {MOST_LETTERS} letters")
    # What is ignored has no part in the length, but nobody writes so much of it.
    commas = text.replace("ga", "ga" + "," * MOST_LETTERS)
    assert judge.judge(meant(judge), commas).kind == "same"
    assert judge.judge(meant(judge), commas + "," * 4 * MOST_LETTERS).kind == "outside"


def test_what_is_no_translation_is_different(judge: MeaningJudge) -> None:
    """Three words that the target language has not, or a sentence of the source."""
    for hypothesis in ("lorem ipsum dolor", "lorem ipsum dolor sit"):
        seen = judge.judge(meant(judge), hypothesis)
        assert (seen.kind, seen.note) == ("different", "no word of the target language")
    assert len(["lorem", "ipsum"]) < FEWEST_WORDS
    assert judge.judge(meant(judge), "lorem ipsum").kind == "outside"
    assert judge.judge(meant(judge), "lorem neko dolor").kind == "outside"
    assert judge.judge(meant(judge), "the cat saw the dog .").kind == "different"


def test_where_reading_ended_is_said(judge: MeaningJudge) -> None:
    """The unknown word, and which words of the source have no form in the text."""
    seen = judge.judge(meant(judge), "neko ga inu o kaida da")
    assert (seen.kind, seen.unknown, seen.unsaid) == ("outside", "kaida", ("see",))
    assert seen.note == "not understood from “kaida” on"
    first = judge.judge(meant(judge), "tama ga inu o mita da")
    assert (first.unknown, first.unsaid) == ("tama", ("cat",))
    lost = judge.judge(meant(judge), "neko neko ga ga mita")  # no dog, and nothing unknown
    assert (lost.kind, lost.explanation) == ("different", "word not said: dog")
    known = judge.judge(meant(judge), "neko inu ga ga mita")
    assert (known.kind, known.unknown, known.unsaid) == ("outside", "", ())
    assert known.note == "its words make no sentence that the grammar and its variants know"


def test_a_verdict_as_plain_data(judge: MeaningJudge) -> None:
    """Its class, why, and the two meanings with what differs marked."""
    assert detail_of(verdict(judge, SAW, "neko ga inu o mita da")) == {"class": "same"}
    assert detail_of(verdict(judge, SAW, "neko ga kitsune o mita da")) == {
        "class": "different",
        "explanation": "word: wrong word: fox for dog"
        " · meant see(subj cat, obj «dog») · said see(subj cat, obj «fox»)",
        "findings": [["word", "shown by", "wrong word", "for", "fox", "dog"]],
        "meant": "see(subj cat, obj «dog»)",
        "said": "see(subj cat, obj «fox»)",
    }
    outside = detail_of(verdict(judge, SAW, "neko ga inu o kaida da"))
    assert outside["unknown"] == "kaida"
    assert outside["unsaid"] == ["see"]
    assert "said" not in outside
    assert outside["meant"].startswith("«see»")


def test_an_unknown_word_stands_for_what_it_replaces_most_often() -> None:
    """Ties are all given; the most frequent first, then by the word itself."""
    details = [
        {"class": "outside", "unknown": "kaida", "unsaid": ["see"]},
        {"class": "outside", "unknown": "kaida", "unsaid": ["see", "dog"]},
        {"class": "outside", "unknown": "tama", "unsaid": ["cat", "kitty"]},
        {"class": "outside", "unknown": "aka", "unsaid": ["fox"]},
        {"class": "outside", "unknown": "", "unsaid": []},
        {"class": "same"},
    ]
    assert lexicon_rows(details) == [
        ("see", "kaida"),
        ("fox", "aka"),
        ("cat", "tama"),
        ("kitty", "tama"),
    ]
