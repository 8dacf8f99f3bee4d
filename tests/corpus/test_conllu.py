"""Parsed corpora are read as they are, and faults are named with their line."""

from __future__ import annotations

import gzip
import lzma
import resource
import unicodedata
from pathlib import Path

import pytest

from recombine.corpus.conllu import (
    is_parsed,
    mean_distance,
    parse_block,
    read_blocks,
    read_parsed,
)
from recombine.errors import DataError

CONLLU = """\
# newdoc id = first
# text = Cats don't sleep.
# text_de = Katzen schlafen nicht.
1\tCats\tcat\tNOUN\t_\tNumber=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_
4.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_

"""
COLUMNS = (
    "en\tde\tlemmas\trelations\theads\n"
    "Cats sleep\tKatzen schlafen\tcat sleep\tnsubj root\t2 0\n"
    "Go\tGeh\tgo\troot\t0\n"
)


def written(path: Path, text: str) -> Path:
    """Write a small corpus, compressed when its name says so."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "wt", encoding="utf-8", newline="") as stream:
        stream.write(text)
    return path


@pytest.mark.parametrize("name", ["c.conllu", "c.conllu.gz", "c.conllu.xz"])
def test_conllu_is_read_whole(tmp_path: Path, name: str) -> None:
    """Multiword ranges and empty nodes are no tokens; comments give text and translation."""
    first, second = read_parsed(written(tmp_path / name, CONLLU))
    assert list(first.lemmas) == ["cat", "do", "not", "sleep", "."]
    assert list(first.heads) == [4, 4, 4, 0, 4]
    assert list(first.relations) == ["nsubj", "aux", "advmod", "root", "punct"]
    assert list(first.forms or ()) == ["Cats", "do", "n't", "sleep", "."]
    assert list(first.upos or ()) == ["NOUN", "AUX", "PART", "VERB", "PUNCT"]
    assert list(first.features or ()) == ["Number=Plur", "_", "_", "_", "_"]
    assert first.translations == {"de": "Katzen schlafen nicht."}
    assert (first.text, first.document, first.line) == ("Cats don't sleep.", "first", 1)
    assert (second.text, second.document, second.line) == ("Go", "first", 12)


def test_columns_are_read_whole(tmp_path: Path) -> None:
    """Unknown columns of the column format are translations."""
    first, second = read_parsed(written(tmp_path / "c.tsv", COLUMNS))
    assert (first.text, first.translations) == ("Cats sleep", {"de": "Katzen schlafen"})
    assert (list(second.lemmas), list(second.heads), second.line) == (["go"], [0], 3)


def test_a_table_may_have_more_columns(tmp_path: Path) -> None:
    """Forms, tags and documents where there are some; a column of its own is the sentence."""
    table = (
        "lemmas\trelations\theads\tforms\tupos\tfeatures\tdocument\ttext\n"
        "cat sleep\tnsubj root\t2 0\tCats sleep\tNOUN VERB\tA B\td1\tCats sleep!\n"
    )
    (only,) = read_parsed(written(tmp_path / "c.tsv", table))
    assert (only.text, only.document, only.translations) == ("Cats sleep!", "d1", {})
    assert (list(only.forms or ()), list(only.upos or ())) == (["Cats", "sleep"], ["NOUN", "VERB"])
    assert list(only.features or ()) == ["A", "B"]
    uneven = table.replace("NOUN VERB", "NOUN")
    with pytest.raises(DataError, match="one value per token"):
        list(read_parsed(written(tmp_path / "d.tsv", uneven)))


def test_a_header_names_what_it_lacks(tmp_path: Path) -> None:
    """Of the three columns that a table must have."""
    path = written(tmp_path / "c.tsv", "en\tlemmas\theads\na\ta\t0\n")
    with pytest.raises(DataError, match=r"the header lacks the column relations$"):
        list(read_parsed(path))


@pytest.mark.parametrize("characters", [1, 7, 60, 10_000])
def test_blocks_never_cut_a_sentence(tmp_path: Path, characters: int) -> None:
    """The sentences and line numbers do not depend on the size of the blocks."""
    path = written(tmp_path / "c.conllu", CONLLU * 5)
    blocks = read_blocks(path, characters)
    sentences = [sentence for block in blocks for sentence in parse_block(block).sentences()]
    assert list(read_parsed(path)) == sentences
    assert [s.line for s in sentences] == [1, 12, 14, 25, 27, 38, 40, 51, 53, 64]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("2\tdo\tdo", "2 do\tdo", 6, "10 tab-separated"),
        ("3\tn't", "7\tn't", 7, "token number 3 expected"),
        ("\t4\tnsubj", "\tx\tnsubj", 4, "not a token number"),
        ("\t4\tnsubj", "\t9\tnsubj", 1, "head 9"),
        ("\t4\tnsubj", f"\t{'9' * 20}\tnsubj", 4, "not a token number"),
        ("\t4\tnsubj", f"\t{'9' * 5000}\tnsubj", 4, "not a token number"),
        ("\t0\troot", "\t1\troot", 1, "cycle"),
        ("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_", "# text = nothing", 12, "without tokens"),
    ],
)
def test_broken_conllu_names_its_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    """Each fault in CoNLL-U is refused with its line number."""
    path = written(tmp_path / "c.conllu", CONLLU.replace(old, new, 1))
    with pytest.raises(DataError, match=words) as caught:
        list(read_parsed(path))
    assert caught.value.where is not None
    assert caught.value.where.line == line


def test_plain_pairs_are_no_parsed_corpus(tmp_path: Path) -> None:
    """What is missing is named, for who has a table of sentences and translations alone."""
    path = written(tmp_path / "c.tsv", "Cats sleep\tKatzen schlafen\n")
    with pytest.raises(DataError) as caught:
        list(read_parsed(path))
    assert "a header that has lemmas, relations, heads" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("nsubj root", "nsubj", "one value per token"),
        ("2 0", "2 x", "one value per token"),
        ("2 0", f"2 {'9' * 20}", "one value per token"),
        ("2 0", f"2 {'9' * 5000}", "one value per token"),
        ("Cats sleep\tKatzen", "Katzen", "5 columns"),
        ("Cats sleep\tKatzen schlafen\tcat sleep\tnsubj root\t2 0", "\t\t\t\t", "empty sentence"),
        ("2 0", "2 1", "cycle"),
    ],
)
def test_broken_columns_name_their_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    """Each fault in the column format is refused with its line number."""
    with pytest.raises(DataError, match=words) as caught:
        list(read_parsed(written(tmp_path / "c.tsv", COLUMNS.replace(old, new, 1))))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_cut_off_archive_is_refused(tmp_path: Path) -> None:
    """A truncated download is not taken for a whole corpus."""
    path = written(tmp_path / "c.conllu.xz", CONLLU * 300)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="to its end"):
        list(read_parsed(path))


@pytest.mark.parametrize("endless", ["1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n", "a", "# a\n"])
def test_a_sentence_without_end_is_refused(tmp_path: Path, endless: str) -> None:
    """A small archive that unpacks to gigabytes filled the memory before anything was checked."""
    path = tmp_path / "c.conllu.gz"
    with gzip.open(path, "wb") as stream:
        for _ in range(24):
            stream.write(endless.encode() * (1_000_000 // len(endless)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataError, match="a sentence of more than 8 million characters"):
        list(read_blocks(path))
    if "\n" not in endless:
        assert not is_parsed(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB


def test_a_missing_file_is_named() -> None:
    """The path of a missing corpus is in the message."""
    with pytest.raises(DataError, match="no such file"):
        list(read_parsed("nowhere.conllu"))


def test_parsed_files_are_told_from_text(tmp_path: Path) -> None:
    """The first line that is no comment decides, whatever the file is called."""
    assert is_parsed(written(tmp_path / "a.xyz", CONLLU))
    assert is_parsed(written(tmp_path / "b.en.gz", COLUMNS))
    assert not is_parsed(written(tmp_path / "c.conllu", "Just a sentence.\n"))


def test_a_file_of_comments_is_not_read_to_its_end(tmp_path: Path) -> None:
    """1.5 MB that unpack to gigabytes of nothing kept a build busy for minutes."""
    tokens = written(tmp_path / "a.conllu", "# a comment\n\n" * 700_000 + CONLLU)
    assert not is_parsed(tokens)


def test_mean_distance_leaves_out_root_and_punctuation():
    """Liu 2008, as in section 6.6 of Li et al. 2021."""
    # the->dog 1, dog->saw 1, a->cat 1, cat->saw 2
    heads = [1, 2, -1, 4, 2, 2]
    relations = ["det", "nsubj", "root", "det", "dobj", "punct"]
    assert mean_distance(heads, relations) == 1.25
    assert mean_distance([-1], ["root"]) == 0


def test_decomposed_letters_are_the_same_letters(tmp_path: Path) -> None:
    """A corpus in NFD has the atoms, and the sentences, of the same corpus in NFC."""
    row = "en\tlemmas\trelations\theads\nCaf\u00e9 noir\tcaf\u00e9 noir\troot amod\t0 1\n"
    composed, decomposed = tmp_path / "nfc.tsv", tmp_path / "nfd.tsv"
    composed.write_text(row, encoding="utf-8")
    decomposed.write_text(unicodedata.normalize("NFD", row), encoding="utf-8")
    assert composed.read_bytes() != decomposed.read_bytes()
    assert list(read_parsed(composed)) == list(read_parsed(decomposed))
