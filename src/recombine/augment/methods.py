"""The methods by name, and one call from pairs to more pairs.

`recombine`, `exchange` (for running text) and `words` learn from training pairs, of which they
receive nothing but the texts; `grammar` samples the grammar that made the benchmark, and is the
upper bound of the others.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from recombine.augment.files.certificate import Kept, remove_known
from recombine.augment.files.grammar_files import read_grammar, write_grammar
from recombine.augment.files.inputs import PairSource, benchmark_pairs
from recombine.augment.options import AugmentOptions, Recombined, Review, TrainingPair
from recombine.augment.recombiner import Recombiner
from recombine.benchmark import Benchmark, Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError
from recombine.files import replace_folder
from recombine.parallel import gc_paused
from recombine.progress import progress
from recombine.stage import refuse_output


class Method(Protocol):
    """What has been learned, ready to draw."""

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs."""
        ...

    def review(self) -> Review:
        """Return what was learned, for people."""
        ...

    def explain(self, source: str) -> list[str] | None:
        """Return how a sentence can be made, or None."""
        ...


def learn(source: PairSource, options: AugmentOptions) -> Method:
    """Learn from training pairs; only `grammar` is told of the benchmark."""
    if options.grammar and options.method != "recombine":
        raise ConfigError(
            f"method '{options.method}' draws from no learnt grammar",
            hint="leave out -o method or --from-grammar",
        )
    if options.method == "grammar":
        from recombine.augment.grammar_sample import GrammarSample

        return GrammarSample.of(source.benchmark, source.pairs)
    if options.method == "words":
        from recombine.augment.words import WordExchange

        return WordExchange.learn(source.pairs, options)
    if options.method == "exchange":
        from recombine.augment.natural.exchange import Exchange

        return Exchange.learn(source.pairs, options)
    if options.grammar:
        stored = read_grammar(Path(options.grammar), source.pairs)
        return Recombiner.stored(source.pairs, options, stored)
    return Recombiner.learn(source.pairs, options)


def store_grammar(source: PairSource, options: AugmentOptions, folder: Path) -> int:
    """Learn a grammar and write it as files, which a person can correct; return its rules."""
    if options.method != "recombine" or options.grammar:
        raise ConfigError("--grammar writes what the method 'recombine' learns from pairs")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise ConfigError(f"{folder} exists", hint="choose another folder, or remove it")
    refuse_output(folder)
    learned = Recombiner.learn(source.pairs, options)
    languages = options.source_language, options.target_language
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    write_grammar(partial, learned.grammar, source.pairs, languages, turned=learned.turned)
    replace_folder(partial, folder)
    return len(learned.grammar.tables.rules)


@gc_paused()
def draw(method: Method, source: PairSource, options: AugmentOptions) -> Kept:
    """Draw as many pairs as the options say; then remove those that the benchmark asks for."""
    drawn = []
    with progress("recombine", options.n) as bar:
        for pair in method.draw(options.n, options.seed):
            drawn.append(pair)
            bar.advance()
    if not drawn:
        raise DataError(
            f"no new pair could be made of the {len(source.pairs):,} training pairs",
            hint="give more pairs, or lower support",
        )
    found = remove_known(drawn, source.benchmark)
    if not found.pairs:
        raise DataError(f"all {len(drawn):,} drawn pairs are sentences of other splits")
    return found


def find_pair(pairs: Iterable[Recombined], source: str) -> Recombined | None:
    """Return the pair of a source sentence, if it is among these."""
    return next((pair for pair in pairs if pair.source == source), None)


def read_options(given: dict[str, Any], source: PairSource, prefix: str = "") -> AugmentOptions:
    """Make options of plain data; the languages are those of the pairs where nothing is said."""
    languages = {
        "source_language": source.source_language,
        "target_language": source.target_language,
    }
    options = parse_config(AugmentOptions, {**languages, **given}, prefix=prefix)
    if options.n < 1:
        raise ConfigError(f"n = {options.n}: at least one pair must be asked for")
    return options


def augment(
    pairs: Benchmark | Iterable[TrainingPair | Example | tuple[str, str]],
    n: int = AugmentOptions.n,
    *,
    seed: int = 1,
    source_language: str = "",
    target_language: str = "",
    **options: Any,
) -> list[Recombined]:
    """Return new training pairs made of training pairs.

    `pairs` are (source, target), examples with references, or a benchmark, of which `train` is
    learned from and the sentences of the other splits are removed from what was drawn. Options are
    those of `AugmentOptions`: thresholds, depth, method.
    """
    if isinstance(pairs, Benchmark):
        source = benchmark_pairs(pairs)
    else:
        given = tuple(_pair(number, one) for number, one in enumerate(pairs, start=1))
        source = PairSource(given, source_language, target_language, {"pairs": len(given)})
    asked = read_options({**options, "n": n, "seed": seed}, source)
    return draw(learn(source, asked), source, asked).pairs


def _pair(number: int, given: Any) -> TrainingPair:
    if isinstance(given, TrainingPair):
        return given if given.id else dataclasses.replace(given, id=str(number))
    if isinstance(given, Example):
        return TrainingPair(given.source, (*given.references, "")[0], given.id)
    source, target = given
    return TrainingPair(source, target, str(number))
