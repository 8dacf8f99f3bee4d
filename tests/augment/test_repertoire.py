"""What may stand where."""

from __future__ import annotations

from collections import Counter

from augment.made_up_world import ADJECTIVES, NOUNS, PLACES, PREPOSITIONS, subjects, world
from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame
from recombine.augment.phrases.slots import PhraseSlot
from recombine.augment.repertoire import Repertoire, _pool_subjects


def test_frames_that_are_alike_up_to_a_word_say_the_same_of_what_stands_before_it():
    """Praised is seen with things, four times each; "was given X2" has other sorts than "to X2"."""
    one, two = PhraseSlot(0), PhraseSlot(1)
    plain = SentenceFrame((one, " was", OPEN, "."), (one, OPEN))
    by = SentenceFrame((one, " was", OPEN, " by", two, "."), (one, two, OPEN))
    to = SentenceFrame((one, " was", OPEN, " to", two, "."), (one, OPEN, two))
    known = Repertoire([], {0: True, 1: True}, {0: [], 1: []}, [plain, by, to], [], (".", "。"))
    for frame in (plain, by, to):
        frame.members[" praised",] = FrameMember((" praised",), "賞賛された")
        both = frame is not to
        known.slot_sorts[str(frame)] = {0: Counter({0: 50, 1: 50} if both else {1: 9})}
        known.member_sorts[str(frame), (" praised",)] = {0: Counter({0: 4} if both else {1: 9})}
    _pool_subjects(known)
    assert list(known.sorts(plain, (" praised",), 0)) == [0]
    assert list(known.sorts(by, (" praised",), 0)) == [0]
    assert list(known.sorts(to, (" praised",), 0)) == [1]


def test_no_word_gets_two_articles():
    """An before odd is no article that could be exchanged: what stands behind it has none left."""
    rows = [
        Pair(f"{name} helped {article} odd {noun}.", f"{word} ga hen {other} o tasta.")
        for article in ("an", "the")
        for name, word in list(subjects().items())[:7]
        for noun, other in NOUNS.items()
    ]
    options = AugmentOptions(source_language="en", target_language="xx")
    found = [one.source for one in Recombiner.learn([*world(), *rows], options).draw(600)]
    assert not [source for source in found if " an a " in source or " an the " in source]


def test_a_modifier_comes_from_a_pair_that_has_it():
    """What a pair was made of is shown to people: the modifiers too are in one of its parents."""
    pairs = world()
    sources = {pair.id: pair.source for pair in pairs}
    options = AugmentOptions(source_language="en", target_language="xx")
    drawn = list(Recombiner.learn(pairs, options).draw(300))
    assert all(row.parents for row in drawn)
    modified = 0
    for row in drawn:
        parents = " ".join(sources[number] for number in row.parents)
        for word in [*ADJECTIVES, *PREPOSITIONS, *PLACES]:
            if f" {word} " in row.source:
                modified += 1
                assert f" {word} " in parents, (row, parents)
    assert modified > 50
