"""Constituency brackets as dependency trees."""

from __future__ import annotations

import pytest

from recombine.corpus.brackets import read_brackets
from recombine.errors import DataError


def sentences(tmp_path, *lines, texts=None):
    """Read some brackets."""
    path = tmp_path / "trees.mrg"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return list(read_brackets(path, None if texts is None else iter(texts)))


def tree(sentence):
    """Return word, head and relation of every token."""
    return list(zip(sentence.forms, sentence.heads, sentence.relations, strict=True))


def test_phrases_become_subtrees(tmp_path):
    """Subjects, objects, prepositions; function tags, traces and escapes are dropped."""
    (one,) = sentences(
        tmp_path,
        "(ROOT (S (NP-SBJ (NP (DT The) (NN report)) (PP (IN of) (NP (NNP Europe)))) "
        "(VP (MD will) (VP (VB help) (NP (-NONE- *)) (NP (DT a) (JJ new) (NN man)) "
        "(PP (IN near) (NP (-LRB- -LRB-) (NN town))))) (. .)))",
    )
    assert tree(one) == [
        ("The", 2, "det"), ("report", 6, "nsubj"), ("of", 2, "prep"), ("Europe", 3, "pobj"),
        ("will", 6, "aux"), ("help", 0, "root"), ("a", 9, "det"), ("new", 9, "amod"),
        ("man", 6, "dobj"), ("near", 6, "prep"), ("(", 12, "punct"), ("town", 10, "pobj"),
        (".", 6, "punct"),
    ]  # fmt: skip
    assert one.text == "The report of Europe will help a new man near ( town ."


def test_coordination_copulas_and_plurals(tmp_path):
    """The first of two is the head; predicates are no objects; plurals have another lemma."""
    both, copula = sentences(
        tmp_path,
        "(S (NP (NP (DT the) (NNS dogs)) (CC and) (NP (DT the) (NNS men))) (VP (VBD ran)))",
        "(S (NP (PRP it)) (VP (VBZ is) (NP (DT a) (NN dog))))",
    )
    assert tree(both)[1] == ("dogs", 6, "nsubj")
    assert tree(both)[4] == ("men", 2, "conj")
    assert list(both.lemmas) == ["the", "dog", "and", "the", "_", "ran"]
    assert tree(copula)[-1] == ("dog", 2, "attr")


def test_the_corpus_beside_gives_the_text(tmp_path):
    """As written; another number of lines is a fault."""
    line = "(S (NP (NN dog)) (VP (VBD ran)) (. .))"
    (one,) = sentences(tmp_path, line, texts=["Dog ran."])
    assert one.text == "Dog ran."
    with pytest.raises(DataError, match="more trees"):
        sentences(tmp_path, line, line, texts=["Dog ran."])
    with pytest.raises(DataError, match="fewer trees"):
        sentences(tmp_path, line, texts=["Dog ran.", "Dog sat."])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("(S (NP (NN dog))", "brackets not closed: 1"),
        ("(S (NN dog)))", "closes that was not opened"),
        ("dog", "neither a label"),
        ("(S (-NONE- *))", "without words"),
    ],
)
def test_faults_name_the_line(tmp_path, line, fault):
    """File and line, and what is wrong."""
    with pytest.raises(DataError, match=fault) as caught:
        sentences(tmp_path, "(S (NN dog))", line)
    assert caught.value.where.line == 2
