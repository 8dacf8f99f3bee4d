"""Vocabulary: text to piece numbers and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.systems.seq2seq.vocabulary import UNKNOWN, Vocabulary

ENGLISH = ["The dog saw a cat.", "What did Liam see?", "The book , the girl liked.", "A cat slept."]
JAPANESE = ["犬が猫を見た。", "リアムが何を見たか？", "少女が本を好んだ。", "猫が眠った。"]


@pytest.mark.parametrize("kind", ["bpe", "sentencepiece", "word", "char"])
@pytest.mark.parametrize("texts", [ENGLISH, JAPANESE])
def test_known_text_comes_back(kind: str, texts: list[str]) -> None:
    """Encoding and decoding text it was learnt from changes nothing."""
    vocabulary = Vocabulary.learn(texts, kind, 80)  # type: ignore[arg-type]
    assert texts == [vocabulary.decode(numbers) for numbers in vocabulary.encode(texts)]


@given(st.lists(st.text(alphabet="abc .,?猫犬", min_size=1, max_size=20), min_size=1, max_size=5))
def test_characters_come_back(texts: list[str]) -> None:
    """Character pieces lose nothing but outer spaces."""
    vocabulary = Vocabulary.learn(texts, "char", 50)
    assert [text.strip(" ") for text in texts] == [
        vocabulary.decode(numbers) for numbers in vocabulary.encode(texts)
    ]


def test_punctuation_is_a_piece_of_its_own() -> None:
    """A word has the same pieces before a full stop and elsewhere."""
    vocabulary = Vocabulary.learn(ENGLISH, "bpe", 200)
    (with_stop,), (without,) = vocabulary.encode(["cat."]), vocabulary.encode(["cat"])
    assert without == with_stop[:-1]


def test_unknown_pieces_show() -> None:
    """What the vocabulary does not hold is not dropped in silence."""
    vocabulary = Vocabulary.learn(ENGLISH, "word", 200)
    (numbers,) = vocabulary.encode(["The zebra slept."])
    assert UNKNOWN in numbers
    assert "⁇" in vocabulary.decode(numbers)


def test_segmented_japanese_comes_back() -> None:
    """Sudachi's spaces are added before and removed after."""
    pytest.importorskip("sudachipy")
    vocabulary = Vocabulary.learn(JAPANESE, "bpe", 80, segmenter="sudachi")
    assert [vocabulary.decode(numbers) for numbers in vocabulary.encode(JAPANESE)] == JAPANESE
    assert not any(piece.startswith("▁") for piece in vocabulary.pieces)


def test_lower_case_is_applied() -> None:
    """A lower-cased vocabulary sees no capitals."""
    vocabulary = Vocabulary.learn(ENGLISH, "word", 80, lowercase=True)
    assert vocabulary.decode(vocabulary.encode(["THE DOG saw a cat."])[0]) == "the dog saw a cat."


def test_it_reads_what_it_wrote(tmp_path: Path) -> None:
    """A vocabulary file gives the same numbers again."""
    vocabulary = Vocabulary.learn(JAPANESE, "bpe", 60)
    vocabulary.write(tmp_path / "v.json")
    assert Vocabulary.read(tmp_path / "v.json").encode(JAPANESE) == vocabulary.encode(JAPANESE)
