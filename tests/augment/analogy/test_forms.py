"""Forms that words get by analogy with the words of other cells and frames."""

from __future__ import annotations

from collections import Counter

from recombine.augment.analogy.forms import _behind, _fill_cells, _junctions, _SecondForms
from recombine.augment.analogy.paradigms import Inflection
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


def test_a_word_changes_as_it_does_in_another_frame():
    """Learned is 学んだ : 学ぶ elsewhere: learned that is ことを学ぶ, whatever 包んだ says."""
    verbs = {
        " learned": "学ん|だ",
        " called": "呼ん|だ",
        " packed": "包ん|だ",
        " helped": "助け|た",
    }
    second = {" learned": "学ぶ", " called": "呼ぶ", " packed": "包む", " helped": "助ける"}
    forms = {word: cut(f"を|{target}|。|") for word, target in verbs.items()}
    forms |= {f"{word[:-2]}s": cut(f"を|{target}|。|") for word, target in second.items()}
    inflection = Inflection(
        [forms], Counter({(w, t): 3 for w, t in forms.items() if w in verbs}), 2
    )
    rule = _SecondForms(inflection, [], {}, [])
    made = rule.of_word(" learned", cut("こと|を|学ん|だ|。|"))
    assert made
    assert made[1] == cut("こと|を|学ぶ|。|")
    assert rule.of_word(" hoped", cut("こと|を|望ん|だ|。|")) is None


def test_what_stands_before_a_word_is_known_by_its_last_letter():
    """見る and 買う stand before こと, nothing in だ does; of と nothing is known."""
    seen, stems = {}, {}
    for number, stem in enumerate(("見る", "買う", "渡す") * 7):
        seen["f", " expected", f"v{number}"] = cut(f"{stem}こと|を|期待|し|た|。|")
        stems["f", f"v{number}"] = stem
    found = _junctions(seen, {" expected": (0, cut("こと|を|期待|し|た|。|"))}, {0: stems})
    assert found == {"こと": Counter({"る": 7, "う": 7, "す": 7})}
