"""SGET's Japanese as people write it, and its official edition, which the paper printed."""

from __future__ import annotations

import pytest

from recombine.builders.recipe import build
from recombine.errors import RecombineError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import grammar_hash


@pytest.fixture(scope="module")
def sget() -> Grammar:
    """The standard edition."""
    return Grammar.load("sget")


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
        ("A book was seen by a king.", "本は王に見られた。"),
        ("A book was written by a king.", "本は王によって書かれた。"),
        ("A seed was fed to Emma.", "種はエマに食事として与えられた。"),
        ("Emma left Liam a sponge.", "エマはリアムにスポンジを残した。"),
    ],
)
def test_it_says_what_people_write(sget, source, target):
    """Topics, givers, hopes and words are said as a translator would say them."""
    tree = sget.parse(source, "en").require_tree()
    assert sget.text(tree, "ja") == target
    assert tree in list(sget.parse(target, "ja").trees(50))


def test_official_is_of_two_languages(tmp_path):
    """English has the published words there, which Spanish does not translate."""
    assert sorted(Grammar.load("sget", "official").languages) == ["en", "ja"]
    options = ["edition=official", "benchmark.target=es"]
    with pytest.raises(RecombineError, match="no language 'es'"):
        build("sget-mini", tmp_path / "es", overrides=options)


def test_official_is_no_part_of_the_standard_edition():
    """The hash in a certificate of the standard edition does not know it; its own does."""
    pair = ("en", "ja")
    assert grammar_hash("sget", pair) == grammar_hash("sget", pair, "standard")
    assert grammar_hash("sget", pair) != grammar_hash("sget", pair, "official")
