"""What counts as a compound: from a slice of an encoded corpus to compound occurrences.

Every definition says the same four things about an occurrence: its head side and its
sub-compound (the weight of a sub-compound looks at how its heads are distributed), the tokens
whose units are its atoms, and label atoms (relations, features) that are not tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergent.encode import Definition, EncodedCorpus

Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Two small numbers share one 64-bit key.
SHIFT = 32


class Interner:
    """Dense numbers for 64-bit keys, in the order of first appearance by slice."""

    def __init__(self) -> None:
        self._sorted: Longs = np.zeros(0, np.int64)
        self._ids: Longs = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, keys: Longs) -> Longs:
        """Return the number of each key, giving new numbers to new keys."""
        distinct, inverse = np.unique(keys, return_inverse=True)
        ids = self._find(distinct)
        new = ids < 0
        count = int(new.sum())
        if count:
            ids[new] = np.arange(len(self), len(self) + count)
            at = np.searchsorted(self._sorted, distinct[new])
            self._sorted = np.insert(self._sorted, at, distinct[new])
            self._ids = np.insert(self._ids, at, ids[new])
        numbers: Longs = ids[inverse]
        return numbers

    def find(self, keys: Longs) -> Longs:
        """Return the number of each key, -1 for an unknown one."""
        distinct, inverse = np.unique(keys, return_inverse=True)
        numbers: Longs = self._find(distinct)[inverse]
        return numbers

    def keys(self) -> Longs:
        """Return the keys in the order of their numbers."""
        ordered = np.empty_like(self._sorted)
        ordered[self._ids] = self._sorted
        return ordered

    def _find(self, distinct: Longs) -> Longs:
        if not len(self):
            return np.full(len(distinct), -1, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, distinct), len(self) - 1)
        return np.where(self._sorted[at] == distinct, self._ids[at], -1)


class Slice(NamedTuple):
    """Consecutive sentences of a corpus as arrays; token indices count from the slice's start."""

    units: Longs
    relations: Longs
    heads: Longs  # token index of the head within the slice, -1 = root
    features: Longs
    sentence: Longs  # sentence number of each token within the slice
    sentences: int
    first: int  # number of the first sentence in the corpus


class Occurrences(NamedTuple):
    """Compound occurrences of one slice."""

    head: Longs  # what the weight varies: a unit's number
    sub: Longs  # the sub-compound's number
    sentence: Longs
    dependants: Longs  # [n, d] tokens whose units are atoms of a kept compound
    governors: Longs  # [n, g] further tokens of the compound
    label_owner: Longs  # which occurrence ...
    label: Longs  # ... carries which label


def corpus_slices(corpus: EncodedCorpus, sentences: int) -> list[tuple[int, int]]:
    """Return the (first, last) sentence numbers of each slice."""
    return [
        (start, min(start + sentences, corpus.size)) for start in range(0, corpus.size, sentences)
    ]


def read_slice(corpus: EncodedCorpus, first: int, last: int) -> Slice:
    """Load the tokens of sentences first to last - 1."""
    starts = np.asarray(corpus.starts[first : last + 1])
    low, high = int(starts[0]), int(starts[-1])
    lengths = np.diff(starts)
    sentence = np.repeat(np.arange(last - first), lengths)
    heads = np.asarray(corpus.heads[low:high], dtype=np.int64)
    heads = np.where(heads == 0, -1, np.repeat(starts[:-1] - low, lengths) + heads - 1)
    features = corpus.features[low:high] if len(corpus.features) else np.zeros(0, np.int32)
    return Slice(
        np.asarray(corpus.units[low:high], dtype=np.int64),
        np.asarray(corpus.relations[low:high], dtype=np.int64),
        heads,
        np.asarray(features, dtype=np.int64),
        sentence,
        last - first,
        first,
    )


class Extractor:
    """Finds the compounds of one definition in slices of one corpus."""

    def __init__(self, definition: Definition, corpus: EncodedCorpus, *, order: int = 2) -> None:
        self.definition = definition
        self.order = order
        self.unit_names = corpus.unit_names
        self.relation_names = corpus.relation_names
        self.subs = Interner()
        self._inner = Interner()
        self._inner_cache: Longs = np.zeros(0, np.int64)
        self.punctuation: Mask = np.array(
            [name.startswith("punct") for name in corpus.relation_names], dtype=bool
        )
        self.root: Mask = np.array([name == "root" for name in corpus.relation_names], dtype=bool)
        self.label_names = list(corpus.relation_names)
        self._bundles: list[list[int]] = []
        if definition == "morphology":
            self._bundles = self._read_bundles(corpus)
        elif definition in ("pairs", "ngrams"):
            self.label_names = []

    def occurrences(self, part: Slice, kept: Mask) -> Occurrences:
        """Return the compounds of a slice whose units are all kept."""
        methods: dict[str, Callable[[Slice, Mask], Occurrences]] = {
            "dependencies": self._dependencies,
            "pairs": self._pairs,
            "chains": self._chains,
            "morphology": self._morphology,
            "ngrams": self._ngrams,
        }
        return methods[self.definition](part, kept)

    def _edges(self, part: Slice, kept: Mask) -> tuple[Longs, Longs]:
        """Return dependant and head tokens of the usable edges (facts of the 2023 code).

        Punctuation makes no compound, nor does the relation `root`; both units must be kept.
        """
        usable = (
            (part.heads >= 0)
            & ~self.punctuation[part.relations]
            & ~self.root[part.relations]
            & kept[part.units]
        )
        usable &= kept[part.units[part.heads]]
        dependants = np.flatnonzero(usable)
        return dependants, part.heads[dependants]

    def _dependencies(self, part: Slice, kept: Mask) -> Occurrences:
        dependants, heads = self._edges(part, kept)
        relations = part.relations[dependants]
        sub = self.subs.add((relations << SHIFT) | part.units[dependants])
        return Occurrences(
            part.units[heads],
            sub,
            part.sentence[dependants],
            dependants[:, None],
            heads[:, None],
            np.arange(len(dependants)),
            relations,
        )

    def _pairs(self, part: Slice, kept: Mask) -> Occurrences:
        dependants, heads = self._edges(part, kept)
        return Occurrences(
            part.units[heads],
            self.subs.add(part.units[dependants]),
            part.sentence[dependants],
            dependants[:, None],
            heads[:, None],
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )

    def _chains(self, part: Slice, kept: Mask) -> Occurrences:
        """Two edges: top | relation + middle + relation + dependant."""
        dependants, heads = self._edges(part, kept)
        edge = np.full(len(part.units), False)
        edge[dependants] = True
        longer = edge[heads]
        low, middle = dependants[longer], heads[longer]
        top = part.heads[middle]
        below = self._inner.add((part.relations[low] << SHIFT) | part.units[low])
        joint = self._inner.add((part.relations[middle] << SHIFT) | part.units[middle])
        count = len(low)
        return Occurrences(
            part.units[top],
            self.subs.add((joint << SHIFT) | below),
            part.sentence[low],
            np.stack([low, middle], axis=1),
            top[:, None],
            np.concatenate([np.arange(count), np.arange(count)]),
            np.concatenate([part.relations[low], part.relations[middle]]),
        )

    def _morphology(self, part: Slice, kept: Mask) -> Occurrences:
        """Lemma | bundle of features; each feature=value is an atom (NoDaLiDa 2023)."""
        sizes = np.array([len(bundle) for bundle in self._bundles], np.int64)
        tokens = np.flatnonzero((sizes[part.features] > 0) & kept[part.units])
        bundles = part.features[tokens]
        owner = np.repeat(np.arange(len(tokens)), sizes[bundles])
        starts = np.cumsum(sizes) - sizes
        flat = np.array([label for bundle in self._bundles for label in bundle], np.int64)
        inside = np.arange(len(owner)) - np.repeat(
            np.cumsum(sizes[bundles]) - sizes[bundles], sizes[bundles]
        )
        labels = flat[np.repeat(starts[bundles], sizes[bundles]) + inside]
        return Occurrences(
            part.units[tokens],
            self.subs.add(bundles),
            part.sentence[tokens],
            tokens[:, None],
            np.zeros((len(tokens), 0), np.int64),
            owner,
            labels,
        )

    def _ngrams(self, part: Slice, kept: Mask) -> Occurrences:
        """First word | the following words."""
        last = len(part.units) - self.order + 1
        begin = np.arange(max(last, 0))
        begin = begin[part.sentence[begin] == part.sentence[begin + self.order - 1]]
        window = begin[:, None] + np.arange(self.order)
        window = window[kept[part.units[window]].all(axis=1)]
        words = part.units[window]
        sub = words[:, -1]
        for column in range(self.order - 2, 0, -1):
            sub = self._inner.add((words[:, column] << SHIFT) | sub)
        empty = np.zeros(0, np.int64)
        return Occurrences(
            words[:, 0],
            self.subs.add(sub),
            part.sentence[window[:, 0]],
            window[:, 1:],
            window[:, :1],
            empty,
            empty,
        )

    def _read_bundles(self, corpus: EncodedCorpus) -> list[list[int]]:
        numbers: dict[str, int] = {}
        bundles: list[list[int]] = []
        for name in corpus.feature_names:
            parts = [] if name in ("_", "") else name.split("|")
            bundles.append([numbers.setdefault(part, len(numbers)) for part in parts])
        self.label_names = list(numbers)
        self._bundle_names = list(corpus.feature_names)
        return bundles

    def sub_name(self, key: int) -> str:
        """Return a sub-compound in words, from its interned key."""
        low = (1 << SHIFT) - 1
        if self.definition == "pairs":
            return self.unit_names[key]
        if self.definition == "dependencies":
            return f"{self.relation_names[key >> SHIFT]}+{self.unit_names[key & low]}"
        if self.definition == "morphology":
            return "+".join(self._bundle_names[key].split("|"))
        if self.definition == "chains":
            inner = self._inner_keys()
            joint, below = int(inner[key >> SHIFT]), int(inner[key & low])
            return (
                f"{self.relation_names[joint >> SHIFT]}+{self.unit_names[joint & low]}"
                f"|{self.relation_names[below >> SHIFT]}+{self.unit_names[below & low]}"
            )
        words: list[str] = []
        for _ in range(self.order - 2):
            key = int(self._inner_keys()[key])
            words.append(self.unit_names[key >> SHIFT])
            key &= low
        return " ".join([*words, self.unit_names[key]])

    def _inner_keys(self) -> Any:
        if len(self._inner_cache) != len(self._inner):
            self._inner_cache = self._inner.keys()
        return self._inner_cache

    def separator(self) -> str:
        """Return what stands between head and sub-compound in a name."""
        return " " if self.definition == "ngrams" else "|"
