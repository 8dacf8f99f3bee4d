"""Dropping what is no translation from a parsed corpus."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from recombine.corpus.cleaning import clean_corpus, clean_texts
from recombine.corpus.conllu import read_parsed
from recombine.errors import ConfigError, DataError

PAIRS = [
    ("The house is old and beautiful.", "Das Haus ist alt und schön, sagen die Leute."),
    ("We thank you for your work today.", "We thank you for your work today."),
    ("We thank you for your help today.", "Today we want to thank you for your help."),
    ("The children read books in the garden.", "Les enfants lisent des livres dans le jardin."),
    ("The teacher helps the children.", "Der Lehrer hilft den Kindern bei der Arbeit."),
    ("Part II", "Teil II"),
]


def columns(path: Path) -> Path:
    """Write the pairs in the column format."""
    lines = ["en\tde\tlemmas\trelations\theads"]
    for source, target in PAIRS:
        count = len(source.split())
        heads = " ".join(["0", *["1"] * (count - 1)])
        relations = " ".join(["root", *["dep"] * (count - 1)])
        lines.append("\t".join((source, target, source.lower(), relations, heads)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def conllu(path: Path) -> Path:
    """Write the pairs as CoNLL-U."""
    parts = []
    for source, target in PAIRS:
        tokens = [
            f"{at}\t{word}\t{word.lower()}\tX\t_\t_\t{int(at > 1)}\tdep\t_\t_"
            for at, word in enumerate(source.split(), 1)
        ]
        parts.append("\n".join((f"# text = {source}", f"# text_de = {target}", *tokens)))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("make", [columns, conllu])
def test_only_translations_stay(tmp_path: Path, make: object) -> None:
    """Copies, English and French go; a short line that could be anything stays."""
    corpus = make(tmp_path / "corpus.tsv")  # type: ignore[operator]
    found = clean_corpus(corpus, tmp_path / "clean.tsv", source="en", target="de")
    kept = [sentence.text for sentence in read_parsed(tmp_path / "clean.tsv")]
    assert kept == [PAIRS[0][0], PAIRS[4][0], PAIRS[5][0]]
    assert (found.read, found.kept) == (6, 3)
    assert found.removed == {"not translated": 1, "target in en": 1, "target in fr": 1}


def test_kept_lines_keep_their_bytes(tmp_path: Path) -> None:
    """A cleaned corpus is the corpus without some lines, compressed the same way every time."""
    corpus = columns(tmp_path / "corpus.tsv")
    outs = [tmp_path / f"{number}.tsv.gz" for number in (1, 2)]
    for out in outs:
        clean_corpus(corpus, out, source="en", target="de")
    lines = corpus.read_text(encoding="utf-8").splitlines()
    with gzip.open(outs[0], "rt", encoding="utf-8") as stream:
        assert stream.read().splitlines() == [lines[at] for at in (0, 1, 5, 6)]
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_refusals(tmp_path: Path) -> None:
    """An unknown language, a missing translation and the corpus as its own output are refused."""
    corpus = columns(tmp_path / "corpus.tsv")
    with pytest.raises(ConfigError, match="does not know 'xx'"):
        clean_corpus(corpus, tmp_path / "out.tsv", source="en", target="xx")
    with pytest.raises(DataError, match="no translation 'fr'"):
        clean_corpus(corpus, tmp_path / "out.tsv", source="en", target="fr")
    with pytest.raises(ConfigError, match="the corpus itself"):
        clean_corpus(corpus, corpus, source="en", target="de")
    with pytest.raises(ConfigError, match=r"cannot write \.xz"):
        clean_corpus(corpus, tmp_path / "out.xz", source="en", target="de")
    assert not (tmp_path / "out.tsv").exists()


@pytest.mark.parametrize("name", ["clean", "clean.gz"])
def test_raw_texts_are_cleaned_line_by_line(tmp_path, name):
    """Both sides of a pair leave together."""
    texts = (tmp_path / "c.en", tmp_path / "c.de")
    for path, side in zip(texts, (0, 1), strict=True):
        path.write_text("".join(pair[side] + "\n" for pair in PAIRS), encoding="utf-8")
    found = clean_texts(texts, tmp_path / name, source="en", target="de")
    assert (found.read, found.kept) == (6, 3)
    end = name.removeprefix("clean")
    sides = [(tmp_path / f"clean.{code}{end}").read_bytes() for code in ("en", "de")]
    sides = [gzip.decompress(one) if end else one for one in sides]
    assert [side.decode().splitlines() for side in sides] == [
        [PAIRS[place][side] for place in (0, 4, 5)] for side in (0, 1)
    ]
    with pytest.raises(ConfigError, match="is the corpus itself"):
        clean_texts(texts, tmp_path / "c", source="en", target="de")


def test_sentences_stay_in_their_documents(tmp_path: Path) -> None:
    """A document whose first sentence leaves is not joined to the one before, across blocks too."""
    documents = ["a", "a", "b", "b", "c", "c", "d"]
    pairs = [PAIRS[place] for place in (0, 4, 1, 4, 2, 1, 0)]
    parts, last = [], ""
    for (source, target), document in zip(pairs, documents, strict=True):
        opening = [] if document == last else [f"# newdoc id = {document}"]
        last = document
        tokens = [
            f"{at}\t{word}\t{word.lower()}\tX\t_\t_\t{int(at > 1)}\tdep\t_\t_"
            for at, word in enumerate(source.split(), 1)
        ]
        parts.append("\n".join((*opening, f"# text = {source}", f"# text_de = {target}", *tokens)))
    corpus = tmp_path / "c.conllu"
    corpus.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    clean_corpus(corpus, tmp_path / "clean.conllu", source="en", target="de")
    kept = list(read_parsed(tmp_path / "clean.conllu"))
    assert [sentence.document for sentence in kept] == ["a", "a", "b", "d"]
    assert (tmp_path / "clean.conllu").read_text(encoding="utf-8").count("# newdoc") == 3
