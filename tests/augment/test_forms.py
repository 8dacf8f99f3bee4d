"""Forms that words get by analogy with the words of other cells and frames."""

from __future__ import annotations

from recombine.augment.forms import _DroppedArgument, _fill_cells
from recombine.augment.repertoire import Repertoire
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


def test_an_argument_that_only_the_target_says_makes_way():
    """Read is 本を読んだ, so read X is Xを読んだ; 眉をひそめた is one word."""
    known = Repertoire([], {}, {0: [(" book", "本")]}, [], [], (".", "。"))
    one = {" read": cut("本|を|読ん|だ|。|"), " drew": cut("絵|を|描い|た|。|")}
    rule = _DroppedArgument(known, one, {" drew": cut("を|描い|た|。|")}, cut("を|"))
    assert rule.apply(one[" read"]) == cut("を|読ん|だ|。|")
    assert rule.apply(cut("手紙を書い|た|。|")) == cut("を|書い|た|。|")
    assert rule.apply(cut("眉|を|ひそめ|る|。|")) is None


def test_an_argument_stays_where_words_alike_keep_it():
    """勉強をした is を勉強した: what ends so does not lose its first word."""
    known = Repertoire([], {}, {}, [], [], (".", "。"))
    one = {" studied": cut("勉強|を|し|た|。|")}
    rule = _DroppedArgument(known, one, {" studied": cut("を|勉強|し|た|。|")}, cut("を|"))
    assert rule.apply(cut("洗濯|を|し|た|。|")) is None
