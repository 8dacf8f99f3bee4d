"""The control: training text of the same size in which no pattern is new, proved to be one."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from builders.generated.small_recipe import deep, primitive, small_recipe
from builders.generated.test_certificate import edit, forge, forge_hashes, messages
from recombine.benchmark import Benchmark
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, GrammarError, RecombineError

RECIPE = small_recipe("tiny", deep(20, "3"), primitive(20), exposures=5, train=500, dev=20)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory) -> str:
    """The file of a small recipe with two patterns."""
    path = tmp_path_factory.mktemp("control") / "tiny.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def built(recipe, tmp_path_factory) -> Benchmark:
    """A benchmark with its control."""
    folder = tmp_path_factory.mktemp("built")
    return build(recipe, folder / "b", seed=3, overrides=["control=true", "control_size=20"])


@pytest.fixture
def copy(built, tmp_path) -> Path:
    """A copy that a test may damage."""
    return shutil.copytree(built.path, tmp_path / "copy")


def certificate(folder: Path) -> dict:
    """What is proved of the control."""
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))["control"]


def rows(benchmark: Benchmark, split: str) -> list[tuple[str, tuple[str, ...]]]:
    """Sentences with their references, line by line."""
    return [(one.source, one.references) for one in benchmark.read(split)]


def test_a_control_is_train_with_some_lines_exchanged(built, recipe, tmp_path):
    """Everything else keeps its bytes and its place, and nothing of the test is in it."""
    plain = build(recipe, tmp_path / "plain", seed=3)
    for split in plain.splits:
        assert plain.manifest.files[f"{split}.jsonl"] == built.manifest.files[f"{split}.jsonl"]
    train, control = rows(built, "train"), rows(built, "control")
    assert len(train) == len(control)
    exchanged = [
        new.tags["pattern"]
        for old, new in zip(built.read("train"), built.read("control"), strict=True)
        if (old.source, old.references) != (new.source, new.references)
    ]
    assert Counter(exchanged) == {"deep": 20, "primitive": 20}
    tested = {source for split in ("dev", "gen") for source, _ in rows(built, split)}
    assert not tested & {source for source, _ in control}
    assert messages(built.path) == []


def test_the_certificate_counts_what_the_control_shows(built):
    """Train shows no sentence of a pattern, the control at least those that it was given."""
    whole = json.loads((built.path / "certificate.json").read_text(encoding="utf-8"))
    found = whole["control"]
    assert found["sentences"] == whole["splits"]["train"]["sentences"]
    assert found["lines_of_train"] == found["sentences"] - 40
    assert set(found["exchanged"]) == {"base"}
    assert found["tested"] == {"dev": 0, "gen": 0}
    assert found["lost_word_forms"] == []
    for name, row in found["patterns"].items():
        assert (row["sentences"], whole["patterns"][name]["in_train"]) == (20, 0)
        assert row["shown"] >= 20
        assert row["share"] == round(20 / found["sentences"], 6)
    targets = found["patterns"]["primitive"]["targets"]
    assert all(targets[word] > whole["patterns"]["primitive"]["targets_in_train"][word] - 5
               for word in ("thief", "author"))  # fmt: skip
    card = (built.path / "README.md").read_text(encoding="utf-8")
    assert "## Control" in card
    assert "| deep | 20 |" in card


def of_gen(folder: Path, row: dict) -> None:
    """Put a sentence of the test into the place of a row."""
    first = json.loads((folder / "gen.jsonl").read_text(encoding="utf-8").split("\n")[0])
    row.update(source=first["source"], references=first["references"])


FAULTS = {
    "a sentence of the test": (
        "deep",
        lambda folder, row: of_gen(folder, row),
        "1 sentences of the control are also in gen",
    ),
    "a line of train that was changed": (
        "base",
        lambda folder, row: row.update(source="Liam ran.", references=["リアムが走った。"]),
        "1 lines of the control differ from train and show no pattern",
    ),
    "a sentence that shows no pattern": (
        "deep",
        lambda folder, row: row.update(source="Liam ran.", references=["リアムが走った。"]),
        "not what 'deep' asks for",
    ),
    "a sentence outside the grammar": (
        "deep",
        lambda folder, row: row.update(source="Colourless ideas sleep."),
        "1 sentences of the control are outside the grammar",
    ),
    "a wrong reference": (
        "deep",
        lambda folder, row: row.update(references=["猫が走った。"]),
        "the grammar translates it",
    ),
    "another label": (
        "deep",
        lambda folder, row: row["tags"].update(pattern="primitive"),
        "the control has 21 sentences of pattern 'primitive', not 20",
    ),
    "a label that the recipe does not have": (
        "deep",
        lambda folder, row: row["tags"].update(pattern="nosuch"),
        "no part 'nosuch'",
    ),
}


@pytest.mark.parametrize(("pattern", "change", "message"), FAULTS.values(), ids=FAULTS)
def test_what_makes_it_no_control_is_found(copy, pattern, change, message):
    """Though hashes, certificate and card are those of the changed rows."""
    edit(copy, "control", lambda row: change(copy, row), pattern=pattern)
    forge(copy)
    assert [text for text in messages(copy) if message in text]


def test_a_control_of_another_size_is_found(copy):
    """One line less, and all hashes and sizes forged."""
    path = copy / "control.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]))
    manifest = copy / "benchmark.toml"
    size = Benchmark.open(copy).manifest.splits["train"]
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace(f"control = {size}", f"control = {size - 1}"))
    forge(copy)
    said = f"the control has {size - 1} sentences, train has {size}"
    assert any(said in one for one in messages(copy))


def test_a_changed_count_is_found(copy):
    """The certificate is counted again."""
    path = copy / "certificate.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["control"]["patterns"]["deep"]["shown"] += 1
    path.write_text(json.dumps(whole), encoding="utf-8")
    forge_hashes(copy)
    assert any("control.patterns.deep.shown is" in one for one in messages(copy))


def test_composed_patterns_have_controls_too(tmp_path):
    """A part that is composed of constituents is composed for the control, too."""
    composed = """\
[split.gen.two]
size = 5
category = "c"
pattern = ["concat_two"]
compose = "concat_two"
slot.Chain = { depth = { cp = "3" } }
"""
    path = tmp_path / "r.toml"
    path.write_text(small_recipe("tiny", composed, exposures=5, train=200, dev=5), encoding="utf-8")
    benchmark = build(str(path), tmp_path / "b", overrides=["control=true"])
    assert certificate(benchmark.path)["patterns"]["two"]["sentences"] == 5
    assert not [text for text in messages(benchmark.path) if "control" in text]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["control_size=5"], "control_size goes with control"),
        (["control=true", "exposures=0"], "a control needs sentences of every pattern"),
        (["control=true", "split.control.base.size=3"], "writes a split of that name"),
        (["control=true", "control_size=400"], "the control exchanges 800 sentences"),
    ],
)
def test_refusals(recipe, tmp_path, overrides, message):
    """What cannot be a control is refused with a reason."""
    with pytest.raises((ConfigError, GrammarError, RecombineError), match=message):
        build(recipe, tmp_path / "b", overrides=overrides)


def test_a_plan_counts_the_control(recipe):
    """As many sentences as train."""
    plan = read_recipe(recipe, ["control=true"]).builder.plan()
    assert plan["splits"]["control"] == plan["splits"]["train"]
