"""How far two samples lie apart."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from recombine.builders.generated.distribution import compare, tables
from recombine.builders.generated.draw import Drawing
from recombine.builders.generated.parts import part_draws
from recombine.builders.recipe import read_recipe
from recombine.grammar import Grammar


def test_tables_count_what_a_sentence_has():
    """Constructions, words, lengths, depths, and what does not parse."""
    found = tables(Grammar.load("sget"), ["Liam ran.", "Liam ran.", "Nonsense."], "en", ("pp",))
    assert found["words of Name"] == {"Liam": 2}
    assert found["length"] == {"2": 2}
    assert found["depth of pp"] == {"0": 2}
    assert found["sentences"] == {"inside the grammar": 2, "outside the grammar": 1}


def test_equal_samples_have_no_distance():
    """Distance 0 and p = 1 for the same counts; far samples are told apart."""
    here = {"t": Counter(a=500, b=500)}
    (same,) = compare(here, {"t": Counter(a=50, b=50)})
    assert (same.distance, same.p_value) == (0.0, 1.0)
    (far,) = compare(here, {"t": Counter(a=90, b=10)})
    assert far.distance == pytest.approx(0.4)
    assert far.p_value < 1e-6
    assert far.largest[0][0] in ("a", "b")


def test_survival_function_against_tables():
    """5 % points of the chi-square distribution: 3.841 (1), 11.07 (5), 31.41 (20)."""
    from recombine.builders.generated.distribution import _survival

    for statistic, freedom in ((3.841, 1), (11.070, 5), (31.410, 20)):
        assert _survival(statistic, freedom) == pytest.approx(0.05, abs=0.004)


@pytest.mark.reference
def test_base_sample_lies_near_the_published_sentences(reference_data):
    """Constructions within 5 % of the published dev set, words within what samples differ by."""
    recipe = read_recipe("sget", ["edition=official", "disjoint=false"]).builder
    grammar = recipe.load()
    setting = recipe.setting(grammar)
    drawing = Drawing(recipe, grammar, setting, 1)
    (draw,) = part_draws("pool.base", recipe.split["dev"]["base"], setting, 5000, unique=False)
    fill = grammar.realiser("en").fill
    ours = [fill(codes) for codes in itertools.islice(drawing._candidates(draw), 5000)]
    text = (reference_data / "sget" / "dev.tsv").read_text(encoding="utf-8")
    theirs = [line.split("\t")[0] for line in text.split("\n") if line]
    tags = ("pp", "adj", "ce", "cp")
    rows = compare(tables(grammar, ours, "en", tags), tables(grammar, theirs, "en", tags))
    for row in rows:
        if row.name.startswith(("constructions of Text", "constructions of S", "depth", "length")):
            assert row.distance < 0.05, row
        if row.name.startswith("words"):
            # Two samples of a few hundred words differ by about 0.1 by chance.
            assert row.distance < 0.25, row
    assert sum(row.p_value > 0.01 for row in rows) >= 0.8 * len(rows)
