"""What is no difference in words or roles: voice, negation, and what nobody says like this."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.grammar import Grammar
from recombine.metrics.meaning.judge import MeaningJudge

FILES = {
    "abstract.grammar": """\
%start S
act     : S -> subj:NP *V obj:NP
passive : S -> subj:NP *V agent:NP
not_act : S -> subj:NP *V obj:NP {neg}
never   : S -> subj:NP *V obj:NP
now     : S -> subj:NP *V obj:NP
def     : NP -> N
""",
    "abstract.lexicon.tsv": "id\tcat\ncat\tN\ndog\tN\nsee\tV\n",
    "en.grammar": """\
act = subj V.past obj
passive = subj "was" V.part "by" agent
not_act = subj "did" "not" V obj
never = subj "never" V.past obj
now = subj V.pres obj
def = "the" N
""",
    "en.lexicon.tsv": (
        "id\tform\tpast\tpres\tpart\ncat\tcat\ndog\tdog\nsee\tsee\tsaw\tsees\tseen\n"
    ),
    "variants/abstract.grammar": (
        "%role obj : passive.subj\n%role subj : passive.agent\n%contrast polarity : never\n"
    ),
    "variants/en.lexicon.tsv": "id\tform\tpast\nsee\tspot\tspotted\n",
}
SEEN = "act(def(cat), see, def(dog))"


@pytest.mark.parametrize(
    ("text", "kind", "finding"),
    [
        ("the cat saw the dog", "same", ""),
        ("the cat spotted the dog", "same", ""),
        ("the dog was seen by the cat", "same", ""),
        ("the cat was seen by the dog", "different", "role"),
        ("the cat did not see the dog", "different", "neg"),
        ("the cat never saw the dog", "different", "polarity"),
        ("the cat never spotted the dog", "different", "polarity"),
    ],
)
def test_the_grammar_says_what_differs(tmp_path: Path, text: str, kind: str, finding: str) -> None:
    """Voice is none; a tag that is added is a difference, and so is what `%contrast` names."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    grammar = Grammar.load(tmp_path)
    verdict = MeaningJudge(grammar, str(tmp_path), "en", "en").judge([grammar.tree(SEEN)], text)
    assert verdict.kind == kind, verdict
    assert [one.kind for one in verdict.findings][:1] == ([finding] if finding else [])
