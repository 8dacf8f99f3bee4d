"""Language-neutral judgements, piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Example, Focus
from recombine.draft import Draft
from recombine.metrics.base import Scored
from recombine.metrics.consistency.evidence import Evidence, Judgement, second_clause, swap_pair
from recombine.metrics.scoring import score


def item(role: str, source: str, hypothesis: str, focus: tuple[Focus, ...] = ()) -> Scored:
    """Return a translated member of a group."""
    example = Example.make(source=source, group="g", role=role, focus=focus, tags={"template": 1})
    return Scored(example, hypothesis)


def test_swap_pair_knows_frame_and_nouns() -> None:
    """What differs in the sources is the noun; the rest is the frame."""
    pair = swap_pair(
        item("base", "The old man runs .", "a"), item("np", "The old queen runs .", "b")
    )
    assert pair.nouns == ("man", "queen")
    assert pair.frame == "The old _ runs ."
    assert (pair.template, pair.role) == ("1", "np")


def test_a_ligature_is_a_spelling() -> None:
    """*fœtus* and *foetus* are one word."""
    evidence = Evidence()
    evidence.learn({}, [])
    base, other = (
        item(role, f"He sees the {word} .", f"Il voit le {said} .")
        for role, word, said in (("base", "fetus", "foetus"), ("synonym", "foetus", "fœtus"))
    )
    assert evidence.judge("synonym", base, other).kind == "identical"


def test_second_clause_and_its_place() -> None:
    """The focus tells the clause; without one the middle is assumed."""
    focus = (Focus(text="she runs .", role="clause", start=10, end=20),)
    clause, share = second_clause(item("base", "He sleeps, she runs .", "x", focus))
    assert clause == "she runs ."
    assert 0.4 < share < 0.6
    assert second_clause(item("base", "He sleeps .", "x")) == ("", 0.5)


def test_given_window_and_default() -> None:
    """An option wins; without anything to learn from the default is article and noun."""
    given = Evidence(window=3)
    given.learn({}, [])
    assert (given.calibrated, given.calibration) == (3, "given")
    nothing = Evidence()
    nothing.learn({}, [])
    assert (nothing.calibrated, nothing.calibration) == (2, "default")


def test_empty_outputs_are_failures() -> None:
    """Silence is never consistent."""
    evidence = Evidence()
    evidence.learn({}, [])
    for role in ("np", "s3", "synonym"):
        for first, second in (("", "x"), (" ", "x"), ("x", " \t")):
            judged = evidence.judge(role, item("base", "a b", first), item(role, "a c", second))
            assert (judged.kind, judged.consistent, judged.counts) == ("empty", False, True)
            evidence = Evidence()


def test_detail_leaves_out_what_is_unknown() -> None:
    """A judgement is short where there is little to say."""
    assert Judgement("identical", True, locality=1.0).detail() == {
        "class": "identical",
        "locality": 1.0,
    }


def test_a_word_translated_alone_is_its_rendering() -> None:
    """Not what the translations of many words alone have in common: an article."""
    words = {"sailboat": "zeilboot", "postcode": "code", "aeroplane": "toestel", "sofa": "bank"}
    items, groups = [], {}
    for word, dutch in words.items():
        probe = Example.make(source=word, focus=(Focus(text=word, role="word"),))
        items.append(Scored(probe, f"de {dutch}"))
        # Other words each time: none of them is learned.
        for frame, ends in enumerate((("snel", "rap"), ("hier", "daar"), ("nu", "straks"))):
            focus = (Focus(text=word, role="synonym"),)
            tags = {"synonym": word}
            article = "De" if frame else "Een"
            members = (
                ("base", f"The {word} {frame} .", f"De {dutch} vaart {ends[0]} ."),
                ("synonym", f"The x {frame} .", f"{article} {dutch} vaart {ends[1]} ."),
            )
            groups[f"{word} {frame}"] = {
                role: Scored(
                    Example.make(source=source, group="g", role=role, focus=focus, tags=tags),
                    output,
                )
                for role, source, output in members
            }
    evidence = Evidence()
    evidence.learn(groups, items)
    for members in groups.values():
        judged = evidence.judge("synonym", members["base"], members["synonym"])
        assert judged.slot


@pytest.mark.parametrize("translated", [2, 1])
def test_metrics_of_one_scoring_share_what_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, translated: int
) -> None:
    """The family learns once, outputs missing or not; other options are learned by themselves."""
    draft = Draft(tmp_path / "b", seed=1)
    rows = [item("base", "The man runs .", "").example, item("np", "The boy runs .", "").example]
    draft.write("test", rows)
    head = {"format": 1, "name": "c", "version": "1", "source": "en", "target": "nl"}
    benchmark = draft.finish({**head, "builder": "none", "seed": 1})
    learned = []
    plain = Evidence.learn
    monkeypatch.setattr(
        Evidence, "learn", lambda self, *args: (learned.append(self), plain(self, *args))
    )
    hypotheses = {one.id: f"a {one.role}" for one in rows[:translated]}
    names = ["consistency", "locality", "synonym-consistency", "exact"]
    score(benchmark, hypotheses, names)
    assert len(learned) == 1
    score(benchmark, hypotheses, names, options={"locality": {"window": 1}})
    assert len(learned) == 3


@pytest.mark.parametrize(
    ("window", "detail"),
    [
        (3, {"class": "local", "width": 3, "allowed": 3, "locality": 1.0, "window": [0, 3, 0, 3]}),
        (
            2,
            {"class": "context", "width": 3, "allowed": 2, "locality": 0.4, "window": [0, 3, 0, 3]},
        ),
    ],
)
def test_a_change_is_local_up_to_the_window(window: int, detail: dict[str, object]) -> None:
    """Its width, and the share of the longer output that did not change beyond it."""
    evidence = Evidence(window=window)
    evidence.learn({}, [])
    base = item("base", "The king sees it .", "El rey ve eso .")
    judged = evidence.judge("np", base, item("np", "The queen sees it .", "La reina mira eso ."))
    assert judged.detail() == detail
    assert judged.consistent is (window == 3)
    assert judged.counts
    same = evidence.judge("np", base, item("np", "The boy sees it .", "El rey ve eso ."))
    assert (same.kind, same.consistent, same.counts, same.width) == ("collapsed", False, False, 0)


def test_a_synonym_changes_nothing_or_so_much() -> None:
    """Identical; a little, which is local and no more consistent; or the whole sentence."""
    evidence = Evidence(window=1)
    evidence.learn({}, [])
    base = item("base", "He has a sailboat .", "Hij heeft een zeilboot .")
    for text, detail in (
        (
            "Hij heeft een zeilboot .",
            {"class": "identical", "width": 0, "locality": 1.0, "slot": True},
        ),
        (
            "Hij heeft een bootje .",
            {"class": "local", "width": 1, "allowed": 1, "locality": 1.0, "slot": False,
             "window": [3, 4, 3, 4]},
        ),
        (
            "Hij bezit het bootje .",
            {"class": "context", "width": 3, "allowed": 1, "locality": 0.4, "slot": False,
             "window": [1, 4, 1, 4]},
        ),
    ):  # fmt: skip
        variant = item("synonym", f"He has a sailing boat {text} .", text)
        judged = evidence.judge("synonym", base, variant)
        assert judged.detail() == detail
        assert judged.consistent is (judged.kind == "identical")


def test_a_second_conjunct_is_compared_by_its_words() -> None:
    """Where it stands on both sides, and the share of its words that stayed."""
    clause = "she runs there ."
    evidence = Evidence()
    probe = Example.make(source=clause, role="clause")
    evidence.learn({}, [Scored(probe, "Ella corre allí .")])

    def conjunct(role: str, first: str, text: str) -> Scored:
        source = f"{first} , and {clause}"
        start = source.index(clause)
        focus = (Focus(text=clause, role="clause", start=start, end=len(source)),)
        return item(role, source, text, focus)

    base = conjunct("base", "He sleeps", "Él duerme ; ella corre allí .")
    same = evidence.judge("s1p", base, conjunct("s1p", "He eats", "Come ; ella corre allí ."))
    assert same.detail() == {"class": "identical", "locality": 1.0}
    assert same.consistent
    other = evidence.judge("s3", base, conjunct("s3", "They eat", "Comen ; ella anda allí ."))
    assert other.detail() == {"class": "context", "locality": 0.75, "window": [3, 7, 2, 6]}
    assert not other.consistent
    lost = evidence.judge("s3", base, conjunct("s3", "We eat", "Comemos ."))
    assert (lost.kind, lost.counts, lost.reason) == (
        "unaligned", False, "no second conjunct found"
    )  # fmt: skip
    assert evidence.splitters == {"alignment only": 5, "neither": 1}


def test_repeated_sentences_show_how_steady_a_system_is() -> None:
    """Each against the first translation of its source; what was asked once shows nothing."""
    evidence = Evidence()

    def said(role: str, source: str, text: str) -> Scored:
        return Scored(Example.make(source=source, role=role, salt=f"{role}{text}"), text)

    items = [
        said("base", "a", "x"), said("np", "a", "y"), said("repeat", "a", "x"),
        said("repeat", "a", "y"), said("repeat", "a", "z"), said("repeat", "b", "x"),
    ]  # fmt: skip
    evidence.learn({}, items)
    assert (evidence.floor, evidence.repeats) == (2 / 3, 3)
    evidence.learn({}, items[:2])
    assert (evidence.floor, evidence.repeats) == (None, 0)
