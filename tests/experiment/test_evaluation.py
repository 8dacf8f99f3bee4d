"""Evaluating one's own model in one call."""

import pytest

import recombine
from recombine.errors import SystemFailure
from recombine.systems.base import Failure


def test_a_function_can_be_evaluated(small_benchmark):
    """Ten lines are enough; here it is one."""
    answers = {"A dog slept.": "Ein Hund schlief."}
    rows = recombine.evaluate(
        lambda sources: [answers.get(s, "?") for s in sources], small_benchmark, metrics=["exact"]
    )
    overall = rows[0]
    assert (overall.split, overall.metric, overall.n) == ("test", "exact", 3)
    assert overall.value == pytest.approx(100 / 3)
    assert overall.low < overall.value < overall.high


def test_a_system_that_loses_a_line_is_caught(small_benchmark):
    """Length is verified, not assumed."""
    with pytest.raises(SystemFailure, match="2 translations for 3"):
        recombine.evaluate(lambda sources: sources[1:], small_benchmark)


def test_failures_count_and_are_said(small_benchmark):
    """Half an evaluation is not a whole one: a sentence that fails is wrong, unless skipped."""

    def refuse(sources):
        return ["Ein Hund schlief." if "slept" in one else Failure("no") for one in sources]

    whole = recombine.evaluate(refuse, small_benchmark, metrics="exact")[0]
    assert (whole.value, whole.n, whole.of, whole.failed) == (pytest.approx(100 / 3), 3, 3, 2)
    part = recombine.evaluate(refuse, small_benchmark, metrics="exact", missing="skip")[0]
    assert (part.value, part.n, part.of, part.failed) == (100, 1, 3, 2)
    with pytest.raises(SystemFailure, match="none of 3 sentences"):
        recombine.evaluate(lambda sources: [Failure("no") for _ in sources], small_benchmark)


@pytest.mark.parametrize(
    ("translate", "told"),
    [
        (lambda sources: None, "returned NoneType instead of translations"),
        (lambda sources: [None for _ in sources], "returned NoneType instead of text"),
        (lambda sources: "one text", "returned str instead of translations"),
    ],
)
def test_what_is_no_translation_is_told(small_benchmark, translate, told):
    """A function that forgets to return is the most common mistake of all."""
    with pytest.raises(SystemFailure, match=told):
        recombine.evaluate(translate, small_benchmark, metrics="exact")


def test_every_public_name_resolves():
    """The lazy table of the package has no dead entry."""
    for name in recombine.__all__:
        assert getattr(recombine, name) is not None
    with pytest.raises(AttributeError):
        recombine.no_such_name  # noqa: B018 - the access is the test


@pytest.mark.parametrize("kind", [dict.fromkeys, set, frozenset])
def test_answers_without_an_order_are_refused(small_benchmark, kind):
    """A mapping would be scored as its keys, and a set in any order."""
    with pytest.raises(SystemFailure, match="instead of translations"):
        recombine.evaluate(kind, small_benchmark, metrics="exact")


def test_a_service_that_is_gone_is_given_up(small_benchmark):
    """Asking it for every other sentence would only take time; a plain function is asked."""

    class Gone:
        give_up_after = 2
        asked = 0

        def translate(self, sources):
            for _ in sources:
                self.asked += 1
                yield Failure("connection refused")

    gone = Gone()
    with pytest.raises(SystemFailure, match=r"2 sentences in a row .* connection refused"):
        recombine.evaluate(gone, small_benchmark, metrics="exact")
    assert gone.asked == 2
