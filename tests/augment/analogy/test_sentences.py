"""Questions and relative clauses made of statements."""

from __future__ import annotations

from collections import Counter

from recombine.augment.analogy.paradigms import Inflection
from recombine.augment.analogy.sentences import Question, SentenceAnalogies
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame
from recombine.augment.phrases.slots import PhraseSlot
from recombine.augment.repertoire import Repertoire
from recombine.augment.tokens import CUT

GIVER, TAKER, GIFT = PhraseSlot(0), PhraseSlot(1), PhraseSlot(2)


def ditransitives() -> tuple[SentenceFrame, SentenceAnalogies]:
    """Return X1 _ X2 X3. and an analogy finder that knows it."""
    frame = SentenceFrame((GIVER, OPEN, TAKER, GIFT, "."), (GIVER, "が", TAKER, "に", GIFT, OPEN))
    for word, target in ((" gave", "あげ|た"), (" sent", "送っ|た"), (" lent", "貸し|た")):
        text = f"を|{target}|。|".replace("|", CUT)
        frame.members[word,] = FrameMember((word,), text, [1])
    known = Repertoire([" a"], {0: True, 1: True}, {0: [], 1: []}, [frame], [], (".", "。"))
    known.embedded = {str(frame)}
    known.slot_sorts[str(frame)] = {0: Counter({0: 9}), 1: Counter({0: 9}), 2: Counter({1: 9})}
    return frame, SentenceAnalogies(known, Inflection([], Counter(), 2), 2)


def test_a_phrase_before_another_is_not_asked_for():
    """What did X1 give X2? asks for the last phrase; Who did X1 give X2? could ask for either."""
    _, finder = ditransitives()
    finder.base = {" gave": " give", " sent": " send", " lent": " lend"}
    finder._who = {0}
    end = ("?", "か？")
    finder._make_questions(
        Question((" Who",), "誰", end),
        [Question((" Who", " did"), "誰", end), Question((" What", " did"), "何", end)],
    )
    made = {frame.source for frame in finder.known.frames if frame.made_by}
    assert (" What", " did", GIVER, OPEN, TAKER, "?") in made
    assert (" Who", " did", GIVER, OPEN, TAKER, "?") not in made


def test_a_phrase_that_was_moved_is_not_asked_for():
    """X1, X2 read. : What, X2 read? is no question, and "that, X2 read" no relative clause."""
    frame, finder = ditransitives()
    frame.source = (GIFT, ",", GIVER, OPEN, TAKER, ".")
    finder.known.embedded = {str(frame)}
    finder.known.slot_sorts[str(frame)] = {n: Counter({0: 9}) for n in range(3)}
    finder._who = {0}
    finder._make_questions(Question((" Who",), "誰", ("?", "か？")), [])
    finder._relatives()
    assert finder.known.frames == [frame]
    assert finder.known.modifiers == []


def test_a_particle_is_the_same_inside_the_open_stretch_and_outside():
    """を of X3_ and を of X2を are one, so that one relative clause is not made twice."""
    frame, finder = ditransitives()
    assert finder._particle(frame, GIFT) == "を"
    assert finder._particle(frame, TAKER) == "に"


def test_each_made_relative_clause_weighs_as_much_as_what_training_shows():
    """Not twice as much as the one made before it, so that the clauses of training are lost."""
    frame, finder = ditransitives()
    known = finder.known
    to = SentenceFrame(
        (GIVER, OPEN, TAKER, " to", GIFT, "."), (GIVER, "が", TAKER, "を", GIFT, OPEN)
    )
    for words, member in frame.members.items():
        to.members[words] = FrameMember(words, member.target.replace("を", "に", 1), [2])
    known.frames.append(to)
    finder = SentenceAnalogies(known, finder.inflection, 2)
    known.embedded = {str(frame), str(to)}
    known.slot_sorts[str(to)] = {0: Counter({0: 9}), 1: Counter({1: 9}), 2: Counter({0: 9})}
    seen = finder._relative(to, TAKER, " that")
    seen.made_by = ""
    known.modifiers.append(seen)
    known.slot_signatures["X1 slept.", 0] = Counter({(): 50, (0,): 10})
    finder._relatives()
    rows = known.slot_signatures["X1 slept.", 0]
    assert len(known.modifiers) > 2
    assert {rows[number,] for number in range(1, len(known.modifiers))} == {60}


def test_a_question_word_asks_for_what_most_questions_show():
    """Who slept? and Who ran? ask for people, whatever the question that was matched last."""
    end, question_end = (".", "。"), ("?", "か？")
    frames = []
    for words, verbs in (((), ("slept", "ran", "fell")), ((" was",), ("praised", "seen"))):
        statement = SentenceFrame((GIVER, *words, OPEN, "."), (GIVER, "が", OPEN))
        question = SentenceFrame((" Who", *words, OPEN, "?"), ("誰が", OPEN))
        for row, closing in ((statement, "。"), (question, "か？")):
            for verb in verbs:
                row.members[f" {verb}",] = FrameMember((f" {verb}",), verb + closing, [1])
            frames.append(row)
    known = Repertoire([], {0: True, 1: True}, {0: [], 1: []}, frames, [], end)
    known.slot_sorts[str(frames[0])] = {0: Counter({0: 9})}
    known.slot_sorts[str(frames[2])] = {0: Counter({1: 9})}
    finder = SentenceAnalogies(known, Inflection([], Counter(), 2), 2)
    assert finder._find_in_place() == Question((" Who",), "誰", question_end)
    assert finder._who == {0}
