"""The builder writes what it certifies, and `check` finds out if it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.divergent.builder import Divergent
from recombine.builders.recipe import build, read_recipe
from recombine.errors import DataError, RecombineError, Where
from recombine.testing import check_builder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parsed corpus of 600 sentences with documents and translations."""
    folder = tmp_path_factory.mktemp("corpus")
    return write_conllu(folder / "c.conllu", made_up(600, words=120))


def built(corpus: Path, out: Path, *overrides: str, seed: int = 1) -> Benchmark:
    """Build with the cut-offs off."""
    recipe = read_recipe("divergent", [f"corpus={corpus}", "edition=all", "passes=20", *overrides])
    return build(recipe, out, seed=seed)


def certificate(benchmark: Benchmark) -> dict[str, Any]:
    """Return the stored certificate."""
    value: dict[str, Any] = json.loads((benchmark.path / "certificate.json").read_text())
    return value


def test_default_sizes_are_those_of_the_paper(corpus: Path, tmp_path: Path) -> None:
    """Without sizes, 73% of the rows are used and test is 10-11% of them."""
    benchmark = built(corpus, tmp_path / "b")
    found = certificate(benchmark)
    assert benchmark.splits == ("train", "test")
    assert found["used_share"] == pytest.approx(0.733, abs=0.005)
    assert 0.10 <= found["test_share"] <= 0.1105
    assert check_benchmark(benchmark) == []
    assert all(not example.references for example in benchmark.iterate("test"))


def test_the_contract_of_builders(corpus: Path) -> None:
    """Same seed, same bytes; valid examples; its own check passes."""
    check_builder(lambda: Divergent(corpus=corpus, edition="all", passes=5, target_language="de"))


def test_translations_dev_and_rest(corpus: Path, tmp_path: Path) -> None:
    """The target side is a reference, dev comes out of train, rest keeps what is left."""
    benchmark = built(
        corpus, tmp_path / "b", "benchmark.target=de", "dev_size=20", "keep_rest=true"
    )
    assert benchmark.splits == ("train", "dev", "test", "rest")
    sizes = benchmark.manifest.splits
    assert sizes["dev"] == 20
    assert sum(sizes.values()) == 600
    example = benchmark.read("test")[0]
    assert example.references == (example.source[::-1],)
    assert set(example.tags) >= {"novelty", "sentence"}
    assert next(iter(example.tags)) == "novelty"
    assert check_benchmark(benchmark) == []


def test_novelty_is_the_share_of_unseen_compounds(corpus: Path, tmp_path: Path) -> None:
    """The tag of a test sentence can be recomputed from the items."""
    benchmark = built(corpus, tmp_path / "b", "target_divergence=0.5")
    compounds = {
        line.split("\t")[0]: line.split("\t")[2].split()
        for line in (benchmark.path / "items.tsv").read_text().splitlines()
    }
    number = [item.partition("*")[0] for e in benchmark.read("train") for item in compounds[e.id]]
    seen = set(number)
    for example in benchmark.read("test"):
        novel = total = 0
        for item in compounds[example.id]:
            name, _, count = item.partition("*")
            total += int(count or 1)
            novel += int(count or 1) * (name not in seen)
        if total:
            assert example.tags["novel_compounds"] == pytest.approx(novel / total, abs=1e-6)
        else:
            assert example.tags["novelty"] == "no compound"


def test_a_forged_certificate_is_found(corpus: Path, tmp_path: Path) -> None:
    """A divergence off by 1e-6, or an example without items, is a problem."""
    benchmark = built(corpus, tmp_path / "b")
    path = benchmark.path / "certificate.json"
    found = certificate(benchmark)
    path.write_text(json.dumps({**found, "atom_divergence": found["atom_divergence"] + 1e-6}))
    assert any("atom_divergence" in str(p) for p in check_benchmark(benchmark))
    path.write_text(json.dumps(found))
    items = benchmark.path / "items.tsv"
    items.write_text("\n".join(items.read_text().splitlines()[1:]) + "\n")
    assert any("no items" in str(p) for p in check_benchmark(benchmark))


def test_documents_stay_together(corpus: Path, tmp_path: Path) -> None:
    """With groups, no document is both in train and in test."""
    benchmark = built(
        corpus, tmp_path / "b", "groups=document", "train_size=[300,420]", "test_size=[40,90]"
    )
    documents = {
        split: {(int(e.tags["sentence"]) - 1) // 7 for e in benchmark.iterate(split)}
        for split in ("train", "test")
    }
    assert documents["train"].isdisjoint(documents["test"])


def test_a_fixed_train_set(corpus: Path, tmp_path: Path) -> None:
    """All usable sentences of the given set are train, and only they."""
    fixed = write_conllu(tmp_path / "fixed.conllu", made_up(200, seed=9, words=120))
    benchmark = built(corpus, tmp_path / "b", f"fixed_train={fixed}", "test_size=50")
    assert {int(e.tags["sentence"]) > 600 for e in benchmark.iterate("train")} == {True}
    assert benchmark.manifest.splits["test"] == 50
    assert {int(e.tags["sentence"]) <= 600 for e in benchmark.iterate("test")} == {True}


def test_a_warm_start_from_a_benchmark(corpus: Path, tmp_path: Path) -> None:
    """A split continues from another one of the same corpus."""
    first = built(corpus, tmp_path / "a", "passes=1")
    second = built(corpus, tmp_path / "b", f"start={first.path}")
    assert certificate(second)["score"] >= certificate(first)["score"]


@pytest.mark.parametrize("method", ["random", "published"])
def test_other_methods(corpus: Path, tmp_path: Path, method: str) -> None:
    """Random and published splits are written and certified alike."""
    benchmark = built(corpus, tmp_path / "b", f"method={method}", "candidates=50")
    assert check_benchmark(benchmark) == []


def test_a_parallel_target_file(corpus: Path, tmp_path: Path) -> None:
    """Line-aligned targets are taken; files of unequal length or with gaps are refused."""
    target = tmp_path / "target.txt"
    target.write_text("".join(f"Satz {n}\n" for n in range(1, 601)), encoding="utf-8")
    benchmark = built(corpus, tmp_path / "b", f"target_corpus={target}")
    example = benchmark.read("train")[0]
    assert example.references == (f"Satz {example.tags['sentence']}",)
    lines = target.read_text().splitlines(keepends=True)
    for number, (text, words) in enumerate(
        [("".join(lines[:-1]), "ends before"), ("".join(lines) + "x\n", "more lines"),
         ("".join(["\n", *lines[1:]]), "line 1 is empty")]
    ):  # fmt: skip
        target.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=words) as caught:
            built(corpus, tmp_path / f"c{number}", f"target_corpus={target}")
        assert caught.value.where == Where(str(target))


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("train_size=5000", "infeasible"),
        ("target_divergence=2", "between 0 and 1"),
        ("compound_alpha=1.0", "between 0 and 1"),
        ("dev_size=100000", "dev_size"),
        ("test_share=[0.5,0.1]", "test_share"),
        ("benchmark.target=fr", "no translation 'fr'"),
        ("corpus=nowhere.conllu", "no such corpus"),
    ],
)
def test_mistakes_are_named(corpus: Path, tmp_path: Path, override: str, words: str) -> None:
    """Each wrong option is refused with what is wrong."""
    with pytest.raises(RecombineError) as caught:
        built(corpus, tmp_path / "b", override)
    assert words in caught.value.render()


def test_every_definition_builds(corpus: Path, tmp_path: Path) -> None:
    """Each definition of atoms and compounds gives a certified benchmark."""
    for definition in ("pairs", "chains", "morphology", "ngrams"):
        benchmark = built(corpus, tmp_path / definition, f"definition={definition}", "passes=3")
        assert check_benchmark(benchmark) == []
