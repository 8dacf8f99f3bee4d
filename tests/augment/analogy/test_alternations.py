"""What words become in another frame."""

from __future__ import annotations

from recombine.augment.analogy.alternations import _DroppedArgument
from recombine.augment.repertoire import Repertoire
from recombine.augment.tokens import CUT


def cut(text: str) -> str:
    """Return text with cuts where it has bars."""
    return text.replace("|", CUT)


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
