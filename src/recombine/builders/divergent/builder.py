"""Builder `divergent`: split a parsed corpus so that atoms stay alike and compounds differ.

Moisio, Creutz and Kurimo 2023 (GenBench), after Keysers et al. 2020: the same atoms in train and
test, the compounds as different as `target_divergence` asks (1 = none shared, 0 = as alike as can
be). Every example keeps its counts in `items.tsv`, so `check` recomputes what the certificate says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import CONTROL, TRAINING_SPLITS, Benchmark, Example, Tag
from recombine.builders.check import Proof
from recombine.builders.divergent.certificate import (
    ITEMS,
    SPLITS,
    certificate_of,
    data_card,
    item_lines,
    name_lines,
    prove_split,
    salt_of,
    tested_tags,
)
from recombine.builders.divergent.control import certified_control, control_rows, open_rows
from recombine.builders.divergent.count import Counts, count_corpus
from recombine.builders.divergent.encode import EncodedCorpus, prepare
from recombine.builders.divergent.incremental_split import SearchProgress
from recombine.builders.divergent.measure import length_class, novel_shares
from recombine.builders.divergent.options import DivergentOptions
from recombine.builders.divergent.search import split_rows
from recombine.builders.divergent.split import (
    TEST,
    TRAIN,
    UNUSED,
    Bounds,
    Sides,
    random_split,
    read_split,
)
from recombine.builders.recipe import take_as_corpus
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError
from recombine.progress import progress


class CountedCorpus(NamedTuple):
    """A corpus with its counts, and the number of sentences after each of its files."""

    corpus: EncodedCorpus
    counts: Counts
    ends: list[int]


@dataclass(frozen=True, kw_only=True)
class Divergent(DivergentOptions):
    """Train and test sets of a parsed corpus with the same atoms and other compounds."""

    proves: ClassVar[str] = (
        "divergences, novelty and ids from items.tsv, whose counts are taken as they are"
    )
    own_text: ClassVar[tuple[str, ...]] = ("corpus",)
    metrics: ClassVar[tuple[str, ...]] = ("chrf++", "bleu")

    @staticmethod
    def take_text(data: dict[str, Any], text: str, translation: str | None, language: str) -> None:
        """Take raw text as the corpus; its words are enough for sequences of words."""
        take_as_corpus(data, text, translation, language, words=True)

    def build(self, draft: Draft) -> None:
        """Read, count, split, write and certify."""
        self.build_from(self.counted(draft.workdir), draft)

    def counted(self, workdir: Path) -> CountedCorpus:
        """Read and count the corpus: what does not depend on the split."""
        corpora = (self.corpus, *([self.fixed_train] if self.fixed_train else []))
        targets = (self.target_corpus, self.fixed_train_target)
        corpus, ends = prepare(
            self,
            corpora,
            workdir,
            target_corpora=[path for path in targets if path is not None],
            target=None if self.target_corpus else self.target_language or None,
        )
        return CountedCorpus(corpus, count_corpus(corpus, self, workdir / "rows"), ends)

    def build_from(self, counted: CountedCorpus, draft: Draft) -> None:
        """Split, write and certify."""
        corpus, counts, ends = counted
        if self.given is not None:
            split = read_split(self.given, corpus.size, first=self.given_first)
            self.write(draft, corpus, counts, split.rows(counts.sentences), split.note)
            return
        sides = self.divide(corpus, counts, ends, draft.seed, draft.workdir)
        self.write(draft, corpus, counts, self.rows(corpus, counts, sides, draft.seed))

    def divide(
        self, corpus: EncodedCorpus, counts: Counts, ends: list[int], seed: int, workdir: Path
    ) -> Sides:
        """Return the side of every row."""
        fixed = counts.sentences >= ends[0]
        bounds = self.bounds(int((~fixed).sum()), int(fixed.sum()))
        if self.method == "random":
            sides = np.full(counts.size, UNUSED, np.int8)
            if fixed.any():
                sides[fixed] = TRAIN
                bounds = Bounds(train=(0, 0), test=bounds.test, used=bounds.test)
            sides[~fixed] = random_split(int((~fixed).sum()), bounds, seed)
            return sides
        with progress("dividing", 100) as bar:
            report = _Reporter(bar)
            if self.method == "published":
                from recombine.builders.divergent.published import published_split

                most = bounds.used[1]
                return published_split(counts, self, seed=seed, most_used=most, report=report).sides
            start, locked = self._start(counts, fixed)
            return split_rows(
                counts,
                self,
                bounds,
                seed=seed,
                groups=self._groups(corpus, counts),
                start=start,
                locked=locked,
                checkpoint=workdir / "search.npz",
                report=report,
            ).sides

    def _groups(self, corpus: EncodedCorpus, counts: Counts) -> npt.NDArray[np.int64] | None:
        if self.groups == "none":
            return None
        documents = np.asarray(corpus.documents)[counts.sentences].astype(np.int64)
        if (documents < 0).any():
            raise DataError(
                "groups = 'document', but a sentence has no document",
                hint="CoNLL-U needs '# newdoc id = ...', columns need 'document'",
            )
        return documents

    def _start(
        self, counts: Counts, fixed: npt.NDArray[np.bool_]
    ) -> tuple[Sides | None, npt.NDArray[np.bool_] | None]:
        if self.start is None and not fixed.any():
            return None, None
        sides = np.full(counts.size, UNUSED, np.int8)
        if self.start is not None:
            row_of = {int(sentence) + 1: row for row, sentence in enumerate(counts.sentences)}
            old = Benchmark.open(self.start)
            for split, side in (("train", TRAIN), ("dev", TRAIN), ("test", TEST)):
                if split in old.splits:
                    for example in old.iterate(split):
                        row = row_of.get(int(example.tags.get("sentence", 0)))
                        if row is None:
                            raise DataError(
                                f"{self.start}: sentence {example.tags.get('sentence')} of "
                                f"'{split}' has no row in this corpus",
                                hint="a start must come from the same corpus and cut-offs",
                            )
                        sides[row] = side
        sides[fixed] = TRAIN
        return sides, fixed

    def rows(
        self, corpus: EncodedCorpus, counts: Counts, sides: Sides, seed: int
    ) -> dict[str, npt.NDArray[np.int64]]:
        """Return the rows of train and test, and of dev where it is wanted."""
        rows = {"train": np.flatnonzero(sides == TRAIN), "test": np.flatnonzero(sides == TEST)}
        return self._with_dev(rows, seed, self._groups(corpus, counts)) if self.dev_size else rows

    def write(
        self,
        draft: Draft,
        corpus: EncodedCorpus,
        counts: Counts,
        rows: dict[str, npt.NDArray[np.int64]],
        note: dict[str, Any] | None = None,
    ) -> None:
        """Write the splits, the items and the certificate; `note` is certified beside them."""
        free = None
        if self.control:
            tested = np.concatenate([rows[split] for split in ("dev", "test") if split in rows])
            free = open_rows(corpus, counts, tested, self._groups(corpus, counts))
            rows[CONTROL] = control_rows(
                self.control, counts, rows["train"], rows["test"], free, draft.seed
            )
        shares = novel_shares(counts, rows["train"])
        with (draft.path / ITEMS).open("w", encoding="utf-8", newline="\n") as stream:
            for split in SPLITS:
                if split in rows:
                    ids: list[str] = []
                    draft.write(
                        split, self._examples(corpus, counts, rows[split], split, shares, ids)
                    )
                    stream.writelines(item_lines(counts, rows[split], ids))
        if self.keep_rest:
            used = np.concatenate(
                [counts.sentences[rows[split]] for split in rows if split != CONTROL]
            )
            rest = np.setdiff1d(np.arange(corpus.size), used)
            draft.write("rest", self._rest(corpus, rest))
        draft.add_file("atoms.tsv", "".join(name_lines(counts, range(counts.atoms))))
        draft.add_file(
            "compounds.tsv",
            "".join(name_lines(counts, range(counts.atoms, counts.atoms + counts.compounds))),
        )
        certificate = certificate_of(corpus, counts, rows, shares, self)
        if free is not None:
            certificate[CONTROL] = certified_control(self, corpus, counts, rows, free)
        if note is not None:
            certificate["given"] = note
        draft.certificate(certificate)
        draft.set_card(data_card(certificate, self.way))

    def _with_dev(
        self,
        rows: dict[str, npt.NDArray[np.int64]],
        seed: int,
        groups: npt.NDArray[np.int64] | None,
    ) -> dict[str, npt.NDArray[np.int64]]:
        """Take dev from train: the paper picked its checkpoint on the test set instead."""
        train = rows["train"]
        if self.dev_size >= len(train):
            raise ConfigError(f"dev_size = {self.dev_size:,}, but train has {len(train):,}")
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 2])))
        if groups is None:
            dev = np.zeros(len(train), dtype=bool)
            dev[generator.permutation(len(train))[: self.dev_size]] = True
        else:
            names, sizes = np.unique(groups[train], return_counts=True)
            order = generator.permutation(len(names))
            taken = names[order][np.cumsum(sizes[order]) <= self.dev_size]
            dev = np.isin(groups[train], taken)
        return {"train": train[~dev], "dev": train[dev], "test": rows["test"]}

    def _examples(
        self,
        corpus: EncodedCorpus,
        counts: Counts,
        rows: npt.NDArray[np.int64],
        split: str,
        shares: npt.NDArray[np.float64],
        ids: list[str],
    ) -> Iterator[Example]:
        sentences = counts.sentences[rows]
        for row, sentence, (source, target) in zip(
            rows.tolist(), sentences.tolist(), corpus.texts(sentences.tolist()), strict=True
        ):
            tags: dict[str, Tag] = {"sentence": sentence + 1}
            if split not in TRAINING_SPLITS:
                share = float(shares[row])
                length = int(corpus.starts[sentence + 1] - corpus.starts[sentence])
                tags = tested_tags(share, length_class(length), sentence + 1)
            example = Example.make(
                source=source,
                references=() if target is None else (target,),
                tags=tags,
                salt=salt_of(split, sentence + 1),
            )
            ids.append(example.id)
            yield example

    def _rest(self, corpus: EncodedCorpus, sentences: npt.NDArray[np.int64]) -> Iterator[Example]:
        for sentence, (source, target) in zip(
            sentences.tolist(), corpus.texts(sentences.tolist()), strict=True
        ):
            yield Example.make(
                source=source,
                references=() if target is None else (target,),
                tags={"sentence": sentence + 1},
                salt=str(sentence + 1),
            )

    def prove(self, benchmark: Benchmark) -> Proof:
        """Recompute the certificate from the written files."""
        return prove_split(benchmark, self)

    def plan(self) -> dict[str, Any]:
        """Say what would be built, without reading the corpus."""
        if not self.corpus.is_file():
            raise ConfigError(f"no such corpus: {self.corpus}")
        return {
            "corpus": str(self.corpus),
            "corpus_megabytes": round(self.corpus.stat().st_size / 1e6, 1),
            "method": self.method,
            "target_divergence": self.target_divergence,
            "edition": self.edition,
            "definition": self.definition,
        }


class _Reporter:
    """Turns the search's progress into a bar."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.shown = 0

    def __call__(self, state: SearchProgress) -> None:
        # Placing takes about a fifth of the time of both.
        done = 20 * state.done if state.phase == "placing" else 20 + 80 * state.done
        self.bar.advance(int(done) - self.shown)
        self.shown = int(done)
        self.bar.note(
            D_A=round(state.atom, 6),
            D_C=round(state.compound, 6),
            moves=f"{state.moves_per_second:,.0f}/s",
        )
