"""The certificate of a split, its evidence and its check."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from parsed_corpora import counted, made_up, write_conllu
from recombine.builders.check import proof_faults
from recombine.builders.divergent.certificate import (
    data_card,
    item_lines,
    name_lines,
    read_items,
    read_split_items,
    split_claims,
    word_counts,
)
from recombine.builders.recipe import build, read_recipe
from recombine.errors import DataError
from recombine.files import read_json


def faults_of(benchmark):
    """Return what the builder finds in its files, whatever their hashes."""
    recipe = benchmark.manifest.recipe
    options = [f"corpus={recipe['corpus']}", f"dev_size={recipe['dev_size']}"]
    builder = read_recipe("divergent", options).builder
    return proof_faults(benchmark, builder.prove(benchmark))


def items_of(benchmark):
    """The atoms and compounds of every example."""
    return read_items(benchmark.path / "items.tsv")


def test_certificate_card_and_check(tmp_path: Path) -> None:
    """Confounders are there, the card shows them, and a missing field is a problem."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(300, words=80))
    options = [f"corpus={corpus}", "edition=all", "passes=3", "dev_size=10"]
    benchmark = build(read_recipe("divergent", options), tmp_path / "b")
    certificate = read_json(benchmark.path / "certificate.json")
    test = certificate["splits"]["test"]
    assert sum(test["novelty"].values()) == test["sentences"]
    assert test["words"] == sum(len(e.source.split()) for e in benchmark.iterate("test"))
    assert "train_and_dev" in certificate
    ids = {one.id for one in benchmark.iterate("test")}
    items = read_items(benchmark.path / "items.tsv")
    shown = [item.compounds for item in items if item.id in ids]
    assert test["compound_types"] == len({one for compounds in shown for one in compounds})
    assert test["compound_occurrences"] == sum(sum(one.values()) for one in shown)
    atoms = {one for item in items_of(benchmark) if item.id in ids for one in item.atoms}
    assert test["atom_types"] == len(atoms)
    lemmas = {word for one in benchmark.iterate("test") for word in one.source.split()}
    assert test["lemmas"] == len(lemmas)
    _, vectors, count = read_split_items(benchmark)
    assert vectors["test"][count:].sum() == test["compound_occurrences"]
    assert (vectors["test"] >= 0).all()
    assert f"{certificate['atom_divergence']:.6f}" in data_card(certificate, "search")
    assert faults_of(benchmark) == []
    unknown = {**certificate, "compound_divergence": float("nan")}
    (benchmark.path / "certificate.json").write_text(json.dumps(unknown))
    (problem,) = faults_of(benchmark)
    assert "compound_divergence is" in str(problem)
    names = ("sentences", "atom_occurrences", "compound_types", "novel_compound_share")
    for name in names:
        for split in certificate["splits"]:
            wrong = copy.deepcopy(certificate)
            wrong["splits"][split][name] += 1
            (benchmark.path / "certificate.json").write_text(json.dumps(wrong))
            (problem,) = faults_of(benchmark)
            assert f"splits.{split}.{name} is" in str(problem)
    items_path = benchmark.path / "items.tsv"
    written = items_path.read_text(encoding="utf-8")
    identity, first_atoms, first_compounds = written.split("\n")[0].split("\t")
    for row in (f"{first_atoms} 99999\t{first_compounds}", f"{first_atoms}\t99999"):
        rest = written[written.index("\n") :]
        items_path.write_text(f"{identity}\t{row}{rest}", encoding="utf-8")
        with pytest.raises(DataError, match="an item without a name"):
            read_split_items(benchmark)
    items_path.write_text(written, encoding="utf-8")
    del certificate["atoms"]
    (benchmark.path / "certificate.json").write_text(json.dumps(certificate))
    (problem,) = faults_of(benchmark)
    assert "atoms is" in str(problem)


def test_items_come_back(tmp_path: Path) -> None:
    """Atoms and compounds of each row survive the file, counts included."""
    _, counts = counted(made_up(60), tmp_path, edition="all")
    ids = [f"id{row}" for row in range(counts.size)]
    path = tmp_path / "items.tsv"
    path.write_text("".join(item_lines(counts, range(counts.size), ids)))
    for row, item in enumerate(read_items(path)):
        start, middle, end = (
            counts.rows.starts[row],
            counts.rows.middles[row],
            counts.rows.starts[row + 1],
        )
        assert item.id == ids[row]
        numbers = counts.rows.counts.tolist()
        columns = counts.rows.columns.tolist()
        assert item.atoms == dict(zip(columns[start:middle], numbers[start:middle], strict=True))
        assert sum(item.compounds.values()) == sum(numbers[middle:end])


def test_names_are_numbered(tmp_path: Path) -> None:
    """Line n of the names is item n."""
    _, counts = counted(made_up(60), tmp_path, edition="all")
    lines = list(name_lines(counts, range(counts.atoms)))
    assert lines[3] == f"3\t{counts.column_name(3)}\n"


def test_a_broken_row_is_named(tmp_path: Path) -> None:
    """The line of a fault is in the message."""
    path = tmp_path / "items.tsv"
    path.write_text("a\t1 2\t3\nb\tx\t\n")
    with pytest.raises(DataError, match="not an item row") as caught:
        list(read_items(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_split_without_sentences_has_no_length(tmp_path: Path) -> None:
    """Nor a share of novel compounds: the card has a dash for it."""
    corpus, counts = counted(made_up(20), tmp_path, edition="all")
    nothing = np.array([], np.int64)
    vector = np.zeros(counts.atoms + counts.compounds, np.int64)
    found = split_claims(vector, counts.atoms, np.array([])) | word_counts(corpus, nothing)
    assert (found["mean_length"], found["words"], found["lemmas"]) == (0.0, 0, 0)
    assert found["novel_compound_share"] is None
    head = dict.fromkeys(("target_divergence", "atom_divergence", "compound_divergence"), 0.5)
    head |= {"atom_alpha": 0.5, "compound_alpha": 0.1, "atoms": 1, "compounds": 1}
    known = {**found, "novel_compound_share": 0.25}
    card = data_card({**head, "splits": {"dev": found, "test": known}}, "search").splitlines()
    rows = {line.split()[1]: line.split()[-2] for line in card if line.startswith("| ")}
    assert (rows["dev"], rows["test"]) == ("-", "0.2500")
