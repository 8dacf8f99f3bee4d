"""A parsed corpus as integers, prepared once."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.builders.divergent.encode import (
    BlockEncoder,
    ReadingOptions,
    encode_corpus,
    prepare,
)
from recombine.corpus.conllu import ParsedBlock, ParsedSentence, TextBlock
from recombine.errors import ConfigError, DataError

COLUMNS = ("en", "de", "lemmas", "relations", "heads")


def block(text: str) -> TextBlock:
    """Return a block of the column format."""
    return TextBlock("c.tsv", COLUMNS, 2, text)


def test_tokens_and_texts_come_back(tmp_path: Path) -> None:
    """Units, relations, heads, documents and texts are those of the sentences."""
    sentences = made_up(50)
    encoder = BlockEncoder()
    parts = [encoder.encode(ParsedBlock.of("x", part)) for part in (sentences[:20], sentences[20:])]
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


def test_a_table_is_read_as_its_sentences_are() -> None:
    """Whole columns at once give what the sentences give one by one."""
    sentences = [one._replace(translations={"de": f"x{n}"}) for n, one in enumerate(made_up(80))]
    lines = "".join(
        f"{s.text}\t{s.translations['de']}\t{' '.join(s.lemmas)}\t{' '.join(s.relations)}"
        f"\t{' '.join(map(str, s.heads))}\n"
        for s in sentences
    )
    encoder = BlockEncoder(target="de")
    table, one_by_one = encoder(block(lines)), encoder.encode(ParsedBlock.of("x", sentences))
    assert table.unit_names == one_by_one.unit_names
    assert table.texts == one_by_one.texts
    assert table.texts[7] == f"{sentences[7].text}\tx7"
    for name in ("units", "relations", "heads", "lengths"):
        assert getattr(table, name).tolist() == getattr(one_by_one, name).tolist()


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
    """With what is wrong, and in its line."""
    with pytest.raises(DataError, match=words):
        BlockEncoder(target="de")(block("Go\tx\tgo\troot\t0\n" + line + "\n"))


def test_control_characters_become_spaces(tmp_path: Path) -> None:
    """A stray byte of an old encoding does not reach a benchmark."""
    sentence = ParsedSentence("a\u008fb", ["a"], ["root"], [0])
    corpus = encode_corpus([BlockEncoder().encode(ParsedBlock.of("x", [sentence]))], tmp_path)
    assert list(corpus.texts([0])) == [("a b", None)]


def test_what_is_counted_decides_what_is_numbered() -> None:
    """Sequences are of words as they are written, everything else is of lemmas."""
    assert ReadingOptions().encoder().unit == "lemma"
    assert ReadingOptions(definition="ngrams").encoder().unit == "form"
    assert ReadingOptions(definition="ngrams", unit="lemma").encoder().unit == "lemma"
    assert ReadingOptions(definition="morphology").encoder("de") == BlockEncoder(
        features=True, target="de"
    )


def test_features_come_back(tmp_path: Path) -> None:
    """The bundles of a corpus are numbered and stored as its words are."""
    sentences = made_up(10)
    encoder = BlockEncoder(features=True)
    corpus = encode_corpus([encoder.encode(ParsedBlock.of("x", sentences))], tmp_path)
    stored = [corpus.feature_names[number] for number in corpus.features]
    assert stored == [bundle for one in sentences for bundle in one.features or ()]


def test_features_are_asked_for() -> None:
    """Morphology without features in the file is an error, not an empty result."""
    sentence = ParsedSentence("a", ["a"], ["root"], [0])
    with pytest.raises(DataError, match="no morphological features"):
        BlockEncoder(features=True).encode(ParsedBlock.of("x", [sentence]))


def test_the_result_is_kept_until_the_input_changes(tmp_path: Path) -> None:
    """Same files: same directory, untouched. Changed file: another directory."""
    path = write_conllu(tmp_path / "c.conllu", made_up(30))
    reading = ReadingOptions(workers=1)
    first, ends = prepare(reading, (path,), tmp_path / "work")
    stamp = (first.directory / "units.bin").stat().st_mtime_ns
    second, _ = prepare(reading, (path,), tmp_path / "work")
    assert second.directory == first.directory
    assert (second.directory / "units.bin").stat().st_mtime_ns == stamp
    assert ends == [30]
    write_conllu(path, made_up(31))
    third, ends = prepare(reading, (path,), tmp_path / "work")
    assert third.directory != first.directory
    assert ends == [31]


def test_several_corpora_follow_each_other(tmp_path: Path) -> None:
    """The ends say where each file's sentences stop."""
    first = write_conllu(tmp_path / "a.conllu", made_up(10))
    second = write_conllu(tmp_path / "b.conllu", made_up(5, seed=2))
    corpus, ends = prepare(ReadingOptions(workers=1), (first, second), tmp_path / "work")
    assert (corpus.size, ends) == (15, [10, 15])


def test_processes_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes and this one prepare alike."""
    monkeypatch.setattr("recombine.corpus.conllu.read_blocks.__defaults__", (5_000,))
    path = write_conllu(tmp_path / "c.conllu", made_up(300, words=40))
    one, _ = prepare(ReadingOptions(workers=1), (path,), tmp_path / "one")
    two, _ = prepare(ReadingOptions(workers=2), (path,), tmp_path / "two")
    for name in ("units.bin", "heads.bin", "texts.tsv", "names.json"):
        assert (one.directory / name).read_bytes() == (two.directory / name).read_bytes()


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A corpus or target side that is not there is an error."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    with pytest.raises(ConfigError, match="no such corpus"):
        prepare(ReadingOptions(), (tmp_path / "x",), tmp_path)
    with pytest.raises(ConfigError, match="target side"):
        prepare(ReadingOptions(), (path, path), tmp_path, target_corpora=(path,))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("a\nb\n", "it ends before sentence 3 of the corpus"),
        ("a\n\nc\n", "line 2 is empty"),
        ("a\nb\nc\nd\n", "more lines than the 3 sentences"),
    ],
)
def test_a_target_side_that_does_not_fit_is_named(tmp_path: Path, lines: str, words: str) -> None:
    """With the first place where it does not, also where blocks are small."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    target = tmp_path / "c.de"
    target.write_text(lines, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        prepare(ReadingOptions(workers=1), (path,), tmp_path / "work", target_corpora=(target,))


def test_a_corpus_without_sentences_is_named(tmp_path: Path) -> None:
    """Also where another one has some: there is nothing to compare with nothing."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    empty = tmp_path / "empty.conllu"
    empty.write_text("", encoding="utf-8")
    for corpora in ((empty,), (path, empty), (empty, path)):
        with pytest.raises(DataError, match="no sentences") as caught:
            prepare(ReadingOptions(workers=1), corpora, tmp_path / "work")
        assert caught.value.where is not None
        assert caught.value.where.path == str(empty)


def test_another_encoding_has_a_line(tmp_path: Path) -> None:
    """In the corpus, in raw text and on the target side."""
    path = write_conllu(tmp_path / "c.conllu", made_up(3))
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"one\ncaf\xe9\nthree\n")
    for reading, corpora, targets in (
        (ReadingOptions(workers=1), (latin,), ()),
        (ReadingOptions(parser="words", cache=tmp_path, workers=1), (latin,), ()),
        (ReadingOptions(workers=1), (path,), (latin,)),
    ):
        with pytest.raises(DataError, match="not UTF-8 at byte 4 of the line") as caught:
            prepare(reading, corpora, tmp_path / "work", target_corpora=targets)
        assert caught.value.where is not None
        assert (caught.value.where.path, caught.value.where.line) == (str(latin), 2)


@pytest.mark.parametrize("unit", ["lemma", "form"])
def test_a_table_without_sentences_is_named(tmp_path: Path, unit: str) -> None:
    """Lemmas are no text: neither way of reading takes them for it."""
    path = tmp_path / "c.tsv"
    path.write_text("lemmas\trelations\theads\ngo home\troot obj\t0 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column holds the sentence's text"):
        prepare(ReadingOptions(unit=unit, workers=1), (path,), tmp_path / "work")  # type: ignore[arg-type]
