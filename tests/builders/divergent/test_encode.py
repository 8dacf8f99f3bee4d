"""A parsed corpus as integers, prepared once."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.divergent.encode import BlockEncoder, Preparation, encode_corpus
from recombine.corpus.conllu import ParsedSentence, TextBlock, parse_block
from recombine.errors import ConfigError, DataError

COLUMNS = ("en", "de", "lemmas", "relations", "heads")


def block(text: str) -> TextBlock:
    """Return a block of the column format."""
    return TextBlock("c.tsv", COLUMNS, 2, text)


def test_tokens_and_texts_come_back(tmp_path: Path) -> None:
    """Units, relations, heads, documents and texts are those of the sentences."""
    sentences = made_up(50)
    encoder = BlockEncoder()
    parts = [encoder.encode(sentences[:20], "x"), encoder.encode(sentences[20:], "x")]
    corpus = encode_corpus(parts, tmp_path)
    for number, sentence in enumerate(sentences):
        part = slice(int(corpus.starts[number]), int(corpus.starts[number + 1]))
        assert [corpus.unit_names[u] for u in corpus.units[part]] == [
            lemma.lower() for lemma in sentence.lemmas
        ]
        assert [corpus.relation_names[r] for r in corpus.relations[part]] == sentence.relations
        assert corpus.heads[part].tolist() == sentence.heads
    codes = dict(zip((one.document for one in sentences), corpus.documents, strict=True))
    assert [codes[one.document] for one in sentences] == corpus.documents.tolist()
    assert len(set(codes.values())) == len(codes) == 8
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
    slow = encoder.encode(parse_block(block(lines)), "c.tsv")
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
    corpus = encode_corpus([BlockEncoder().encode([sentence], "x")], tmp_path)
    assert list(corpus.texts([0])) == [("a b", None)]


def test_features_are_asked_for() -> None:
    """Morphology without features in the file is an error, not an empty result."""
    with pytest.raises(DataError, match="no morphological features"):
        BlockEncoder(features=True).encode([ParsedSentence("a", ["a"], ["root"], [0])], "x")


def test_the_result_is_kept_until_the_input_changes(tmp_path: Path) -> None:
    """Same files: same directory, untouched. Changed file: another directory."""
    path = write_conllu(tmp_path / "c.conllu", made_up(30))
    preparation = Preparation(corpora=(path,), workers=1)
    first, ends = preparation.run(tmp_path / "work")
    stamp = (first.directory / "units.bin").stat().st_mtime_ns
    second, _ = preparation.run(tmp_path / "work")
    assert second.directory == first.directory
    assert (second.directory / "units.bin").stat().st_mtime_ns == stamp
    assert ends == [30]
    write_conllu(path, made_up(31))
    third, ends = preparation.run(tmp_path / "work")
    assert third.directory != first.directory
    assert ends == [31]


def test_several_corpora_follow_each_other(tmp_path: Path) -> None:
    """The ends say where each file's sentences stop."""
    first = write_conllu(tmp_path / "a.conllu", made_up(10))
    second = write_conllu(tmp_path / "b.conllu", made_up(5, seed=2))
    corpus, ends = Preparation(corpora=(first, second), workers=1).run(tmp_path / "work")
    assert (corpus.size, ends) == (15, [10, 15])


def test_processes_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes and this one prepare alike."""
    monkeypatch.setattr("recombine.corpus.conllu.read_blocks.__defaults__", (5_000,))
    path = write_conllu(tmp_path / "c.conllu", made_up(300, words=40))
    one, _ = Preparation(corpora=(path,), workers=1).run(tmp_path / "one")
    two, _ = Preparation(corpora=(path,), workers=2).run(tmp_path / "two")
    for name in ("units.bin", "heads.bin", "texts.tsv", "names.json"):
        assert (one.directory / name).read_bytes() == (two.directory / name).read_bytes()


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A corpus or target side that is not there is an error."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    with pytest.raises(ConfigError, match="no such corpus"):
        Preparation(corpora=(tmp_path / "x",)).run(tmp_path)
    with pytest.raises(ConfigError, match="target side"):
        Preparation(corpora=(path, path), target_corpora=(path,)).run(tmp_path)


def test_a_corpus_without_sentences_is_named(tmp_path: Path) -> None:
    """Also where another one has some: there is nothing to compare with nothing."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    empty = tmp_path / "empty.conllu"
    empty.write_text("", encoding="utf-8")
    for corpora in ((empty,), (path, empty), (empty, path)):
        with pytest.raises(DataError, match="no sentences") as caught:
            Preparation(corpora=corpora, workers=1).run(tmp_path / "work")
        assert caught.value.where is not None
        assert caught.value.where.path == str(empty)


def test_another_encoding_has_a_line(tmp_path: Path) -> None:
    """In the corpus, in raw text and on the target side."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"one\ncaf\xe9\nthree\n")
    for preparation in (
        Preparation(corpora=(latin,), workers=1),
        Preparation(corpora=(latin,), parser="words", cache=tmp_path, workers=1),
        Preparation(corpora=(path,), target_corpora=(latin,), workers=1),
    ):
        with pytest.raises(DataError, match="not UTF-8 at byte 4 of the line") as caught:
            preparation.run(tmp_path / "work")
        assert caught.value.where is not None
        assert (caught.value.where.path, caught.value.where.line) == (str(latin), 2)


@pytest.mark.parametrize("unit", ["lemma", "form"])
def test_a_table_without_sentences_is_named(tmp_path: Path, unit: str) -> None:
    """Lemmas are no text: neither way of reading takes them for it."""
    path = tmp_path / "c.tsv"
    path.write_text("lemmas\trelations\theads\ngo home\troot obj\t0 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column holds the sentence's text"):
        Preparation(corpora=(path,), unit=unit, workers=1).run(tmp_path / "work")  # type: ignore[arg-type]
