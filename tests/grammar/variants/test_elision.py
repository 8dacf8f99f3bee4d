"""What touches join is a wording like all others: matched, read by the judge, and drawn right."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.grammar import Grammar
from recombine.grammar.variants.wordings import wordings_of
from recombine.metrics.meaning.judge import MeaningJudge

FILES = {
    "abstract.grammar": """\
%start Text
tell  : Text -> S
act   : S -> subj:NP *VP
see   : VP -> *V obj:NP
report : VP -> *VC S
def   : NP -> N
indef : NP -> N
near  : NP -> *N of:NP
""",
    "abstract.lexicon.tsv": "id\tcat\nfriend\tN\ndog\tN\nschool\tN\nlove\tV\nsay\tVC\n",
    "en.grammar": """\
%post a_an sentence_case
tell = S + "."
act = subj VP
see = V obj
report = VC "that" S
def = "the" N
indef = "a" N
near = "the" N "near" of
""",
    "en.lexicon.tsv": (
        "id\tform\ta_an\nfriend\tfriend\ndog\tdog\nschool\tuniversity\ta\nlove\tloves\nsay\tsays\n"
    ),
    "fr.grammar": """\
%post sentence_case
%sound vowel = "a" "e" "é" "i" "o" "u"
%touch "le" -> "l'" + before vowel
%touch "la" -> "l'" + before vowel
%touch "que" -> "qu'" + before vowel
%touch "de" -> "d'" + before vowel
%touch "de le" -> "du"
%param g = m f
tell = S + "."
act = subj VP
see = V obj
report = VC "que" S
def = _le[N.gender] N
indef = _un[N.gender] N
near = _le[N.gender] N "près" "de" of
""",
    "fr.lexicon.tsv": (
        "id\tform\tgender\nfriend\tami\tm\ndog\tchien\tm\nschool\tuniversité\tf\n"
        "love\taime\t\nsay\tdit\t\nid\tm\tf\n_le\tle\tla\n_un\tun\tune\n"
    ),
    "variants/fr.grammar": """\
%ignore ","
%final "."
near = _le[N.gender] N "à" "côté" "de" of
""",
    "variants/fr.lexicon.tsv": (
        "id\tform\tgender\nfriend\tcopine\tf\ndog\tanimal\tm\nschool\técole\tf\n"
    ),
    "variants/en.lexicon.tsv": "id\tform\nschool\tacademy\nfriend\tally\n",
}
LOVED = "tell(act(def(friend), see(love, indef(school))))"
SAID = "tell(act(def(dog), report(say, act(near(school, def(friend)), see(love, def(friend))))))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a small grammar of English and French."""
    for name, text in FILES.items():
        path = tmp_path / "elision" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "elision"


@pytest.mark.parametrize(
    ("tree", "text", "verdict"),
    [
        (LOVED, "L'ami aime une université.", "same"),
        (LOVED, "L’ami aime une école.", "same"),
        (LOVED, "La copine aime une école.", "same"),
        (LOVED, "L'école aime un ami.", "different"),
        (SAID, "Le chien dit que l'université près de l'ami aime l'ami.", "same"),
        (SAID, "L'animal dit que l'école à côté de l'ami aime la copine.", "same"),
        (SAID, "Le chien dit qu'une université aime l'ami.", "different"),
        (SAID, "L'ami dit que l'université près du chien aime l'animal.", "different"),
    ],
)
def test_what_is_joined_is_read(folder: Path, tree: str, text: str, verdict: str) -> None:
    """Elision and contraction, of the language's own words and of synonyms, hide nothing."""
    grammar = Grammar.load(folder)
    judge = MeaningJudge(grammar, str(folder), "en", "fr")
    assert judge.judge([grammar.tree(tree)], text).kind == verdict


@pytest.mark.parametrize("language", ["en", "fr"])
def test_what_is_drawn_is_spelt_and_read_back(folder: Path, language: str) -> None:
    """A synonym takes the article of its own sound; every drawn text is a wording."""
    grammar = Grammar.load(folder)
    wordings = wordings_of(grammar, folder, language)
    drawn = [
        text
        for tree in map(grammar.tree, (LOVED, SAID))
        for text in wordings.sample(tree, 12, seed=3)
        if wordings.accepts(tree, text)
    ]
    assert len(drawn) >= 3
    everything = " ".join(drawn).casefold()
    assert not any(wrong in f" {everything}" for wrong in (" an univ", " a aca", " le a", " la é"))
    assert ("an academy" if language == "en" else "l'école") in everything


def test_every_written_sentence_is_read_back(folder: Path) -> None:
    """What the grammar writes with touches is what its parser and its wordings read."""
    grammar = Grammar.load(folder)
    for language in ("en", "fr"):
        wordings = wordings_of(grammar, folder, language)
        for tree in grammar.sample(60, seed=2):
            text = grammar.text(tree, language)
            assert tree in list(grammar.parse(text, language).trees(200)), text
            assert wordings.accepts(tree, text), text
