"""Parallel text to train on, beside the tests: so that one run shows all three tests over training.

A tab-separated file whose header names the languages (`en`, `de`; other columns are ignored,
.gz/.xz/.bz2 are read), or two line-aligned text files. Punctuation is set apart by spaces, as in
the test sentences. A file of held-out pairs is `dev` and `test`: dev where its column `split` says
so, or all of it where there is no such column; without one, dev is drawn from the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from recombine.benchmark import Example, control_character, normalise
from recombine.corpus.contamination import simplify
from recombine.draft import Draft
from recombine.errors import DataError, Where
from recombine.files import read_aligned, read_table

_TOKEN = re.compile(r"\w+(?:[-'\u2019]\w+)*['\u2019]?|[^\w\s]")


_LONGEST = 100  # tokens, of either side


def read_training(
    path: Path, translations: Path | None, source: str, target: str
) -> list[tuple[str, str]]:
    """Return the different sentence pairs of a text, punctuation set apart, in file order."""
    if translations is not None:
        pairs = (lines for _, lines in read_aligned(path, translations))
    else:
        rows = read_table(path, (source, target), filled=False, comments=False)
        pairs = ((row[source], row[target]) for row in rows)
    different: dict[tuple[str, str], None] = {}
    for sentence, other in pairs:
        tokenised = tokenise(sentence), tokenise(other)
        if all(tokenised) and max(len(text.split()) for text in tokenised) <= _LONGEST:
            different[tokenised] = None
    if not different:
        raise DataError("no sentence pair to train on", Where(str(path)))
    return list(different)


def write_training(
    draft: Draft,
    pairs: Sequence[tuple[str, str]],
    heldout: Sequence[tuple[str, str, str]],
    *,
    size: int,
    dev_size: int,
    forbidden: set[str],
    rng: np.random.Generator,
) -> list[Example]:
    """Write train and dev, and test where it is held out; return what is trained on."""
    held = {source for _, source, _ in heldout}
    train, dev = split_training(
        pairs,
        size=size,
        dev_size=0 if heldout else dev_size,
        forbidden=forbidden | held,
        rng=rng,
    )
    parts = {"train": train, "dev": dev}
    tested = {letters(source) for source in forbidden}
    for split, source, target in heldout:
        if letters(source) not in tested:
            parts.setdefault(split, []).append(_example((source, target), split))
    for split, examples in parts.items():
        draft.write(split, examples)
    return train


def read_heldout(path: Path, source: str, target: str) -> list[tuple[str, str, str]]:
    """Return split, source and target of every held-out pair, punctuation set apart."""
    split_of: dict[tuple[str, str], str] = {}
    for row in read_table(path, (source, target), filled=False, comments=False):
        split = row.get("split") or "dev"
        if split not in ("dev", "test"):
            raise DataError(f"a held-out pair is 'dev' or 'test', not '{split}'", row.where)
        pair = tokenise(row[source]), tokenise(row[target])
        if all(pair):
            split_of.setdefault(pair, split)
    if not split_of:
        raise DataError("no held-out pair", Where(str(path)))
    return [(split, *pair) for pair, split in split_of.items()]


def split_training(
    pairs: Sequence[tuple[str, str]],
    *,
    size: int,
    dev_size: int,
    forbidden: set[str],
    rng: np.random.Generator,
) -> tuple[list[Example], list[Example]]:
    """Return training and development examples; no `forbidden` source is among them.

    Sources are compared by letters and digits: tests are tokenised in other ways than this text.
    A smaller `size` is a prefix of a larger one, so that training sizes can be compared, and the
    development set is the same for all.
    """
    order = [pairs[place] for place in rng.permutation(len(pairs)).tolist()]
    tested = {letters(source) for source in forbidden}
    usable = [pair for pair in order if letters(pair[0]) not in tested]
    dev, train = usable[:dev_size], usable[dev_size:]
    if len(train) < size:
        raise DataError(
            f"{len(train)} sentence pairs are left for training, {size} were asked for",
            hint="a smaller training_size, or more text",
        )
    chosen = train[:size] if size else train
    return [_example(pair, "train") for pair in chosen], [_example(pair, "dev") for pair in dev]


def _example(pair: tuple[str, str], split: str) -> Example:
    return Example.make(source=pair[0], references=(pair[1],), salt=split)


def letters(text: str) -> str:
    """Return what two texts have in common that differ in spaces and signs alone."""
    return simplify(text).replace(" ", "")


def tokenise(text: str) -> str:
    """Return a text with its punctuation set apart; empty when it holds a control character."""
    text = normalise(" ".join(_TOKEN.findall(text)))
    return "" if control_character(text) else text


def count_idioms(lines: Iterable[str], idioms: Sequence[str]) -> dict[str, int]:
    """Count the sentences of a training text that contain each idiom."""
    counts = dict.fromkeys(idioms, 0)
    lowered = [(idiom, idiom.lower()) for idiom in idioms]
    for line in lines:
        text = line.lower()
        for idiom, wanted in lowered:
            counts[idiom] += wanted in text
    return counts
