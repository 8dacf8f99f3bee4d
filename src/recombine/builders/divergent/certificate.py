"""The certificate of a divergent split: what is claimed, the evidence beside it, and its check.

Claims are divergences, sizes and confounders. The evidence is `items.tsv` (the atoms and compounds
of every example by number) with the names in `atoms.tsv` and `compounds.tsv`; the check recomputes
the claims from it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Benchmark
from recombine.builders.divergent.count import Counts
from recombine.builders.divergent.encode import EncodedCorpus
from recombine.builders.divergent.measure import (
    CLASSES,
    Vector,
    column_totals,
    divergences,
    novelty_class,
)
from recombine.builders.divergent.split import Goal
from recombine.errors import DataError, RecombineError, Where
from recombine.files import read_json, read_lines

ITEMS = "items.tsv"
# Two sums of the same numbers in another order differ by less.
TOLERANCE = 1e-9
Index = npt.NDArray[np.int64]


def certificate_of(
    corpus: EncodedCorpus,
    counts: Counts,
    rows: Mapping[str, Index],
    shares: npt.NDArray[np.float64],
    *,
    goal: Goal,
    atom_alpha: float,
    compound_alpha: float,
) -> dict[str, Any]:
    """Return what is certified of a split, computed from scratch."""
    columns = counts.atoms + counts.compounds
    vectors = {
        split: column_totals(counts.rows, _mask(chosen, counts.size), columns)
        for split, chosen in rows.items()
    }
    alphas = {"atom_alpha": atom_alpha, "compound_alpha": compound_alpha}
    found = divergences(vectors["train"], vectors["test"], counts.atoms, **alphas)
    certificate: dict[str, Any] = {
        "atom_divergence": found.atom,
        "compound_divergence": found.compound,
        **alphas,
        "target_divergence": goal.compound,
        "target_atom_divergence": goal.atom,
        "score": goal.score(found.atom, found.compound),
        "sentences": corpus.size,
        "rows": counts.size,
        "atoms": counts.atoms,
        "compounds": counts.compounds,
        "used_share": sum(len(chosen) for chosen in rows.values()) / counts.size,
        "test_share": len(rows["test"]) / sum(len(chosen) for chosen in rows.values()),
        "splits": {
            split: _confounders(corpus, counts, chosen, vectors[split], shares)
            for split, chosen in rows.items()
        },
    }
    if "dev" in rows:
        joint = divergences(
            vectors["train"] + vectors["dev"], vectors["test"], counts.atoms, **alphas
        )
        certificate["train_and_dev"] = {
            "atom_divergence": joint.atom,
            "compound_divergence": joint.compound,
        }
    return certificate


def _confounders(
    corpus: EncodedCorpus,
    counts: Counts,
    rows: Index,
    vector: Index,
    shares: npt.NDArray[np.float64],
) -> dict[str, Any]:
    """Return length, vocabulary and novelty of a split (Moisio et al. 2023, section 7.2)."""
    sentences = counts.sentences[rows]
    lengths = np.asarray(corpus.starts)[sentences + 1] - np.asarray(corpus.starts)[sentences]
    present = np.zeros(len(corpus.unit_names), dtype=bool)
    for sentence, length in zip(sentences.tolist(), lengths.tolist(), strict=True):
        start = int(corpus.starts[sentence])
        present[corpus.units[start : start + length]] = True
    own = shares[rows]
    known = own[~np.isnan(own)]
    classes = [novelty_class(float(share)) for share in own]
    return {
        "sentences": len(rows),
        "words": int(lengths.sum()),
        "mean_length": float(lengths.mean()) if len(rows) else 0.0,
        "lemmas": int(present.sum()),
        "atom_types": int((vector[: counts.atoms] > 0).sum()),
        "compound_types": int((vector[counts.atoms :] > 0).sum()),
        "atom_occurrences": int(vector[: counts.atoms].sum()),
        "compound_occurrences": int(vector[counts.atoms :].sum()),
        "novel_compound_share": float(known.mean()) if len(known) else None,
        "novelty": {name: classes.count(name) for name in CLASSES},
    }


def _mask(chosen: Index, size: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros(size, dtype=bool)
    mask[chosen] = True
    return mask


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


def check_divergent(benchmark: Benchmark) -> list[RecombineError]:
    """Return the differences between a certificate and what the files say."""
    path = benchmark.path / "certificate.json"
    try:
        stored = read_json(path)
        vectors, atoms = split_vectors(benchmark)
        alphas = {name: float(stored[name]) for name in ("atom_alpha", "compound_alpha")}
        found = divergences(vectors["train"], vectors["test"], atoms, **alphas)
        claims = {
            "atom_divergence": (stored["atom_divergence"], found.atom),
            "compound_divergence": (stored["compound_divergence"], found.compound),
            "atoms": (stored["atoms"], atoms),
            "compounds": (stored["compounds"], len(vectors["train"]) - atoms),
        }
        for split, vector in vectors.items():
            claims[f"sentences in {split}"] = (
                stored["splits"][split]["sentences"],
                benchmark.manifest.splits[split],
            )
            claims[f"atom occurrences in {split}"] = (
                stored["splits"][split]["atom_occurrences"],
                int(vector[:atoms].sum()),
            )
    except RecombineError as error:
        return [error]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return [DataError(f"the certificate is incomplete: {error!r}", Where(str(path)))]
    return [
        DataError(f"{name}: the certificate says {said}, the files give {real}", Where(str(path)))
        for name, (said, real) in claims.items()
        if not abs(said - real) <= TOLERANCE  # NaN is no number that the files give
    ]


def split_vectors(benchmark: Benchmark) -> tuple[dict[str, Vector], int]:
    """Return the summed counts of every split from the written files, and the number of atoms."""
    sizes = [_line_count(benchmark.path / name) for name in ("atoms.tsv", "compounds.tsv")]
    atoms, columns = sizes[0], sum(sizes)
    splits = [split for split in benchmark.splits if split in ("train", "dev", "test")]
    split_of = {example.id: split for split in splits for example in benchmark.iterate(split)}
    vectors: dict[str, Vector] = {split: np.zeros(columns, np.int64) for split in splits}
    path = benchmark.path / ITEMS
    for row in read_items(path):
        split = split_of.pop(row.id, None)
        if split is None:
            raise DataError(f"items of '{row.id}', which is in no split", Where(str(path)))
        vector = vectors[split]
        for column, count in row.atoms.items():
            vector[column] += count
        for column, count in row.compounds.items():
            vector[atoms + column] += count
    if split_of:
        raise DataError(f"no items of example '{min(split_of)}'", Where(str(path)))
    return vectors, atoms


class ItemRow(NamedTuple):
    """The atoms and compounds of one example, with their counts."""

    id: str
    atoms: dict[int, int]
    compounds: dict[int, int]


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
    parts: dict[int, int] = {}
    for item in text.split():
        number, star, count = item.partition("*")
        parts[int(number)] = int(count) if star else 1
    return parts


def _line_count(path: Path) -> int:
    if not path.is_file():
        raise DataError("missing file", Where(str(path)))
    with path.open("rb") as stream:
        return sum(1 for _ in stream)
