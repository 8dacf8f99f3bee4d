"""BLEU and chrF by sacrebleu, on raw text, with the tokeniser the target language asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from recombine.benchmark import Example
from recombine.errors import ConfigError
from recombine.metrics.base import Metric, Missing, Observation, Scored, Stats
from recombine.registry import require
from recombine.statistics.aggregate import Kind

# The tokenisers sacrebleu itself recommends for languages written without spaces.
_TOKENISERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}


class _Surface(Metric):
    """What BLEU and chrF share: sacrebleu keeps statistics per segment, as we do."""

    kind: ClassVar[Kind] = "sums"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 100.0
    missing: ClassVar[Missing] = "empty"
    _scorer: Any
    _references = 1

    def key(self, example: Example) -> str | None:
        """Every example with a reference is observed by itself."""
        return example.id if example.references else None

    def observe(self, items: Sequence[Scored]) -> Observation:
        """Return the sufficient statistics of one sentence and its sentence-level score."""
        (item,) = items
        self._references = max(self._references, len(item.example.references))
        streams = [[reference] for reference in item.example.references]
        (stats,) = self._scorer._extract_corpus_statistics([item.hypothesis], streams)
        value = self._sentence(stats)
        return Observation(item.example.id, (item.example.id,), value, tuple(map(float, stats)))

    def _sentence(self, stats: Sequence[int]) -> float:
        return float(self._scorer._compute_score_from_stats(list(stats)).score)

    def aggregate(self, stats: Stats) -> float:
        """Return the corpus-level score of the summed statistics."""
        if not len(stats):
            return 0.0
        return float(self._scorer._compute_score_from_stats(stats.sum(axis=0).tolist()).score)


@dataclass(kw_only=True)
class Bleu(_Surface):
    """Corpus BLEU (Papineni et al. 2002) as sacrebleu computes it.

    Without `tokenize` the target language chooses: ja-mecab for Japanese, zh for Chinese, 13a for
    languages written with spaces. A tokeniser that is not installed is an error, never replaced.
    """

    name: ClassVar[str] = "bleu"
    target_language: str = ""
    tokenize: str = ""
    lowercase: bool = False
    _scorer: Any = field(init=False, repr=False)
    _sentence_scorer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from sacrebleu.metrics.bleu import _TOKENIZERS, BLEU

        self.tokenize = self.tokenize or _TOKENISERS.get(self.target_language, "13a")
        if self.tokenize not in _TOKENIZERS:
            raise ConfigError(
                f"unknown BLEU tokeniser '{self.tokenize}'",
                hint=f"sacrebleu knows: {', '.join(sorted(_TOKENIZERS))}",
            )
        if self.tokenize == "ja-mecab":
            require("MeCab", extra="ja", feature="BLEU for Japanese (ja-mecab)")
            require("ipadic", extra="ja", feature="BLEU for Japanese (ja-mecab)")
        elif self.tokenize == "ko-mecab":
            require("mecab_ko", extra="ko", feature="BLEU for Korean (ko-mecab)")
        self._scorer = BLEU(tokenize=self.tokenize, lowercase=self.lowercase)
        self._sentence_scorer = BLEU(
            tokenize=self.tokenize, lowercase=self.lowercase, effective_order=True
        )

    def aggregate_many(self, sums: Stats) -> Stats:
        """Return the corpus BLEU of many summed statistics at once (exponential smoothing).

        The same arithmetic as sacrebleu's `compute_bleu`.
        """
        hypothesis, reference = sums[:, 0], sums[:, 1]
        orders = (sums.shape[1] - 2) // 2
        correct, total = sums[:, 2 : 2 + orders], sums[:, 2 + orders :]
        with np.errstate(divide="ignore", invalid="ignore"):
            misses = np.cumsum((correct == 0) & (total > 0), axis=1)
            smoothed = np.where(correct == 0, 100.0 / (2.0**misses * total), 100 * correct / total)
            logs = np.where(total > 0, np.log(smoothed), -np.inf)
            penalty = np.where(hypothesis < reference, np.exp(1 - reference / hypothesis), 1.0)
        scores = np.nan_to_num(penalty) * np.exp(logs.mean(axis=1))
        return np.asarray(np.where(correct.any(axis=1), scores, 0.0), dtype=np.float64)

    def _sentence(self, stats: Sequence[int]) -> float:
        # Without effective order a sentence shorter than four words would always score 0.
        return float(self._sentence_scorer._compute_score_from_stats(list(stats)).score)

    def signature(self) -> str:
        """Return sacrebleu's own signature."""
        return _signature("bleu", self._scorer, self._references)


@dataclass(kw_only=True)
class BleuChar(Bleu):
    """BLEU over characters: comparable across tokeniser versions for unspaced scripts."""

    name: ClassVar[str] = "bleu-char"
    tokenize: str = "char"


@dataclass(kw_only=True)
class Chrf(_Surface):
    """The character F-score chrF (Popovic 2015); `word_order` 2 makes it chrF++ (2017)."""

    name: ClassVar[str] = "chrf"
    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    _scorer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from sacrebleu.metrics.chrf import CHRF

        self._scorer = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
        )

    def aggregate_many(self, sums: Stats) -> Stats:
        """Return the corpus chrF of many summed statistics at once.

        The same arithmetic as sacrebleu's chrF without epsilon smoothing: precision and recall are
        averaged over the orders that occur, then combined.
        """
        parts = sums.reshape(len(sums), -1, 3)
        hypothesis, reference, match = parts[..., 0], parts[..., 1], parts[..., 2]
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=1), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(used, match / hypothesis, 0.0).sum(axis=1) / orders
            recall = np.where(used, match / reference, 0.0).sum(axis=1) / orders
            factor = self.beta**2
            score = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.asarray(100 * np.nan_to_num(score), dtype=np.float64)

    def signature(self) -> str:
        """Return sacrebleu's own signature."""
        return _signature(self.name, self._scorer, self._references)


@dataclass(kw_only=True)
class ChrfPlusPlus(Chrf):
    """chrF2++ (word bigrams included), the score of Moisio et al. 2023, section 4.1."""

    name: ClassVar[str] = "chrf++"
    word_order: int = 2


def _signature(name: str, scorer: Any, references: int) -> str:
    # sacrebleu learns the number of references from the last segment; a signature asked for before
    # any segment, or after one with fewer references, must be the same.
    scorer.num_refs = references
    return f"{name}|{scorer.get_signature().format(short=False)}"
