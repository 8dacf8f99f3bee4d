"""Cut-offs and sparse rows: which atoms and compounds are controlled, and where they occur.

The rules are those of the published preparation (Moisio et al. 2023, freq_mats.py), including the
parts that the paper does not mention; `edition = "all"` drops every cut.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergent.encode import EncodedCorpus, ReadingOptions
from recombine.builders.divergent.extract import (
    SHIFT,
    Extractor,
    Interner,
    Longs,
    Mask,
    Slice,
    corpus_slices,
    read_slice,
)
from recombine.errors import ConfigError, DataError

Edition = Literal["paper", "all"]

SLICE_SENTENCES = 100_000
# A lemma with any of these is no atom: string.punctuation but the hyphen, digits, space and the
# curly single quotation marks (published preparation, stage 2).
UNCLEAN = set(string.punctuation) - {"-"} | set(string.digits) | {" ", "\u2018", "\u2019"}


@dataclass(frozen=True, kw_only=True)
class CountOptions(ReadingOptions):
    """Which atoms and compounds are controlled.

    The defaults are the paper's `ranges=200-1000000-100-100.10` and compound weight 0.5: after
    unclean lemmas are dropped, skip the 200 most frequent, then keep blocks of 100 whose first
    lemma is seen at least 10 times.
    """

    edition: Edition = "paper"
    skip_most_frequent: int = 200
    block: int = 100
    min_frequency: int = 10
    min_weight: float = 0.5
    order: int = 2

    def __post_init__(self) -> None:
        if self.order < 2:
            raise ConfigError(f"an n-gram compound needs order >= 2, not {self.order}")
        if self.block < 1:
            raise ConfigError(f"block = {self.block}: a block has at least one lemma")


class SparseRows(NamedTuple):
    """Sparse counts, one row per sentence: columns 0..atoms-1 are atoms, the rest compounds."""

    starts: npt.NDArray[np.int64]
    middles: npt.NDArray[np.int64]  # where a row's compounds begin
    columns: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]


@dataclass
class Counts:
    """A counted corpus: rows, names, and the sentence that each row came from."""

    rows: SparseRows
    sentences: npt.NDArray[np.int64]
    atoms: int
    compounds: int
    extractor: Extractor = field(repr=False)
    _atom_units: Longs = field(repr=False)
    _atom_labels: Longs = field(repr=False)
    _compound_keys: Longs = field(repr=False)
    _sub_keys: Longs = field(repr=False)

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return len(self.sentences)

    @property
    def columns(self) -> int:
        """Return the number of atoms and compounds."""
        return self.atoms + self.compounds

    def column_name(self, column: int) -> str:
        """Return an atom or compound in words."""
        units = len(self._atom_units)
        if column < units:
            return self.extractor.unit_names[int(self._atom_units[column])]
        if column < self.atoms:
            return self.extractor.label_names[int(self._atom_labels[column - units])]
        key = int(self._compound_keys[column - self.atoms])
        head = self.extractor.unit_names[key & ((1 << SHIFT) - 1)]
        sub = self.extractor.sub_name(int(self._sub_keys[key >> SHIFT]))
        return f"{head}{self.extractor.separator()}{sub}"


def kept_units(frequencies: Longs, names: list[str], options: CountOptions) -> Mask:
    """Return which units may be atoms, by cleanliness, rank and frequency."""
    if options.edition == "all":
        return np.ones(len(names), dtype=bool)
    clean = np.array([UNCLEAN.isdisjoint(name) for name in names], dtype=bool)
    # Stable: equal frequencies stay in order of first appearance, as in collections.Counter.
    ranked = np.argsort(-frequencies, kind="stable")
    ranked = ranked[clean[ranked] & (frequencies[ranked] > 0)]
    kept = np.zeros(len(names), dtype=bool)
    for start in range(options.skip_most_frequent, len(ranked), options.block):
        if frequencies[ranked[start]] >= options.min_frequency:
            kept[ranked[start : start + options.block]] = True
    return kept


def count_corpus(corpus: EncodedCorpus, options: CountOptions, directory: Path) -> Counts:
    """Count a corpus slice by slice; the rows lie in `directory`, memory-mapped."""
    frequencies = np.zeros(len(corpus.unit_names), np.int64)
    slices = corpus_slices(corpus, SLICE_SENTENCES)
    for first, last in slices:
        low, high = int(corpus.starts[first]), int(corpus.starts[last])
        frequencies += np.bincount(corpus.units[low:high], minlength=len(frequencies))
    kept = kept_units(frequencies, corpus.unit_names, options)
    if not kept.any():
        raise DataError(
            f"no lemma passes the cut-offs (most frequent {options.skip_most_frequent} skipped, "
            f"frequency at least {options.min_frequency})",
            hint='a small corpus: lower skip_most_frequent and min_frequency, or edition = "all"',
        )
    extractor = Extractor(options.definition, corpus, order=options.order)
    compounds, totals = _count_compounds(corpus, slices, extractor, kept)
    kept_sub = _heavy_subs(compounds, totals, len(extractor.subs), options)
    columns = _Columns(corpus, extractor, compounds, kept_sub, kept, slices, options)
    return _write_rows(corpus, slices, extractor, kept, columns, directory)


def _count_compounds(
    corpus: EncodedCorpus, slices: list[tuple[int, int]], extractor: Extractor, kept: Mask
) -> tuple[Interner, Longs]:
    compounds = Interner()
    totals = np.zeros(0, np.int64)
    for first, last in slices:
        occurrences = extractor.occurrences(read_slice(corpus, first, last), kept)
        ids = compounds.add((occurrences.sub << SHIFT) | occurrences.head)
        totals = np.pad(totals, (0, len(compounds) - len(totals)))
        totals += np.bincount(ids, minlength=len(totals))
    return compounds, totals


def _heavy_subs(compounds: Interner, totals: Longs, subs: int, options: CountOptions) -> Mask:
    """Return the sub-compounds of weight >= min_weight.

    Weight = 1 - (count of its most frequent head) / (its count), over occurrences (Moisio et al.
    2023 section 3 after Keysers et al. 2020). The published code uses it as a filter only.
    """
    if options.edition == "all":
        return np.ones(subs, dtype=bool)
    sub_of = compounds.keys() >> SHIFT
    total = np.bincount(sub_of, weights=totals, minlength=subs)
    most = np.zeros(subs, np.int64)
    np.maximum.at(most, sub_of, totals)
    weights = 1 - most / np.maximum(total, 1)
    heavy: Mask = weights >= options.min_weight
    return heavy


class _Columns:
    """The numbering of controlled atoms and compounds."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        extractor: Extractor,
        compounds: Interner,
        kept_sub: Mask,
        kept: Mask,
        slices: list[tuple[int, int]],
        options: CountOptions,
    ) -> None:
        keys = compounds.keys()
        self.compounds = compounds
        self.kept_compound: Mask = kept_sub[keys >> SHIFT]
        if not self.kept_compound.any():
            if not len(keys):
                raise DataError("no sentence of the corpus has a compound")
            raise DataError(
                "no compound passes the cut-offs, so there is nothing to divide by",
                hint='lower min_weight, or use edition = "all"',
            )
        self.compound_column = np.where(
            self.kept_compound, np.cumsum(self.kept_compound) - 1, np.int64(-1)
        )
        self.compound_keys = keys[self.kept_compound]
        units = np.zeros(len(corpus.unit_names), dtype=bool)
        labels = np.zeros(max(1, len(extractor.label_names)), dtype=bool)
        for first, last in slices:
            part = read_slice(corpus, first, last)
            occurrences = extractor.occurrences(part, kept)
            heavy = kept_sub[occurrences.sub]
            # Only dependants become atoms in the published code; a head that is never a kept
            # dependant leaves its compounds without a count. The `all` edition takes heads too.
            units[part.units[occurrences.dependants[heavy]]] = True
            if options.edition == "all":
                units[part.units[occurrences.governors[heavy]]] = True
            labels[occurrences.label[heavy[occurrences.label_owner]]] = True
        shared = _shared_names(extractor, kept) if options.edition == "paper" else []
        for label, unit in shared:
            units[unit] = labels[label] = units[unit] or labels[label]
        self.units = units
        self.atom_units = np.flatnonzero(units)
        self.unit_column = np.where(units, np.cumsum(units) - 1, -1)
        own = labels.copy()
        own[[label for label, _ in shared]] = False
        self.atom_labels = np.flatnonzero(own)
        self.label_column = np.where(own, len(self.atom_units) + np.cumsum(own) - 1, -1)
        for label, unit in shared:
            self.label_column[label] = self.unit_column[unit]
        self.atoms = len(self.atom_units) + len(self.atom_labels)
        self.count = self.atoms + len(self.compound_keys)


def _shared_names(extractor: Extractor, kept: Mask) -> list[tuple[int, int]]:
    """Return (label, unit) pairs of one name.

    The published code keeps atoms in one dictionary of strings, so that the lemma `mark` and the
    relation `mark` are one atom.
    """
    names = {name: unit for unit, name in enumerate(extractor.unit_names) if kept[unit]}
    return [
        (label, names[name]) for label, name in enumerate(extractor.label_names) if name in names
    ]


def _row_entries(
    part: Slice, extractor: Extractor, kept: Mask, columns: _Columns
) -> tuple[Longs, Longs, Longs]:
    """Return (sentence, column, count) of a slice, sorted by sentence and column."""
    occurrences = extractor.occurrences(part, kept)
    ids = columns.compounds.find((occurrences.sub << SHIFT) | occurrences.head)
    tokens = np.concatenate([occurrences.dependants, occurrences.governors], axis=1)
    usable = columns.units[part.units[tokens]].all(axis=1)
    marked = np.zeros(len(part.units), dtype=bool)
    marked[tokens[usable]] = True
    positions = np.flatnonzero(marked)
    with_label = usable[occurrences.label_owner]
    label = columns.label_column[occurrences.label[with_label]]
    label_sentence = occurrences.sentence[occurrences.label_owner[with_label]]
    counted = usable & columns.kept_compound[ids]
    sentence = np.concatenate(
        [part.sentence[positions], label_sentence[label >= 0], occurrences.sentence[counted]]
    )
    column = np.concatenate(
        [
            columns.unit_column[part.units[positions]],
            label[label >= 0],
            columns.atoms + columns.compound_column[ids[counted]],
        ]
    )
    keys, counts = np.unique(sentence * columns.count + column, return_counts=True)
    return keys // columns.count, keys % columns.count, counts


def _write_rows(
    corpus: EncodedCorpus,
    slices: list[tuple[int, int]],
    extractor: Extractor,
    kept: Mask,
    columns: _Columns,
    directory: Path,
) -> Counts:
    directory.mkdir(parents=True, exist_ok=True)
    lengths: list[Longs] = []
    atom_lengths: list[Longs] = []
    sentences: list[Longs] = []
    with (
        (directory / "columns.bin").open("wb") as column_stream,
        (directory / "counts.bin").open("wb") as count_stream,
    ):
        for first, last in slices:
            part = read_slice(corpus, first, last)
            sentence, column, count = _row_entries(part, extractor, kept, columns)
            total = np.bincount(sentence, minlength=part.sentences)
            atoms = np.bincount(sentence[column < columns.atoms], minlength=part.sentences)
            present = np.flatnonzero(atoms > 0)
            lengths.append(total[present])
            atom_lengths.append(atoms[present])
            sentences.append(present + first)
            column_stream.write(column.astype(np.int32).data)
            count_stream.write(count.astype(np.int32).data)
    length = np.concatenate(lengths)
    starts = np.concatenate([[0], np.cumsum(length)])
    if len(length) == 0:
        raise DataError("no sentence has a controlled atom", hint='use edition = "all"')
    rows = SparseRows(
        starts,
        starts[:-1] + np.concatenate(atom_lengths),
        _mapped(directory / "columns.bin"),
        _mapped(directory / "counts.bin"),
    )
    return Counts(
        rows,
        np.concatenate(sentences),
        columns.atoms,
        len(columns.compound_keys),
        extractor,
        columns.atom_units,
        columns.atom_labels,
        columns.compound_keys,
        extractor.subs.keys(),
    )


def _mapped(path: Path) -> Any:
    return np.memmap(path, dtype=np.int32, mode="r")
