"""Phrases and slots from trees, in two label sets."""

from __future__ import annotations

from recombine.builders.compounds.filter import Pair
from recombine.builders.compounds.phrases import Slot, find_phrases


def pair(text, relations, heads, lemmas=None):
    """Return a pair from space-separated columns, heads 1-based."""
    tokens = text.split()
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token) + 1
    return Pair(
        text,
        tuple(token.lower() for token in tokens),
        tuple(starts),
        tuple(start + len(token) for start, token in zip(starts, tokens, strict=True)),
        tuple((lemmas or text.lower()).split()),
        tuple(relations.split()),
        tuple(int(head) - 1 for head in heads.split()),
        "",
        (),
    )


CLEAR = pair(
    "the dog saw a cat near the house .",
    "det nsubj root det dobj prep det pobj punct",
    "2 3 0 5 3 3 8 6 3",
)
UD = pair(
    "the dog saw a cat near the house .",
    "det nsubj root det obj case det obl punct",
    "2 3 0 5 3 8 8 3 3",
)


def found(sentence, slot):
    """Return phrases as text with their head."""
    return [
        (" ".join(sentence.tokens[p.start : p.end]), sentence.tokens[p.head] if p.head >= 0 else "")
        for p in find_phrases(sentence, 0, slot, 8)
    ]


def test_subjects_objects_and_prepositions():
    """The same phrases from ClearNLP labels and from Universal Dependencies."""
    assert found(CLEAR, Slot(relations=("nsubj",))) == [("the dog", "")]
    assert found(CLEAR, Slot(relations=("dobj",), head="V")) == [("a cat", "saw")]
    assert found(CLEAR, Slot(relations=("pobj",), head="P")) == [("the house", "near")]
    assert found(UD, Slot(relations=("obj",), head="V")) == [("a cat", "saw")]
    assert found(UD, Slot(relations=("obl",), head="P")) == [("the house", "near")]


def test_the_whole_subtree_is_the_phrase():
    """A modifier belongs to the phrase: nothing is left behind when it is replaced."""
    sentence = pair(
        "the dog at home saw it .", "det nsubj prep pobj root dobj punct", "2 5 2 3 0 5 5"
    )
    assert found(sentence, Slot(relations=("nsubj",))) == [("the dog at home", "")]


def test_plurals_and_pronouns_are_no_slots():
    """Replacing them would break agreement."""
    plural = pair("the dogs ran .", "det nsubj root punct", "2 3 0 3", "the dog run .")
    assert found(plural, Slot(relations=("nsubj",))) == []
    pronoun = pair("all this ran .", "det nsubj root punct", "2 3 0 3")
    assert found(pronoun, Slot(relations=("nsubj",))) == []


def test_coordination_and_possessors_are_no_slots():
    """Two subjects make a plural, and a possessor is no subject."""
    both = pair("the dog and cats ran .", "det nsubj cc conj root punct", "2 5 2 2 0 5")
    assert found(both, Slot(relations=("nsubj",))) == []
    owner = pair("the dog 's tail ran .", "det nsubj case dep root punct", "2 5 4 5 0 5")
    assert found(owner, Slot(relations=("nsubj",))) == []
