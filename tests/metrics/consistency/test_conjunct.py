"""The second conjunct: the published split, the alignment, the learned marker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recombine.corpus.segment import segment
from recombine.corpus.token_diff import edit_distance
from recombine.metrics.consistency.conjunct import (
    end_distances,
    learn_marker,
    locate,
    split_at_marker,
)


def test_locate_finds_the_clause_in_context() -> None:
    """A clause translated alone is found where it stands, inflected words included."""
    output = segment("El padre evita el director , y los chicos critican al jefe .")
    exact = locate(segment("Los chicos critican al jefe."), output)
    assert exact is not None
    assert output[exact.start : exact.end] == segment("los chicos critican al jefe .")
    near = locate(segment("Los niños critican al jefe."), output)
    assert near is not None
    assert (near.start, near.distance) == (exact.start, 1)
    assert locate(segment("Nada de nada aquí ."), output) is None
    quoted = segment("Ella dice : y los chicos critican al jefe . »")
    closed = locate(segment("los chicos critican al jefe"), quoted)
    assert closed is not None
    assert quoted[closed.start : closed.end] == segment("los chicos critican al jefe . »")
    short = locate(segment("los chicos critican"), (*segment("los chicos critican ."), "hoy"))
    assert short is not None
    assert short.end == 4
    assert locate((), output) is None
    assert locate(segment("a"), ()) is None


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
)
def test_bit_parallel_search_is_exact(pattern: list[str], text: list[str]) -> None:
    """The fast search agrees with trying every stretch."""
    free = [
        min(edit_distance(pattern, text[start:end]) for start in range(end + 1))
        for end in range(1, len(text) + 1)
    ]
    bound = [edit_distance(pattern, text[:end]) for end in range(1, len(text) + 1)]
    assert end_distances(pattern, text, anchored=False) == free
    assert end_distances(pattern, text, anchored=True) == bound


def test_the_marker_is_learned_from_outputs() -> None:
    """Outputs that share only the second conjunct show how it is joined."""
    first = ["el rey duerme", "la reina corre", "un niño llora", "ellos ven todo"]
    second = ["los gatos", "mi perro", "su tía grita", "dos señores"]
    pairs = [
        (segment(f"{a} , y la mujer {v} ."), segment(f"{b} , y la mujer {v} ."))
        for a, b in zip(first, second, strict=True)
        for v in ("ríe", "canta")
    ]
    marker = learn_marker(pairs)
    assert marker == (",", "y")
    output = segment("Juan y Ana comen , y la mujer ríe .")
    span = split_at_marker(output, marker, 0.5)
    assert span is not None
    assert output[span.start : span.end] == ("la", "mujer", "ríe", ".")
    assert learn_marker([]) == ()
    assert split_at_marker(output, (), 0.5) is None


def outputs(first: str, second: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two outputs as tokens."""
    return segment(first), segment(second)


def test_a_marker_stands_in_three_of_ten() -> None:
    """What begins the common end of two outputs; of equal ones the first by its letters."""
    marked = [outputs(f"a{n} x y z .", f"b{n} x y z .") for n in range(3)]
    others = [outputs(f"a{n} c{n} y z .", f"b{n} c{n} y z .") for n in range(8)]
    assert learn_marker([*marked, *others[:7]]) == ("x",)
    assert learn_marker([*marked, *others]) == ()
    assert learn_marker([outputs("a v y z", "b v y z"), outputs("a u y z", "b u y z")]) == ("u",)
    # A mark takes the word behind it along.
    assert learn_marker([outputs("a , x y", "b , x y")]) == (",", "x")


def test_short_ends_and_equal_outputs_show_no_marker() -> None:
    """Two tokens may be anything, and where the first word is the same, so is the clause."""
    assert learn_marker([outputs("a x y", "b x y")]) == ()
    assert learn_marker([outputs("a x y z", "b x y z")]) == ("x",)
    assert learn_marker([outputs("x y z w", "x y z w")]) == ()
    pairs = [outputs("a x y", "b x y")] * 9 + [outputs("a u v w", "b u v w")]
    assert learn_marker(pairs) == ("u",)


def test_the_nearest_of_several_markers_is_meant() -> None:
    """By its place in the sentence; nothing behind one that ends it."""
    sentence = segment("y a b y c d e y f")
    for share, start in ((0.0, 1), (0.3, 4), (0.9, 8)):
        span = split_at_marker(sentence, ("y",), share)
        assert span is not None
        assert (span.start, span.end, span.distance) == (start, 9, 0)
    assert split_at_marker(segment("a b y"), ("y",), 0.9) is None
    assert split_at_marker(segment("a b"), ("y",), 0.5) is None


def test_a_clause_that_is_mostly_other_words_is_not_there() -> None:
    """Up to six of ten words may differ; of several places the last is the second conjunct."""
    clause = tuple("abcde")
    near = locate(clause, tuple("xxabzzz"))
    assert near is not None
    # Of all stretches as near the last one that is as long as the clause.
    assert (near.start, near.end, near.distance) == (2, 7, 3)
    assert locate(clause, tuple("xxazzzzz")) is None
    twice = locate(tuple("ab"), tuple("abxab"))
    assert twice is not None
    assert (twice.start, twice.end, twice.distance) == (3, 5, 0)
    closed = locate(tuple("ab."), tuple("xab.!y"))
    assert closed is not None
    assert (closed.start, closed.end) == (1, 5)
