"""The chart: what was found, how it splits, and where it stopped."""

from __future__ import annotations

import itertools

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar
from recombine.grammar.parsing.chart import Chart, ChartGrammar
from recombine.grammar.parsing.lattice import Cutter


def chart(grammar: Grammar, text: str, language: str = "en", **options: bool) -> Chart:
    """The chart of a text."""
    cfg = grammar.parser(language).cfg
    return Chart(ChartGrammar(cfg), Cutter(cfg).cut(text), cfg.roots, **options)


def test_beginnings_are_shared(small: Grammar) -> None:
    """`the N` and `the N beside NP` walk through the same states until they part."""
    cfg = small.parser("en").cfg
    tries = ChartGrammar(cfg)
    rules = [small.inventory.labels[cfg.instances[p.instance].rule] for p in cfg.productions]
    short, long = (tries.paths[rules.index(name)] for name in ("def", "beside"))
    assert long[: len(short)] == short
    assert tries.ends[short[-1]] == [rules.index("def")]
    assert tries.ends[long[-1]] == [rules.index("beside")]


def test_whole_text_is_complete(small: Grammar) -> None:
    """A sentence ends in a root that spans it; half a sentence does not."""
    (root,) = small.parser("en").cfg.roots
    whole = chart(small, "The cat slept.")
    assert (root, 0) in whole.complete[whole.lattice.size - 1]
    half = chart(small, "The cat")
    assert (root, 0) not in half.complete[half.lattice.size - 1]


def test_splits_cover_the_span(small: Grammar) -> None:
    """Every way a production spans a text puts its symbols end to end."""
    found = chart(small, "The cat beside the dog saw the house.")
    end = found.lattice.size - 1
    (root,) = found.grammar.cfg.roots
    (production,) = found.complete[end][root, 0]
    (spans,) = found.splits(production, 0, end)
    assert spans[0][0] == 0
    assert spans[-1][1] == end
    assert all(left[1] == right[0] for left, right in itertools.pairwise(spans))
    assert found.splits(production, 0, end - 1) == []


def test_a_word_may_begin_at_two_places(write: Write) -> None:
    """Without spaces an object and its verb part in two ways; a second way back is kept."""
    abstract = SMALL["abstract.lexicon.tsv"] + "watch\tV2\n"
    english = SMALL["en.lexicon.tsv"] + "watch\twatched\n"
    words = "id\tform\ncat\tあ\ndog\tああ\nhouse\t家\nsee\tああ\nwatch\tあ\nsleep\t眠った\n"
    lexicons = {"abstract.lexicon.tsv": abstract, "en.lexicon.tsv": english}
    grammar = Grammar.load(
        write(
            lexicons
            | {
                "ja.grammar": SMALL["ja.grammar"].replace('obj "を" V2', "obj V2"),
                "ja.lexicon.tsv": words,
            }
        )
    )
    found = chart(grammar, "家があああ。", "ja")
    labels, cfg = grammar.inventory.labels, found.grammar.cfg
    ((end, start, production),) = [
        (end, start, one)
        for end, complete in enumerate(found.complete)
        for (_, start), productions in complete.items()
        for one in productions
        if labels[cfg.instances[cfg.productions[one].instance].rule] == "trans" and end - start == 3
    ]
    assert {spans[0][1] - start for spans in found.splits(production, start, end)} == {1, 2}
    assert len(list(grammar.parse("家があああ。", "ja").trees(10))) == 2


def test_expected_names_what_could_follow(small: Grammar) -> None:
    """After half a sentence the chart knows the last node and what it waited for there."""
    found = chart(small, "The cat", filtered=False)
    node, symbols = found.expected()
    assert node == found.lattice.size - 1
    texts = found.grammar.cfg.entries
    wanted = {symbol for text in ("slept", "saw", "beside") for symbol in texts[text].words}
    assert wanted <= set(symbols)
    assert not set(texts["the"].words) & set(symbols)


def test_too_many_items_stop_it(small: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart beyond its limit says so instead of going on."""
    assert not chart(small, "The cat slept.").truncated
    items = sum(len(node) for node in chart(small, "The cat slept.").items)
    monkeypatch.setattr("recombine.grammar.parsing.chart.MAX_ITEMS", items)
    assert not chart(small, "The cat slept.").truncated
    monkeypatch.setattr("recombine.grammar.parsing.chart.MAX_ITEMS", items - 1)
    assert chart(small, "The cat slept.").truncated


def test_a_text_with_too_many_places_is_not_begun(small: Grammar, monkeypatch) -> None:
    """Its items would be taken for others: a place is some bits of their number."""
    places = chart(small, "The cat slept.").lattice.size
    for most, truncated in ((places, False), (places - 1, True)):
        monkeypatch.setattr("recombine.grammar.parsing.chart.PLACES", most)
        assert chart(small, "The cat slept.").truncated is truncated


def test_what_can_follow_is_kept_up_to_a_number(small: Grammar, monkeypatch) -> None:
    """A process that reads for days does not fill its memory."""
    monkeypatch.setattr("recombine.grammar.parsing.chart._MAX_MEMO", 1)
    tries = ChartGrammar(small.parser("en").cfg)
    for available in range(1, 9):
        tries.memo(available)
        assert len(tries._next) <= 2
