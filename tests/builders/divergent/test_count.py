"""Counting follows the published rules to the letter."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from parsed_corpora import counted, made_up, published_counts
from recombine.builders.divergent import count
from recombine.builders.divergent.count import CountOptions, Counts, count_corpus, kept_units
from recombine.builders.divergent.encode import ReadingOptions, prepare
from recombine.corpus.conllu import ParsedSentence
from recombine.errors import ConfigError, DataError

SMALL = {"skip_most_frequent": 2, "block": 5, "min_frequency": 4}


def named_rows(counts: Counts) -> list[tuple[Counter[str], Counter[str]]]:
    """Return the rows with names instead of columns."""
    rows = []
    for row in range(counts.size):
        parts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for k in range(counts.rows.starts[row], counts.rows.starts[row + 1]):
            column = int(counts.rows.columns[k])
            parts[int(k >= counts.rows.middles[row])][counts.column_name(column)] += int(
                counts.rows.counts[k]
            )
        rows.append(parts)
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_rows_equal_a_plain_reading_of_the_rules(tmp_path: Path, seed: int) -> None:
    """Every row, atom and compound is that of a word-by-word implementation."""
    sentences = made_up(400, seed)
    _, counts = counted(sentences, tmp_path, **SMALL)
    rows, atoms, compounds = published_counts(
        [(list(s.lemmas), list(s.relations), list(s.heads)) for s in sentences], 2, 5, 4, 0.5
    )
    names = [counts.column_name(column) for column in range(counts.atoms + counts.compounds)]
    assert set(names[: counts.atoms]) == atoms
    assert set(names[counts.atoms :]) == compounds
    assert named_rows(counts) == rows


def test_slices_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus counted in many slices has the rows of one counted at once."""
    _, whole = counted(made_up(300), tmp_path / "a", **SMALL)
    monkeypatch.setattr(count, "SLICE_SENTENCES", 17)
    _, parts = counted(made_up(300), tmp_path / "b", **SMALL)
    assert named_rows(whole) == named_rows(parts)
    assert (whole.sentences == parts.sentences).all()


def test_the_block_rule_lets_rarer_lemmas_in() -> None:
    """A block is kept whole when its first lemma is frequent enough."""
    cuts = CountOptions(skip_most_frequent=1, block=3, min_frequency=10)
    frequencies = np.array([50, 40, 5, 4, 9, 3])
    kept = kept_units(frequencies, ["a", "b", "c", "d", "e", "f"], cuts)
    assert kept.tolist() == [False, True, True, False, True, False]


def test_unclean_lemmas_are_dropped_before_ranking() -> None:
    """Punctuation, digits and quotes never count towards the most frequent; hyphens are clean."""
    cuts = CountOptions(skip_most_frequent=1, block=1, min_frequency=1)
    names = [",", "don't", "top-level", "x2", "it\u2019s", "plain"]
    kept = kept_units(np.array([9, 8, 7, 6, 5, 4]), names, cuts)
    assert [name for name, keep in zip(names, kept, strict=True) if keep] == ["plain"]


def test_the_all_edition_keeps_everything(tmp_path: Path) -> None:
    """No rank, frequency or weight cut; heads are atoms too."""
    sentences = made_up(100)
    _, counts = counted(sentences, tmp_path, edition="all")
    edges = {
        f"{s.lemmas[h - 1].lower()}|{r}+{w.lower()}"
        for s in sentences
        for w, r, h in zip(s.lemmas, s.relations, s.heads, strict=True)
        if h and r != "punct"
    }
    assert counts.compounds == len(edges)
    assert all(sum(part.values()) for part, _ in named_rows(counts))


def test_nothing_to_count_is_said(tmp_path: Path) -> None:
    """A corpus with one lemma, or cut-offs that nothing passes, is refused with advice."""
    with pytest.raises(DataError, match="no lemma passes"):
        counted(made_up(20), tmp_path / "a")
    with pytest.raises(DataError, match="no sentence of the corpus has a compound"):
        counted([ParsedSentence("Go", ["go"], ["root"], [0])], tmp_path / "b", edition="all")
    with pytest.raises(ConfigError, match="order"):
        CountOptions(order=1)


@pytest.mark.reference
@pytest.mark.slow
def test_europarl_has_the_known_counts(reference_data: Path, tmp_path: Path) -> None:
    """300,000 Europarl sentences give the published rows, atoms and compounds."""
    path = reference_data / "dbca" / "europarl-en-de-fr.tsv.xz"
    corpus, _ = prepare(ReadingOptions(workers=1), (path,), tmp_path)
    counts = count_corpus(corpus, CountOptions(), tmp_path / "rows")
    assert (counts.size, counts.atoms, counts.compounds) == (247_487, 7_854, 367_051)
