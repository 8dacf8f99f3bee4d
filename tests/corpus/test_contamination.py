"""Contamination: exact, normalised and n-gram overlap are told apart."""

from __future__ import annotations

import gzip

import pytest

from recombine.benchmark import Example
from recombine.corpus.contamination import contamination, simplify, units_of
from recombine.draft import Draft
from recombine.errors import DataError
from report.synthetic import build_benchmark


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    """A small benchmark."""
    return build_benchmark(tmp_path_factory.mktemp("c") / "benchmark", 10)


def test_kinds_of_overlap(benchmark, tmp_path):
    """An exact copy, a changed case and a long shared stretch each count in their own line."""
    sources = [example.source for example in benchmark.iterate("gen")]
    long = max(sources, key=len)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(
        "\n".join([sources[0], sources[1].upper().rstrip("."), "It is said that " + long, "other"])
    )
    found = contamination(benchmark, corpus, splits=("gen",))["splits"]["gen"]["source"]
    exact = sum(source == sources[0] for source in sources)
    assert found["exact"] == exact
    assert found["normalised"] >= exact + 1
    assert found["ngram_overlap"] > found["normalised"] - 2
    assert found["most_overlapping"][0]["share"] == 1.0


def test_clean_corpus_has_no_overlap(benchmark, tmp_path):
    """Unrelated text gives zeros."""
    corpus = tmp_path / "clean.txt.gz"
    corpus.write_bytes(gzip.compress(b"Nothing here has to do with the benchmark at all.\n"))
    found = contamination(benchmark, [corpus])
    assert found["corpus_lines"] == 1
    for sides in found["splits"].values():
        for side in sides.values():
            assert side["exact"] == side["normalised"] == side["ngram_overlap"] == 0


def test_missing_corpus_is_an_error(benchmark, tmp_path):
    """A wrong path is not an empty corpus."""
    with pytest.raises(DataError, match="no such corpus file"):
        contamination(benchmark, tmp_path / "none.txt")


def test_a_wrong_encoding_is_named_and_not_guessed(benchmark, tmp_path):
    """Compressed or not: replaced letters would hide an overlap."""
    corpus = tmp_path / "latin.txt.gz"
    corpus.write_bytes(gzip.compress(b"fine\nK\xf6nig\n"))
    with pytest.raises(DataError, match=r"latin\.txt\.gz:2: not UTF-8"):
        contamination(benchmark, [corpus])


def test_unspaced_text_uses_characters():
    """Japanese has character n-grams; full-width forms are folded."""
    assert simplify("ＡＢＣ、猫。") == "abc 猫"
    short, long = (
        units_of(t, 8) for t in ("猫が犬を見た。", "少女が机の上の本の横の赤い箱を見つけた。")
    )
    assert list(short.grams(6)) == ["猫が犬を見た"]
    assert len(list(long.grams(long.most))) == 4


@pytest.mark.parametrize(("between", "overlapping"), [(" ", 3), ("\t", 3), (" And so: ", 1)])
def test_short_sentences_are_found_within_lines(tmp_path, between, overlapping):
    """Three sentences to a line, or two columns; of very short ones only whole sentences count."""
    texts = [
        "The cat saw the dog.",
        "Understandable.",
        "猫が犬を見た。",
        "Nobody wrote this one here.",
    ]
    draft = Draft(tmp_path / "b", seed=1)
    draft.write("test", [Example.make(source=text) for text in texts])
    manifest = {
        "format": 1, "name": "b", "version": "1", "source": "en", "target": "",
        "builder": "none", "seed": 1,
    }  # fmt: skip
    benchmark = draft.finish(manifest)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(
        between.join(["Something else stands here.", *texts[:3]])
        + "\nUnderstandable things are said.\n"
    )
    found = contamination(benchmark, corpus)["splits"]["test"]["source"]
    assert found["ngram_overlap"] == overlapping
