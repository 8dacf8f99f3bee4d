"""Check: faults planted into benchmarks whose hashes all fit, and what is said of the rest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.generated.small_recipe import deep, primitive, small_recipe
from builders.generated.test_certificate import forge, forge_hashes
from builders.invented_corpus import SMALL, write_corpus
from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark, describe_proof
from recombine.builders.recipe import build, read_recipe
from recombine.cli import main
from recombine.files import dump_row, write_json

pytest.importorskip("numba")

KINDS = ("generated", "consistency", "own text", "divergent", "compounds")
# Sentences with idioms and synonyms of the shipped tables, and others.
TEXT = [f"It came out of the blue in {year} ." for year in range(1990, 2000)]
TEXT += [f"The aeroplane of {year} was an early one ." for year in range(1900, 1910)]
TEXT += [f"Nobody remembers the spring of {year} ." for year in range(1800, 1830)]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, Path]:
    """A small benchmark of each kind."""
    folder = tmp_path_factory.mktemp("check")
    recipe = folder / "tiny.toml"
    parts = deep(6, "3"), primitive(6)
    recipe.write_text(small_recipe("tiny", *parts, exposures=5, train=300, dev=20))
    corpus = write_conllu(folder / "c.conllu", made_up(300, words=80))
    parallel = write_corpus(folder / "corpus.tsv")
    sizes = ("sentences=5", "pairs=3", "triples=3", "synonym_samples=1", "idiom_samples=1",
             "context_samples=1", "repeats=5")  # fmt: skip
    divergent = (f"corpus={corpus}", "edition=all", "passes=3", "dev_size=10")
    text, translated = folder / "text.en", folder / "text.de"
    text.write_text("".join(f"{line}\n" for line in TEXT), encoding="utf-8")
    translated.write_text("".join(f"Satz {place} .\n" for place in range(50)), encoding="utf-8")
    own = (*sizes, f"text={text}", f"translations={translated}", "natural_samples=3",
           f"training={text}", f"training_translations={translated}", "training_size=9",
           "dev_size=5", "data=['natural']", "benchmark.target=de")  # fmt: skip
    wanted = {
        "own text": ("consistency", own),
        "generated": (str(recipe), ("control=true", "unique=['gen']")),
        "consistency": ("consistency", sizes),
        "divergent": ("divergent", (*divergent, "benchmark.target=de")),
        "compounds": ("compounds", (*SMALL, f"corpus={parallel}")),
    }
    for kind, (name, overrides) in wanted.items():
        build(read_recipe(name, overrides), folder / kind, seed=3)
    return {kind: folder / kind for kind in wanted}


def row(split: str, change: Callable[[dict[str, Any]], object], line: int = 0):
    """Change a row of a split."""

    def plant(folder: Path) -> None:
        path = folder / f"{split}.jsonl"
        lines = path.read_text(encoding="utf-8").split("\n")
        data = json.loads(lines[line])
        change(data)
        lines[line] = dump_row(data)
        path.write_text("\n".join(lines), encoding="utf-8")

    return plant


def lines(name: str, change: Callable[[list[str]], object]):
    """Change the lines of a file."""

    def plant(folder: Path) -> None:
        path = folder / name
        found = path.read_text(encoding="utf-8").splitlines()
        change(found)
        path.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")

    return plant


def manifest(old: str, new: str):
    """Change the manifest."""

    def plant(folder: Path) -> None:
        path = folder / "benchmark.toml"
        text = path.read_text(encoding="utf-8")
        assert old in text, text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return plant


def certificate(change: Callable[[dict[str, Any]], object]):
    """Change the certificate."""

    def plant(folder: Path) -> None:
        path = folder / "certificate.json"
        found = json.loads(path.read_text(encoding="utf-8"))
        change(found)
        write_json(path, found)

    return plant


def swap_ids(split: str):
    """Give two rows each other's id."""

    def plant(folder: Path) -> None:
        rows = (folder / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")
        ids = [json.loads(text)["id"] for text in rows[:2]]
        row(split, lambda one: one.update(id=ids[1]))(folder)
        row(split, lambda one: one.update(id=ids[0]), 1)(folder)

    return plant


def turned_round(data: dict[str, Any]) -> None:
    """Put the tags into another order."""
    data["tags"] = dict(reversed(data["tags"].items()))


def another_divergence(found: list[str]) -> None:
    """Let the data card say another divergence."""
    place = next(at for at, line in enumerate(found) if "D_C = " in line)
    found[place] = found[place].replace("D_C = ", "D_C = 9")


def another_size(found: list[str]) -> None:
    """Let the data card say another size of the first split."""
    place = next(at for at, line in enumerate(found) if line.startswith("| --- | ---: |")) + 1
    found[place] = found[place].replace(" |", "0 |")


def another_count(found: list[str]) -> None:
    """Let the data card of compounds say that another number of pairs was kept."""
    place = next(at for at, line in enumerate(found) if line.startswith("Corpus: "))
    found[place] = found[place].replace(" kept", "0 kept")


def exchange(found: list[str]) -> None:
    """Exchange two lines."""
    found[0], found[1] = found[1], found[0]


FAULTS: dict[str, list[Callable[[Path], None]]] = {
    "generated": [
        row("gen", lambda one: one.update(group="g")),
        row("gen", lambda one: one.update(role="r")),
        row("train", lambda one: one.update(group="g")),
        row("gen", turned_round),
        swap_ids("gen"),
        row("gen", lambda one: one.pop("references")),
        row("dev", lambda one: one.update(id="0123456789ab")),
        row("gen", lambda one: one["focus"][0].update(weight=3)),
        row("gen", lambda one: one["focus"].append(one["focus"][0])),
        lines("train.jsonl", exchange),
        lines("gen.jsonl", exchange),
        manifest("disjoint = true", "disjoint = false"),
        manifest("\nseed = 3", "\nseed = 4"),
        manifest('source = "en"', 'source = "de"'),
        manifest('target = "ja"', 'target = "de"'),
        manifest('unique = ["gen"]', "unique = []"),
        manifest("exposures = 5", "exposures = 6"),
        manifest("control = true", "control = false"),
        manifest("selection = true", "selection = false"),
        manifest('metrics = [', 'metrics = ["nosuch", '),
        manifest('version = "1"', 'version = "2"'),
        certificate(lambda found: found["splits"]["gen"].update(different=1)),
        lines("README.md", another_size),
    ],
    "consistency": [
        row("systematicity", lambda one: one.update(group="np-vp/synthetic/t2/0")),
        row("systematicity", lambda one: one.update(role="vp")),
        row("systematicity", turned_round),
        row("systematicity", lambda one: one["focus"][0].update(start=0, end=1)),
        swap_ids("sentences"),
        row("substitutivity", lambda one: one["tags"].update(template="t9")),
        row("overgeneralisation", lambda one: one["focus"][1].update(accepted=["x"])),
        lines("probe.jsonl", lambda found: found.pop()),
        row("probe", lambda one: one.update(role="word")),
        manifest("\nseed = 3", "\nseed = 4"),
        manifest('target = "nl"', 'target = "fr"'),
        manifest('np = "subj"', 'np = "nothing"'),
        certificate(lambda found: found["sizes"].update(probe=1)),
        certificate(lambda found: found["templates"].update(t1=1)),
        lines("README.md", another_size),
    ],
    "own text": [
        row("overgeneralisation", lambda one: one["tags"].update(idiom="by heart")),
        row("overgeneralisation", lambda one: one["focus"][1].update(text="zebra")),
        row("overgeneralisation", lambda one: one["focus"][1].update(accepted=["x"])),
        row("overgeneralisation", lambda one: one.update(id="0123456789ab")),
        row("context", lambda one: one.update(source=one["source"] + " dog")),
        row("context", lambda one: one["focus"][0].update(start=0, end=3)),
        row("substitutivity", lambda one: one["focus"][0].update(accepted=["x"])),
        row("substitutivity", lambda one: one.update(source=one["source"] + " More .")),
        row("systematicity", lambda one: one.update(role="s4")),
        lines("probe.jsonl", lambda found: found.pop()),
        row("train", lambda one: one.update(references=["x"])),
        row("train", lambda one: one.update(tags={"x": "y"})),
        manifest("dev_size = 5", "dev_size = 6"),
        manifest("training_size = 9", "training_size = 10"),
        certificate(lambda found: found["templates"].update(t1=1)),
        certificate(lambda found: found["idioms_in_training"].update({"by heart": 1})),
    ],
    "divergent": [
        row("test", lambda one: one["tags"].update(novelty="none novel")),
        row("test", lambda one: one["tags"].update(novel_compounds=0.123)),
        row("test", turned_round),
        row("test", lambda one: one["tags"].update(sentence=1)),
        row("train", lambda one: one.update(source="Another sentence .")),
        row("train", lambda one: one.update(group="g")),
        swap_ids("test"),
        lines("items.tsv", lambda found: found.pop()),
        lines("atoms.tsv", lambda found: found.pop()),
        manifest("compound_alpha = 0.1", "compound_alpha = 0.2"),
        certificate(lambda found: found["splits"]["test"].update(novel_compound_share=0.5)),
        certificate(lambda found: found.update(blessed=True)),
        certificate(lambda found: found["train_and_dev"].update(atom_divergence=0.0)),
        lines("README.md", another_size),
        lines("README.md", another_divergence),
        lines("items.tsv", lambda found: found.__setitem__(0, found[0] + f" 0*{9 * 10**20}")),
        lines("items.tsv", lambda found: found.__setitem__(0, found[0] + " -1")),
        lines("items.tsv", exchange),
        lines("compounds.tsv", exchange),
        manifest("dev_size = 10", "dev_size = 11"),
        manifest('groups = "none"', 'groups = "none"\ntrain_size = 5'),
        manifest('groups = "none"', 'groups = "none"\ncontrol = "random"'),
    ],
    "compounds": [
        row("gen", lambda one: one.update(group="NP: the other")),
        row("gen", lambda one: one.update(role="base")),
        row("gen", turned_round),
        row("gen", lambda one: one["tags"].update(rarest_atom=1)),
        row("gen", lambda one: one["focus"][0].update(accepted=["x"])),
        row("gen", lambda one: one["tags"].update(contexts=9)),
        row("gen", lambda one: one["tags"].pop("pattern")),
        lines("atoms.tsv", lambda found: found.__setitem__(1, found[1].replace("\t", "\tx", 3))),
        row("context", lambda one: one.update(role="context")),
        swap_ids("train"),
        row("train", lambda one: one.update(role="r")),
        certificate(lambda found: found.update(compounds_seen_in_train=0)),
        lines("README.md", another_size),
        lines("README.md", another_count),
        lines("statistics.tsv", lambda found: found.pop()),
        lines("statistics.tsv", lambda found: found.__setitem__(2, "kept\t9" + found[2][5:])),
        manifest("control = false", "control = true"),
        manifest("floor = 5", "floor = 390"),
        manifest("count = 2", "count = 3"),
        row("gen", lambda one: one.update(source=one["source"] + " .")),
        row("gen", lambda one: one.update(id="0123456789ab")),
        row("context", lambda one: one.update(id="0123456789ab")),
        row("context", lambda one: one.update(references=["x"])),
    ],
}  # fmt: skip
CASES = [(kind, place) for kind, faults in FAULTS.items() for place in range(len(faults))]


@pytest.mark.parametrize("kind", KINDS)
def test_honest_benchmarks_pass(built, kind):
    """Nothing to complain about, and one line says what that means."""
    benchmark = Benchmark.open(built[kind])
    assert check_benchmark(benchmark) == []
    said = describe_proof(benchmark)
    assert said.startswith("proved: ")
    repeated = "recipe and seed give these bytes" in said
    assert repeated == (kind in ("generated", "consistency"))


def test_there_are_forty_faults():
    """Of each kind some."""
    assert len(CASES) >= 40


@pytest.mark.parametrize(("kind", "place"), CASES)
def test_a_planted_fault_is_found(built, tmp_path, kind, place):
    """All hashes of the manifest are those of the changed files."""
    folder = shutil.copytree(built[kind], tmp_path / "b")
    FAULTS[kind][place](folder)
    forge_hashes(folder)
    assert check_benchmark(Benchmark.open(folder))


@pytest.mark.parametrize("place", [None, "order_of_train", "row"])
def test_a_large_benchmark_is_drawn_again_beside_its_proof(built, tmp_path, monkeypatch, place):
    """In a process of its own; it says the same as after the proof."""
    folder = shutil.copytree(built["generated"], tmp_path / "b")
    plants = {
        "order_of_train": order_of_train,
        "row": row("gen", lambda data: data["tags"].clear()),
    }
    if place is not None:
        plants[place](folder)
        forge(folder)  # so that drawing again is all that can find another order
    benchmark = Benchmark.open(folder)
    after = [str(problem) for problem in check_benchmark(benchmark)]
    monkeypatch.setattr("recombine.builders.check.FEW", 0)
    monkeypatch.setattr("recombine.builders.check.cores", lambda: 2)
    assert [str(problem) for problem in check_benchmark(benchmark)] == after
    assert bool(after) == (place is not None)


def order_of_train(folder: Path) -> None:
    """Exchange two training sentences and their lines of the control."""
    lines("train.jsonl", exchange)(folder)
    lines("control.jsonl", exchange)(folder)


@pytest.mark.parametrize(
    "fault",
    [
        manifest("disjoint = true", "disjoint = false"),
        manifest("\nseed = 3", "\nseed = 4"),
        manifest("selection = true", "selection = false"),
        lines("gen.jsonl", exchange),
        swap_ids("gen"),
        row("gen", turned_round),
        order_of_train,
    ],
)
def test_what_certificate_and_card_repeat_is_found(built, tmp_path, fault):
    """Certificate, card and hashes are made by the tool's own functions from the changed files."""
    folder = shutil.copytree(built["generated"], tmp_path / "b")
    fault(folder)
    forge(folder)
    card = folder / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("with seed 3", "with seed 4"))
    if "seed = 4" not in (folder / "benchmark.toml").read_text(encoding="utf-8"):
        card.write_text(card.read_text(encoding="utf-8").replace("with seed 4", "with seed 3"))
    forge_hashes(folder)
    assert check_benchmark(Benchmark.open(folder))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (manifest("sample = 0", "sample = 4000"), "only that the files are those that were built"),
        (manifest('builder = "generated"', 'builder = "imported"'), "what others have published"),
        (manifest('builder = "generated"', 'builder = "nosuch"'), "is not installed here"),
    ],
)
def test_what_is_not_proved_is_said_first(built, tmp_path, capsys, fault, said):
    """Switching the proof off in the manifest does not go without a word."""
    folder = shutil.copytree(built["generated"], tmp_path / "b")
    fault(folder)
    assert main(["check", str(folder)]) in (0, 2)
    first = capsys.readouterr().err.splitlines()[0]
    assert said in first


def test_a_recipe_that_asks_for_endless_sentences_is_not_followed(built, tmp_path):
    """Checking it would never end; the first line says what is not proved."""
    folder = shutil.copytree(built["consistency"], tmp_path / "b")
    manifest("sentences = 5", f"sentences = {10**12}")(folder)
    benchmark = Benchmark.open(folder)
    assert "the recipe asks for far more than there is" in describe_proof(benchmark)
    assert check_benchmark(benchmark) == []


def test_another_version_is_not_repeated(built, tmp_path):
    """Its code may draw other sentences; that is said, and not held against it."""
    folder = shutil.copytree(built["generated"], tmp_path / "b")
    version = next(
        text for text in (folder / "benchmark.toml").read_text().splitlines()
        if text.startswith("recombine = ")
    )  # fmt: skip
    manifest(version, 'recombine = "0.0.1"')(folder)
    benchmark = Benchmark.open(folder)
    assert check_benchmark(benchmark) == []
    assert "another version built it" in describe_proof(benchmark)
