"""Forms of words from their lexicon rows and paradigms, and complaints about them."""

from __future__ import annotations

from recombine.errors import GrammarError
from recombine.grammar.inflection import by_class, inflect
from recombine.grammar.model import LexiconRow, Paradigm

CLASSES = by_class(
    [
        Paradigm("verb", "", {"past": ">ed", "pres.sg": ">s", "pp": "past:>"}),
        Paradigm("verb", "e", {"past": ">d", "pres.sg": ">s", "pp": "past:>"}),
        Paradigm("verb", "y", {"past": "y>ied", "pres.sg": "y>ies", "pp": "past:>"}),
        Paradigm("fem", "", {"gender": "=f"}),
        Paradigm("round", "", {"a": "b:>x", "b": "a:>y"}),
        Paradigm(
            "ru", "る", {"past": "る>た", "passive": "る>られる", "passive.past": "passive:る>た"}
        ),
    ]
)


def forms(form: str, paradigm: str, **cells: str) -> tuple[dict[str, str], list[GrammarError]]:
    """The first variant of each form, and the problems."""
    problems: list[GrammarError] = []
    row = LexiconRow("x", {"form": (form,), **{k: (v,) for k, v in cells.items()}}, paradigm)
    return {name: cell[0] for name, cell in inflect(row, CLASSES, problems).items()}, problems


def test_longest_ending_wins() -> None:
    """Rows of one class are told apart by the ending."""
    assert forms("walk", "verb")[0]["past"] == "walked"
    assert forms("love", "verb")[0]["past"] == "loved"
    assert forms("carry", "verb")[0]["pres.sg"] == "carries"


def test_given_cells_win_and_feed_others() -> None:
    """An irregular cell replaces the paradigm's and what is made from it."""
    found, _ = forms("see", "verb", past="saw")
    assert found["past"] == "saw"
    assert found["pp"] == "saw"
    assert found["pres.sg"] == "sees"


def test_chains_and_constants() -> None:
    """A form can start from another one; =text is constant."""
    assert forms("見る", "ru")[0]["passive.past"] == "見られた"
    assert forms("Katze", "fem")[0]["gender"] == "f"


def test_problems() -> None:
    """Unknown classes, wrong endings and circles are reported, not raised."""
    assert "no paradigm" in forms("x", "nothing")[1][0].message
    assert "no ending" in forms("x", "ru")[1][0].message
    assert "made from each other" in forms("x", "round")[1][0].message


def test_strip_must_fit() -> None:
    """A form that lacks the ending to strip is reported."""
    problems: list[GrammarError] = []
    classes = by_class([Paradigm("v", "", {"past": "e>ed"})])
    inflect(LexiconRow("x", {"form": ("walk",)}, "v"), classes, problems)
    assert "does not end in 'e'" in problems[0].message
