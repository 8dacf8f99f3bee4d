"""The shape of a text stands for its graph."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar


@pytest.mark.parametrize("language", ["en", "ja", "tr"])
def test_shapes_follow_graphs(toy: Grammar, language: str) -> None:
    """The strings of a shape are those on the graph's edges, and equal shapes have equal graphs."""
    parser = toy.parser(language)
    graphs: dict[object, object] = {}
    for tree in toy.sample(300, seed=8):
        text = toy.text(tree, language)
        shape = parser.analyser.shaper.shape(text)
        lattice = parser.cutter.cut(text)
        if shape is None:
            continue
        assert shape[1] == [edge.entry for edge in lattice.edges]
        graph = [(edge.start, edge.end, edge.entry.number) for edge in lattice.edges]
        assert graphs.setdefault(shape[0], graph) == graph


def test_words_with_spaces_take_the_careful_way(toy: Grammar) -> None:
    """A string of several words is not cut at its spaces."""
    assert toy.parser("tr").analyser.shaper.shape("Kedi köpeğin uyuduğunu iddia etti.") is None
    assert toy.parse("Kedi köpeğin uyuduğunu iddia etti.", "tr")
    assert toy.parser("en").analyser.shaper.shape("The cat flew.") is None
