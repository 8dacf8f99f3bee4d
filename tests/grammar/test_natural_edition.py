"""SGET's natural edition: what people write, in the same patterns, and no byte of the others."""

from __future__ import annotations

import pytest

from recombine.builders.recipe import build, check_benchmark
from recombine.errors import RecombineError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import grammar_hash


@pytest.fixture(scope="module")
def natural() -> Grammar:
    """The edition."""
    return Grammar.load("sget", "natural")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Liam said that a mother found a book.", "リアムは、母が本を見つけたと言った。"),
        ("Who did the child give a spoon to?", "子供はスプーンを誰にあげたのですか？"),
        ("The chef was given a book by a friend.", "シェフは友達から本をもらった。"),
        ("A book was given to the chef.", "本はシェフに与えられた。"),
        ("Liam was lent the game by a mother.", "リアムは母にゲームを貸してもらった。"),
        ("Liam hoped that a book was found.", "リアムは、本が見つけられていることを望んだ。"),
        ("Emma dreamed that Liam ran.", "エマは、リアムが走った夢を見た。"),
        ("Emma meant that Liam ran.", "エマは、リアムが走ったと言おうとした。"),
        ("Emma expected that Liam jumped.", "エマは、リアムが跳んだと予想した。"),
        ("A king held a child.", "王は子供を抱えた。"),
        ("A king missed the Korean child.", "王は韓国の子供を恋しがった。"),
        ("A child owed the book to Liam.", "子供は本をリアムに渡す義務を負っていた。"),
        ("A dog maintained that Liam ran.", "犬は、リアムが走ったと主張した。"),
        ("A dog aspired to run.", "犬は走ることを夢見た。"),
        ("A dog desired to run.", "犬は走りたがっていた。"),
        ("Emma left Liam a sponge.", "エマはリアムにスポンジを残した。"),
    ],
)
def test_it_says_what_people_write(natural, source, target):
    """Every defect that readers of the corrected edition listed is said otherwise."""
    tree = natural.parse(source, "en").require_tree()
    assert natural.text(tree, "ja") == target
    assert tree in list(natural.parse(target, "ja").trees(50))


def test_it_is_of_two_languages(natural, tmp_path):
    """English changes words here that Spanish does not: other pairs are refused."""
    assert sorted(natural.languages) == ["en", "ja"]
    options = ["edition=natural", "benchmark.target=es"]
    with pytest.raises(RecombineError, match="no language 'es'"):
        build("sget-mini", tmp_path / "es", overrides=options)


def test_it_is_no_part_of_the_other_editions():
    """The hash in a certificate of another edition does not know it; its own does."""
    pair = ("en", "ja")
    assert grammar_hash("sget", pair) == grammar_hash("sget", pair, "corrected")
    assert grammar_hash("sget", pair) == grammar_hash("sget", pair, "official")
    assert grammar_hash("sget", pair) != grammar_hash("sget", pair, "natural")


@pytest.mark.slow
def test_it_builds_with_the_same_certificate(tmp_path):
    """All 42 patterns are drawn, and what is held out is held out."""
    benchmark = build("sget-mini", tmp_path / "mini", overrides=["edition=natural"])
    assert len({one.tags["pattern"] for one in benchmark.read("gen")}) == 42
    assert not check_benchmark(benchmark)
