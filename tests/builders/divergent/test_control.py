"""The control of a divergent split: as large as train, not tested, and what it shows is counted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.divergent.control import (
    control_card,
    control_facts,
    control_faults,
    shown_of_test,
)
from recombine.builders.divergent.measure import Alphas
from recombine.builders.recipe import build, read_recipe
from recombine.errors import DataError, RecombineError


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parsed corpus of 600 sentences, some of them the same."""
    folder = tmp_path_factory.mktemp("corpus")
    return write_conllu(folder / "c.conllu", made_up(600, words=120))


@pytest.fixture(scope="module")
def plain(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A split without a control."""
    return built(corpus, tmp_path_factory.mktemp("plain") / "b")


@pytest.fixture(scope="module", params=["random", "covering"])
def controlled(
    request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> Benchmark:
    """The same split with either control."""
    return built(corpus, tmp_path_factory.mktemp("b") / request.param, f"control={request.param}")


def built(corpus: Path, out: Path, *overrides: str) -> Benchmark:
    """Build with the cut-offs off."""
    options = [f"corpus={corpus}", "edition=all", "passes=5", "dev_size=30", *overrides]
    return build(read_recipe("divergent", options), out)


def certificate(benchmark: Benchmark) -> dict[str, Any]:
    """What is certified of the control."""
    value: dict[str, Any] = json.loads((benchmark.path / "certificate.json").read_text())["control"]
    return value


def compounds_of(benchmark: Benchmark, split: str) -> Counter[str]:
    """Every compound of a split, by its number."""
    ids = {example.id for example in benchmark.iterate(split)}
    shown: Counter[str] = Counter()
    for line in (benchmark.path / "items.tsv").read_text(encoding="utf-8").splitlines():
        identity, _, compounds = line.split("\t")
        for item in compounds.split() if identity in ids else ():
            number, _, count = item.partition("*")
            shown[number] += int(count or 1)
    return shown


def test_the_split_itself_stays(plain: Benchmark, controlled: Benchmark) -> None:
    """A control is drawn beside a split and changes no byte of it."""
    for split in ("train", "dev", "test"):
        name = f"{split}.jsonl"
        assert plain.manifest.files[name] == controlled.manifest.files[name]
    assert check_benchmark(controlled) == []


def test_a_control_has_the_size_of_train_and_no_tested_text(controlled: Benchmark) -> None:
    """Also where the corpus repeats a tested sentence."""
    rows = controlled.read("control")
    assert len({row.tags["sentence"] for row in rows}) == len(rows)
    assert len(rows) == controlled.manifest.splits["train"]
    tested = {row.source for split in ("dev", "test") for row in controlled.iterate(split)}
    assert tested.isdisjoint(row.source for row in rows)
    known = certificate(controlled)
    assert known["tested"] == {"dev": 0, "test": 0}
    train = {row.tags["sentence"] for row in controlled.iterate("train")}
    assert known["lines_of_train"] == len(train & {row.tags["sentence"] for row in rows})


def test_what_each_set_shows_of_the_test(controlled: Benchmark) -> None:
    """Train shows none of the compounds, the control some, and the corpus the most."""
    test = compounds_of(controlled, "test")
    shown = certificate(controlled)["shows"]
    for split in ("train", "control"):
        seen = compounds_of(controlled, split)
        both = [number for number in test if seen[number]]
        assert shown[split]["compounds"] == pytest.approx(len(both) / len(test))
        occurrences = sum(test[number] for number in both) / test.total()
        assert shown[split]["occurrences"] == pytest.approx(occurrences)
        assert shown[split]["all_occurrences"] == pytest.approx(occurrences)  # nothing is cut off
    assert shown["train"]["occurrences"] == 0 < shown["control"]["occurrences"]
    if controlled.path.name == "covering":
        assert shown["control"]["compounds"] == shown["corpus"]["compounds"]
    else:
        assert shown["control"]["compounds"] < shown["corpus"]["compounds"]
    card = (controlled.path / "README.md").read_text(encoding="utf-8")
    assert f"| control | {shown['control']['atom_divergence']:.4f} |" in card


def test_a_covering_control_is_train_but_for_exchanged_sentences(
    corpus: Path, tmp_path: Path
) -> None:
    """Each sentence that came in shows a tested compound that train lacks; no atom is lost."""
    benchmark = built(corpus, tmp_path / "b", "control=covering")
    train = {row.tags["sentence"] for row in benchmark.iterate("train")}
    lacking = compounds_of(benchmark, "test").keys() - compounds_of(benchmark, "train").keys()
    came = {row.id for row in benchmark.iterate("control") if row.tags["sentence"] not in train}
    assert 10 < len(came) < 200
    atoms: dict[str, set[str]] = {"train": set(), "control": set()}
    split_of = {row.id: split for split in atoms for row in benchmark.iterate(split)}
    for line in (benchmark.path / "items.tsv").read_text(encoding="utf-8").splitlines():
        identity, own, compounds = line.split("\t")
        if identity in came:
            assert lacking & {item.partition("*")[0] for item in compounds.split()}
        if identity in split_of:
            atoms[split_of[identity]] |= {item.partition("*")[0] for item in own.split()}
    assert atoms["train"] <= atoms["control"]


def test_what_cuts_hide_is_counted_too(corpus: Path, tmp_path: Path) -> None:
    """`all_occurrences` is of every triple of the test, not of the controlled ones alone."""
    cuts = [
        "skip_most_frequent=5",
        "block=10",
        "min_frequency=3",
        "min_weight=0.3",
        "edition=paper",
    ]
    benchmark = built(corpus, tmp_path / "b", "control=random", *cuts)
    sentences = made_up(600, words=120)

    def triples(split: str) -> Counter[tuple[str, str, str]]:
        found: Counter[tuple[str, str, str]] = Counter()
        for row in benchmark.iterate(split):
            one = sentences[int(row.tags["sentence"]) - 1]
            for lemma, relation, head in zip(one.lemmas, one.relations, one.heads, strict=True):
                if head and relation not in ("root", "punct"):
                    found[one.lemmas[head - 1].lower(), relation, lemma.lower()] += 1
        return found

    test, train = triples("test"), triples("train")
    wanted = sum(count for triple, count in test.items() if triple in train) / test.total()
    shown = certificate(benchmark)["shows"]["train"]
    assert shown["all_occurrences"] == pytest.approx(wanted)
    assert shown["occurrences"] != pytest.approx(wanted)


def test_documents_of_the_test_stay_out(corpus: Path, tmp_path: Path) -> None:
    """Where documents stay whole, the control has none of a tested one."""
    sizes = ("groups=document", "train_size=[300,400]", "test_size=[40,90]", "dev_size=14")
    benchmark = built(corpus, tmp_path / "b", "control=random", *sizes)
    documents = {
        split: {(int(row.tags["sentence"]) - 1) // 7 for row in benchmark.iterate(split)}
        for split in ("control", "dev", "test")
    }
    assert documents["control"].isdisjoint(documents["dev"] | documents["test"])


def test_too_few_other_sentences(tmp_path: Path) -> None:
    """A corpus that repeats itself has no control of that size."""
    sentences = made_up(60, words=30) * 4
    corpus = write_conllu(tmp_path / "c.conllu", sentences)
    with pytest.raises(DataError, match="a control needs 120 sentences with other texts"):
        built(corpus, tmp_path / "b", "control=random", "train_size=150", "test_size=40")


def change_row(benchmark: Benchmark, **fields: Any) -> None:
    """Change the first sentence of the control."""
    path = benchmark.split_path("control")
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    row = {**json.loads(first), **fields}
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n" + "".join(others), encoding="utf-8")


def change_certificate(benchmark: Benchmark, **fields: Any) -> None:
    """Change what is certified of the control."""
    path = benchmark.path / "certificate.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["control"].update(fields)
    path.write_text(json.dumps(whole), encoding="utf-8")


def drop_a_row(benchmark: Benchmark) -> None:
    """Take the first sentence of the control away, its items too."""
    path, items = benchmark.split_path("control"), benchmark.path / "items.tsv"
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(others), encoding="utf-8")
    lines = items.read_text(encoding="utf-8").splitlines(keepends=True)
    items.write_text("".join(x for x in lines if not x.startswith(json.loads(first)["id"])))


FAULTS = {
    "a sentence of the test": (
        lambda one: change_row(one, source=one.read("test")[0].source),
        "1 sentences of the control are also in test",
    ),
    "one sentence less": (drop_a_row, "the control has 301 sentences, train has 302"),
    "another sentence": (lambda one: change_row(one, source="Other."), "the id of this row"),
    "another kind": (lambda one: change_certificate(one, kind="other"), "control.kind is"),
    "a better share": (
        lambda one: change_certificate(one, shows={"control": {"compounds": 1.0}}),
        "control.shows.control.compounds is",
    ),
    "fewer lines of train": (
        lambda one: change_certificate(one, lines_of_train=1), "control.lines_of_train is",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_what_makes_it_no_control_is_found(
    corpus: Path, tmp_path: Path, change: Any, message: str
) -> None:
    """Rows, items and certificate must agree that it is one."""
    benchmark = built(corpus, tmp_path / "b", "control=covering")
    assert benchmark.manifest.splits["train"] == 302
    change(benchmark)
    problems: list[RecombineError] = check_benchmark(Benchmark.open(benchmark.path))
    assert any(message in problem.message for problem in problems), problems


def test_greedy_cover_takes_few_rows() -> None:
    """The row with most new columns first, until nothing is missing; rows that add nothing wait."""
    kernel = pytest.importorskip("recombine.builders.divergent.kernel")
    shown = [[0], [0, 1, 2], [3], [2, 3], [1, 2]]
    starts = np.append(0, np.cumsum([len(row) for row in shown]))
    columns = np.array([column for row in shown for column in row], np.int32)
    rows, into = np.arange(len(shown)), np.empty(len(shown), np.int64)
    wanted = np.ones(4, np.int64)
    number = kernel.cover(rows, starts, starts[:-1], columns, wanted, into)
    assert into[:number].tolist() == [1, 2]
    assert rows.tolist() == [0, -1, -1, 3, 4]
    assert not wanted.any()


TEXTS = {"train": ["a", "b", "t"], "control": ["a", "c", "d"], "dev": ["d", "e"], "test": ["t"]}


def test_texts_of_all_splits_say_what_is_tested() -> None:
    """How many sentences of either training set are in dev or test."""
    assert control_facts("random", TEXTS, 1) == {
        "kind": "random",
        "sentences": 3,
        "lines_of_train": 1,
        "tested": {"dev": 1, "test": 0},
        "tested_in_train": {"dev": 0, "test": 1},
    }


def test_shares_of_a_test_that_sets_show() -> None:
    """Of kinds of compounds and of their occurrences; atoms have no part in them."""
    vectors = {
        "test": np.array([9, 9, 3, 1, 0, 4]),
        "train": np.array([9, 9, 0, 0, 5, 0]),
        "control": np.array([9, 9, 2, 0, 5, 1]),
    }
    shown = shown_of_test(vectors, 2, Alphas())
    assert list(shown) == ["train", "control"]
    shares = [(row["compounds"], row["occurrences"]) for row in shown.values()]
    assert shares == [(0.0, 0.0), (pytest.approx(2 / 3), pytest.approx(7 / 8))]
    assert shown["train"]["atom_divergence"] == pytest.approx(0.0)
    assert shown["train"]["compound_divergence"] == pytest.approx(1.0)
    nothing = shown_of_test({**vectors, "test": np.array([9, 9, 0, 0, 0, 0])}, 2, Alphas())
    assert nothing["train"]["compounds"] is None
    assert nothing["train"]["occurrences"] is None


def certified(kind: str, control: float | None, train: float | None, in_train: int = 0) -> Any:
    """What is certified of a control that shows these shares of the test."""
    return {
        **control_facts(kind, TEXTS | {"control": ["a", "b", "c"]}, 2),
        "tested_in_train": {"dev": 0, "test": in_train},
        "shows": {
            name: {"compounds": share, "occurrences": share, "atom_divergence": 0.25}
            for name, share in (("train", train), ("control", control))
        },
    }


@pytest.mark.parametrize(
    ("control", "told"),
    [
        (certified("covering", 0.5, 0.25), []),
        (certified("covering", 0.25, 0.25), []),
        (certified("covering", 0.0, None), []),
        (certified("random", 0.25, 0.5), []),
        (certified("covering", 0.25, 0.5, in_train=1), []),
        (
            certified("covering", 0.25, 0.5),
            ["shows 0.25 of the tested compounds", "shows 0.25 of the tested occurrences"],
        ),
    ],
)
def test_a_covering_control_shows_no_less_than_train(control: Any, told: list[str]) -> None:
    """Unless train has tested sentences itself, which the control must not have."""
    faults = list(control_faults(control, {"sentences": 3}))
    assert len(faults) == len(told)
    assert all(part in fault for part, fault in zip(told, faults, strict=True))
    assert next(control_faults(control, {"sentences": 4})).startswith("the control has 3")


def test_the_card_has_a_row_for_each_set() -> None:
    """A share that nobody knows is a dash."""
    card = control_card(certified("random", 0.5, None))
    assert "| train | 0.2500 | - | - | - | - |" in card
    assert "| control | 0.2500 | - | 0.5000 | 0.5000 | - |" in card
    assert any(
        "3 sentences like train" in line and "2 of them are in train" in line for line in card
    )
    assert any("dev 0, test 0" in line for line in card)
