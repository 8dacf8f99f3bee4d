"""A corpus becomes integers on disk and comes back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up
from recombine.builders.divergent.encode import BlockEncoder, encode_corpus
from recombine.corpus.conllu import ParsedSentence, TextBlock, parse_block
from recombine.errors import DataError

COLUMNS = ("en", "de", "lemmas", "relations", "heads")


def block(text: str) -> TextBlock:
    """Return a block of the column format."""
    return TextBlock("c.tsv", COLUMNS, 2, text)


def test_tokens_and_texts_come_back(tmp_path: Path) -> None:
    """Units, relations, heads, documents and texts are those of the sentences."""
    sentences = made_up(50)
    encoder = BlockEncoder()
    parts = [encoder.encode(sentences[:20], "x", 1), encoder.encode(sentences[20:], "x", 21)]
    corpus = encode_corpus(parts, tmp_path)
    for number, sentence in enumerate(sentences):
        part = slice(int(corpus.starts[number]), int(corpus.starts[number + 1]))
        assert [corpus.unit_names[u] for u in corpus.units[part]] == [
            lemma.lower() for lemma in sentence.lemmas
        ]
        assert [corpus.relation_names[r] for r in corpus.relations[part]] == sentence.relations
        assert corpus.heads[part].tolist() == sentence.heads
        assert corpus.document_names[corpus.documents[number]] == sentence.document
    assert list(corpus.texts([3, 0])) == [(sentences[3].text, None), (sentences[0].text, None)]


def test_the_fast_way_through_columns_is_the_careful_one() -> None:
    """Whole columns at once and sentence by sentence give the same arrays."""
    lines = "".join(
        f"{s.text}\tx{n}\t{' '.join(s.lemmas)}\t{' '.join(s.relations)}"
        f"\t{' '.join(map(str, s.heads))}\n"
        for n, s in enumerate(made_up(80))
    )
    encoder = BlockEncoder(target="de")
    fast = encoder(block(lines))
    slow = encoder.encode(parse_block(block(lines)), "c.tsv", 2)
    assert fast.unit_names == slow.unit_names
    assert fast.texts == slow.texts
    for name in ("units", "relations", "heads", "lengths"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A b\tx\ta b\tdet root\t2 0 1", "one value per token"),
        ("A b\tx\ta b\tdet root\t2 1", "cycle"),
        ("A b\tx\ta b\tdet root\t7 0", "head 7"),
        ("\tx\ta b\tdet root\t2 0", "empty sentence"),
        ("A b\t\ta b\tdet root\t2 0", "translation 'de' is empty"),
    ],
)
def test_faults_of_columns_are_named(line: str, words: str) -> None:
    """What the fast way cannot take, the careful way explains."""
    with pytest.raises(DataError, match=words):
        BlockEncoder(target="de")(block("Go\tx\tgo\troot\t0\n" + line + "\n"))


def test_control_characters_become_spaces(tmp_path: Path) -> None:
    """A stray byte of an old encoding does not reach a benchmark."""
    sentence = ParsedSentence("a\u008fb", ["a"], ["root"], [0])
    corpus = encode_corpus([BlockEncoder().encode([sentence], "x", 1)], tmp_path)
    assert list(corpus.texts([0])) == [("a b", None)]


def test_features_are_asked_for() -> None:
    """Morphology without features in the file is an error, not an empty result."""
    with pytest.raises(DataError, match="no morphological features"):
        BlockEncoder(features=True).encode([ParsedSentence("a", ["a"], ["root"], [0])], "x", 1)
