"""What a user may ask of a report."""

from __future__ import annotations

from dataclasses import dataclass

from recombine.errors import ConfigError
from recombine.statistics.sample import CONFIDENCE, TRIALS, Sampling


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Options of `recombine report`; every one has a sensible default."""

    title: str = ""
    # Only these metrics and splits; empty = all that were scored.
    metrics: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    # Metrics of your own (./file.py:Name) that were scored: sums and rows need their code again.
    own: tuple[str, ...] = ()
    # What was sampled as a whole. Unless something is said, what the metric declares (synonyms,
    # idioms, templates), else `group`, the examples that the benchmark says belong together (the
    # contexts of a compound). Or `key`, every key by itself; or a tag (target_word).
    cluster: str = ""
    # A system that learnt from neither side of the benchmark: what it loses, too, is difficulty.
    control_system: str = ""
    # Of each split, a stratified subset of this many examples; 0 = all.
    sample: int = 0
    confidence: float = CONFIDENCE
    # Random exchanges of outputs in a paired test of a corpus score or of clusters.
    trials: int = TRIALS
    seed: int = 0
    # Largest report.html in megabytes; the examples shown are thinned out to fit.
    page_megabytes: float = 4.5
    # Most examples in the page; they are drawn evenly over the first tag's values.
    examples: int = 24_000
    # Labels of one's own for patterns, tags and metrics: a table like data/words/words.tsv.
    words: tuple[str, ...] = ()
    figures: tuple[str, ...] = ("svg", "pdf")
    # every-eval-ever, harness, inspect, genbench
    exports: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ConfigError(
                f"confidence must be between 0 and 1, not {self.confidence:g}",
                hint="95% is -o confidence=0.95",
            )
        # One trial in 20 may be as large as what was observed where a difference is significant.
        for name, fewest in {"trials": 20, "sample": 0, "seed": 0, "examples": 0}.items():
            if getattr(self, name) < fewest:
                raise ConfigError(
                    f"{name} must be {fewest} or more, not {getattr(self, name)}",
                    hint=f"-o {name}={max(fewest, getattr(ReportOptions, name))}",
                )

    @property
    def sampling(self) -> Sampling:
        """What is asked of intervals and tests."""
        return Sampling(self.cluster, self.confidence, self.trials, self.seed)
