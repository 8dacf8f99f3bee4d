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
