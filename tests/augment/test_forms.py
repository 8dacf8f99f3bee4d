"""Forms that words get by analogy with the words of other cells and frames."""

from __future__ import annotations

from recombine.augment.forms import _behind, _fill_cells
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame
from recombine.augment.phrases.slots import PhraseSlot
from recombine.augment.tokens import CUT


def cut(text: str) -> str:
    """Return text with cuts where it has bars."""
    return text.replace("|", CUT)


def test_a_cell_that_speaks_against_a_form_forbids_it():
    """返し as 料理し would be 返しよう; 返す as 渡す is 返そう, and one word is enough to doubt."""
    polite = {
        "cook": "料理し",
        "study": "勉強し",
        "value": "評価し",
        "return": "返し",
        "hand": "渡し",
    }
    plain = {"return": "返す", "hand": "渡す"}
    trying = {"cook": "料理しよう", "study": "勉強しよう", "value": "評価しよう", "hand": "渡そう"}
    cells = {
        number: {("X1_ to_.", word): stem for word, stem in cell.items()}
        for number, cell in enumerate((polite, plain, trying))
    }
    _fill_cells(cells, 2)
    assert cells[2].get(("X1_ to_.", "return")) != "返しよう"


def test_a_cut_at_the_end_of_a_stem_is_no_difference():
    """逃そう and 話そう| change alike."""
    plain = {"miss": "逃す", "talk": "話す", "break": "壊す"}
    trying = {"miss": "逃そう", "talk": cut("話そう|")}
    cells = {
        number: {("X1_ to_.", word): stem for word, stem in cell.items()}
        for number, cell in enumerate((plain, trying))
    }
    _fill_cells(cells, 2)
    assert cells[1]["X1_ to_.", "break"] == "壊そう"


def test_what_words_share_behind_a_first_word_is_no_beginning_of_theirs():
    """Wanted to sketch is quería bosquejar: nothing of it is like quebró."""
    slot = PhraseSlot(0)
    frame = SentenceFrame((slot, OPEN, " to", OPEN, "."), (slot, OPEN, "."))
    for word, target in ((" sketch", "bosquejar"), (" snap", "quebrar")):
        words = " wanted", word
        frame.members[words] = FrameMember(words, cut(f" quería| {target}|"))
    assert _behind(frame) == {" sketch": cut(" bosquejar|"), " snap": cut(" quebrar|")}
