"""Importing a release of generated data: whatever parts are there."""

from __future__ import annotations

import json

import pytest

from recombine.builders.recipe import build, read_recipe
from recombine.errors import RecombineError
from recombine.testing import check_builder


def test_tsv_and_json_with_labels(tmp_path):
    """Three columns or two, JSON lists or lines; duplicates are kept."""
    folder = tmp_path / "release"
    (folder / "json").mkdir(parents=True)
    (folder / "dev.txt").write_text(
        "A dog ran.\t犬が走った。\tin_distribution\n" * 2, encoding="utf-8"
    )
    (folder / "train.tsv").write_text("A cat ran.\t猫が走った。\n", encoding="utf-8")
    rows = [{"input": "B.", "output": "ビ。", "name": "p", "instruction": ""}]
    (folder / "json" / "gen.json").write_text(json.dumps(rows), encoding="utf-8")
    benchmark = build("sget-release", tmp_path / "b", overrides=[f"path={folder}"])
    assert benchmark.manifest.splits == {"train": 1, "dev": 2, "gen": 1}
    assert benchmark.read("gen")[0].tags == {"pattern": "p"}
    assert benchmark.read("train")[0].tags == {"pattern": "in_distribution"}
    assert benchmark.verify() == []


def test_faults_are_named(tmp_path):
    """A missing folder, an empty one, a bad row."""
    with pytest.raises(RecombineError, match="not a folder"):
        build("sget-release", tmp_path / "b", overrides=[f"path={tmp_path / 'none'}"])
    with pytest.raises(RecombineError, match="none of the released files"):
        build("sget-release", tmp_path / "b", overrides=[f"path={tmp_path}"])
    (tmp_path / "dev.txt").write_text("only one column\n", encoding="utf-8")
    with pytest.raises(RecombineError, match="by tabs"):
        build("sget-release", tmp_path / "b", overrides=[f"path={tmp_path}"])


@pytest.mark.reference
def test_published_parts(reference_data):
    """The published train and dev sentences are found."""
    plan = read_recipe("sget-release", [f"path={reference_data / 'sget'}"]).builder.plan()
    assert set(plan["files"]) == {"train", "dev"}


def test_the_contract_holds(tmp_path):
    """Valid examples and the same bytes twice."""
    (tmp_path / "dev.txt").write_text("A dog ran.\t犬が走った。\tin_distribution\n", "utf-8")
    options = [f"path={tmp_path}"]
    check_builder(lambda: read_recipe("sget-release", options).builder)
