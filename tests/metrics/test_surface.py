"""BLEU and chrF agree with sacrebleu and choose the tokeniser by language."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.benchmark import Example
from recombine.errors import ConfigError, MissingExtra
from recombine.metrics import surface
from recombine.metrics.base import Scored
from recombine.metrics.surface import Bleu, BleuChar, Chrf, ChrfPlusPlus

WORDS = st.lists(st.sampled_from(["a", "b", "dog", "cat", ".", "the"]), min_size=1, max_size=8)
SENTENCE = WORDS.map(" ".join)


def statistics(metric, hypotheses, references):
    """Our statistics, a row for each sentence."""
    scored = (
        Scored(Example.make(source="x", references=refs), hyp)
        for hyp, refs in zip(hypotheses, references, strict=True)
    )
    return np.array([metric.observe([one]).stats for one in scored])


def corpus_score(metric, hypotheses, references):
    """Score through our statistics."""
    return metric.aggregate(statistics(metric, hypotheses, references))


@settings(deadline=None)
@given(st.lists(st.tuples(SENTENCE, SENTENCE, SENTENCE), min_size=1, max_size=5))
def test_corpus_scores_equal_sacrebleu(rows):
    """Summing our per-sentence statistics is sacrebleu's corpus score, two references included."""
    hypotheses = [row[0] for row in rows]
    streams = [[row[1] for row in rows], [row[2] for row in rows]]
    references = [list(row[1:]) for row in rows]
    for metric, theirs in (
        (Bleu(), sacrebleu.BLEU()),
        (Chrf(), sacrebleu.CHRF()),
        (ChrfPlusPlus(), sacrebleu.CHRF(word_order=2)),
    ):
        expected = theirs.corpus_score(hypotheses, streams).score
        assert corpus_score(metric, hypotheses, references) == pytest.approx(expected)
        sums = statistics(metric, hypotheses, references).sum(axis=0)
        # Many samples at once, as the bootstrap does it.
        assert metric.aggregate_many(np.array([sums, 0 * sums])) == pytest.approx([expected, 0])


@pytest.mark.parametrize(
    ("language", "tokenizer"), [("ja", "ja-mecab"), ("zh", "zh"), ("de", "13a"), ("", "13a")]
)
def test_the_target_language_chooses_the_tokeniser(language, tokenizer):
    """Raw text in; Japanese and Chinese are segmented rightly."""
    metric = Bleu(target_language=language)
    assert metric.tokenize == tokenizer
    assert f"tok:{tokenizer}" in metric.signature()


def test_characters_stand_beside_words():
    """BLEU over characters does not depend on a tokeniser's version."""
    assert "tok:char" in BleuChar(target_language="ja").signature()


@pytest.mark.parametrize(
    ("package", "language"), [("MeCab", "ja"), ("ipadic", "ja"), ("mecab_ko", "ko")]
)
def test_a_missing_tokeniser_is_an_error(monkeypatch, package, language):
    """Never a silent fallback to another tokeniser."""

    def missing(module: str, *, extra: str, feature: str):
        if module == package:
            raise MissingExtra(feature, extra, module)

    monkeypatch.setattr(surface, "require", missing)
    with pytest.raises(MissingExtra, match=f"{language}-mecab"):
        Bleu(target_language=language)


def test_an_unknown_tokeniser_is_an_error():
    """With the names there are."""
    with pytest.raises(ConfigError, match="flores"):
        Bleu(tokenize="flores")


def test_the_signature_changes_with_the_options():
    """Two settings never share a signature."""
    assert Bleu(lowercase=True).signature() != Bleu().signature()
    assert Chrf().signature() != ChrfPlusPlus().signature()


def test_what_has_a_reference_is_observed():
    """By itself; a sentence without one cannot be compared."""
    example = Example.make(source="x", references=["a dog"])
    assert Bleu().key(example) == Chrf().key(example) == example.id
    assert Bleu().key(Example.make(source="x")) is None
