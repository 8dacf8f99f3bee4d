"""Corpus: a parallel text as flat arrays of piece numbers, and the order in which it is read.

The order is a pure function of (seed, epoch), so the position in the data is the step number alone
and a run continues after a kill with exactly the batches it would have seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recombine.benchmark import Example
from recombine.errors import DataError
from recombine.registry import require
from recombine.systems.seq2seq.options import Options, fingerprint
from recombine.systems.seq2seq.vocabulary import END, Vocabulary

Numbers = NDArray[np.int64]


@dataclass
class NumberedSide:
    """The sentences of one language, end marks included, laid one after another."""

    pieces: Numbers
    starts: Numbers
    lengths: Numbers

    @classmethod
    def of(cls, sentences: Sequence[Sequence[int]]) -> NumberedSide:
        """Lay out sentences, adding the end mark to each."""
        lengths = np.array([len(sentence) + 1 for sentence in sentences], dtype=np.int64)
        flat = [piece for sentence in sentences for piece in (*sentence, END)]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        return cls(np.array(flat, dtype=np.int64), starts, lengths)

    def sentence(self, number: int) -> Numbers:
        """Return one sentence with its end mark."""
        start = int(self.starts[number])
        return self.pieces[start : start + int(self.lengths[number])]

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass
class ParallelCorpus:
    """Source and target of the training pairs."""

    source: NumberedSide
    target: NumberedSide

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class BatchPlan:
    """Which sentences each step sees: shuffled epochs laid end to end, cut into steps."""

    corpus: ParallelCorpus
    seed: int
    size: int
    unit: str = "sentences"
    by_length: bool = False

    def order(self, epoch: int) -> Numbers:
        """Return the shuffled sentence numbers of one epoch."""
        stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, epoch])))
        return stream.permutation(len(self.corpus))

    def batches(self, first_step: int = 0) -> Iterator[Numbers]:
        """Yield the sentence numbers of step `first_step` and of every one after it."""
        if self.by_length:
            yield from self._by_length(first_step)
        elif self.unit == "sentences":
            yield from self._by_sentences(first_step)
        else:
            yield from self._by_tokens(first_step)

    def _by_sentences(self, first_step: int) -> Iterator[Numbers]:
        # Epochs run into one another: no short last batch, every step has the same size.
        position = first_step * self.size
        epoch, offset = divmod(position, len(self.corpus))
        rest = self.order(epoch)[offset:]
        while True:
            while len(rest) < self.size:
                epoch += 1
                rest = np.concatenate((rest, self.order(epoch)))
            yield rest[: self.size]
            rest = rest[self.size :]

    def _by_length(self, first_step: int) -> Iterator[Numbers]:
        # As OpenNMT-py pools: sort a shuffled epoch by length, cut it, shuffle the batches.
        per_epoch = -(-len(self.corpus) // self.size)
        epoch, offset = divmod(first_step, per_epoch)
        longest = np.maximum(self.corpus.source.lengths, self.corpus.target.lengths)
        while True:
            order = self.order(epoch)
            order = order[np.argsort(longest[order], kind="stable")]
            stream = np.random.Generator(
                np.random.PCG64(np.random.SeedSequence([self.seed, epoch, 1]))
            )
            for number in stream.permutation(per_epoch)[offset:]:
                yield order[number * self.size : (number + 1) * self.size]
            epoch, offset = epoch + 1, 0

    def _by_tokens(self, first_step: int) -> Iterator[Numbers]:
        # Length without padding: our batches have none (fairseq's max-tokens counts padded ones).
        width = np.maximum(self.corpus.source.lengths, self.corpus.target.lengths)
        step = 0
        epoch = 0
        while True:
            order = self.order(epoch)
            ends = np.cumsum(width[order])
            start = 0
            while start < len(order):
                used = ends[start - 1] if start else 0
                stop = int(np.searchsorted(ends, used + self.size, side="right"))
                stop = max(stop, start + 1)  # a sentence longer than the batch goes alone
                if step >= first_step:
                    yield order[start:stop]
                step += 1
                start = stop
            epoch += 1


@dataclass
class Prepared:
    """All that training needs of the data: vocabularies, piece numbers, the dev pairs as text."""

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    corpus: ParallelCorpus
    dev_sources: list[str]
    dev_references: list[tuple[str, ...]]


def prepare(
    train: Sequence[Example], dev: Sequence[Example], options: Options, model_dir: Path
) -> Prepared:
    """Learn the vocabularies and encode the pairs; what `model_dir` holds already is reused.

    The encoded pairs are kept so that training can go on where a segmenter is not installed.
    """
    pairs = [example for example in train if example.references]
    if not pairs:
        raise DataError(
            "the training set is empty: no training example has a reference",
            hint="a benchmark needs a non-empty train split to train a system",
        )
    sources = [example.source for example in pairs]
    targets = [example.references[0] for example in pairs]
    identity = {
        "data": fingerprint([sources, targets]),
        "options": {
            key: value for key, value in options.identity().items() if key in _TEXT_OPTIONS
        },
    }
    folder = model_dir / "data"
    numpy_path = folder / "pairs.safetensors"
    names = ("source", "target")
    numpy_files = require("safetensors.numpy", extra="train", feature="training")
    if numpy_path.exists():
        try:
            arrays = numpy_files.load_file(numpy_path)
        except Exception as error:  # the library raises its own, by format
            raise DataError(
                f"{numpy_path} cannot be read: {error}", hint="remove it: it is made again"
            ) from error
        with require("safetensors", extra="train", feature="training").safe_open(
            str(numpy_path), "np"
        ) as stream:
            stored = (stream.metadata() or {}).get("identity")
        if stored == fingerprint(identity):
            vocabularies = [Vocabulary.read(folder / f"{name}.json") for name in names]
            return _prepared(vocabularies, _corpus(arrays), dev)
    vocabularies = [
        Vocabulary.learn(
            texts,
            getattr(options, f"{name}_subwords"),
            getattr(options, f"{name}_vocabulary_size"),
            segmenter=getattr(options, f"{name}_segmenter"),
            lowercase=options.lowercase,
        )
        for name, texts in zip(names, (sources, targets), strict=True)
    ]
    corpus = ParallelCorpus(
        *(
            NumberedSide.of(vocabulary.encode(texts))
            for vocabulary, texts in zip(vocabularies, (sources, targets), strict=True)
        )
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, vocabulary in zip(names, vocabularies, strict=True):
        vocabulary.write(folder / f"{name}.json")
    arrays = {
        f"{name}.{part}": getattr(getattr(corpus, name), part).astype(np.int32)
        for name in names
        for part in ("pieces", "lengths")
    }
    for left in folder.glob(".tmp*"):  # by the library, when it was killed
        left.unlink(missing_ok=True)
    partial = numpy_path.with_name("pairs.partial")
    numpy_files.save_file(arrays, partial, metadata={"identity": fingerprint(identity)})
    partial.replace(numpy_path)
    return _prepared(vocabularies, corpus, dev)


def _corpus(arrays: dict[str, Any]) -> ParallelCorpus:
    sides = []
    for name in ("source", "target"):
        lengths = arrays[f"{name}.lengths"].astype(np.int64)
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        sides.append(NumberedSide(arrays[f"{name}.pieces"].astype(np.int64), starts, lengths))
    return ParallelCorpus(*sides)


def _prepared(
    vocabularies: list[Vocabulary], corpus: ParallelCorpus, dev: Sequence[Example]
) -> Prepared:
    scored = [example for example in dev if example.references]
    source, target = vocabularies
    return Prepared(
        source,
        target,
        corpus,
        [example.source for example in scored],
        [example.references for example in scored],
    )


_TEXT_OPTIONS = frozenset({
    "source_subwords", "target_subwords", "source_vocabulary_size", "target_vocabulary_size",
    "source_segmenter", "target_segmenter", "lowercase",
})  # fmt: skip
