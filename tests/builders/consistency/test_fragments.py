"""Fragments of a parsed corpus."""

from __future__ import annotations

import pytest

from recombine.builders.consistency.seminatural import fragments_of, frequent_fragments
from recombine.corpus.conllu import ParsedSentence


def parsed(text: str, lemmas: str, relations: str, heads: str) -> ParsedSentence:
    """Return a sentence in columns."""
    return ParsedSentence(
        text, lemmas.split(), relations.split(), [int(head) for head in heads.split()]
    )


CLEAR = parsed(
    "The committee offers a service of car rental in the city.",
    "the committee offer a service of car rental in the city .",
    "det nsubj root det dobj prep compound pobj prep det pobj punct",
    "2 3 0 5 3 5 8 6 5 11 9 3",
)
INFINITIVE = parsed(
    "They wanted to make the most of their stay.",
    "they want to make the most of their stay .",
    "nsubj root aux xcomp det dobj prep poss pobj punct",
    "2 0 4 2 6 4 6 9 7 2",
)
RELATIVE = parsed(
    "We need a system that looks far ahead.",
    "we need a system that look far ahead .",
    "nsubj root det dobj nsubj relcl advmod advmod punct",
    "2 0 4 2 6 4 8 6 2",
)
PURPOSE = parsed(
    "We welcome the intention to boost the aid.",
    "we welcome the intention to boost the aid .",
    "nsubj root det dobj aux acl det dobj punct",
    "2 0 4 2 6 4 8 6 2",
)


@pytest.mark.parametrize(
    ("sentence", "kind", "singular", "plural"),
    [
        (CLEAR, "nominal-pp", "a service of car rental in the city", None),
        (
            CLEAR,
            "predicate",
            "offers a service of car rental in the city",
            "offer a service of car rental in the city",
        ),
        (INFINITIVE, "infinitive", "make the most of their stay", None),
        (RELATIVE, "nominal-relative", "a system that looks far ahead", None),
        (PURPOSE, "nominal-infinitive", "the intention to boost the aid", None),
    ],
)
def test_kinds(sentence: ParsedSentence, kind: str, singular: str, plural: str | None) -> None:
    """Each kind of phrase is found whole."""
    found = {one.kind: one for one in fragments_of(sentence, (3, 20))}
    assert found[kind].form(plural=False) == singular
    assert found[kind].form(plural=True) == (plural or singular)


def test_length_and_frequency_bounds() -> None:
    """Too short, too long or too rare shapes are left out; equal texts count once."""
    assert [one.kind for one in fragments_of(CLEAR, (12, 20))] == []
    kinds = frequent_fragments([CLEAR, CLEAR, RELATIVE], fewest=2, tokens=(3, 20))
    assert len(kinds["nominal-pp"]) == 1
    assert kinds["nominal-relative"] == []


def test_text_that_does_not_match_its_analysis_is_skipped() -> None:
    """Tokens that cannot be recovered give no fragment instead of a wrong one."""
    assert list(fragments_of(CLEAR._replace(text="Something else entirely"), (3, 20))) == []
