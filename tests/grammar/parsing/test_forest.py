"""All analyses of a text: packed, told apart by its words, and ranked."""

from __future__ import annotations

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.grammar import Grammar, Tree
from recombine.grammar.parsing.chart import Chart, ChartGrammar
from recombine.grammar.parsing.forest import PackedForest, Ranking, Value
from recombine.grammar.parsing.lattice import Cutter


def test_twin_literals_are_told_apart(write: Write) -> None:
    """Literals that stand in the same places share a chart but not an analysis."""
    folder = write(
        {
            "abstract.grammar": SMALL["abstract.grammar"] + "indef : NP -> N\n",
            "en.grammar": SMALL["en.grammar"] + 'indef = "a" N\n',
            "ja.grammar": SMALL["ja.grammar"] + "indef = N\n",
        }
    )
    grammar = Grammar.load(folder)
    for text, rule in (("A cat slept.", "indef"), ("The cat slept.", "def")):
        parse = grammar.parse(text, "en")
        assert parse.count == 1
        tree = parse.tree
        assert tree is not None
        assert tree["subj"].label == rule
    assert grammar.parse("猫が眠った。", "ja").count == 2


def test_shared_charts_keep_words_apart(toy: Grammar) -> None:
    """Texts of one family, parsed one after the other, do not disturb each other."""
    texts = [
        "Ali sah die Katze an.",
        "Ali fand die Katze.",
        "Ali sah die Katze.",
        "Ali fand die Katze an.",
    ]
    for _ in range(2):
        words = [t.tree.words()[1] if t.tree else None for t in (toy.parse(x, "de") for x in texts)]
        assert words == ["watch", "find", "see", None]


def pack(grammar: Grammar, text: str, language: str) -> tuple[PackedForest, Chart]:
    """The packed analyses of one text."""
    cfg = grammar.parser(language).cfg
    chart = Chart(ChartGrammar(cfg), Cutter(cfg).cut(text), cfg.roots)
    return PackedForest(cfg, chart), chart


def test_one_analysis(small: Grammar) -> None:
    """An unambiguous sentence has one root and no node with two alternatives."""
    packed, _ = pack(small, "The cat beside the dog slept.", "en")
    assert len(packed.roots) == 1
    assert max(len(found) for found in packed.alternatives) == 1
    (alternative,) = packed.alternatives[packed.roots[0]]
    assert small.inventory.labels[alternative.rule] == "decl"
    assert len(alternative.children) == 2


def test_ambiguity_is_an_alternative_of_one_node(toy: Grammar) -> None:
    """Two attachments share everything but the node where they differ."""
    packed, _ = pack(toy, "The cat saw the dog beside the house.", "en")
    labels = toy.inventory.labels
    split = [found for found in packed.alternatives if len(found) > 1]
    assert [sorted(labels[a.rule] for a in found) for found in split] == [["trans", "transat"]]


def test_leaves_hold_the_words_of_the_text(small: Grammar) -> None:
    """Which word a leaf is comes from the strings of the text."""
    packed, chart = pack(small, "The cat saw the house.", "en")
    entries = [edge.entry for edge in chart.lattice.edges]
    heard = [
        small.inventory.labels[packed.words(number, entries)[0]]
        for number, leaf in enumerate(packed.leaves)
        if leaf is not None
    ]
    assert sorted(heard) == ["cat", "house", "see"]


def test_no_analysis_no_root(small: Grammar) -> None:
    """A text of known words that is no sentence has no root."""
    packed, _ = pack(small, "The cat the dog.", "en")
    assert packed.roots == []


def test_limit_is_told(small: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the forest says that it is not whole, at the limit it is."""
    whole, _ = pack(small, "The cat slept.", "en")
    size = sum(map(len, whole.alternatives))
    for most in (1, size - 1, size):
        monkeypatch.setattr("recombine.grammar.parsing.forest.MAX_ALTERNATIVES", most)
        assert pack(small, "The cat slept.", "en")[0].truncated == (most < size)


def spoken(write: Write, line: str, words: str) -> Grammar:
    """A language in which a sentence is one word, said as a line tells."""
    ids = [word.split("\t")[0] for word in words.splitlines()[1:]]
    return Grammar.load(
        write(
            {
                "abstract.grammar": "%start S\nsay: S -> N\n",
                "abstract.lexicon.tsv": "id\tcat\n" + "".join(f"{one}\tN\n" for one in ids),
                "xx.grammar": f"say = {line}\n",
                "xx.lexicon.tsv": words,
            }
        )
    )


def test_one_word_or_none_is_a_sentence_where_the_grammar_says_so(write: Write) -> None:
    """An empty text is any of the words that are silent."""
    grammar = spoken(write, "N", 'id\tform\nbook\tbook\npeace\t""\nquiet\t""\n')
    assert [str(tree) for tree in grammar.parse("book", "xx").trees()] == ["say(book)"]
    assert [str(tree) for tree in grammar.parse("", "xx").trees()] == ["say(peace)", "say(quiet)"]


def test_the_order_of_silent_parts_makes_no_second_analysis(write: Write) -> None:
    """A word is known by what is heard of it and where, however the line puts it."""
    grammar = spoken(
        write, 'N N.cl "one" | N.cl N "one"', 'id\tform\tcl\nbook\tbook\tvol\npeace\t""\t""\n'
    )
    for text, tree in (("one", "peace"), ("book vol one", "book"), ("vol book one", "book")):
        assert [str(found) for found in grammar.parse(text, "xx").trees()] == [f"say({tree})"]


ONE = "decl(beside(cat, def(dog)), sleep_(sleep))"
TWO = "decl(beside(cat, beside(dog, def(house))), sleep_(sleep))"


def value(ranking: Ranking, tree: Tree) -> Value:
    """The value of a whole tree."""
    found: dict[int, Value] = {}
    for node in range(len(tree) - 1, -1, -1):
        code = tree.codes[node]
        below = [found[child] for child in tree.positions[node]]
        found[node] = ranking.word if tree.inventory.is_word(code) else ranking.value(code, below)
    return found[0]


@pytest.mark.parametrize(
    ("prefer", "chosen"),
    [("many {pp}", TWO), ("few {pp}", ONE), ("deep beside", TWO), ("shallow beside", ONE)],
)
def test_declared_preferences(write: Write, prefer: str, chosen: str) -> None:
    """The analysis with the larger score is the preferred one."""
    text = SMALL["abstract.grammar"] + f"%prefer {prefer}\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    ranking = Ranking(grammar.inventory)
    best = max((ONE, TWO), key=lambda tree: value(ranking, grammar.tree(tree)).score)
    assert best == chosen


def test_depths_count_from_the_root(write: Write) -> None:
    """Every node is counted with its distance from the top."""
    text = SMALL["abstract.grammar"] + "%prefer deep {pp}\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    found = value(Ranking(grammar.inventory), grammar.tree(TWO))
    assert found.counts == (2,)
    assert found.depths == (1 + 2,)


def test_first_preference_decides(write: Write) -> None:
    """Later preferences only break ties."""
    text = SMALL["abstract.grammar"] + "%prefer few {pp}\n%prefer many beside\n"
    grammar = Grammar.load(write({"abstract.grammar": text}))
    ranking = Ranking(grammar.inventory)
    one, two = (value(ranking, grammar.tree(tree)).score for tree in (ONE, TWO))
    assert one > two


def test_weights_decide_without_preferences(write: Write) -> None:
    """The likelier rule wins, and any rule beats one of weight 0."""
    text = SMALL["abstract.grammar"] + "rare : NP -> N [0.1]\nnever : NP -> N [0]\n"
    ranking = Ranking(Grammar.load(write({"abstract.grammar": text})).inventory)
    grammar = Grammar.load(write({"abstract.grammar": text}))
    scores = [
        ranking.value(grammar.inventory.code(name), [ranking.word]).score
        for name in ("def", "rare", "never")
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3
