"""The certificate of a divergent split: what is claimed, the evidence beside it, and its check.

Claims are divergences, sizes and confounders. The evidence is `items.tsv` (the atoms and compounds
of every example by number) with the names in `atoms.tsv` and `compounds.tsv`; the check recomputes
the claims from it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import CONTROL, TRAINING_SPLITS, Benchmark, Example
from recombine.builders.check import Proof
from recombine.builders.divergent.control import (
    ALL,
    CORPUS,
    control_card,
    control_facts,
    control_faults,
    shown_of_test,
)
from recombine.builders.divergent.count import Counts
from recombine.builders.divergent.encode import EncodedCorpus
from recombine.builders.divergent.measure import (
    CLASSES,
    Vector,
    column_totals,
    divergences,
    novelty_class,
)
from recombine.builders.divergent.options import DivergentOptions
from recombine.errors import DataError, RecombineError, Where
from recombine.files import read_lines

ITEMS = "items.tsv"
SPLITS = ("train", "control", "dev", "test")  # those whose atoms and compounds are certified
Index = npt.NDArray[np.int64]


def certificate_of(
    corpus: EncodedCorpus,
    counts: Counts,
    rows: Mapping[str, Index],
    shares: npt.NDArray[np.float64],
    options: DivergentOptions,
) -> dict[str, Any]:
    """Return what is certified of a split, computed from scratch."""
    vectors = {split: column_totals(counts, chosen) for split, chosen in rows.items()}
    sizes = {split: len(chosen) for split, chosen in rows.items()}
    used = sum(size for split, size in sizes.items() if split != CONTROL)
    return {
        **_claims(vectors, counts.atoms, sizes, options),
        "sentences": corpus.size,
        "rows": counts.size,
        "used_share": used / counts.size,
        "splits": {
            split: {
                **split_claims(vectors[split], counts.atoms, shares[chosen]),
                **word_counts(corpus, counts.sentences[chosen]),
            }
            for split, chosen in rows.items()
        },
    }


def _claims(
    vectors: Mapping[str, Vector],
    atoms: int,
    sizes: Mapping[str, int],
    options: DivergentOptions,
) -> dict[str, Any]:
    """What the sums of all splits say: divergences, from scratch."""
    goal, alphas = options.goal, options.alphas
    divergence = divergences(vectors["train"], vectors["test"], atoms, alphas)
    claims: dict[str, Any] = {
        "atom_divergence": divergence.atom,
        "compound_divergence": divergence.compound,
        "atom_alpha": alphas.atom,
        "compound_alpha": alphas.compound,
        "target_divergence": goal.compound,
        "target_atom_divergence": goal.atom,
        "score": goal.score(divergence.atom, divergence.compound),
        "atoms": atoms,
        "compounds": len(vectors["train"]) - atoms,
        "test_share": sizes["test"] / sum(n for split, n in sizes.items() if split != CONTROL),
    }
    if "dev" in vectors:
        joint = divergences(vectors["train"] + vectors["dev"], vectors["test"], atoms, alphas)
        claims["train_and_dev"] = {
            "atom_divergence": joint.atom,
            "compound_divergence": joint.compound,
        }
    return claims


def split_claims(vector: Vector, atoms: int, shares: npt.NDArray[np.float64]) -> dict[str, Any]:
    """Return what the sums of one split and the novelty of its sentences say."""
    defined = shares[~np.isnan(shares)]
    classes = [novelty_class(float(share)) for share in shares]
    return {
        "sentences": len(shares),
        "atom_types": int((vector[:atoms] > 0).sum()),
        "compound_types": int((vector[atoms:] > 0).sum()),
        "atom_occurrences": int(vector[:atoms].sum()),
        "compound_occurrences": int(vector[atoms:].sum()),
        "novel_compound_share": float(defined.mean()) if len(defined) else None,
        "novelty": {name: classes.count(name) for name in CLASSES},
    }


def word_counts(corpus: EncodedCorpus, sentences: Index) -> dict[str, Any]:
    """Return length and vocabulary of some sentences (Moisio et al. 2023, section 7.2)."""
    lengths = np.asarray(corpus.starts)[sentences + 1] - np.asarray(corpus.starts)[sentences]
    present = np.zeros(len(corpus.unit_names), dtype=bool)
    for sentence, length in zip(sentences.tolist(), lengths.tolist(), strict=True):
        start = int(corpus.starts[sentence])
        present[corpus.units[start : start + length]] = True
    return {
        "words": int(lengths.sum()),
        "mean_length": float(lengths.mean()) if len(sentences) else 0.0,
        "lemmas": int(present.sum()),
    }


def data_card(certificate: Mapping[str, Any], method: str) -> str:
    """Return the body of the data card."""
    lines = [
        "A split by divergence (Moisio, Creutz and Kurimo 2023; Keysers et al. 2020): atoms as "
        "alike as possible, compounds as different as asked for.",
        "",
        f"- method: {method}; wanted compound divergence {certificate['target_divergence']}",
        f"- atom divergence D_A = {certificate['atom_divergence']:.6f} "
        f"(Chernoff {certificate['atom_alpha']}, {certificate['atoms']:,} atoms)",
        f"- compound divergence D_C = {certificate['compound_divergence']:.6f} "
        f"(Chernoff {certificate['compound_alpha']}, {certificate['compounds']:,} compounds)",
        "",
        "| split | sentences | words | words a sentence | lemmas | novel compounds |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for split, row in certificate["splits"].items():
        novel = row["novel_compound_share"]
        lines.append(
            f"| {split} | {row['sentences']:,} | {row['words']:,} | {row['mean_length']:.2f} "
            f"| {row['lemmas']:,} | {'-' if novel is None else f'{novel:.4f}'} |"
        )
    if CONTROL in certificate:
        lines += control_card(certificate[CONTROL])
    lines += [
        "",
        "`items.tsv` holds the atoms and compounds of every example, `atoms.tsv` and "
        "`compounds.tsv` their names; `recombine check` recomputes the divergences from them.",
    ]
    return "\n".join(lines)


def name_lines(counts: Counts, columns: Iterable[int]) -> Iterator[str]:
    """Yield the lines of `atoms.tsv` or `compounds.tsv`."""
    for number, column in enumerate(columns):
        yield f"{number}\t{counts.column_name(column)}\n"


def item_lines(counts: Counts, rows: Iterable[int], ids: Iterable[str]) -> Iterator[str]:
    """Yield the lines of `items.tsv` for rows and the ids of their examples."""
    starts, middles = counts.rows.starts, counts.rows.middles
    for row, identity in zip(rows, ids, strict=True):
        start, middle, end = starts[row], middles[row], starts[row + 1]
        columns = counts.rows.columns[start:end].tolist()
        numbers = counts.rows.counts[start:end].tolist()
        split = middle - start
        atoms = _numbers(columns[:split], numbers[:split], 0)
        compounds = _numbers(columns[split:], numbers[split:], counts.atoms)
        yield f"{identity}\t{atoms}\t{compounds}\n"


def _numbers(columns: list[int], counts: list[int], offset: int) -> str:
    return " ".join(
        str(column - offset) if count == 1 else f"{column - offset}*{count}"
        for column, count in zip(columns, counts, strict=True)
    )


# What only the corpus could show, which is not in the benchmark.
UNPROVED = (
    "sentences", "rows", "used_share", "words", "mean_length", "lemmas", "given", CORPUS, ALL,
)  # fmt: skip


def prove_split(benchmark: Benchmark, options: DivergentOptions) -> Proof:
    """Count what items and rows say; rows must be what their items say."""
    items = read_split_items(benchmark)
    sizes = {split: len(rows) for split, rows in items.shares.items()}
    counted: dict[str, Any] = {
        **_claims(items.vectors, items.atoms, sizes, options),
        "splits": {
            split: split_claims(vector, items.atoms, np.array([*items.shares[split].values()]))
            for split, vector in items.vectors.items()
        },
    }
    where = Where(str(benchmark.path))
    faults = list(_rows_at_fault(benchmark, items))
    faults += [DataError(text, where) for text in _size_faults(sizes, options)]
    if options.control is not None:
        counted[CONTROL] = _counted_control(benchmark, items, options)
        broken = control_faults(counted[CONTROL], counted["splits"]["train"])
        faults += [DataError(text, where) for text in broken]
    return Proof(counted, faults, UNPROVED, partial(data_card, method=options.way))


def _size_faults(sizes: Mapping[str, int], options: DivergentOptions) -> Iterator[str]:
    """Sizes that are not those which the recipe asks for."""
    dev = sizes.get("dev", 0)
    least = options.dev_size if options.groups == "none" else 0
    if options.given is None and not least <= dev <= options.dev_size:
        yield f"dev has {dev:,} sentences, the recipe asks for {options.dev_size:,}"
    if options.way in ("given", "published"):
        return  # their sizes are what comes of the way
    train = None if options.fixed_train else options.train_size
    for split, number, asked in (
        ("train", sizes["train"] + dev, train), ("test", sizes["test"], options.test_size),
    ):  # fmt: skip
        span = () if asked is None else (asked,) if isinstance(asked, int) else asked
        if span and not span[0] <= number <= span[-1]:
            yield f"{split} has {number:,} sentences, the recipe asks for {asked}"


def _counted_control(
    benchmark: Benchmark, items: SplitItems, options: DivergentOptions
) -> dict[str, Any]:
    """What rows and items say of the control."""
    rows = {split: list(benchmark.iterate(split)) for split in items.shares}
    numbers = [{row.tags.get("sentence") for row in rows[split]} for split in TRAINING_SPLITS]
    texts = {split: [row.source for row in rows[split]] for split in rows}
    return {
        **control_facts(options.control, texts, len(numbers[0] & numbers[1])),
        "shows": shown_of_test(items.vectors, items.atoms, options.alphas),
    }


def _rows_at_fault(benchmark: Benchmark, items: SplitItems) -> Iterator[RecombineError]:
    """Rows whose id or tags are not those of their sentence and items: the first of each split."""
    for split, shares in items.shares.items():
        path = benchmark.split_path(split)
        for number, example in enumerate(benchmark.iterate(split), start=1):
            sentence = example.tags.get("sentence")
            tags: Mapping[str, Any] = {"sentence": sentence}
            if split not in TRAINING_SPLITS:
                tags = tested_tags(shares[example.id], example.tags.get("length"), sentence)
            expected = Example.make(
                source=example.source,
                references=example.references,
                tags=tags,
                salt=salt_of(split, sentence),
            )
            if example.id.partition("-")[0] != expected.id:
                yield DataError(
                    f"the id of this row would be {expected.id}", Where(str(path), number)
                )
                break
            row, other = example.to_row(), {**expected.to_row(), "id": example.id}
            wrong = [key for key in {**row, **other} if row.get(key) != other.get(key)]
            if wrong or list(example.tags) != list(expected.tags):
                named = ", ".join(wrong) or "order of tags"
                yield DataError(f"wrong {named} of '{example.id}'", Where(str(path), number))
                break


def tested_tags(share: float, length: Any, sentence: Any) -> dict[str, Any]:
    """Return the tags of a sentence that is not for training, by its share of novel compounds."""
    tags = {"novelty": novelty_class(share), "length": length}
    if not np.isnan(share):
        tags["novel_compounds"] = round(share, 6)
    return {**tags, "sentence": sentence}


def salt_of(split: str, sentence: Any) -> str:
    """Return what makes the id: a control has sentences of train, under ids of its own."""
    return f"{sentence} {split}" if split == CONTROL else str(sentence)


class SplitItems(NamedTuple):
    """What the items say: of every example the share of novel compounds, and sums of each split."""

    shares: dict[str, dict[str, float]]  # split -> id -> share; nan without any compound
    vectors: dict[str, Vector]
    atoms: int


def read_split_items(benchmark: Benchmark) -> SplitItems:
    """Read the items of all splits; each example has its own, and each item a name."""
    sizes = [_count_names(benchmark.path / name) for name in ("atoms.tsv", "compounds.tsv")]
    atoms, columns = sizes[0], sum(sizes)
    splits = [split for split in SPLITS if split in benchmark.splits]
    if not {"train", "test"} <= set(splits):
        raise DataError("a divergent split has train and test", Where(str(benchmark.path)))
    split_of = {example.id: split for split in splits for example in benchmark.iterate(split)}
    shares: dict[str, dict[str, float]] = {split: {} for split in splits}
    shown: dict[str, dict[int, int]] = {}
    vectors: dict[str, Vector] = {split: np.zeros(columns, np.int64) for split in splits}
    path = benchmark.path / ITEMS
    order, misplaced = iter(tuple(split_of)), 0
    for number, row in enumerate(read_items(path), start=1):
        split = split_of.pop(row.id, None)
        if split is None:
            raise DataError(f"items of '{row.id}', which is in no split", Where(str(path), number))
        if row.id != next(order):
            misplaced = misplaced or number
        if max(row.atoms, default=0) >= atoms or max(row.compounds, default=0) >= columns - atoms:
            raise DataError("an item without a name", Where(str(path), number))
        # Of a training sentence no compound is novel; it need not be remembered.
        shares[split][row.id] = 0.0 if row.compounds else float("nan")
        if split != "train":
            shown[row.id] = row.compounds
        vector = vectors[split]
        for column, count in row.atoms.items():
            vector[column] += count
        for column, count in row.compounds.items():
            vector[atoms + column] += count
    if split_of:
        raise DataError(f"no items of example '{min(split_of)}'", Where(str(path)))
    if misplaced:
        raise DataError("items in another order than the examples", Where(str(path), misplaced))
    train = vectors["train"]
    for split in shares:
        for identity in shares[split].keys() & shown.keys():
            compounds = shown[identity]
            novel = sum(count for at, count in compounds.items() if not train[atoms + at])
            if compounds:
                shares[split][identity] = novel / sum(compounds.values())
    return SplitItems(shares, vectors, atoms)


class ItemRow(NamedTuple):
    """The atoms and compounds of one example, with their counts."""

    id: str
    atoms: dict[int, int]
    compounds: dict[int, int]


_ITEMS = re.compile(r"(?:\d{1,9}(?:\*\d{1,9})?(?: |$))*", re.ASCII)


def read_items(path: Path) -> Iterator[ItemRow]:
    """Yield the rows of `items.tsv`."""
    for number, line in read_lines(path):
        fields = line.split("\t")
        try:
            identity, atoms, compounds = fields
            yield ItemRow(identity, _parse(atoms), _parse(compounds))
        except ValueError as error:
            raise DataError("not an item row", Where(str(path), number, text=line[:200])) from error


def _parse(text: str) -> dict[int, int]:
    """Read the numbers of items and their counts; ValueError where one is no such number."""
    if not _ITEMS.fullmatch(text):
        raise ValueError(text)
    parts = (item.partition("*") for item in text.split())
    return {int(number): int(count or 1) for number, _, count in parts}


def _count_names(path: Path) -> int:
    """Return how many names a table has; they are numbered from 0."""
    count = 0
    for number, line in read_lines(path):
        if line.partition("\t")[0] != str(count):
            raise DataError(f"the name of item {count} is expected here", Where(str(path), number))
        count += 1
    return count
