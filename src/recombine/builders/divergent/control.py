"""The control of a divergent split: as much training text, with nothing kept out of it.

`random` is drawn from all sentences that are neither dev nor test. `covering` is the training set
with some of its sentences exchanged for those that show what the test asks for and training lacks.
What each set shows of the test goes into the certificate: the difference of training and control is
what the split hides, and that of control and corpus what nobody could have shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS
from recombine.builders.divergent.count import SLICE_SENTENCES, CountOptions, Counts
from recombine.builders.divergent.encode import EncodedCorpus
from recombine.builders.divergent.extract import (
    SHIFT,
    Extractor,
    Interner,
    corpus_slices,
    read_slice,
)
from recombine.builders.divergent.measure import (
    SLICE_ROWS,
    Alphas,
    Vector,
    column_totals,
    divergences,
)
from recombine.builders.divergent.options import ControlKind, DivergentOptions
from recombine.errors import DataError

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
CORPUS = "corpus"  # all rows that a control may have
ALL = "all_occurrences"  # share where nothing is cut off


def open_rows(
    corpus: EncodedCorpus, counts: Counts, tested: Index, groups: Index | None = None
) -> Mask:
    """Return which rows a control may have: no tested one, none of its text, none of its group."""
    free = np.ones(counts.size, dtype=bool)
    free[tested] = False
    if groups is not None:
        free &= ~np.isin(groups, groups[tested])
    texts = {source for source, _ in corpus.texts(counts.sentences[tested].tolist())}
    places = np.flatnonzero(free)
    for row, (source, _) in zip(
        places.tolist(), corpus.texts(counts.sentences[places].tolist()), strict=True
    ):
        free[row] = source not in texts
    return free


def control_rows(
    kind: ControlKind, counts: Counts, train: Index, test: Index, free: Mask, seed: int
) -> Index:
    """Return the rows of the control: as many as training has, all of them free."""
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 3])))
    order = generator.permutation(np.flatnonzero(free))
    if len(order) < len(train):
        raise DataError(
            f"a control needs {len(train):,} sentences with other texts than dev and test have; "
            f"there are {len(order):,}",
            hint="lower train_size, or drop the sentences that the corpus repeats",
        )
    if kind == "random":
        return np.sort(order[: len(train)])
    return _covering_rows(counts, train, test, order)


def _covering_rows(counts: Counts, train: Index, test: Index, order: Index) -> Index:
    """Exchange sentences of training for those that show tested compounds which it lacks.

    First come as few as show all of them, then the others that show any. A sentence of training
    stays where it is the last to have some atom or some tested compound.
    """
    from recombine.builders.divergent import kernel

    rows = counts.rows
    in_train = np.isin(order, train)
    kept, others = order[in_train], order[~in_train]
    left, needed = column_totals(counts, kept), column_totals(counts, test) > 0
    lacking = needed & (left == 0)
    lacking[: counts.atoms] = False
    needed[: counts.atoms] = True
    shows = _rows_with(counts, lacking)
    candidates = others[shows[others]]
    first = np.empty(len(candidates), np.int64)
    wanted, waiting = lacking.astype(np.int64), candidates.copy()
    covered = kernel.cover(waiting, rows.starts, rows.middles, rows.columns, wanted, first)
    coming = np.concatenate([first[:covered], waiting[waiting >= 0]])
    gone = np.empty(len(coming), np.int64)
    missing = len(train) - len(kept)  # sentences of training that have a tested text
    most = max(0, len(coming) - missing)
    number = kernel.spare(kept, most, rows.starts, rows.columns, rows.counts, needed, left, gone)
    filled = np.concatenate([coming[: number + missing], others[~shows[others]]])
    return np.sort(np.concatenate([np.setdiff1d(kept, gone[:number]), filled[: number + missing]]))


def _rows_with(counts: Counts, columns: Mask) -> Mask:
    """Return which rows have any of these columns."""
    rows, shown = counts.rows, np.zeros(counts.size, dtype=bool)
    for first in range(0, counts.size, SLICE_ROWS):
        starts = rows.starts[first : first + SLICE_ROWS + 1]
        has = np.append(0, np.cumsum(columns[rows.columns[int(starts[0]) : int(starts[-1])]]))
        ends = has[starts - starts[0]]
        shown[first : first + SLICE_ROWS] = ends[1:] > ends[:-1]
    return shown


def shown_of_test(
    vectors: Mapping[str, Vector], atoms: int, alphas: Alphas
) -> dict[str, dict[str, Any]]:
    """Return how far sets are from the test, and the share of it that each shows.

    `compounds` is the share of the tested compounds that occur in a set, `occurrences` that of all
    their occurrences in the test.
    """
    test = vectors["test"]
    shown: dict[str, dict[str, Any]] = {}
    for name in (TRAIN, CONTROL, CORPUS):
        if name in vectors:
            apart = divergences(vectors[name], test, atoms, alphas)
            shown[name] = {
                "atom_divergence": apart.atom,
                "compound_divergence": apart.compound,
                **_shares(test[atoms:], vectors[name][atoms:] > 0),
            }
    return shown


def _shares(test: Vector, shown: Mask) -> dict[str, float | None]:
    kinds, total = int((test > 0).sum()), int(test.sum())
    return {
        "compounds": int(((test > 0) & shown).sum()) / kinds if kinds else None,
        "occurrences": int(test[shown].sum()) / total if total else None,
    }


def certified_control(
    options: DivergentOptions,
    corpus: EncodedCorpus,
    counts: Counts,
    rows: Mapping[str, Index],
    free: Mask,
) -> dict[str, Any]:
    """Return what is certified of a control; `corpus` stands for all free rows."""
    sets = {**rows, CORPUS: np.flatnonzero(free)}
    vectors = {name: column_totals(counts, chosen) for name, chosen in sets.items()}
    sentences = {name: counts.sentences[chosen] for name, chosen in sets.items()}
    texts = {
        name: [source for source, _ in corpus.texts(sentences[name].tolist())] for name in rows
    }
    shown = shown_of_test(vectors, counts.atoms, options.alphas)
    for name, share in _uncut_shares(corpus, options, sentences.pop("test"), sentences).items():
        if name in shown:
            shown[name][ALL] = share
    return {
        **control_facts(options.control, texts, len(np.intersect1d(rows[TRAIN], rows[CONTROL]))),
        "shows": shown,
    }


def control_facts(
    kind: str | None, texts: Mapping[str, Sequence[str]], lines_of_train: int
) -> dict[str, Any]:
    """Return what the texts of all splits say of the control."""
    tested = {name: set(texts[name]) for name in texts if name not in TRAINING_SPLITS}
    return {
        "kind": kind,
        "sentences": len(texts[CONTROL]),
        "lines_of_train": lines_of_train,
        **{
            key: {
                name: sum(text in sources for text in texts[split])
                for name, sources in tested.items()
            }
            for key, split in (("tested", CONTROL), ("tested_in_train", TRAIN))
        },
    }


def _uncut_shares(
    corpus: EncodedCorpus, cuts: CountOptions, test: Index, sets: Mapping[str, Index]
) -> dict[str, float | None]:
    """Return the share of all compound occurrences of the test, cut off or not, that sets show."""
    extractor = Extractor(cuts.definition, corpus, order=cuts.order)
    kept = np.ones(len(corpus.unit_names), dtype=bool)
    compounds = Interner()
    tested = np.zeros(0, np.int64)
    shown = {name: np.zeros(0, dtype=bool) for name in sets}
    for first, last in corpus_slices(corpus, SLICE_SENTENCES):
        occurrences = extractor.occurrences(read_slice(corpus, first, last), kept)
        ids = compounds.add((occurrences.sub << SHIFT) | occurrences.head)
        sentences = occurrences.sentence + first
        more = len(compounds) - len(tested)
        tested = np.pad(tested, (0, more))
        tested += np.bincount(ids[np.isin(sentences, test)], minlength=len(tested))
        for name, chosen in sets.items():
            shown[name] = np.pad(shown[name], (0, more))
            shown[name][ids[np.isin(sentences, chosen)]] = True
    return {name: _shares(tested, seen)["occurrences"] for name, seen in shown.items()}


def control_faults(control: Mapping[str, Any], train: Mapping[str, Any]) -> Iterator[str]:
    """Yield every way in which a control is not valid."""
    if control["sentences"] != train["sentences"]:
        yield f"the control has {control['sentences']} sentences, train has {train['sentences']}"
    for split, number in control["tested"].items():
        if number:
            yield f"{number} sentences of the control are also in {split}"
    shown = control["shows"]
    # Sentences of train that are tested, too, show what the control must not show.
    if control["kind"] == "covering" and not any(control["tested_in_train"].values()):
        for name in ("compounds", "occurrences"):
            own, covering = shown[TRAIN][name], shown[CONTROL][name]
            if own is not None and covering < own:
                yield f"the control shows {covering} of the tested {name}, train {own}"


def control_card(control: Mapping[str, Any]) -> list[str]:
    """Return what the data card says of a control."""
    ways = {
        "random": "drawn at random from all sentences that are neither dev nor test",
        "covering": "train with sentences exchanged for those that show tested compounds",
    }
    tested = ", ".join(
        f"{split} {number:,}" for split, number in control["tested_in_train"].items()
    )
    lines = [
        "",
        "## Control",
        "",
        f"`control` is a second training set, {control['sentences']:,} sentences like train, for "
        f"which the tested compounds are not kept out: {ways[control['kind']]}; "
        f"{control['lines_of_train']:,} of them are in train, too. None has the text of a sentence "
        f"of dev or test (of train's sentences: {tested}).",
        "",
        "| set | D_A | D_C | tested compounds shown | their occurrences | all, cut off or not |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in control["shows"].items():
        cells = [
            "-" if row.get(key) is None else f"{row[key]:.4f}"
            for key in (
                "atom_divergence", "compound_divergence", "compounds", "occurrences", ALL,
            )
        ]  # fmt: skip
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, "", "`corpus` is all that neither dev nor test has: the most a set could show."]
