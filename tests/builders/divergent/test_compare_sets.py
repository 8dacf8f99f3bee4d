"""The divergence of two sets is that of their counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Example
from recombine.builders.divergent.compare_sets import measure_divergence
from recombine.builders.recipe import build, read_recipe
from recombine.draft import Draft
from recombine.errors import RecombineError
from recombine.files import read_json

ALL = {"edition": "all", "random_tests": [50], "top": 3}


def test_equal_and_other_sets(tmp_path: Path) -> None:
    """A set does not diverge from itself; another vocabulary diverges entirely."""
    first = write_conllu(tmp_path / "a.conllu", made_up(200))
    found = measure_divergence(first, first, ALL)
    assert found["atom_divergence"] == pytest.approx(0, abs=1e-12)
    assert found["compound_divergence"] == pytest.approx(0, abs=1e-12)
    assert found["train"] == found["test"]
    assert [row["test"] for row in found["random_splits"]] == [50]
    text = first.read_text().replace("\tw", "\tz").replace("\tW", "\tZ")
    other = tmp_path / "b.conllu"
    other.write_text(text.replace("\tmark\tmark", "\tq\tq"))
    found = measure_divergence(first, other, {**ALL, "definition": "pairs"})
    assert found["compound_divergence"] > 0.9
    assert len(found["most_divergent_compounds"]) == 3


def test_the_measure_agrees_with_a_certificate(tmp_path: Path) -> None:
    """Divergences measured again from the sentences of a split are the certified ones."""
    sentences = made_up(400, words=100)
    corpus = write_conllu(tmp_path / "c.conllu", sentences)
    options = [f"corpus={corpus}", "edition=all", "passes=5", "used_share=1.0"]
    benchmark = build(read_recipe("divergent", options), tmp_path / "b")
    files = {}
    for split in ("train", "test"):
        chosen = [sentences[int(e.tags["sentence"]) - 1] for e in benchmark.iterate(split)]
        files[split] = write_conllu(tmp_path / f"{split}.conllu", chosen)
    found = measure_divergence(files["train"], files["test"], ALL)
    certified = read_json(benchmark.path / "certificate.json")
    assert found["atom_divergence"] == pytest.approx(certified["atom_divergence"], abs=1e-9)
    assert found["compound_divergence"] == pytest.approx(certified["compound_divergence"], abs=1e-9)


def test_benchmarks_need_no_parse_for_ngrams(tmp_path: Path) -> None:
    """A benchmark's directory stands for its train and test; other definitions ask for a parser."""
    draft = Draft(tmp_path / "b", seed=1)
    draft.write("train", [Example.make(source=f"a cat sees {w}") for w in ("me", "you", "us")])
    draft.write("gen", [Example.make(source="a cat sees them"), Example.make(source="a dog ran")])
    manifest = {"name": "n", "version": "1", "source": "en", "target": "", "builder": "imported"}
    draft.finish({"format": 1, "seed": 1, **manifest})
    found = measure_divergence(tmp_path / "b", tmp_path / "b", {**ALL, "definition": "ngrams"})
    assert 0 < found["compound_divergence"] < 1
    assert (found["train"]["words"], found["test"]["words"]) == (12, 7)
    with pytest.raises(RecombineError, match="not parsed"):
        measure_divergence(tmp_path / "b", tmp_path / "b", ALL)


def test_grammar_trees_are_measured(tmp_path: Path) -> None:
    """Sentences of our own grammars are compared by rules and tree fragments."""
    from recombine.grammar import Grammar

    grammar = Grammar.load("toy")
    language = grammar.languages[0]
    files = []
    for stream in ("train", "test"):
        path = tmp_path / f"{stream}.txt"
        trees = list(grammar.sample(40, seed=1, stream=stream))
        path.write_text("".join(grammar.text(tree, language) + "\n" for tree in trees))
        files.append(path)
    found = measure_divergence(*files, {**ALL, "parser": f"grammar:toy:{language}"})
    assert 0 < found["compound_divergence"] < 1
    assert found["atoms"] > 5
