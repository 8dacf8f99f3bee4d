"""Fragments of a parsed corpus, and the frames that they fill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.builders.consistency.seminatural import (
    Fragment,
    Frame,
    FrameSentences,
    fragments_of,
    frequent_fragments,
    read_frames,
)
from recombine.corpus.conllu import ParsedSentence
from recombine.errors import DataError
from recombine.registry import data_path


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
WHICH = parsed(  # the comma hangs on the noun (ClearNLP, spaCy's English models)
    "We need a system, which looks far ahead.",
    "we need a system , which look far ahead .",
    "nsubj root det dobj punct nsubj relcl advmod advmod punct",
    "2 0 4 2 4 7 4 9 7 2",
)
UNIVERSAL_WHICH = parsed(  # the comma hangs on the clause's verb
    "We need a system, which looks far ahead.",
    "we need a system , which look far ahead .",
    "nsubj root det obj punct nsubj acl:relcl advmod advmod punct",
    "2 0 4 2 7 7 4 9 7 2",
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
        (WHICH, "nominal-which", "a system , which looks far ahead", None),
        (UNIVERSAL_WHICH, "nominal-which", "a system , which looks far ahead", None),
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


FRAGMENT = Fragment("predicate", "offers help", "offer help", "dobj")


def maker() -> FrameSentences:
    """One frame, two nouns, one fragment."""
    return FrameSentences(
        [Frame("f1", "The {subject} {fragment} and {is|are} glad .", "predicate")],
        {False: ["man", "boy"], True: ["men", "boys"]},
        {False: ["man", "boy", "king"], True: ["men", "boys", "kings"]},
        {"predicate": [FRAGMENT]},
    )


def test_numbers_agree() -> None:
    """Noun, fragment and choices follow the number."""
    sources = {one.source for one in maker().draw("f1", 10, np.random.default_rng(1))}
    assert sources == {
        "The man offers help and is glad .",
        "The boy offers help and is glad .",
        "The men offer help and are glad .",
        "The boys offer help and are glad .",
    }


def test_swap_changes_the_noun_alone() -> None:
    """Another noun of the same number, not yet in the sentence."""
    rng = np.random.default_rng(1)
    sentence = maker().draw("f1", 1, rng)[0]
    other = maker().swap(sentence, "np", rng)
    assert (
        sum(a != b for a, b in zip(sentence.source.split(), other.source.split(), strict=True)) == 1
    )
    assert other.is_plural == sentence.is_plural


def test_shipped_frames() -> None:
    """Ten frames, three of them questions."""
    frames = read_frames(data_path("consistency", "en.frames.tsv"))
    assert len(frames) == 10
    assert sum(frame.pattern.endswith("?") for frame in frames) == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("f1\tThe {subject} sleeps .\tpredicate", "one {subject} and one {fragment}"),
        ("f1\tThe {subject} {fragment} .\tadverbial", "unknown fragment kind"),
    ],
)
def test_wrong_frames(tmp_path: Path, row: str, message: str) -> None:
    """Mistakes are named with their line."""
    path = tmp_path / "frames.tsv"
    path.write_text(f"frame\tpattern\tfragment\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_frames(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_corpus_without_the_kind() -> None:
    """A frame that no fragment fits is an error with a way out."""
    with pytest.raises(DataError, match="no fragment of kind 'predicate'"):
        FrameSentences([Frame("f1", "{subject} {fragment}", "predicate")], {}, {}, {})
