"""A certificate says what the files give."""

from __future__ import annotations

import json
from pathlib import Path

from parsed_corpora import made_up, write_conllu
from recombine.builders.divergent.certificate import check_divergent, data_card
from recombine.builders.recipe import build, read_recipe
from recombine.files import read_json


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
    assert f"{certificate['atom_divergence']:.6f}" in data_card(certificate, "search")
    assert check_divergent(benchmark) == []
    del certificate["atoms"]
    (benchmark.path / "certificate.json").write_text(json.dumps(certificate))
    (problem,) = check_divergent(benchmark)
    assert "incomplete" in str(problem)
